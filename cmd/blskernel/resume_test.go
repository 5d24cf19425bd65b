package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/cmd/blskernel/internal/learn"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"

	"github.com/gofrs/flock"
)

// stopAfter runs a command that is interrupted when it has written so many lines to standard output.
func stopAfter(t *testing.T, lines int, args ...string) {
	t.Helper()
	if status, stdout, stderr := interruptedAfter(lines, os.Interrupt, args...); status != 130 {
		t.Fatalf("%q: status %d, stdout %q, stderr %q; want 130", args, status, stdout, stderr)
	}
}

// TestResume stops a training and an update after some checkpoints and goes on with them, until the
// models are to the bit those that were never stopped.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	first := writeText(t, dir, "1.csv", csvText(samples(530, 1), true, "a", "b", "c", "d", "color"))
	second := writeText(t, dir, "2.csv", csvText(samples(470, 2), true, "a", "b", "c", "d", "color"))
	path := func(name string) string { return filepath.Join(dir, name) }
	train := func(out string, flags ...string) []string {
		return small(append(flags, "--target", "color", "--out", out, first, second)...)
	}
	succeed(t, train(path("once.bls"))...)
	want := state(t, path("once.bls"))

	resumed := train(path("often.bls"), "--checkpoint", "100", "--resume")
	for _, lines := range []int{1, 2, 1} {
		stopAfter(t, lines, resumed...)
	}
	i := object[learn.Inspection](t, succeed(t, "inspect", "--json", path("often.bls")))
	if i.Metadata.Progress.Done || i.Metadata.Progress.Rows < 400 || int64(i.Samples) != i.Metadata.Progress.Rows {
		t.Fatalf("%+v", i)
	}
	_, _, stderr := inProcess("predict", path("often.bls"), second)
	testutil.Contains(t, stderr, "is a checkpoint of a training that stopped after ")
	fail(t, ui.ExitUsage, "is a checkpoint of a training that stopped after", "update", path("often.bls"), second)
	succeed(t, resumed...)
	if !bytes.Equal(state(t, path("often.bls")), want) {
		t.Error("the training that was stopped has another result")
	}
	testutil.Contains(t, succeed(t, resumed...), "is done: all 1000 rows have been learned")

	succeed(t, "update", path("once.bls"), "--again", second)
	want = state(t, path("once.bls"))
	update := []string{"update", path("often.bls"), "--again", "--checkpoint", "100", "--resume", second}
	for range 2 {
		stopAfter(t, 1, update...)
	}
	fail(t, ui.ExitUsage, "is a checkpoint of an update that stopped after", "update", path("often.bls"), second)
	succeed(t, update...)
	if !bytes.Equal(state(t, path("often.bls")), want) {
		t.Error("the update that was stopped has another result")
	}
	testutil.Contains(t, succeed(t, update...), "is done: all 470 rows have been learned")
}

// TestResumeRefused has checkpoints of something else. What differs is named, as it was and as it is.
func TestResumeRefused(t *testing.T) {
	_, data, model := colored(t, 400)
	train := func(flags ...string) []string {
		return small(append(flags, "--target", "color", "--out", model, data)...)
	}
	resumed := train("--checkpoint", "50", "--resume")
	stopAfter(t, 1, resumed...)
	fail(t, ui.ExitUsage, "another training, it was begun with --seed \"1\", and here that is \"2\": give", train("--checkpoint", "50", "--resume", "--seed", "2")...)
	fail(t, ui.ExitUsage, `it was begun with --inputs "[]", and here that is "[1,2]"`, train("--resume", "--inputs", "1,2")...)
	fail(t, ui.ExitUsage, "is given twice, and its rows would count twice", append(resumed, data)...)
	text, err := os.ReadFile(data)
	testutil.NoError(t, err)
	fail(t, ui.ExitUsage, "it was begun with \"x.csv\", and here the data is \"x.csv\", \"y.csv\"", append(resumed, writeText(t, t.TempDir(), "y.csv", string(text)))...)
	// Flags that change nothing about the result may be others.
	stopAfter(t, 1, train("--checkpoint", "60", "--resume", "--verbose")...)
	if strings.HasPrefix(blskernel.Default().Name(), "pure") { // whose results do not depend on the threads
		stopAfter(t, 1, train("--checkpoint", "50", "--resume", "--threads", "1")...)
		defer blskernel.SetThreads(0)
	}
	// An update of a model that is half trained is possible if that is wanted.
	fail(t, ui.ExitUsage, "finish that first, or begin with --restart", "update", model, "--resume", data)
	succeed(t, "update", model, "--restart", data)
	succeed(t, "update", model, "--again", data)
	fail(t, ui.ExitUsage, `it is of the command "update"`, resumed...)
	// What was learned to the end is not learned again because a flag is another.
	fail(t, ui.ExitUsage, "--resume: "+model+" has learned this data by an update that was finished, and is not this one: it was begun with --batch \"0\", and here that is \"7\"",
		"update", model, "--resume", "--batch", "7", data)
	succeed(t, train()...)
}

