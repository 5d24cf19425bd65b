package beamfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLocal has paths of file systems, and those that only look like it.
func TestLocal(t *testing.T) {
	for path, want := range map[string]bool{"x.csv": true, "/a/b": true, "": true, "://x": true, "gs://b/x": false, "memfs://x": false} {
		if got := Local(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}

// TestResolve gives a file several names: one that is there, one that is not in a folder that is, and
// one that is nowhere.
func TestResolve(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	file := filepath.Join(folder, "data", "x.csv")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"link": "data", "link.csv": file, "to-new": "link/new.csv"} {
		if err := os.Symlink(to, from); err != nil {
			t.Skipf("this system makes no links: %v", err)
		}
	}
	for path, want := range map[string]string{
		"data/x.csv": file, "./data/../data/x.csv": file, "link/x.csv": file, "link.csv": file, file: file,
		"to-new": filepath.Join(folder, "data", "new.csv"), "link/new.csv": filepath.Join(folder, "data", "new.csv"), "nowhere/new.csv": filepath.Join(folder, "nowhere", "new.csv"),
		"gs://b/../x": "gs://b/../x",
	} {
		if got := Resolve(path); got != want {
			t.Errorf("%q is %q, and should be %q", path, got, want)
		}
	}
}
