// Package faultfs is a file system whose operations fail as those of a disk that is full or broken, for
// tests.
package faultfs

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"sync"
	"syscall"

	"blskernel/internal/io/vfs"
)

// An Op is an operation of the file system.
type Op string

// The operations that can fail.
const (
	Open    Op = "open" // creation included
	Chmod   Op = "chmod"
	Write   Op = "write"
	Sync    Op = "sync"
	Close   Op = "close"
	Rename  Op = "rename"
	Remove  Op = "remove"
	SyncDir Op = "sync the folder of"
)

// A Call is an operation that is about to be done.
type Call struct {
	Op    Op
	Path  string // of the file; the old name for Rename
	Bytes int    // to be written
}

// A Func is vfs.OS with operations that fail: it returns how each fails, or nil to do it. A write that
// fails writes its first done bytes; a Close that fails closes the file; every other operation that
// fails is not done. Func may be called from several goroutines at once.
type Func func(Call) (done int, err error)

// ask returns how the operation fails, in package os's words.
func (f Func) ask(op Op, path string, bytes int) (done int, err error) {
	if done, err = f(Call{op, path, bytes}); err == nil {
		return bytes, nil
	}
	return done, &fs.PathError{Op: string(op), Path: path, Err: err}
}

// OpenFile is os.OpenFile.
func (f Func) OpenFile(name string, flag int, mode fs.FileMode) (vfs.File, error) {
	if _, err := f.ask(Open, name, 0); err != nil {
		return nil, err
	}
	opened, err := vfs.OS.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return file{opened, f}, nil
}

// Rename is os.Rename.
func (f Func) Rename(from, to string) error {
	if _, err := f.ask(Rename, from, 0); err != nil {
		return &os.LinkError{Op: string(Rename), Old: from, New: to, Err: errors.Unwrap(err)}
	}
	return vfs.OS.Rename(from, to)
}

// Remove is os.Remove.
func (f Func) Remove(name string) error {
	return f.unless(Remove, name, func() error { return vfs.OS.Remove(name) })
}

// SyncDir brings the names in a folder to the disk.
func (f Func) SyncDir(name string) error {
	return f.unless(SyncDir, name, func() error { return vfs.OS.SyncDir(name) })
}

// unless calls do unless the operation fails.
func (f Func) unless(op Op, path string, do func() error) error {
	if _, err := f.ask(op, path, 0); err != nil {
		return err
	}
	return do()
}

// A file asks for faults before each operation but Stat and Chown.
type file struct {
	vfs.File
	fault Func
}

func (f file) Chmod(mode fs.FileMode) error {
	return f.fault.unless(Chmod, f.Name(), func() error { return f.File.Chmod(mode) })
}

func (f file) Sync() error { return f.fault.unless(Sync, f.Name(), f.File.Sync) }

func (f file) Write(p []byte) (int, error) { return f.write(p, f.File.Write) }

func (f file) WriteAt(p []byte, offset int64) (int, error) {
	return f.write(p, func(p []byte) (int, error) { return f.File.WriteAt(p, offset) })
}

func (f file) write(p []byte, do func([]byte) (int, error)) (int, error) {
	done, failed := f.fault.ask(Write, f.Name(), len(p))
	n, err := do(p[:done])
	if err == nil {
		err = failed
	}
	return n, err
}

func (f file) Close() error {
	_, failed := f.fault.ask(Close, f.Name(), 0)
	if err := f.File.Close(); err != nil {
		return err
	}
	return failed
}

// A Disk lets some operations fail. The zero value fails none and records all.
type Disk struct {
	Ops    []Op  // the operations that count, and fail; nil for all
	Before int   // how many of them succeed
	Times  int   // how many fail after those; the others succeed again
	Err    error // what they fail with, such as syscall.EIO
	Half   bool  // whether a write that fails writes half of its bytes

	mu     sync.Mutex
	calls  []Call
	failed []Call
}

// Always is a number of Times for faults that stay.
const Always = math.MaxInt32

// FS returns the file system whose operations d lets fail and records.
func (d *Disk) FS() vfs.FS { return Func(d.decide) }

func (d *Disk) decide(c Call) (done int, err error) {
	if d.Ops != nil && !slices.Contains(d.Ops, c.Op) {
		return c.Bytes, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.calls)
	d.calls = append(d.calls, c)
	if n < d.Before || n-d.Before >= d.Times {
		return c.Bytes, nil
	}
	d.failed = append(d.failed, c)
	if d.Half && c.Op == Write {
		done = c.Bytes / 2
	}
	return done, d.Err
}

// Calls returns the operations that counted, in order.
func (d *Disk) Calls() []Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

// Failed returns the operations that failed, in order.
func (d *Disk) Failed() []Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.failed)
}

// Full returns a file system whose writes fail with ENOSPC once room bytes have been written in all, in
// the middle of a write if need be. Removing a file makes no room. written returns how many bytes all
// writes together asked for.
func Full(room int) (fsys vfs.FS, written func() int) {
	var mu sync.Mutex
	asked, left := 0, room
	decide := func(c Call) (int, error) {
		if c.Op != Write {
			return c.Bytes, nil
		}
		mu.Lock()
		defer mu.Unlock()
		asked += c.Bytes
		done := min(left, c.Bytes)
		left -= done
		if done < c.Bytes {
			return done, syscall.ENOSPC
		}
		return done, nil
	}
	return Func(decide), func() int {
		mu.Lock()
		defer mu.Unlock()
		return asked
	}
}
