package report

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// small returns a page with one plot.
func small(t *testing.T) *Page {
	t.Helper()
	p, err := New([]*result.File{readSample(t, "x", []sampleLine{{"cell", sampleCell("dgemm", "NN", speed.Square(10), 1)}, {"cell", sampleCell("dgemm", "NN", speed.Square(30), 1)}})})
	testutil.NoError(t, err)
	return p
}

// tree returns the names of all files below dir, with their sizes.
func tree(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	files := map[string]int64{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			name, _ := filepath.Rel(dir, path)
			files[filepath.ToSlash(name)] = info.Size()
		}
		return err
	})
	testutil.NoError(t, err)
	return files
}

func TestWriteFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	p := small(t)
	for range 2 { // the second time the files are replaced
		testutil.NoError(t, p.WriteFolder(context.Background(), nil, dir))
		files := tree(t, dir)
		if len(files) != 2 || files["README.md"] == 0 || files["plots/speed-dgemm-nn.svg"] == 0 {
			t.Fatalf("there are %v", files)
		}
	}
}

// TestWriteFolderStopped leaves what was there, and nothing else, where a page cannot be written whole.
func TestWriteFolderStopped(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "README.md")
	testutil.NoError(t, os.WriteFile(old, []byte("old"), 0o644))
	check := func(when string) {
		t.Helper()
		if data, err := os.ReadFile(old); err != nil || string(data) != "old" {
			t.Errorf("%s: README.md is %q, %v", when, data, err)
		}
		for name := range tree(t, dir) {
			if name != "README.md" && !strings.HasPrefix(name, "plots/speed") {
				t.Errorf("%s: there is %s", when, name)
			}
		}
	}
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(reason)
	if err := small(t).WriteFolder(ctx, nil, dir); !errors.Is(err, reason) {
		t.Errorf("stopped: %v", err)
	}
	check("stopped")
	// The second file cannot be made: plots is in the way.
	p := small(t)
	p.Plots()[0].Name = "no/such/folder"
	if err := p.WriteFolder(context.Background(), nil, dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	check("no folder")
	testutil.NoError(t, os.RemoveAll(filepath.Join(dir, "plots")))
	testutil.NoError(t, os.WriteFile(filepath.Join(dir, "plots"), nil, 0o644))
	if err := small(t).WriteFolder(context.Background(), nil, dir); err == nil {
		t.Error("a file in place of the folder is no error")
	}
}

// TestPublishedPage holds docs/results to what the report makes of its files, and its items to three
// lines.
func TestPublishedPage(t *testing.T) {
	dir, made := filepath.FromSlash("../../docs/results"), t.TempDir()
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	testutil.NoError(t, err)
	var files []*result.File
	for _, name := range names {
		f, err := result.ReadFile(name)
		testutil.NoError(t, err)
		files = append(files, f)
	}
	p := newPage(t, files...)
	testutil.NoError(t, p.WriteFolder(context.Background(), nil, made))
	for name := range tree(t, made) {
		want, err := os.ReadFile(filepath.Join(made, name))
		testutil.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.HasPrefix(got, want) { // README.md ends with a link
			t.Errorf("docs/results/%s is not what the report makes of its files: make it anew (%v)", name, err)
		}
		if name == "README.md" {
			if long := regexp.MustCompile(`(?m)^- .*(\n  .*){3,}`).Find(got); long != nil || bytes.Count(got, []byte("\n")) > 500 {
				t.Errorf("more than 500 lines, or an item of more than three: %s", long)
			}
		}
	}
	if there, now := len(tree(t, filepath.Join(dir, "plots"))), len(p.Plots()); there != now {
		t.Errorf("docs/results has %d plots; the page has %d", there, now)
	}
	if len(p.Numbers) != 5 || p.Plot == nil {
		t.Errorf("%d numbers, and the plot %v", len(p.Numbers), p.Plot)
	}
}
