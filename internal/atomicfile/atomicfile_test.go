package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// folderHas checks the files of a folder by name and content.
func folderHas(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("%v; want %v", entries, want)
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s has %q (%v); want %q", name, got, err, text)
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.jsonl")
	begin := func(text string) *File {
		t.Helper()
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.WriteString(f, text); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
		return f
	}
	begin("none").Abort()
	folderHas(t, dir, nil)
	f := begin("first")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	folderHas(t, dir, map[string]string{"x.jsonl": "first"})
	f = begin("second")
	f.Abort()
	f.Abort()
	folderHas(t, dir, map[string]string{"x.jsonl": "first"})
	if err := begin("third").Commit(); err != nil {
		t.Fatal(err)
	}
	folderHas(t, dir, map[string]string{"x.jsonl": "third"})
	if runtime.GOOS == "windows" {
		return
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o400 == 0 || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	// A link stays one.
	other := t.TempDir()
	link := filepath.Join(other, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	linked, err := Create(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := linked.Commit(); err != nil {
		t.Fatal(err)
	}
	folderHas(t, dir, map[string]string{"x.jsonl": ""})
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
}

// TestRefused has names under which no file can be.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "missing", "x"), os.DevNull} {
		if f, err := Create(path); err == nil {
			f.Abort()
			t.Errorf("%s: no error", path)
		}
	}
	folderHas(t, dir, nil)
	// What becomes impossible meanwhile.
	path := filepath.Join(dir, "x")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "y"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil {
		t.Error("a folder was replaced")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v is left (%v)", entries, err)
	}
}

// A folder that cannot be opened cannot be brought to the disk. The file has its name all the same, and
// the error says so.
func TestFolderError(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders are not brought to the disk on Windows")
	}
	missing := filepath.Join(t.TempDir(), "missing")
	if err := syncFolder(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := syncFolder(t.TempDir()); err != nil {
		t.Error(err)
	}

	// A folder in which names can be changed but not listed.
	dir := filepath.Join(t.TempDir(), "blind")
	if err := os.Mkdir(dir, 0o300); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) }) // so that it can be removed
	if folder, err := os.Open(dir); err == nil {
		_ = folder.Close()
		t.Skip("this user may read every folder")
	}
	path := filepath.Join(dir, "x")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "text"); err != nil {
		t.Fatal(err)
	}
	var fe *FolderError
	if err := f.Commit(); !errors.As(err, &fe) || fe.Path != path || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Commit: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "text" {
		t.Errorf("the file has %q (%v)", got, err)
	}
}
