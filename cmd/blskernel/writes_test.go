package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blskernel/internal/testutil"
)

// A worktop has the files that a command is tried on, again and again: their contents by their names.
type worktop map[string][]byte

// lay writes the files to a new folder: in memory where there is a place for that, since bringing
// thousands of files to a disk takes minutes.
func (w worktop) lay(t *testing.T) (dir string) {
	t.Helper()
	const inMemory = "/dev/shm"
	dir, err := os.MkdirTemp(inMemory, "blskernel-test-")
	if err != nil {
		dir = t.TempDir()
	} else {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	for name, text := range w {
		testutil.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o666))
	}
	return dir
}

// takeUp returns the files of a folder and of those in it, by their paths with slashes.
func takeUp(t *testing.T, dir string) worktop {
	t.Helper()
	w := worktop{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			w[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	})
	testutil.NoError(t, err)
	return w
}

// A writing is a command that writes files.
type writing struct {
	name  string
	files worktop
	args  func(dir string) []string
	again []string // flags with which the command goes on with what is there
	out   string   // the file that is written, and named by errors; that of a page stands for all of it
	lock  bool     // whether the command locks the file, and removes what others have left of it

	// whole checks what there is of the output after an error, and final after the command has
	// succeeded.
	whole, final func(t *testing.T, dir string) error
}

// The output of a command that writes one file as a whole: the old bytes or the new ones.
func replacing(out string, before, after []byte) func(t *testing.T, dir string) error {
	return func(t *testing.T, dir string) error {
		text, err := os.ReadFile(filepath.Join(dir, out))
		if errors.Is(err, fs.ErrNotExist) && before == nil {
			return nil
		}
		if err != nil {
			return err
		}
		if !bytes.Equal(text, before) && !bytes.Equal(text, after) {
			return fmt.Errorf("%s has %d bytes that are neither the old nor the new ones", out, len(text))
		}
		return nil
	}
}

// modelAt checks that the model can be read, if before is not nil or it is there, and has one of the
// numbers of samples: with the first of several it must be the file from before, if there was one, and
// with the last have the given state.
func modelAt(out string, before, after []byte, samples ...int) func(t *testing.T, dir string) error {
	return func(t *testing.T, dir string) error {
		path := filepath.Join(dir, out)
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && before == nil {
			return nil
		}
		if err != nil {
			return err
		}
		n := loaded(t, path)
		if !slices.Contains(samples, n) {
			return fmt.Errorf("%s has %d samples; want one of %v", out, n, samples)
		}
		if n == samples[0] && len(samples) > 1 && before != nil && !bytes.Equal(text, before) {
			return fmt.Errorf("%s is not the file of before", out)
		}
		if n == samples[len(samples)-1] && !bytes.Equal(state(t, path), after) {
			return fmt.Errorf("%s has another state than without faults", out)
		}
		return nil
	}
}

