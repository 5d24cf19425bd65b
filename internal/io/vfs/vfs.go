// Package vfs is the file system as a value that is passed down, so that tests can pass one whose
// operations fail (internal/testutil/faultfs). OS is package os.
//
// Everything that replaces, extends or removes a file goes through an FS: models, checkpoints,
// predictions, exports, pages, lines of results, rates and locks. Code that only looks at names calls
// package os.
package vfs

import (
	"io"
	"io/fs"
	"os"
)

// An FS opens, renames and removes files.
type FS interface {
	OpenFile(name string, flag int, mode fs.FileMode) (File, error) // as os.OpenFile
	Rename(from, to string) error                                   // as os.Rename; replaces the file to
	Remove(name string) error                                       // as os.Remove
	SyncDir(name string) error                                      // brings the names in a folder to the disk
}

// A File is an open file. *os.File is one.
type File interface {
	io.Writer
	io.WriterAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
	Chown(user, group int) error
	Chmod(mode fs.FileMode) error
	Sync() error
}

// OS is the operating system's file system.
var OS FS = system{}

// Or returns fsys, or OS where fsys is nil.
func Or(fsys FS) FS {
	if fsys == nil {
		return OS
	}
	return fsys
}

type system struct{}

func (system) OpenFile(name string, flag int, mode fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err // and not a File that holds a nil *os.File
	}
	return f, nil
}

func (system) Rename(from, to string) error { return rename(from, to) }
func (system) Remove(name string) error     { return os.Remove(name) }
func (system) SyncDir(name string) error    { return syncDir(name) }
