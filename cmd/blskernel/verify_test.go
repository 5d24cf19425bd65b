package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
)

// TestVerifyOther exchanges a row of a model without a log entry: the exit status is 1, and the message
// tells the difference. An additional row could be from Python.
func TestVerifyOther(t *testing.T) {
	dir := t.TempDir()
	data := writeText(t, dir, "x.csv", csvText(samples(300, 1), true, "a", "b", "c", "d", "color"))
	path := filepath.Join(dir, "m.bls")
	succeed(t, small("--target", "color", "--out", path, data)...)
	f, err := modelfile.Load(path, nil)
	testutil.NoError(t, err)
	m := model.New(f)
	r, err := stream.Open(context.Background(), []string{data}, stream.Options{Targets: []string{"color"}, Classes: true})
	testutil.NoError(t, err)
	defer r.Close()
	b, err := r.Next(2)
	testutil.NoError(t, err)
	one, other := b.Split(func(i int) bool { return i == 1 })
	for _, tc := range []struct {
		status int
		says   string
		change func() error
	}{
		{1, "m.bls does not match its log: the weights differ (relative difference of the weights: ", func() error { return m.Remove(context.Background(), one) }},
		{2, "the model has 301 rows, but its log accounts for 300; the others were learned or unlearned from Go or Python", func() error { return m.Learn(context.Background(), one) }},
	} {
		testutil.NoError(t, tc.change())
		if tc.status == 1 {
			testutil.NoError(t, m.Learn(context.Background(), other))
		}
		testutil.NoError(t, modelfile.Save(path, m.File))
		if status, stdout, stderr := inProcess("verify", path, data); status != tc.status || stdout != "" || !strings.Contains(stderr, tc.says) {
			t.Errorf("status %d, %q, %q", status, stdout, stderr)
		}
	}
}
