// Package atomicfile writes files that are there as a whole or not at all.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A File is written under another name in the same folder, and takes the place of what had its name when it is
// complete.
type File struct {
	path string
	file *os.File // nil once it has been committed or aborted
}

// Create begins a file that is to be at path. A folder that does not exist is found now, and not after the work. A link stays one: what
// it leads to is replaced. What is there already must be a regular file.
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

// Write adds to the file.
func (f *File) Write(p []byte) (int, error) { return f.file.Write(p) }

// Commit brings the file to the disk and gives it its name. If that fails there is what was there before.
func (f *File) Commit() error {
	file := f.file
	f.file = nil
	err := errors.Join(file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), f.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
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
