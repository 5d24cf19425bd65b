package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"

	"github.com/gofrs/flock"
)

// TestLocked tries to change a model while another process holds its lock. No command does, not even
// through a link to the model; but commands can read it.
func TestLocked(t *testing.T) {
	model, data := trained(t, "--target", "color")
	before := state(t, model)
	lock := flock.New(filepath.Join(filepath.Dir(model), ".m.bls.lock"))
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(err)
	}
	commands := [][]string{{"update", model, data}, small("--target", "color", "--out", model, data)}
	link := filepath.Join(t.TempDir(), "link.bls")
	if err := os.Symlink(model, link); err == nil {
		commands = append(commands, []string{"update", link, data})
	}
	for _, args := range commands {
		status, stdout, stderr := inProcess(args...)
		if status != ui.ExitFailure || stdout != "" || !strings.HasPrefix(stderr, "blskernel "+args[0]+": ") ||
			!strings.Contains(stderr, "is being changed by another process") {
			t.Errorf("%q: status %d, %q, %q", args, status, stdout, stderr)
		}
	}
	succeed(t, "predict", model, data)
	testutil.NoError(t, errors.Join(os.Remove(lock.Path()), lock.Unlock()))
	if !bytes.Equal(state(t, model), before) {
		t.Error("the model has changed")
	}
	succeed(t, "update", model, "--again", data)
	if files, err := filepath.Glob(filepath.Join(filepath.Dir(model), ".*")); err != nil || len(files) > 0 {
		t.Errorf("%v is left (%v)", files, err)
	}
}

// TestLockIsNoLink puts a link to a missing file, a link to a file, and a folder in place of the lock.
// Nothing is made or changed at the ends of the links.
func TestLockIsNoLink(t *testing.T) {
	model, data := trained(t, "--target", "color")
	lock, elsewhere := filepath.Join(filepath.Dir(model), ".m.bls.lock"), filepath.Join(t.TempDir(), "x")
	if err := os.Symlink(elsewhere, lock); err != nil {
		t.Skip("no links: ", err)
	}
	refused := func() {
		t.Helper()
		status, _, stderr := inProcess("update", model, "--again", data)
		if status != ui.ExitFailure || !strings.Contains(stderr, ".m.bls.lock is a link") {
			t.Errorf("status %d, %s", status, stderr)
		}
	}
	refused()
	if _, err := os.Lstat(elsewhere); err == nil {
		t.Error("a file was made at the end of the link")
	}
	testutil.NoError(t, os.WriteFile(elsewhere, []byte("kept"), 0o600))
	refused()
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
	testutil.NoError(t, errors.Join(os.Remove(lock), os.Mkdir(lock, 0o777)))
	refused()
	testutil.NoError(t, os.Remove(lock))
	succeed(t, "update", model, "--again", data)
}
