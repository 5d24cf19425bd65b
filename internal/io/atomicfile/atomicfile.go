// Package atomicfile writes files that appear as a whole or not at all, even if the machine crashes.
//
// It writes a file under another name in the same folder, syncs it to the disk, renames it, and syncs
// the folder, which holds the new name. After Commit returns nil, the new file survives a power
// failure. A program that is killed before the rename leaves a file ".NAME.xxxxxxxx.tmp". Only
// RemoveLeftovers deletes this file; its caller must hold a lock on NAME.
//
// Windows and some network file systems cannot sync a folder. Their renames may reach the disk seconds
// after Commit returns. A power failure may then restore the old file, but never leaves part of a file.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"blskernel/internal/io/vfs"
)

// A File is a new file under a temporary name. Commit makes it replace the file at its path.
type File struct {
	fs   vfs.FS
	path string
	file vfs.File // nil after Commit or Abort
}

// Write atomically replaces the file at path on fsys with the output of content: see Create and Commit.
//
//	errors: from Create, content and Commit; an existing file is then unchanged, except after a
//	*FolderError.
func Write(fsys vfs.FS, path string, content func(w io.Writer) error) error {
	f, err := Create(fsys, path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := content(f); err != nil {
		return err
	}
	return f.Commit()
}

// Create opens a temporary file on fsys, which Commit renames to path. A nil fsys stands for vfs.OS.
// Create fails if the folder is missing or the name is invalid. If path is a link, the link stays and
// Commit replaces or creates its target. An existing file must be regular and writable by its owner.
// The new file gets the permissions of the old one and, if this process may set them, its owner and
// group. If the process may not set the group, the new group gets the permissions of other users.
func Create(fsys vfs.FS, path string) (*File, error) {
	fsys = vfs.Or(fsys)
	path, err := Target(path)
	if err != nil {
		return nil, err
	}
	before, err := fsys.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		before = nil
	case err != nil:
		return nil, err
	case !before.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file and cannot be replaced; name another file", path)
	case before.Mode().Perm()&0o200 == 0:
		return nil, &fs.PathError{Op: "replace", Path: path, Err: fs.ErrPermission}
	}
	// os.CreateTemp would ignore the umask and let only the owner read the file. A replacement is
	// private until it has the owner and the permissions of the old file.
	mode := fs.FileMode(0o666)
	if before != nil {
		mode = before.Mode().Perm() & 0o700
	}
	for {
		name := Beside(path, fmt.Sprintf(".%08x%s", rand.Uint32(), temporarySuffix))
		file, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, &WriteError{Path: path, Err: err}
		}
		f := &File{fs: fsys, path: path, file: file}
		if before != nil {
			mode = before.Mode().Perm()
			if !own(file, before) { // the new group gets the permissions of other users
				mode = mode&^0o070 | mode&0o007<<3
			}
			if err := file.Chmod(mode); err != nil {
				return nil, f.drop(err)
			}
		}
		return f, nil
	}
}

// Check creates the temporary file for path, as Create does, and removes it. The error is from Create,
// or a *WriteError if the file cannot be closed or removed.
func Check(fsys vfs.FS, path string) error {
	f, err := Create(fsys, path)
	if err != nil {
		return err
	}
	name := f.file.Name()
	err = f.file.Close()
	if left := f.fs.Remove(name); left != nil {
		return &WriteError{Path: f.path, Left: name, Err: errors.Join(err, left)}
	}
	return f.wrap(err)
}

// Room returns a *WriteError if the disk of Target(path) has less free space than the given bytes, and
// nil if the free space is unknown.
func Room(path string, bytes int64) error {
	if target, err := Target(path); err == nil {
		path = target
	}
	free, known := free(filepath.Dir(path))
	if !known || bytes <= free {
		return nil
	}
	return &WriteError{Path: path, Err: fmt.Errorf("%w (%d bytes needed, %d free)", syscall.ENOSPC, bytes, free)}
}

