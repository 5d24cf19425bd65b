package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestWrongFlags has command lines of the commands for models that are wrong by themselves.
func TestWrongFlags(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", "a,b,c\n1,2,x\n")
	out := filepath.Join(dir, "m.bls")
	for _, tc := range []struct{ args, want string }{
		{"train DATA", "--out is missing: name the file for the model"},
		{"train --out OUT", "no data: name a file, a folder, or - for standard input"},
		{"train --out OUT DATA", "--target is missing: name the column of the labels or targets, by its name or number"},
		{"train --out OUT --target c DATA -", "standard input, -, cannot be one of several files"},
		{"train --out OUT --target c --task x DATA", `invalid argument "x" for "--task" flag: want classification or regression`},
		{"train --out OUT --target c --format x DATA", `invalid argument "x" for "--format" flag: want auto, csv, npy, npz or idx`},
		{"train --out OUT --target c --comma xx DATA", `invalid argument "xx" for "--comma" flag: want one character, or tab`},
		{"train --out OUT --target c --header x DATA", `invalid argument "x" for "--header" flag: want present, absent or auto`},
		{"train --out OUT --target c --part x DATA", `invalid argument "x" for "--part" flag: want training or test`},
		{"train --out OUT --target c --groups 1000 --group-nodes 1000 DATA", "make 1000000 nodes; want at most 100000"},
		{"train --out OUT --target c --shrink 0 DATA", `invalid argument "0" for "--shrink" flag: want a positive number, or auto`},
		{"train --out OUT --target c --shrink NaN DATA", `invalid argument "NaN" for "--shrink" flag: want a positive number, or auto`},
		{"train --out OUT --target c --scale x DATA", `invalid argument "x" for "--scale" flag: want auto, samples, columns or none`},
		{"train --out OUT --target c --method x DATA", `for "--method" flag: want auto, gram, qr,`},
		{"train --out OUT --target c --lambda -1 DATA", `invalid argument "-1" for "--lambda" flag`},
		{"train --out OUT --target c --backend x DATA", `--backend is "x"; want pure or openblas`},
		{"train --out OUT --target c --checkpoint 0 DATA", `invalid argument "0" for "--checkpoint" flag: want a number of rows`},
		{"train --out OUT --target c --classes x,x DATA", "--classes has x twice"},
		{"train --out OUT --target c --task regression --classes x,y DATA", "--classes is about a classification"},
		{"train --out OUT --target c --resume -", "--resume reads the data from the beginning again, which standard input cannot be: leave it out, or save"},
		{"update OUT --resume -", "--resume reads the data from the beginning again, which standard input cannot be"},
		{"update OUT --resume --targets-file - DATA", "--resume reads the data from the beginning again, which standard input cannot be"},
		{"export OUT --out x.npz --quiet --verbose", "--quiet and --verbose contradict each other"},
		{"inspect OUT --quiet --verbose", "--quiet and --verbose contradict each other"},
		{"train --out OUT --target c --quiet --verbose DATA", "--quiet and --verbose contradict each other"},
		{"train --out DATA --target c DATA", "which exists and is no model: remove it, or give another name"},
		{"train --out DIR --target c DATA", "which is no file"},
		{"update", "no model: name the model file first"},
		{"update OUT", "no data: name a file"},
		{"update OUT --resume --restart DATA", "--resume and --restart contradict each other"},
		{"export", "no model: name the model file first"},
		{"export OUT", "--out is missing: name the .npz file"},
		{"export OUT --out x.csv", `--out is "x.csv"; want a name that ends in .npz`},
		{"inspect", "no model: name the model file first"},
		{"inspect OUT x", `unexpected argument "x"`},
	} {
		args := strings.Fields(strings.NewReplacer("OUT", out, "DATA", data, "DIR", dir).Replace(tc.args))
		status, stdout, stderr := inProcess(args...)
		if status != ui.ExitUsage || stdout != "" || !strings.Contains(stderr, tc.want) || !strings.HasSuffix(stderr, "\nRun 'blskernel "+args[0]+" -h' for help.\n") {
			t.Errorf("%s: status %d, stdout %q, stderr %q; want %q", tc.args, status, stdout, stderr, tc.want)
		}
	}
	left(t, 1, dir, "*")
}

