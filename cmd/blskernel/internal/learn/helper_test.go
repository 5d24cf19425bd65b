package learn

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
)

// writeText writes a file of a folder and returns its path.
func writeText(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	testutil.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// reader returns a reader of a file with the text.
func reader(t *testing.T, text string) *stream.Reader {
	t.Helper()
	data := writeText(t, t.TempDir(), "x.csv", text)
	r, err := stream.Open(context.Background(), []string{data}, stream.Options{})
	testutil.NoError(t, err)
	return r
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
	if status := ui.Run(context.Background(), NewTrain(ui.Streams{Out: io.Discard, Err: &errs}), args, ui.Streams{Out: io.Discard, Err: &errs}); status != 0 {
		t.Fatal(errs.String())
	}
	return model, writeText(t, dir, "more.csv", rows(100))
}

// loaded returns the number of samples of a model.
func loaded(t *testing.T, path string) int {
	t.Helper()
	f, err := modelfile.Load(path, nil)
	testutil.NoError(t, err)
	return model.New(f).Updater().Samples()
}
