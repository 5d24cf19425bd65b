// Package vfs makes the file system a value that is passed down, so that tests can pass one whose
// operations fail (internal/testutil/faultfs). OS calls package os.
//
// Data, models, checkpoints, predictions, exports, pages, results, rates and lock files go through an
// FS. Code that lists a folder or reads a link calls package os directly.
package vfs

import (
	"io"
	"io/fs"
	"os"
)

// An FS opens, renames and removes files.
type FS interface {
	Stat(name string) (fs.FileInfo, error)                          // as os.Stat
	OpenFile(name string, flag int, mode fs.FileMode) (File, error) // as os.OpenFile
	Rename(from, to string) error                                   // as os.Rename; replaces a file
	Remove(name string) error                                       // as os.Remove
	SyncDir(name string) error                                      // flushes the entries of a folder to the disk
}

// A File is an open file, such as an *os.File.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
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

// Or returns fsys, or OS if fsys is nil.
func Or(fsys FS) FS {
	if fsys == nil {
		return OS
	}
	return fsys
}

// Open opens the named file of fsys for reading. A nil fsys stands for OS, here and in Stat.
func Open(fsys FS, name string) (File, error) { return Or(fsys).OpenFile(name, os.O_RDONLY, 0) }

// Stat returns the FileInfo of the named file of fsys.
func Stat(fsys FS, name string) (fs.FileInfo, error) { return Or(fsys).Stat(name) }

type system struct{}

func (system) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (system) OpenFile(name string, flag int, mode fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err // returning f would make a File that is not nil
	}
	return f, nil
}

func (system) Rename(from, to string) error { return rename(from, to) }
func (system) Remove(name string) error     { return os.Remove(name) }
func (system) SyncDir(name string) error    { return syncDir(name) }
