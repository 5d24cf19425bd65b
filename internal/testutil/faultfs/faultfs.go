// Package faultfs is a file system for tests. Its operations can fail as on a full or broken disk.
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
	Stat    Op = "stat"
	Open    Op = "open" // creation included
	Read    Op = "read"
	Chmod   Op = "chmod"
	Write   Op = "write"
	Sync    Op = "sync"
	Close   Op = "close"
	Rename  Op = "rename"
	Remove  Op = "remove"
	SyncDir Op = "sync the folder of"
)

// A Call is an operation that is about to run.
type Call struct {
	Op    Op
	Path  string // of the file; the old name for Rename
	Bytes int    // to be written
	Reads bool   // whether the operation changes nothing
}

// A Func is vfs.OS with faults: it returns the error with which an operation fails, or nil to let
// it run. A write that fails writes its first done bytes; a Close that fails closes the file; any
// other operation that fails does nothing. Several goroutines may call a Func at once.
type Func func(Call) (done int, err error)

// ask returns the fault of an operation as package os would report it.
func (f Func) ask(c Call) (done int, err error) {
	if done, err = f(c); err == nil {
		return c.Bytes, nil
	}
	return done, &fs.PathError{Op: string(c.Op), Path: c.Path, Err: err}
}

// Stat calls os.Stat, unless f makes it fail.
func (f Func) Stat(name string) (fs.FileInfo, error) {
	if _, err := f.ask(Call{Op: Stat, Path: name, Reads: true}); err != nil {
		return nil, err
	}
	return vfs.OS.Stat(name)
}

// OpenFile calls os.OpenFile, unless f makes it fail.
func (f Func) OpenFile(name string, flag int, mode fs.FileMode) (vfs.File, error) {
	if _, err := f.ask(Call{Op: Open, Path: name, Reads: flag == os.O_RDONLY}); err != nil {
		return nil, err
	}
	opened, err := vfs.OS.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return file{opened, f, flag == os.O_RDONLY}, nil
}

// Rename calls os.Rename, unless f makes it fail.
func (f Func) Rename(from, to string) error {
	if _, err := f.ask(Call{Op: Rename, Path: from}); err != nil {
		return &os.LinkError{Op: string(Rename), Old: from, New: to, Err: errors.Unwrap(err)}
	}
	return vfs.OS.Rename(from, to)
}

// Remove calls os.Remove, unless f makes it fail.
func (f Func) Remove(name string) error {
	return f.unless(Remove, name, func() error { return vfs.OS.Remove(name) })
}

// SyncDir flushes the names in a folder to the disk, unless f makes it fail.
func (f Func) SyncDir(name string) error {
	return f.unless(SyncDir, name, func() error { return vfs.OS.SyncDir(name) })
}

// unless calls do unless the operation fails.
func (f Func) unless(op Op, path string, do func() error) error {
	if _, err := f.ask(Call{Op: op, Path: path}); err != nil {
		return err
	}
	return do()
}

// A file asks for faults before each operation except Seek, Stat and Chown.
type file struct {
	vfs.File
	fault Func
	reads bool
}

func (f file) Chmod(mode fs.FileMode) error {
	return f.fault.unless(Chmod, f.Name(), func() error { return f.File.Chmod(mode) })
}

func (f file) Sync() error { return f.fault.unless(Sync, f.Name(), f.File.Sync) }

func (f file) Read(p []byte) (int, error) { return f.read(p, f.File.Read) }

func (f file) ReadAt(p []byte, offset int64) (int, error) {
	return f.read(p, func(p []byte) (int, error) { return f.File.ReadAt(p, offset) })
}

func (f file) read(p []byte, do func([]byte) (int, error)) (int, error) {
	if _, err := f.fault.ask(Call{Op: Read, Path: f.Name(), Reads: true}); err != nil {
		return 0, err
	}
	return do(p)
}

func (f file) Write(p []byte) (int, error) { return f.write(p, f.File.Write) }

func (f file) WriteAt(p []byte, offset int64) (int, error) {
	return f.write(p, func(p []byte) (int, error) { return f.File.WriteAt(p, offset) })
}

func (f file) write(p []byte, do func([]byte) (int, error)) (int, error) {
	done, failed := f.fault.ask(Call{Op: Write, Path: f.Name(), Bytes: len(p)})
	n, err := do(p[:done])
	if err == nil {
		err = failed
	}
	return n, err
}

func (f file) Close() error {
	_, failed := f.fault.ask(Call{Op: Close, Path: f.Name(), Reads: f.reads})
	if err := f.File.Close(); err != nil {
		return err
	}
	return failed
}

// A Disk makes some operations fail. The zero value lets all operations succeed, and records them.
type Disk struct {
	Ops    []Op  // the operations that are counted and may fail; nil for all
	Before int   // the number of counted operations that succeed first
	Times  int   // the number that fail next; later operations succeed again
	Err    error // the error of a failing operation, such as syscall.EIO
	Half   bool  // whether a write that fails writes half of its bytes

	mu     sync.Mutex
	calls  []Call
	failed []Call
}

// Always is the value of Times for permanent faults.
const Always = math.MaxInt32

// FS returns the file system whose operations d records and makes fail.
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

// Calls returns the counted operations, in order.
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

// Full returns a file system whose writes fail with ENOSPC after a total of room bytes, if necessary in
// the middle of a write. Removing a file frees no room. written returns the number of bytes in all
// attempted writes.
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