// TestWrongFiles has models and data that cannot be used, each with what to do about it.
func TestWrongFiles(t *testing.T) {
	model, test := trained(t, "--target", "color")
	defer unchanged(t, model)()
	dir := t.TempDir()
	text, err := os.ReadFile(model)
	testutil.NoError(t, err)
	altered := bytes.Clone(text)
	altered[len(altered)/2] ^= 1
	bad := map[string]string{
		"SHORT":   writeText(t, dir, "short.bls", string(text[:len(text)/2])),
		"ALTERED": writeText(t, dir, "altered.bls", string(altered)),
		"CELL":    writeText(t, dir, "cell.csv", "a,b,c,d,color\n1,2,3,4,red\n1,2,x,4,red\n"),
		"LACKS":   writeText(t, dir, "lacks.csv", "a,b,d,color\n1,2,3,red\n"),
		"NARROW":  writeText(t, dir, "narrow.csv", "1,2,3\n"),
		"EMPTY":   writeText(t, dir, "empty.csv", "a,b,c,d,color\n"),
		"MODEL":   model, "TEST": test, "DIR": dir, "NONE": filepath.Join(dir, "none"),
	}
	var pairs []string
	for name, path := range bad {
		pairs = append(pairs, name, path)
	}
	fill := strings.NewReplacer(pairs...)
	for _, tc := range []struct{ args, want string }{
		{"predict NONE TEST", "none\" does not exist: 'blskernel train --out "},
		{"predict DIR TEST", "is a folder; want a model file"},
		{"predict TEST MODEL", "test.csv\" is not a model file: the first file is the model"},
		{"inspect TEST", "is not a model file"},
		{"inspect SHORT", "the file is not complete"},
		{"inspect ALTERED", "the file was altered"},
		{"update SHORT TEST", "the file is not complete"},
		{"predict MODEL NONE", "none\" does not exist"},
		{"predict MODEL DIR", "a folder must have the files of MNIST"},
		{"predict MODEL MODEL", "m.bls\" is a model file, and no data"},
		{"predict MODEL LACKS", `lacks the columns "c" of the model, and has "a", "b", "d", "color": name the columns by --inputs`},
		{"predict MODEL NARROW", "has 3 columns of inputs, and the model 4: choose the columns by --inputs"},
		{"predict MODEL --inputs 1,2 TEST", "has 2 columns of inputs, and the model 4"},
		{"predict MODEL CELL", "cell.csv:3: column \"c\""},
		{"evaluate MODEL CELL", "cell.csv:3: column \"c\""},
		{"update MODEL CELL", "cell.csv:3: column \"c\""},
		{"evaluate MODEL EMPTY", "the data has no rows"},
		{"train --out NONE/m.bls --target color TEST", "cannot be written: the folder "},
		{"train --out NONE --target color EMPTY", "the data has no rows"},
		{"train --out NONE --target colour --task classification TEST", `has no column named "colour"; it has "a", "b", "c", "d", "color"`},
		{"train --out NONE --target color --task regression TEST", "column \"color\""},
	} {
		args := strings.Fields(fill.Replace(tc.args))
		status, stdout, stderr := inProcess(args...)
		if stdout == "color\n" {
			stdout = "" // the head of predictions of which none came
		}
		if status != ui.ExitFailure || stdout != "" || !strings.Contains(stderr, tc.want) {
			t.Errorf("%s: status %d, stdout %q, stderr %q; want %q", tc.args, status, stdout, stderr, tc.want)
		}
	}
}

