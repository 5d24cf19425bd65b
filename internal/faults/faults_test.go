package faults

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"blskernel/internal/disk"
)

// write writes so many bytes to a new file, in two parts, and returns the error.
func write(t *testing.T, bytes int) error {
	t.Helper()
	f, err := disk.OpenFile(filepath.Join(t.TempDir(), "x"), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, bytes/2))
	if err == nil {
		_, err = f.Write(make([]byte, bytes-bytes/2))
	}
	return errors.Join(err, f.Close())
}

func TestDisk(t *testing.T) {
	all := &Disk{}
	undo := all.Inject()
	err := write(t, 10)
	undo()
	if calls := all.Calls(); err != nil || len(calls) != 4 || calls[1].Op != disk.Write || calls[1].Bytes != 5 || len(all.Failed()) != 0 {
		t.Errorf("%v, %v", calls, err)
	}
	for n, fails := range []bool{true, true, false} {
		d := &Disk{Ops: []disk.Op{disk.Write}, Before: n, Times: 1, Err: syscall.EIO, Half: true}
		undo := d.Inject()
		err := write(t, 10)
		undo()
		if fails != errors.Is(err, syscall.EIO) || fails != (len(d.Failed()) == 1) {
			t.Errorf("%d: %v, %v", n, err, d.Failed())
		}
	}
}

func TestFullDisk(t *testing.T) {
	for room := range 12 {
		written, undo := FullDisk(room)
		err := write(t, 10)
		undo()
		if full := room < 10; full != errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d: %v", room, err)
		}
		if n := written(); room >= 10 && n != 10 {
			t.Errorf("%d bytes", n)
		}
	}
}

func TestWriter(t *testing.T) {
	w := &Writer{Left: 3}
	if n, err := w.Write([]byte("ab")); n != 2 || err != nil {
		t.Error(n, err)
	}
	if n, err := w.Write([]byte("cd")); n != 1 || !errors.Is(err, ErrFull) {
		t.Error(n, err)
	}
}

func TestCanceledAfter(t *testing.T) {
	ctx := CanceledAfter(2)
	for n, want := range []error{nil, nil, context.Canceled, context.Canceled} {
		if err := ctx.Err(); err != want {
			t.Errorf("look %d: %v", n, err)
		}
	}
	select {
	case <-ctx.Done():
		t.Error("its channel is closed")
	default:
	}
	if never := NeverCanceled(); never.Err() != nil || never.Looks() != 1 || ctx.Looks() != 4 {
		t.Error(never.Looks(), ctx.Looks())
	}
}

func TestStoppedAfter(t *testing.T) {
	why := errors.New("why")
	ctx, release := StoppedAfter(1, why)
	defer release()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if ctx.Err() != nil || inner.Err() != nil {
		t.Fatal("canceled before the time")
	}
	if !errors.Is(ctx.Err(), context.Canceled) || inner.Err() == nil || context.Cause(ctx) != why || context.Cause(inner) != why {
		t.Error(ctx.Err(), inner.Err(), context.Cause(ctx), context.Cause(inner))
	}
	<-ctx.Done()
	<-inner.Done()
	if ctx.Looks() != 3 {
		t.Errorf("%d looks", ctx.Looks())
	}
	other, release := StoppedAfter(1, why)
	release()
	if other.Err() == nil {
		t.Error("not released")
	}
}
