package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"

	"github.com/gofrs/flock"
)

// TestLocked has a model that another process is about to change.
func TestLocked(t *testing.T) {
	dir, data, model := colored(t, 200)
	succeed(t, small("--target", "color", "--out", model, data)...)
	before := state(t, model)
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
	if !bytes.Equal(state(t, model), before) {
		t.Error("the model has changed")
	}
	succeed(t, "update", model, "--again", data)
	left(t, 0, dir, ".*.lock")
}
