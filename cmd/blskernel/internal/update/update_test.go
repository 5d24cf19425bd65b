package update

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/train"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
)

// writeText writes a file of a folder and returns its path.
func writeText(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	testutil.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// trained trains a model on 400 rows, and returns its path and that of 100 rows to update it with.
func trained(t *testing.T, flags ...string) (model, more string) {
	t.Helper()
	dir := t.TempDir()
	rows := func(n int) string {
		var b strings.Builder
		b.WriteString("a,b,color\n")
		for i := range n {
			fmt.Fprintf(&b, "%d,%d,%s\n", i*7%31, i*i%17, []string{"red", "green"}[i%2])
		}
		return b.String()
	}
	data := writeText(t, dir, "train.csv", rows(400))
	model = filepath.Join(dir, "m.bls")
	var errs strings.Builder
	args := append(flags, "--groups", "1", "--group-nodes", "3", "--enhancement", "4", "--target", "color", "--out", model, data)
	if status := ui.Run(context.Background(), train.New(ui.Streams{Out: io.Discard, Err: &errs}), args, ui.Streams{Out: io.Discard, Err: &errs}); status != 0 {
		t.Fatal(errs.String())
	}
	return model, writeText(t, dir, "more.csv", rows(100))
}

// loaded returns the number of samples of a model.
func loaded(t *testing.T, path string) int {
	t.Helper()
	f, err := modelfile.Load(path, nil)
	testutil.NoError(t, err)
	return f.Learner().Updater().Samples()
}

// failing is a disk on which an operation fails.
func failing(op faultfs.Op) faultfs.Func {
	return func(c faultfs.Call) (int, error) {
		if c.Op == op {
			return 0, os.ErrPermission
		}
		return 0, nil
	}
}

// TestFolderNotOnDisk writes a model whose folder cannot be brought to the disk: the result is told,
// with an error that keeps people from learning the rows twice.
func TestFolderNotOnDisk(t *testing.T) {
	model, test := trained(t)
	var out, errs bytes.Buffer
	to := ui.Streams{Out: &out, Err: &errs, FS: failing(faultfs.SyncDir)}
	status := ui.Run(context.Background(), New(to), []string{"--checkpoint", "50", "--batch", "50", model, test}, to)
	if status != ui.ExitFailure || !strings.HasSuffix(errs.String(), "; the rows are in the model: do not repeat the update\n") {
		t.Errorf("status %d, %q", status, errs.String())
	}
	if !strings.Contains(out.String(), "500 samples in all\nlearned 100 rows") || strings.Contains(out.String(), "checkpoint") {
		t.Errorf("%q", out.String())
	}
	if n := strings.Count(errs.String(), "its folder could not be brought to the disk"); n != 3 {
		t.Errorf("said %d times: %q", n, errs.String())
	}
	if n := loaded(t, model); n != 500 {
		t.Errorf("%d samples", n)
	}
}
