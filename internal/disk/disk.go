// Package disk is the part of package os by which this module writes files and reads back what it wrote, with one
// place where tests let any operation fail as a disk does that is full or broken.
//
// Everything that replaces, extends or removes a file goes through it: models, checkpoints, predictions, exports, pages,
// lines of results, downloads, rates, locks and temporary copies. Without Inject each function is the one of package os
// of its name.
package disk

import (
	"io/fs"
	"os"
	"sync/atomic"
)

// An Op is an operation of the file system.
type Op string

// The operations.
const (
	Open     Op = "open" // creation included
	Chmod    Op = "chmod"
	Read     Op = "read"
	Seek     Op = "seek"
	Write    Op = "write"
	Truncate Op = "truncate"
	Sync     Op = "sync"
	Close    Op = "close"
	Rename   Op = "rename"
	Remove   Op = "remove"
	Folder   Op = "sync the folder of" // brings the names in a folder to the disk
)

// A Call is an operation that is about to be done.
type Call struct {
	Op    Op
	Path  string // of the file; that which is to get another name, for Rename
	Bytes int    // that are to be read or written
}

// A Fault decides how an operation fails: nil for not at all. Of a write with an error the first done bytes are written
// all the same; a file whose Close fails is closed; all else that fails is not done. It may be called from several
// goroutines at once.
type Fault func(Call) (done int, err error)

var injected atomic.Pointer[Fault]

// Inject lets f decide about every operation of this process until undo is called. It is for tests, which must not run
// beside others that write files.
func Inject(f Fault) (undo func()) {
	before := injected.Swap(&f)
	return func() { injected.Store(before) }
}

// ask returns how the operation is to fail, as package os would say it.
func ask(op Op, path string, bytes int) (done int, err error) {
	f := injected.Load()
	if f == nil {
		return bytes, nil
	}
	if done, err = (*f)(Call{op, path, bytes}); err == nil {
		return bytes, nil
	}
	return done, &fs.PathError{Op: string(op), Path: path, Err: err}
}

// RenameFile gives a file another name, also that of another file, which it replaces.
func RenameFile(from, to string) error {
	if _, err := ask(Rename, from, 0); err != nil {
		return &os.LinkError{Op: string(Rename), Old: from, New: to, Err: err.(*fs.PathError).Err}
	}
	return rename(from, to)
}

// RemoveFile removes a file.
func RemoveFile(path string) error {
	if _, err := ask(Remove, path, 0); err != nil {
		return err
	}
	return os.Remove(path)
}

// SyncFolder brings the names in a folder to the disk, where that can be done.
func SyncFolder(path string) error {
	if _, err := ask(Folder, path, 0); err != nil {
		return err
	}
	return syncFolder(path)
}