// TestSkipBad has two rows with cells that are no numbers among the others.
func TestSkipBad(t *testing.T) {
	dir := t.TempDir()
	rows := samples(200, 1)
	good := csvText(rows, true, "a", "b", "c", "d", "color")
	bad := writeText(t, dir, "bad.csv", good+"x,2,3,4,red\n"+csvText(rows[:50], false, "a", "b", "c", "d", "color")+"1,y,3,4,red\n")
	model, same := filepath.Join(dir, "m.bls"), filepath.Join(dir, "same.bls")
	for _, args := range [][]string{
		small("--target", "color", "--out", model, bad), {"update", model, "--again", bad}, {"predict", model, bad}, {"evaluate", model, bad},
	} {
		status, _, stderr := inProcess(args...)
		if status != ui.ExitFailure || !strings.Contains(stderr, `bad.csv:202: column "a" `) || !strings.HasSuffix(stderr, "; or set such rows aside by --skip-bad 10, for at most 10 rows\n") {
			t.Errorf("%s: status %d, %q", args[0], status, stderr)
		}
		if status, _, _ := inProcess(append(args, "--skip-bad", "1")...); status != ui.ExitFailure {
			t.Errorf("%s: status %d with two bad rows and --skip-bad 1", args[0], status)
		}
		status, _, stderr = inProcess(append(args, "--skip-bad", "2")...)
		if status != 0 || strings.Count(stderr, ": the row is set aside\n") != 2 || !strings.Contains(stderr, `bad.csv:253: column "b" is "y", not a number`) {
			t.Errorf("%s: status %d, %q", args[0], status, stderr)
		}
	}
	clean := writeText(t, dir, "clean.csv", good+csvText(rows[:50], false, "a", "b", "c", "d", "color"))
	succeed(t, small("--target", "color", "--out", same, clean)...)
	succeed(t, "update", same, "--again", clean)
	if !bytes.Equal(state(t, model), state(t, same)) {
		t.Error("the model is not that of the other rows")
	}
	whole := strings.Split(succeed(t, "predict", model, clean), "\n")[1:251]
	for _, batch := range []string{"100", "7"} {
		args := []string{"predict", model, bad, "--skip-bad", "2", "--batch", batch}
		var labels []string
		out := filepath.Join(dir, batch+".npy")
		if status, _, stderr := inProcess(append(args, "--out", out)...); status != 0 {
			t.Fatal(stderr)
		}
		readNPY(t, out, &labels)
		_, text, _ := inProcess(append(args, "--json")...)
		objects := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(labels) != len(whole) || len(objects) != len(whole) {
			t.Fatalf("--batch %s: %d labels, %d objects", batch, len(labels), len(objects))
		}
		for i, label := range whole {
			p, row := object[learn.Prediction](t, objects[i]), int64(i+1)
			if i >= 200 {
				row++ // than the first bad row
			}
			if p.Row != row || *p.Class != label || plain(labels[i]) != label {
				t.Errorf("--batch %s: %q and %s in row %d; want %s", batch, labels[i], objects[i], row, label)
			}
		}
	}
}

// TestStandardInput pipes samples through processes.
func TestStandardInput(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.bls")
	all := []string{"a", "b", "c", "d", "color"}
	train := small("--out", model, "--target", "color", "-")
	testutil.Contains(t, piped(t, csvText(samples(300, 1), true, all...), train...), "300 samples in all")
	other := csvText(samples(100, 2), true, "color", "d", "c", "b", "id", "a")
	q := object[learn.Classification](t, piped(t, other, "evaluate", model, "--json", "-"))
	if q.Rows != 100 || !(q.Accuracy > 0.9) {
		t.Errorf("%+v", q)
	}
	if out := piped(t, other, "predict", model, "-"); strings.Count(out, "\n") != 101 {
		t.Errorf("%q", out)
	}
	update := []string{"update", model, "--header", "absent", "--target", "5", "-"}
	testutil.Contains(t, piped(t, csvText(samples(100, 2), false, all...), update...), "400 samples in all")
}

