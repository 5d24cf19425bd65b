// Package atomicfile writes files that are there as a whole or not at all, whenever the program or the
// machine stops.
//
// A file is written under another name in the same folder, brought to the disk (fsync), renamed, and
// then the folder is brought to the disk, since that is where the new name is. When Commit has returned
// nil, the new file is there also after a loss of power. A program that is killed before leaves a file
// ".NAME.xxxxxxxx.tmp" behind. RemoveLeftovers deletes it, for callers who know that nobody else is writing NAME, as
// those do who hold a lock. Nothing else does: what is left of a file that nobody locks stays until somebody deletes
// it, and is in nobody's way.
//
// Where a folder cannot be brought to the disk, as on Windows and on some network file systems, the
// rename is left to the system, which does it as a whole, but may do so some seconds after Commit has
// returned: a loss of power may then bring back the old file, never a part of one.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"blskernel/internal/vfs"
)

// A File is written under another name in the same folder, and takes the place of what had its name
// when it is complete.
type File struct {
	fs   vfs.FS
	path string
	file vfs.File // nil once it has been committed or aborted
}

// Create begins a file that is to be at path. That a folder is not there, or that there can be no file of
// that name, is found now, and not after the work. A link stays one: what it leads to is replaced, or made.
// What is there already must be a regular file that its permissions allow to be written; the new one has
// the same permissions and, where this process may give it to them, the same owner and group.
func Create(fsys vfs.FS, path string) (*File, error) {
	fsys = vfs.Or(fsys)
	path, err := Target(path)
	if err != nil {
		return nil, err
	}
	before, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		before = nil
	case err != nil:
		return nil, err
	case !before.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file, and cannot be replaced", path)
	case before.Mode().Perm()&0o200 == 0:
		return nil, &fs.PathError{Op: "replace", Path: path, Err: fs.ErrPermission}
	}
	// Not os.CreateTemp, which makes files that nobody else may read, whatever the umask. But where a file is replaced
	// the new one is for its owner alone until it has the owner and the permissions of the other.
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
			own(file, before)
			if err := file.Chmod(before.Mode().Perm()); err != nil {
				return nil, f.drop(err)
			}
		}
		return f, nil
	}
}

// Target returns the path that links lead to, which need not exist: where the file is that Create replaces.
func Target(path string) (string, error) {
	const most = 40 // links that lead to one another
	name := path
	for range most {
		next, err := os.Readlink(name)
		if err != nil { // it is no link, or there is nothing, or Stat will say what is wrong
			return filepath.Join(filepath.Dir(name), filepath.Base(name)), nil
		}
		if !filepath.IsAbs(next) {
			next = filepath.Dir(name) + string(filepath.Separator) + next
		}
		name = next
	}
	return "", fmt.Errorf("%s is a link that leads to itself", path)
}

const (
	temporarySuffix = ".tmp"
	longestName     = 200 // bytes of a name; with what is added it stays below 255, which file systems allow
)

// Beside returns the path of a hidden file beside path, ".NAME" with a suffix. A long NAME is cut, so that two files whose names
// begin with the same 200 bytes have the same.
func Beside(path, suffix string) string {
	name := filepath.Base(path)
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	return filepath.Join(filepath.Dir(path), "."+name+suffix)
}

// RemoveLeftovers removes what writers of the file at path that were killed have left in its folder, and what a
// *WriteError has named as kept where no other name could be had. Nobody may be writing it meanwhile.
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

// isTemporary tells whether name is one under which a file is written that is to be at path.
func isTemporary(name, path string) bool {
	middle, begins := strings.CutPrefix(name, Beside(path, "."))
	middle, ends := strings.CutSuffix(middle, temporarySuffix)
	_, err := strconv.ParseUint(middle, 16, 32)
	return begins && ends && err == nil && len(middle) == 8
}

// Write adds to the file. The error is a *WriteError.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if err != nil {
		err = &WriteError{Path: f.path, Err: err}
	}
	return n, err
}

// WriteAt writes over a part of the file, such as a header that says how long the rest is, and does not
// change where Write goes on. The error is a *WriteError.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.file.WriteAt(p, offset)
	if err != nil {
		err = &WriteError{Path: f.path, Err: err}
	}
	return n, err
}

// Commit brings the file to the disk and gives it its name. If that fails there is what was there
// before, and the error is a *WriteError, except after the last step: a *FolderError says that the new
// file has its name, and that a loss of power may still take it back. Where all is written but the name
// cannot be had, as while somebody reads the old file on Windows, the new one is kept as NAME.new, or as
// NAME.new1, NAME.new2 and so on where that is there, and the error says so. Where that name cannot be had either it
// stays what it was written as, which is what RemoveLeftovers removes, and the error says that too.
func (f *File) Commit() error {
	if f.file == nil {
		return fs.ErrClosed
	}
	if err := f.file.Sync(); err != nil {
		return f.drop(err)
	}
	file := f.file
	f.file = nil
	if err := file.Close(); err != nil {
		return f.dropped(file.Name(), err)
	}
	if err := f.fs.Rename(file.Name(), f.path); err != nil {
		return &WriteError{Path: f.path, Kept: f.keep(file.Name()), Err: err}
	}
	return syncNames(f.fs, f.path)
}

// Adopt gives the file at from, which is complete and on the disk, the name to in the same folder, and
// brings that to the disk: the last steps of Commit, for a file that has grown under a name of its own. After a
// *WriteError it has the old name still, after a *FolderError the new one.
func Adopt(fsys vfs.FS, from, to string) error {
	fsys = vfs.Or(fsys)
	if err := fsys.Rename(from, to); err != nil {
		return &WriteError{Path: to, Kept: from, Err: err}
	}
	return syncNames(fsys, to)
}

// syncNames brings the folder of a file to the disk.
func syncNames(fsys vfs.FS, path string) error {
	if err := fsys.SyncDir(filepath.Dir(path)); err != nil {
		return &FolderError{Path: path, Err: err}
	}
	return nil
}

// keep gives the complete file a name beside its path that RemoveLeftovers leaves alone, and that nothing has, and
// returns the name that it has then.
func (f *File) keep(name string) string {
	stem := f.path + ".new"
	if len(filepath.Base(f.path)) > longestName { // to which nothing can be added
		stem = Beside(f.path, ".new")
	}
	for n := 0; ; n++ {
		kept := stem
		if n > 0 {
			kept += strconv.Itoa(n)
		}
		_, err := os.Lstat(kept)
		switch {
		case err == nil:
			continue
		case !errors.Is(err, fs.ErrNotExist) || f.fs.Rename(name, kept) != nil:
			return name
		}
		return kept
	}
}

// drop ends the writing for the given reason, which it returns as a *WriteError.
func (f *File) drop(reason error) error {
	file := f.file
	f.file = nil
	_ = file.Close() // of what is removed
	return f.dropped(file.Name(), reason)
}

// dropped removes the incomplete file, and returns the reason as a *WriteError.
func (f *File) dropped(incomplete string, reason error) error {
	e := &WriteError{Path: f.path, Err: reason}
	if f.fs.Remove(incomplete) != nil {
		e.Left = incomplete
	}
	return e
}

// Abort leaves what was there before. It does nothing after Commit, so that it can be deferred.
func (f *File) Abort() {
	if f.file != nil {
		_ = f.drop(nil)
	}
}
