package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/testutil"
)

func mustWrite(t *testing.T) func(int, error) {
	t.Helper()
	return func(_ int, err error) { t.Helper(); testutil.NoError(t, err) }
}

func folderHas(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	testutil.NoError(t, err)
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
		f, err := Create(nil, path)
		testutil.NoError(t, err)
		if n, err := io.WriteString(f, text); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
		return f
	}
	begin("none").Abort()
	folderHas(t, dir, nil)
	f := begin("first")
	testutil.NoError(t, f.Commit())
	if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a second Commit: %v", err)
	}
	f.Abort()
	folderHas(t, dir, map[string]string{"x.jsonl": "first"})
	f = begin("second")
	f.Abort()
	f.Abort()
	folderHas(t, dir, map[string]string{"x.jsonl": "first"})
	f = begin("?ourth")
	mustWrite(t)(f.WriteAt([]byte("f"), 0))
	mustWrite(t)(io.WriteString(f, " and more"))
	testutil.NoError(t, f.Commit())
	folderHas(t, dir, map[string]string{"x.jsonl": "fourth and more"})
	if runtime.GOOS == "windows" {
		return
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o400 == 0 || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestRefused tries names that no file can have.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, dir + "/", dir + "/new/", filepath.Join(dir, "missing", "x"), os.DevNull} {
		if f, err := Create(nil, path); err == nil {
			f.Abort()
			t.Errorf("%s: no error", path)
		}
	}
	folderHas(t, dir, nil)
}

// write makes a file of the given text with Create and Commit.
func write(t *testing.T, path, text string) {
	t.Helper()
	f, err := Create(nil, path)
	testutil.NoError(t, err)
	defer f.Abort()
	mustWrite(t)(io.WriteString(f, text))
	testutil.NoError(t, f.Commit())
}

// TestNames writes to long names, links and paths that are not clean.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, strings.Repeat("é", 127)) // 254 bytes, and 255 may be
	write(t, long, "long")
	testutil.NoError(t, os.Remove(long))
	if f, err := Create(nil, filepath.Join(dir, strings.Repeat("a", 300))); err == nil {
		f.Abort()
		t.Error("a name of 300 bytes is possible")
	}
	write(t, dir+"/missing/../x", "cleaned")
	if runtime.GOOS == "windows" {
		folderHas(t, dir, map[string]string{"x": "cleaned"})
		return
	}
	// A link to a missing or existing file names that file; a link to itself is an error.
	for name, to := range map[string]string{"link": "next", "next": filepath.Join(dir, "y"), "loop": "pool", "pool": "loop", "far": "missing/y"} {
		testutil.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	// A relative link in a folder that is itself a link begins at the folder's place.
	far := t.TempDir()
	testutil.NoError(t, errors.Join(os.MkdirAll(far+"/a/b", 0o777), os.Symlink(far+"/a/b", dir+"/current"), os.Symlink("../m", far+"/a/b/m"), os.Symlink("current/../n", dir+"/m")))
	write(t, dir+"/current/m", "far")
	write(t, dir+"/m", "far")
	testutil.NoError(t, os.Mkdir(dir+"/gone", 0o777)) // has another parent than current/../gone
	if f, err := Create(nil, dir+"/current/../gone/m"); err == nil || os.Remove(dir+"/gone") != nil {
		t.Errorf("a file in a folder of another parent: %v", f)
	}
	testutil.NoError(t, errors.Join(os.Rename(far+"/a/m", far+"/m"), os.Rename(far+"/a/n", far+"/n"), os.RemoveAll(far+"/a"), os.Remove(dir+"/current"), os.Remove(dir+"/m")))
	folderHas(t, far, map[string]string{"m": "far", "n": "far"})
	write(t, filepath.Join(dir, "link"), "first")
	write(t, filepath.Join(dir, "link"), "linked")
	if f, err := Create(nil, filepath.Join(dir, "loop")); err == nil {
		f.Abort()
		t.Error("no error for a link to itself")
	}
	testutil.NoError(t, Room(filepath.Join(dir, "far"), math.MaxInt64)) // the folder of its target is unknown
	for _, name := range []string{"link", "next", "loop", "pool", "far"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
		testutil.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	folderHas(t, dir, map[string]string{"x": "cleaned", "y": "linked"})
}

func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m[1]*.bls")
	if runtime.GOOS == "windows" {
		path = filepath.Join(dir, "m[1].bls")
	}
	killed, err := Create(nil, path)
	testutil.NoError(t, err)
	testutil.NoError(t, killed.file.Close())
	kept := map[string]string{".m.bls.0123abcd.tmp": "", filepath.Base(path): "", "." + filepath.Base(path) + ".tmp": "", "." + filepath.Base(path) + ".0123abcg.tmp": ""}
	for name := range kept {
		testutil.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	testutil.NoError(t, RemoveLeftovers(nil, path))
	folderHas(t, dir, kept)
	if err := RemoveLeftovers(nil, filepath.Join(dir, "missing", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestCheck refuses what Create refuses, and a disk that is too small, and leaves nothing.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	testutil.NoError(t, errors.Join(Check(nil, path), Room(path, 1)))
	folderHas(t, dir, nil)
	for _, path := range []string{dir, filepath.Join(dir, "missing", "x"), filepath.Join(dir, strings.Repeat("a", 300))} {
		if Check(nil, path) == nil {
			t.Errorf("%.300s: no error", path)
		}
	}
	var full *WriteError
	if err := Room(path, math.MaxInt64); runtime.GOOS == "linux" && (!errors.As(err, &full) || !errors.Is(err, syscall.ENOSPC)) {
		t.Error(err)
	}
	write(t, path, "there")
	testutil.NoError(t, os.Chmod(path, 0o400))
	if err := Check(nil, path); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	folderHas(t, dir, map[string]string{"x": "there"})
}
