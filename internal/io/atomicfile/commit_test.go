package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/io/vfs"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
)

// replace writes a file by two Writes and a WriteAt of byte 0, which covers all users of this package.
func replace(fsys vfs.FS, path string) error {
	f, err := Create(fsys, path)
	if err != nil {
		return err
	}
	defer f.Abort()
	for _, text := range []string{"?he new", " content"} {
		if _, err := io.WriteString(f, text); err != nil {
			return err
		}
	}
	if _, err := f.WriteAt([]byte("t"), 0); err != nil {
		return err
	}
	return f.Commit()
}

const (
	oldText = "what was there"
	newText = "the new content"
)

// TestSteps checks the order of the operations.
func TestSteps(t *testing.T) {
	for _, there := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "x")
		want := []faultfs.Op{faultfs.Stat, faultfs.Open, faultfs.Write, faultfs.Write, faultfs.Write, faultfs.Sync, faultfs.Close, faultfs.Rename, faultfs.SyncDir}
		if there {
			write(t, path, oldText)
			want = slices.Insert(want, 2, faultfs.Chmod)
		}
		var all faultfs.Disk
		err := replace(all.FS(), path)
		var got []faultfs.Op
		for _, c := range all.Calls() {
			got = append(got, c.Op)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
		folderHas(t, filepath.Dir(path), map[string]string{"x": newText})
	}
}

// TestEveryFault lets each operation fail, alone and with all that follow, in every way, with an old
// file and without one. Then there is the old or the new file, and nothing else but what
// RemoveLeftovers removes or the error names. The error says what there is. Without BLSKERNEL_LONG=1 it
// tries only two errors, and one fault or all.
func TestEveryFault(t *testing.T) {
	reasons, several := []error{syscall.ENOSPC, syscall.EIO}, []int{1, faultfs.Always}
	if testutil.Long() {
		reasons, several = append(reasons, syscall.EROFS, io.ErrShortWrite), append(several, 2)
	}
	count := 0
	for _, there := range []bool{false, true} {
		for _, reason := range reasons {
			for _, times := range several {
				for _, half := range []bool{false, true} {
					for n := 0; ; n++ {
						d := &faultfs.Disk{Before: n, Times: times, Err: reason, Half: half}
						if !fails(t, there, d) {
							break
						}
						count++
					}
				}
			}
		}
	}
	// 9 operations for a new file and 10 for one that is replaced.
	if want := (9 + 10) * len(reasons) * len(several) * 2; count != want {
		t.Errorf("%d faults; want %d", count, want)
	}
	t.Logf("%d operations were failed", count)
}

// fails replaces a file under the faults, and reports whether there were any.
func fails(t *testing.T, there bool, d *faultfs.Disk) bool {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if there {
		testutil.NoError(t, os.WriteFile(path, []byte(oldText), 0o666))
	}
	err := replace(d.FS(), path)
	failed := d.Failed()
	if len(failed) == 0 {
		if err != nil {
			t.Errorf("without a fault: %v", err)
		}
		return false
	}
	first := failed[0].Op
	want := map[string]string{}
	if there {
		want["x"] = oldText
	}
	var we *WriteError
	var fe *FolderError
	switch {
	case errors.As(err, &fe):
		want["x"] = newText
		if first != faultfs.SyncDir || fe.Path != path {
			t.Errorf("%v fails: %v", first, err)
		}
	case first == faultfs.Stat:
		if !errors.Is(err, d.Err) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v fails: %v", first, err)
		}
	case !errors.As(err, &we) || we.Path != path || !errors.Is(err, d.Err):
		t.Errorf("%v fails: %v", first, err)
	case we.Kept != "":
		if first != faultfs.Rename {
			t.Errorf("%v fails: %v", first, err)
		}
		want[filepath.Base(we.Kept)] = newText
	}
	if text := err.Error(); !strings.Contains(text, path) || we != nil && !strings.HasSuffix(text, vfs.Remedy(d.Err)) {
		t.Errorf("%v fails: %v", first, err)
	}
	// A file that still has its temporary name is complete and kept, or could not be removed.
	left := func(c faultfs.Call) bool { return c.Op == faultfs.Remove && isTemporary(c.Path, path) }
	if i := slices.IndexFunc(failed, left); i >= 0 {
		if _, err := os.Lstat(failed[i].Path); err != nil {
			t.Errorf("%v fails: %s is gone", first, failed[i].Path)
		}
	} else {
		folderHas(t, dir, want)
	}
	testutil.NoError(t, RemoveLeftovers(nil, path))
	if we != nil && isTemporary(we.Kept, path) { // if two renames failed
		kept := "kept as " + we.Kept + ", which the next command that changes the file may remove"
		if text := err.Error(); !strings.Contains(text, kept) {
			t.Errorf("%v fails: %v", first, err)
		}
		delete(want, filepath.Base(we.Kept))
	} else if err != nil && strings.Contains(err.Error(), "may remove:") {
		t.Errorf("%v fails: %v", first, err)
	}
	folderHas(t, dir, want)
	if err := replace(nil, path); err != nil {
		t.Errorf("after the fault: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != newText {
		t.Errorf("after the fault: %q (%v)", got, err)
	}
	return true
}

