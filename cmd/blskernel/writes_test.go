package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
)

// A worktop maps the slash-separated paths of files to their contents.
type worktop map[string][]byte

// lay leaves these files, and nothing else, in the working folder, which workplace has made.
func (w worktop) lay(t *testing.T) {
	t.Helper()
	there, err := os.ReadDir(".")
	testutil.NoError(t, err)
	for _, e := range there {
		testutil.NoError(t, os.RemoveAll(e.Name()))
	}
	for name, text := range w {
		testutil.NoError(t, os.WriteFile(name, text, 0o666))
	}
}

// takeUp returns the files in the working folder and the folders below it.
func takeUp(t *testing.T) worktop {
	t.Helper()
	w := worktop{}
	testutil.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			w[name], err = os.ReadFile(name)
		}
		return err
	}))
	return w
}

// workplace changes to a new folder: in memory where possible, since writing thousands of files to a
// disk takes minutes.
func workplace(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "blskernel-test-")
	if err != nil {
		dir = t.TempDir()
	} else {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	t.Chdir(dir)
}

// A writing is a command that works in the working folder, with the files before and after it.
type writing struct {
	line    string
	again   string  // the flag with which the command resumes from what is there
	begun   int     // samples of the model from which it resumes
	samples int     // samples of the model that it writes and locks
	out     string  // the name of the file or folder that it writes
	files   worktop // the files before
	made    worktop // the files that it writes if nothing goes wrong
	state   []byte  // of the model that it writes
}

func (w *writing) args() []string { return strings.Fields(w.line) }

// writings returns all commands that write files, and one that writes none. They learn rows rows, or 50
// fewer, in batches of 50.
func writings(t *testing.T, rows int) []writing {
	t.Helper()
	workplace(t)
	names := []string{"a", "b", "c", "d", "color"}
	old := []byte("what was there\n")
	worktop{
		"x.csv":    []byte(csvText(samples(rows, 1), true, names...)),
		"more.csv": []byte(csvText(samples(rows-50, 2), true, names...)),
		"p.csv":    old, "p.npy": old, "p.jsonl": old, "w.npz": old,
		"r.jsonl": []byte(`{"kind":"cell","op":"dgemm","n":10,"threads":1,"peak_gflops":50,"backends":[{"backend":"pure","gflops":1}]}` + "\n"),
	}.lay(t)
	const (
		batches = " --batch 50 --backend pure "
		train   = "train --first 50 --groups 1 --group-nodes 3 --enhancement 4 --method gram --target color" + batches
		like    = "train --first 50 --like m.bls" + batches
	)
	for _, line := range []string{
		train + "--out m.bls x.csv", "update m.bls --out u.bls" + batches + "more.csv", like + "--out l.bls more.csv",
	} {
		succeed(t, strings.Fields(line)...)
	}
	files := takeUp(t)
	all := []writing{
		{line: train + "--out new.bls x.csv", samples: rows},
		{line: train + "--out new.bls --checkpoint 50 x.csv", again: "--resume", samples: rows},
		{line: "update m.bls" + batches + "more.csv", begun: rows, samples: 2*rows - 50},
		{line: "update m.bls --checkpoint 50" + batches + "more.csv", again: "--resume", begun: rows, samples: 2*rows - 50},
		{line: "remove u.bls" + batches + "more.csv", samples: rows},
		{line: like + "--out new.bls more.csv", samples: rows - 50},
		{line: "merge --backend pure --out new.bls m.bls l.bls", samples: 2*rows - 50},
		{line: "predict m.bls --out p.csv" + batches + "x.csv"},
		{line: "predict m.bls --out p.npy" + batches + "x.csv"},
		{line: "predict m.bls --out p.jsonl --json" + batches + "x.csv"},
		{line: "export m.bls --out w.npz --backend pure"},
		{line: "report --results r.jsonl --out page"},
		{line: "evaluate m.bls" + batches + "x.csv"},
	}
	for i := range all {
		w := &all[i]
		files.lay(t)
		succeed(t, w.args()...)
		w.files, w.made = files, takeUp(t)
		for name, text := range w.made {
			if bytes.Equal(text, files[name]) {
				delete(w.made, name)
				continue
			}
			w.out, _, _ = strings.Cut(name, "/")
			if w.samples > 0 {
				w.state = state(t, name)
			}
		}
	}
	return all
}

