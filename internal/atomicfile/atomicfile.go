// Package atomicfile writes files that are there as a whole or not at all, whenever the program or the
// machine stops.
//
// A file is written under another name in the same folder, brought to the disk (fsync), renamed, and
// then the folder is brought to the disk, since that is where the new name is. When Commit has returned
// nil, the new file is there also after a loss of power. A program that is killed before leaves a file
// ".NAME.xxxxxxxx.tmp" behind, which may be deleted.
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
)

// A File is written under another name in the same folder, and takes the place of what had its name
// when it is complete.
type File struct {
	path string
	file *os.File // nil once it has been committed or aborted
}

// Create begins a file that is to be at path. A folder that does not exist is found now, and not after
// the work. A link stays one: what it leads to is replaced. What is there already must be a regular
// file.
func Create(path string) (*File, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file, and cannot be replaced", path)
	}
	for {
		// Not os.CreateTemp, which makes files that nobody else may read, whatever the umask.
		name := fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32())
		file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &File{path: path, file: file}, nil
	}
}

// A FolderError says that a file is complete and has its name, but that the folder could not be brought
// to the disk.
type FolderError struct {
	Path string // of the file
	Err  error
}

// Error says what is there.
func (e *FolderError) Error() string {
	return fmt.Sprintf("%s is written, but its folder could not be brought to the disk: %v", e.Path, e.Err)
}

// Unwrap returns Err.
func (e *FolderError) Unwrap() error { return e.Err }

// Write adds to the file.
func (f *File) Write(p []byte) (int, error) { return f.file.Write(p) }

// Commit brings the file to the disk and gives it its name. If that fails there is what was there
// before, except after the last step: a *FolderError says that the new file has its name, and that a
// loss of power may still take it back.
func (f *File) Commit() error {
	file := f.file
	f.file = nil
	err := errors.Join(file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	if err := syncFolder(filepath.Dir(f.path)); err != nil {
		return &FolderError{Path: f.path, Err: err}
	}
	return nil
}

// Abort leaves what was there before. It does nothing after Commit, so that it can be deferred.
func (f *File) Abort() {
	if f.file == nil {
		return
	}
	_ = f.file.Close()
	_ = os.Remove(f.file.Name())
	f.file = nil
}