// TestKept keeps complete files next to files kept before, where RemoveLeftovers leaves them, even if
// nothing can be added to the name.
func TestKept(t *testing.T) {
	for _, name := range []string{"x", strings.Repeat("y", 254)} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		want := map[string]string{}
		for range 3 {
			d := &faultfs.Disk{Ops: []faultfs.Op{faultfs.Rename}, Times: 1, Err: syscall.EACCES}
			err := replace(d.FS(), path)
			var we *WriteError
			if !errors.As(err, &we) || !strings.HasSuffix(we.Kept, ".new") || !strings.Contains(err.Error(), "kept as "+we.Kept+": rename it") {
				t.Fatal(err)
			}
			want[filepath.Base(we.Kept)] = newText
		}
		testutil.NoError(t, RemoveLeftovers(nil, path))
		folderHas(t, dir, want)
	}
}

// TestPermissions replaces files with various permissions, which the new one gets. No other user may
// read it before then. A write-protected file is not replaced.
func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	write(t, path, oldText)
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o660, 0o666} {
		testutil.NoError(t, os.Chmod(path, mode))
		before, err := os.Stat(path)
		testutil.NoError(t, err)
		looks := 0
		err = replace(faultfs.Func(func(c faultfs.Call) (int, error) {
			if c.Op == faultfs.Chmod {
				looks++
				if info, err := os.Stat(c.Path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
					t.Errorf("before it has the permissions %v it has %v (%v)", mode, info.Mode(), err)
				}
			}
			return c.Bytes, nil
		}), path)
		if after, failed := os.Stat(path); err != nil || failed != nil || after.Mode() != before.Mode() || looks != 1 {
			t.Errorf("mode %v (%v, %v), given %d times; want %v", after.Mode(), err, failed, looks, before.Mode())
		}
	}
	testutil.NoError(t, os.Chmod(path, 0o664))
	testutil.NoError(t, replace(stranger{vfs.OS}, path))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 && runtime.GOOS != "windows" {
		t.Errorf("in another group it has the permissions %v (%v)", info.Mode(), err)
	}
	testutil.NoError(t, os.Chmod(path, 0o444))
	if f, err := Create(nil, path); !errors.Is(err, fs.ErrPermission) {
		if err == nil {
			f.Abort()
		}
		t.Errorf("a write-protected file: %v", err)
	}
}

type ( // a user who may give no file to another owner or group
	stranger struct{ vfs.FS }
	strange  struct{ vfs.File }
)

func (s stranger) OpenFile(name string, flag int, mode fs.FileMode) (vfs.File, error) {
	file, err := s.FS.OpenFile(name, flag, mode)
	return strange{file}, err
}

func (strange) Chown(user, group int) error { return fs.ErrPermission }

// TestLeftoversStay checks the error for leftovers that cannot be removed.
func TestLeftoversStay(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, ".x.0123abcd.tmp")
	write(t, left, "")
	d := &faultfs.Disk{Times: 1, Err: fs.ErrPermission}
	err := RemoveLeftovers(d.FS(), filepath.Join(dir, "x"))
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), left) {
		t.Error(err)
	}
	testutil.NoError(t, RemoveLeftovers(nil, filepath.Join(dir, "x")))
	folderHas(t, dir, nil)
}
