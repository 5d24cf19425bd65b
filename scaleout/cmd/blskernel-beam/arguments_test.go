//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/internal/testutil"
)

// TestWrong runs wrong command lines, and checks the exit status and the message of each.
func TestWrong(t *testing.T) {
	p := newProblem(t)
	folder, text := t.TempDir(), filepath.Join(t.TempDir(), "a.txt")
	testutil.NoError(t, os.WriteFile(text, []byte("no model\n"), 0o666))
	weighted, balanced := filepath.Join(t.TempDir(), "w.bls"), p.classifier.Unfitted()
	balanced.ClassWeight = bls.Balanced
	testutil.NoError(t, balanced.Fit(points(200, 1)))
	testutil.NoError(t, modelfile.Save(weighted, &modelfile.File{Classifier: balanced}))
	model, out := "--model="+p.model, "--out="+filepath.Join(folder, "out.bls")
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, "no data: name files", nil},
		{2, "--model is missing", []string{"x.csv", out}},
		{2, "--out is missing", []string{"x.csv", model}},
		{2, "workers cannot use the standard input", []string{"x.csv", model, "--out", "-"}},
		{2, "flag -lambda: want a finite number", []string{"--lambda", "x"}},
		{2, "-inputs: has an empty value", []string{"--inputs", "a,,b"}},
		{2, "flag provided but not defined: -lamda", []string{"--lamda", "1"}},
		{2, "want a finite number, 0 or more, such as 1e-6 or 2^-30", []string{"--lambda", "-1"}},
		{2, "-method: want gram or qr", []string{"x.csv", model, out, "--method", "svd"}},
		{2, `value "xls" for flag -format`, []string{"x.csv", model, out, "--format", "xls"}},
		{2, `value "maybe" for flag -header`, []string{"x.csv", model, out, "--header", "maybe"}},
		{2, "-comma: want a comma, a semicolon, the word tab or another sign, but none of . + - _ and no quotation mark", []string{"x.csv", model, out, "--comma", ",,"}},
		{2, "-batch: want an integer from 0 to 2147483647", []string{"x.csv", model, out, "--batch", "-1"}},
		{2, "-skip-bad: want an integer from 0", []string{"x.csv", model, out, "--skip-bad", "-1"}},
		{2, "--bad-out lists the rows that --skip-bad sets aside", []string{"x.csv", model, out, "--bad-out", "bad.txt"}},
		{2, `--runner is "slow"`, []string{"x.csv", model, out, "--runner", "slow"}},
		{2, "where the workers cannot reach it", []string{p.pattern(), model, out, "--runner", "universal", "--endpoint", "localhost:1", "--worker_binary=x"}},
		{2, "out.bls\" is on this machine", []string{"gs://b/x.csv", "--model=gs://b/base.bls", out, "--runner", "dataflow", "--worker_binary=x"}},
		{2, `--environment_type is "CLOUD"`, []string{"x.csv", model, out, "--environment_type", "CLOUD"}},
		{2, "--environment_config is missing: --environment_type=EXTERNAL needs it", []string{p.pattern(), model, out, "--environment_type=EXTERNAL", "--worker_binary=x"}},
		{2, "--environment_config is missing: --environment_type=process needs it", []string{p.pattern(), model, out, "--environment_type=process", "--worker_binary=x"}},
		{2, "--environment_config needs --environment_type", []string{p.pattern(), model, out, "--environment_config", "localhost:1"}},
		{2, "--async needs a runner", []string{p.pattern(), model, out, "--async"}},
		{2, "--worker_binary is missing", []string{p.pattern(), model, out, "--environment_type", "EXTERNAL", "--environment_config", "localhost:1"}},
		{1, "no worker pool answers", []string{p.pattern(), model, out, "--environment_type", "EXTERNAL", "--environment_config", "localhost:1", "--worker_binary=x"}},
		{2, "unknown file system", []string{"xyz://x.csv", model, out}},
		{1, "no file matches " + folder, []string{filepath.Join(folder, "*.csv"), model, out}},
		{1, "the numbers of sample files and target files are 21 and 1", []string{p.pattern(), model, out, "--targets", p.shard(0)}},
		{1, "x.bls: no such file", []string{p.pattern(), "--model", filepath.Join(folder, "x.bls"), out}},
		{1, "is a directory", []string{p.pattern(), "--model", folder, out}},
		{1, "w.bls was trained with class weights, which", []string{p.pattern(), "--model", weighted, out}},
		{1, "not a model file", []string{p.pattern(), "--model", text, out}},
		{2, "which is not a model", []string{p.pattern(), model, "--out", folder}},
		{2, "is a folder: name a file", []string{p.pattern(), model, "--out", filepath.Join(folder, "new") + "/"}},
		{1, "is a folder: name the files in it", []string{folder, model, out}},
		{2, "which is not a model", []string{p.pattern(), model, "--out", text}},
		{2, ", the same file as --model, which workers read", []string{p.pattern(), model, "--out", p.model}},
		{2, "which already exists", []string{p.pattern(), model, out, "--skip-bad=1", "--bad-out", p.shard(0)}},
		{2, "also --model or --out: give", []string{p.pattern(), model, out, "--skip-bad=1", "--bad-out", folder + "/./out.bls"}},
		{2, "also --model or --out: give", []string{p.pattern(), model, out, "--skip-bad=1", "--bad-out", filepath.Dir(p.model) + "/./base.bls"}},
		{1, "not a directory", []string{p.pattern(), model, "--out", filepath.Join(text, "out.bls")}},
		{1, "which would be learned twice", []string{p.pattern(), model, out, filepath.Dir(p.model) + "/./part-00.csv"}},
	} {
		end := runCommand(t, c.args...)
		lines := 1
		if c.status == exitUsage {
			lines = 2 // the second names --help
		}
		if end.status != c.status || !strings.Contains(end.err, c.says) || strings.Count(end.err, "\n") != lines || end.out != "" {
			t.Errorf("%q: status %d, standard error\n%swant %d and %q", c.args, end.status, end.err, c.status, c.says)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v (%v)", left, err)
	}
}

// TestHelp checks that the help lists the flags.
func TestHelp(t *testing.T) {
	end := runCommand(t, "--help")
	if end.status != 0 || end.err != "" {
		t.Errorf("status %d, standard error\n%s", end.status, end.err)
	}
	testutil.Contains(t, end.out, "-model file", "-lambda number", "-skip-bad number", "-runner string", "-environment_config string")
}