// writings returns all commands that write files, on small data.
func writings(t *testing.T) []writing {
	t.Helper()
	names := []string{"a", "b", "c", "d", "color"}
	base := worktop{
		"x.csv":    []byte(csvText(samples(150, 1), true, names...)),
		"more.csv": []byte(csvText(samples(100, 2), true, names...)),
	}
	dir := base.lay(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	tiny := func(dir, out string, flags ...string) []string {
		flags = append(flags, "--groups", "1", "--group-nodes", "3", "--enhancement", "4", "--method", "gram", "--target", "color", "--backend", "pure")
		return append([]string{"train", "--first", "50", "--batch", "50", "--out", filepath.Join(dir, out)}, append(flags, filepath.Join(dir, "x.csv"))...)
	}
	succeed(t, tiny(dir, "m.bls")...)
	trained := state(t, in("m.bls"))
	withModel := worktop{"m.bls": nil, "x.csv": base["x.csv"], "more.csv": base["more.csv"]}
	withModel["m.bls"] = takeUp(t, dir)["m.bls"]
	update := func(dir string) []string {
		return []string{"update", filepath.Join(dir, "m.bls"), "--batch", "50", "--backend", "pure", filepath.Join(dir, "more.csv")}
	}
	succeed(t, update(dir)...)
	updated := state(t, in("m.bls"))
	withBoth := worktop{"m.bls": takeUp(t, dir)["m.bls"], "more.csv": base["more.csv"]}
	remove := func(dir string) []string {
		return []string{"remove", filepath.Join(dir, "m.bls"), "--batch", "50", "--backend", "pure", filepath.Join(dir, "more.csv")}
	}
	succeed(t, remove(dir)...)
	removed := state(t, in("m.bls"))
	like := func(dir string) []string {
		return []string{"train", "--like", filepath.Join(dir, "m.bls"), "--first", "50", "--batch", "50", "--backend", "pure", "--out", filepath.Join(dir, "l.bls"), filepath.Join(dir, "more.csv")}
	}
	succeed(t, like(dir)...)
	alike := state(t, in("l.bls"))
	withLike := worktop{"m.bls": withModel["m.bls"], "l.bls": takeUp(t, dir)["l.bls"]}
	merge := func(dir string) []string {
		return []string{"merge", "--backend", "pure", "--out", filepath.Join(dir, "all.bls"), filepath.Join(dir, "m.bls"), filepath.Join(dir, "l.bls")}
	}
	mergedIn := withLike.lay(t)
	succeed(t, merge(mergedIn)...)
	merged := state(t, filepath.Join(mergedIn, "all.bls"))

	some := []byte{} // a file must be there, whatever it was
	all := []writing{
		{name: "train", lock: true, files: base, out: "m.bls", args: func(dir string) []string { return tiny(dir, "m.bls") },
			whole: modelAt("m.bls", nil, trained, 150), final: modelAt("m.bls", some, trained, 150)},
		{name: "train with checkpoints", lock: true, files: base, out: "m.bls", again: []string{"--resume"},
			args:  func(dir string) []string { return tiny(dir, "m.bls", "--checkpoint", "50") },
			whole: modelAt("m.bls", nil, trained, 50, 100, 150), final: modelAt("m.bls", some, trained, 150)},
		{name: "update", lock: true, files: withModel, out: "m.bls", args: update,
			whole: modelAt("m.bls", withModel["m.bls"], updated, 150, 250), final: modelAt("m.bls", some, updated, 250)},
		{name: "update with checkpoints", lock: true, files: withModel, out: "m.bls", again: []string{"--resume"},
			args:  func(dir string) []string { return append(update(dir), "--checkpoint", "50") },
			whole: modelAt("m.bls", withModel["m.bls"], updated, 150, 200, 250), final: modelAt("m.bls", some, updated, 250)},
		{name: "remove", lock: true, files: withBoth, out: "m.bls", args: remove,
			whole: modelAt("m.bls", withBoth["m.bls"], removed, 250, 150), final: modelAt("m.bls", some, removed, 150)},
		{name: "train --like", lock: true, files: withModel, out: "l.bls", args: like,
			whole: modelAt("l.bls", nil, alike, 100), final: modelAt("l.bls", some, alike, 100)},
		{name: "merge", lock: true, files: withLike, out: "all.bls", args: merge,
			whole: modelAt("all.bls", nil, merged, 250), final: modelAt("all.bls", some, merged, 250)},
	}
	withModel = worktop{"m.bls": withModel["m.bls"], "x.csv": base["x.csv"]}
	for _, out := range []string{"p.csv", "p.npy", "p.jsonl", "w.npz"} {
		files := worktop{out: []byte("what was there\n")}
		for name, text := range withModel {
			files[name] = text
		}
		args := func(dir string) []string {
			args := []string{"predict", filepath.Join(dir, "m.bls"), "--out", filepath.Join(dir, out), "--batch", "50", "--backend", "pure"}
			switch out {
			case "p.jsonl":
				args = append(args, "--json")
			case "w.npz":
				return []string{"export", filepath.Join(dir, "m.bls"), "--out", filepath.Join(dir, out), "--backend", "pure"}
			}
			return append(args, filepath.Join(dir, "x.csv"))
		}
		clean := files.lay(t)
		succeed(t, args(clean)...)
		after := takeUp(t, clean)[out]
		all = append(all, writing{name: out, files: files, out: out, args: args, whole: replacing(out, files[out], after), final: replacing(out, after, after)})
	}
	return append(all, reportWriting(t))
}

// reportWriting makes a page over an old one.
func reportWriting(t *testing.T) writing {
	t.Helper()
	const cell = `{"kind":"cell","op":"dgemm","n":10,"threads":1,"peak_gflops":50,"backends":[{"backend":"pure","gflops":1}]}`
	files := worktop{"r.jsonl": []byte(cell + "\n")}
	args := func(dir string) []string {
		return []string{"report", "--results", filepath.Join(dir, "r.jsonl"), "--out", filepath.Join(dir, "page")}
	}
	clean := files.lay(t)
	succeed(t, args(clean)...)
	pages := takeUp(t, filepath.Join(clean, "page"))
	each := func(absent bool) func(t *testing.T, dir string) error {
		return func(t *testing.T, dir string) error {
			var errs []error
			for name, text := range pages {
				var before []byte
				if !absent {
					before = text
				}
				errs = append(errs, replacing(name, before, text)(t, filepath.Join(dir, "page")))
			}
			return errors.Join(errs...)
		}
	}
	return writing{name: "report", files: files, out: "page", args: args, whole: each(true), final: each(false)}
}