var acknowledged = regexp.MustCompile(`(?:checkpoint after|learned) (\d+) rows`)

// check looks at the files that the command writes. As a whole, each is what it was before or what the
// command writes; if done is true, the latter. A model has the right state to the bit, or is a
// checkpoint, and has the rows that standard output says.
func (w *writing) check(t *testing.T, where, stdout string, done bool) {
	t.Helper()
	for name, after := range w.made {
		text, err := os.ReadFile(name)
		before, there := w.files[name]
		switch {
		case w.samples > 0 && err == nil:
			err = w.checkModel(name, stdout, !done && there && bytes.Equal(text, before), done)
		case errors.Is(err, fs.ErrNotExist) && !there && !done && !acknowledged.MatchString(stdout):
			err = nil
		case err == nil && !bytes.Equal(text, after) && (done || !there || !bytes.Equal(text, before)):
			err = fmt.Errorf("%s has %d bytes that are neither the old nor the new ones", name, len(text))
		}
		if err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
}

func (w *writing) checkModel(name, stdout string, old, done bool) error {
	m, err := load(name)
	if err != nil {
		return err
	}
	n, least := m.Updater().Samples(), 0
	for _, match := range acknowledged.FindAllStringSubmatch(stdout, -1) {
		least, _ = strconv.Atoi(match[1])
	}
	var got bytes.Buffer
	switch err := m.Encode(&got); {
	case err != nil:
		return err
	case n < w.begun+least && w.begun+least <= w.samples:
		return fmt.Errorf("%s has %d samples, and %d rows were acknowledged", name, n, least)
	case old:
	case n == w.samples && !bytes.Equal(got.Bytes(), w.state):
		return fmt.Errorf("%s has another state than without faults", name)
	case n != w.samples && (done || w.again == "" || n <= w.begun || n > w.samples || (n-w.begun)%50 != 0):
		return fmt.Errorf("%s has %d samples; want %d", name, n, w.samples)
	}
	return nil
}

// complete reports whether the command writes a model and has written it completely.
func (w *writing) complete() bool {
	m, err := load(w.out)
	return w.samples > 0 && err == nil && m.Updater().Samples() == w.samples
}

// leftovers checks that the command leaves no other files. Exceptions are complete files that the
// message names, and locks and temporary files for which an operation failed.
func (w *writing) leftovers(t *testing.T, where, stderr string, failed []faultfs.Call) {
	t.Helper()
	for name := range takeUp(t) {
		_, there := w.files[name]
		_, made := w.made[name]
		kept := strings.Contains(stderr, "kept as "+name) &&
			(strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".new"))
		stays := slices.ContainsFunc(failed, func(c faultfs.Call) bool {
			return c.Path == name && (c.Op == faultfs.Remove || strings.HasSuffix(name, ".lock"))
		})
		if !there && !made && !kept && !stays {
			t.Errorf("%s: %s is left", where, name)
		}
	}
}

// goesOn runs the command again, which must succeed. If done is true, it may also say that the rows
// have been learned or removed before.
func (w *writing) goesOn(t *testing.T, where string, done bool) {
	t.Helper()
	status, stdout, stderr := inProcess(append(w.args(), strings.Fields(w.again)...)...)
	if status != 0 && !(done && strings.Contains(stderr, " them once more, or leave ")) {
		t.Errorf("%s; again: status %d, %q", where, status, stderr)
	}
	w.check(t, where+"; again", stdout, true)
}