// Target follows links from path and returns the path of the file that Create would create or replace.
// A path that ends with a separator names a folder, which is an error, as are 40 or more links.
func Target(path string) (string, error) {
	const (
		most = 40 // a chain with this many links is an error
		up   = string(filepath.Separator) + ".." + string(filepath.Separator)
	)
	name := path
	for range most {
		dir, base := filepath.Split(name)
		if base == "" {
			return "", fmt.Errorf("%q does not name a file; give a path that ends with a file name", path)
		}
		// Behind a linked folder, .. is the parent of the folder that the link names.
		dir = filepath.FromSlash(dir)
		if i := strings.LastIndex(dir, up); i > 0 {
			end := i + len(up) - 1
			if real, err := filepath.EvalSymlinks(dir[:end]); err == nil {
				dir = filepath.Join(real, dir[end:])
			}
		}
		name = filepath.Join(dir, base)
		next, err := os.Readlink(name)
		if err != nil { // not a link, or nothing, or an error that Stat repeats
			return name, nil
		}
		if !filepath.IsAbs(next) {
			next = filepath.Dir(name) + string(filepath.Separator) + next
		}
		name = next
	}
	return "", fmt.Errorf("%s leads through 40 or more links, perhaps in a cycle; name another file", path)
}

const (
	temporarySuffix = ".tmp"
	longestName     = 200 // bytes of a name, which with a suffix stays below the usual limit of 255
)

// Beside returns the path of ".NAME" + suffix, a hidden file in the folder of path. NAME is path's
// base name, cut to 200 bytes.
func Beside(path, suffix string) string {
	name := filepath.Base(path)
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	return filepath.Join(filepath.Dir(path), "."+name+suffix)
}

// RemoveLeftovers removes the temporary files of path that killed writers left behind, and temporary
// files that a *WriteError reported in Kept or Left. No writer of path may be active.
func RemoveLeftovers(fsys vfs.FS, path string) error {
	path, err := Target(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if name := filepath.Join(dir, e.Name()); isTemporary(name, path) {
			errs = append(errs, vfs.Or(fsys).Remove(name))
		}
	}
	return errors.Join(errs...)
}

// isTemporary reports whether name is a name that Create gives a temporary file for path.
func isTemporary(name, path string) bool {
	middle, begins := strings.CutPrefix(name, Beside(path, "."))
	middle, ends := strings.CutSuffix(middle, temporarySuffix)
	_, err := strconv.ParseUint(middle, 16, 32)
	return begins && ends && err == nil && len(middle) == 8
}

// Write appends to the file. The error is a *WriteError.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, f.wrap(err)
}

// WriteAt overwrites a part of the file, such as its header. Write still appends. The error is a
// *WriteError.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.file.WriteAt(p, offset)
	return n, f.wrap(err)
}

func (f *File) wrap(err error) error {
	if err == nil {
		return nil
	}
	return &WriteError{Path: f.path, Err: err}
}

// Commit syncs the file and renames it. After a *WriteError the old file is in place. After a
// *FolderError, the error of the last step, the new file is in place, but a power failure may restore
// the old file. After Commit or Abort, Commit returns fs.ErrClosed.
//
// If only the rename fails, as on Windows while another process reads the old file, Commit keeps the
// new file as NAME.xxxxxxxx.new. If that fails too, the file keeps its temporary name, and
// RemoveLeftovers will remove it. The error names the kept file.
func (f *File) Commit() error {
	if f.file == nil {
		return fs.ErrClosed
	}
	if err := f.file.Sync(); err != nil {
		return f.drop(err)
	}
	if err := f.file.Close(); err != nil {
		return f.drop(err)
	}
	file := f.file
	f.file = nil
	if err := f.fs.Rename(file.Name(), f.path); err != nil {
		return &WriteError{Path: f.path, Kept: keep(f.fs, file.Name()), Err: err}
	}
	if err := f.fs.SyncDir(filepath.Dir(f.path)); err != nil {
		return &FolderError{Path: f.path, Err: err}
	}
	return nil
}

// keep renames the complete file, now called name, so that RemoveLeftovers leaves it alone. It returns
// the new name, or name if the rename fails.
func keep(fsys vfs.FS, name string) string {
	dir, base := filepath.Split(name)
	kept := dir + strings.TrimPrefix(strings.TrimSuffix(base, temporarySuffix), ".") + ".new"
	if fsys.Rename(name, kept) != nil {
		return name
	}
	return kept
}

// drop closes and removes the incomplete file, and returns the reason as a *WriteError.
func (f *File) drop(reason error) error {
	e := &WriteError{Path: f.path, Err: reason}
	_ = f.file.Close() // the file is removed
	if f.fs.Remove(f.file.Name()) != nil {
		e.Left = f.file.Name()
	}
	f.file = nil
	return e
}

// Abort closes and removes the temporary file. It does nothing after Commit, so it can be deferred.
func (f *File) Abort() {
	if f.file != nil {
		_ = f.drop(nil)
	}
}