// TestCompletion lets the shell ask.
func TestCompletion(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want []string
	}{
		{[]string{"train", "--task", ""}, []string{"classification", "regression", ":4"}},
		{[]string{"train", "--method", ""}, []string{"auto", "gram", "inverse-cholesky"}},
		{[]string{"train", "--scale", ""}, []string{"samples", "columns", "none"}},
		{[]string{"update", ""}, []string{":0"}}, // any file
		{[]string{"predict", "m.bls", "--part", ""}, []string{"training", "test"}},
		{[]string{"demo", "--method", ""}, []string{"qr", "improved"}},
		{[]string{"plan", "--backend", ""}, []string{"pure", "openblas"}},
	} {
		status, stdout, _ := inProcess(append([]string{"__complete"}, tc.args...)...)
		lines := strings.Split(stdout, "\n")
		for _, want := range tc.want {
			if status != 0 || !slices.Contains(lines, want) {
				t.Errorf("%q: status %d, %q is not in %q", tc.args, status, want, lines)
			}
		}
	}
}

// TestInspect looks at what people and machines see of a model.
func TestInspect(t *testing.T) {
	model, test := trained(t, "--target", "color", "--method", "gram", "--seed", "7", "--lambda", "2^-10", "--shrink", "0.8")
	testutil.Contains(t, succeed(t, "inspect", model),
		"classification, 3 classes, 4 inputs, k = 30 nodes, 400 samples", "gram, lambda = 2^-10", "2 groups of 5 feature nodes, 20 enhancement nodes",
		"scaled by columns, shrink 0.8, seed 7", `"a", "b", "c", "d"`, `"dark blue", "green", "red"`, "400 rows of ", "SHA-256",
	)
	i := object[learn.Inspection](t, succeed(t, "inspect", "--json", model))
	if i.Samples != 400 || i.Nodes != 30 || i.Lambda != 0x1p-10 || i.Method != "gram" || i.Metadata.Batch != 50 || len(i.SHA256) != 64 {
		t.Errorf("%+v", i)
	}
	if _, _, stderr := inProcess("update", "--verbose", model, test); strings.Contains(stderr, "note:") {
		t.Errorf("%q", stderr)
	}
}

// TestVerbose says which method was chosen, and why.
func TestVerbose(t *testing.T) {
	dir, data, model := colored(t, 300)
	t.Setenv("BLSKERNEL_CACHE", dir)
	status, _, stderr := inProcess(small("--verbose", "--lambda", "2^-50", "--out", model, "--target", "color", data)...)
	if status != 0 {
		t.Errorf("status %d", status)
	}
	testutil.Contains(t, stderr, "k = 30 nodes by qr; feature maps fitted to the first 100 rows, scaled by columns")
	left(t, 0, dir, "rates-*") // none have been measured
	// A larger ridge leaves enough digits for gram.
	testutil.Contains(t, succeed(t, small("--lambda", "2^-30", "--out", model, "--target", "color", data)...), "nodes by gram, ")
}

// TestAutomaticAgain learns the same model by the same reasons whenever the same command is given,
// however fast the data is read, whatever the threads, and however much memory there is.
func TestAutomaticAgain(t *testing.T) {
	dir, data, model := colored(t, 9000)
	t.Setenv("BLSKERNEL_CACHE", dir)
	var first string
	for n, args := range [][]string{nil, nil, nil, {"--threads", "1"}, {"--threads", "3"}, {"small"}} {
		limit := int64(-1)
		if slices.Contains(args, "small") {
			args, limit = nil, 200<<20
		}
		limit = debug.SetMemoryLimit(limit)
		status, _, stderr := inProcess(small(append(args, "--verbose", "--out", model, "--target", "color", data)...)...)
		debug.SetMemoryLimit(limit)
		all := stderr + succeed(t, "predict", "--scores", model, data)
		if n == 0 {
			first = all
		}
		if status != 0 || all != first || !strings.Contains(stderr, "feature maps fitted") {
			t.Fatalf("%q: status %d, another model\n%sand before\n%s", args, status, stderr, first[:min(len(first), 2000)])
		}
	}
}
