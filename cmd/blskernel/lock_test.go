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

// TestLocked has a model that another process is about to change: neither the commands that write it
// nor one that knows it by a link change it, and reading is free.
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