// TestResumeContent goes on with files that have changed: after the checkpoint they may, before it not,
// whatever their sizes and times say.
func TestResumeContent(t *testing.T) {
	dir := t.TempDir()
	all := []string{"a", "b", "c", "d", "color"}
	rows := samples(400, 1)
	right := csvText(rows, true, all...)
	lines := strings.SplitAfter(right, "\n")
	wrong := slices.Clone(lines)
	wrong[300] = strings.Replace(wrong[300], rows[299].label, "x", 1)
	once := filepath.Join(dir, "once.bls")
	data := writeText(t, dir, "x.csv", right)
	succeed(t, small("--target", "color", "--out", once, data)...)
	want := state(t, once)

	model := filepath.Join(dir, "m.bls")
	resumed := small("--target", "color", "--classes", "dark blue,green,red", "--checkpoint", "50", "--resume", "--out", model, data)
	writeText(t, dir, "x.csv", strings.Join(wrong, ""))
	status, stdout, stderr := inProcess(resumed...)
	if status != ui.ExitFailure || !strings.Contains(stderr, `x.csv:301: the label "x" is none of the 3 classes`) || !strings.Contains(stdout, "checkpoint after 250 rows") {
		t.Fatalf("status %d, %q, %q", status, stdout, stderr)
	}
	kept := unchanged(t, model)
	for _, tc := range []struct{ text, want string }{
		{strings.Join(slices.Concat(lines[:7], lines[8:]), ""), "the first 250 rows of the data are not those that " + model + " has learned: give it the data of before, or leave out --resume"},
		{strings.Join(lines[:200], ""), "the data has 199 rows, and " + model + " has learned 250"},
	} {
		writeText(t, dir, "x.csv", tc.text)
		fail(t, ui.ExitUsage, tc.want, resumed...)
		kept()
	}
	// The row is corrected, and the rows are written in another way.
	writeText(t, dir, "x.csv", strings.NewReplacer(",", " ; ", "\n", "\r\n").Replace(right))
	succeed(t, resumed...)
	if !bytes.Equal(state(t, model), want) {
		t.Error("the training that was stopped has another result")
	}
	// Rows that come to the end later are learned, and those before them are not learned again.
	testutil.Contains(t, succeed(t, resumed...), "is done: all 400 rows have been learned")
	writeText(t, dir, "x.csv", right+strings.Join(lines[1:31], ""))
	if out := succeed(t, resumed...); !strings.Contains(out, "learned 30 rows") || loaded(t, model) != 430 {
		t.Errorf("%q", out)
	}
}

// TestLocked has a model that another process is about to change.
func TestLocked(t *testing.T) {
	dir, data, model := colored(t, 200)
	succeed(t, small("--target", "color", "--out", model, data)...)
	kept := unchanged(t, model)
	lock := flock.New(filepath.Join(dir, ".m.bls.lock"))
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"update", model, data}, small("--target", "color", "--out", model, data)} {
		fail(t, ui.ExitFailure, "is being changed by another process", args...)
	}
	link := filepath.Join(t.TempDir(), "link.bls")
	if err := os.Symlink(model, link); err == nil {
		fail(t, ui.ExitFailure, "is being changed by another process", "update", link, data)
	}
	succeed(t, "predict", model, data) // reading is free
	testutil.NoError(t, errors.Join(os.Remove(lock.Path()), lock.Unlock()))
	kept()
	succeed(t, "update", model, "--again", data)
	left(t, 0, dir, ".*.lock")
}
