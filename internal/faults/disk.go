package faults

import (
	"math"
	"slices"
	"sync"
	"syscall"

	"blskernel/internal/disk"
)

// A Disk lets operations of package disk fail. The zero value fails none and counts all.
type Disk struct {
	Ops    []disk.Op // those that are counted, and fail; nil for all
	Before int       // how many of them succeed
	Times  int       // how many fail after those, the others succeeding again
	Err    error     // as which they fail, such as syscall.EIO
	Half   bool      // whether writes that fail do half of their bytes

	mu     sync.Mutex
	calls  []disk.Call // that were counted
	failed []disk.Call
}

// Always is a number of Times for faults that stay.
const Always = math.MaxInt32

// Inject makes d decide about the operations of this process until undo is called.
func (d *Disk) Inject() (undo func()) { return disk.Inject(d.decide) }

func (d *Disk) decide(c disk.Call) (done int, err error) {
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
	if d.Half && c.Op == disk.Write {
		done = c.Bytes / 2
	}
	return done, d.Err
}

// Calls returns the operations that were counted, in their order.
func (d *Disk) Calls() []disk.Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

// Failed returns the operations that have failed, in their order.
func (d *Disk) Failed() []disk.Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.failed)
}

// FullDisk makes writes fail with ENOSPC once room bytes have been written in all, in the middle of one if need be, until
// undo is called. Nothing that is removed makes room again. written returns how many bytes were asked to be written.
func FullDisk(room int) (written func() int, undo func()) {
	var mu sync.Mutex
	asked, left := 0, room
	undo = disk.Inject(func(c disk.Call) (int, error) {
		if c.Op != disk.Write {
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
	})
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return asked
	}, undo
}
