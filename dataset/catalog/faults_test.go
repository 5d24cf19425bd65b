package catalog

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/atomicfile"
	"blskernel/internal/disk"
	"blskernel/internal/faults"
	"blskernel/internal/testutil/long"
)

// fetched fetches a file under faults, in three connections and over an old one, checks what there is after an error, and
// fetches it again.
func fetched(t *testing.T, undo func()) error {
	t.Helper()
	x := newFixture(t, func(x *fixture, w http.ResponseWriter, r *http.Request) { cut(w, r, x.gz, len(x.gz)/3+1) })
	name := filepath.Join(x.dir, x.file.Name+".gz")
	old := []byte("what was there")
	if err := errors.Join(os.MkdirAll(x.dir, 0o777), os.WriteFile(name, old, 0o666)); err != nil {
		t.Fatal(err)
	}
	_, err := quickly().Fetch(context.Background(), x.set, x.file, x.dir)
	undo()
	if err == nil {
		return nil
	}
	if !strings.Contains(err.Error(), x.dir) {
		t.Errorf("%v does not name the file", err)
	}
	want := string(old)
	var folder *atomicfile.FolderError
	if errors.As(err, &folder) {
		want = string(x.gz)
	}
	if got, failed := os.ReadFile(name); failed != nil || string(got) != want {
		t.Errorf("after %v: %d bytes (%v)", err, len(got), failed)
	}
	path, again := quickly().Fetch(context.Background(), x.set, x.file, x.dir)
	x.wantFetched(t, path, again)
	return err
}

// TestFetchFaults lets each operation on the files of a download fail, once and from then on; without BLSKERNEL_LONG=1 one in 4.
func TestFetchFaults(t *testing.T) {
	all := &faults.Disk{}
	if err := fetched(t, all.Inject()); err != nil {
		t.Fatal(err)
	}
	operations := all.Calls()
	for _, op := range []disk.Op{disk.Open, disk.Write, disk.Read, disk.Sync, disk.Close, disk.Rename, disk.Folder} {
		if !slices.ContainsFunc(operations, func(c disk.Call) bool { return c.Op == op }) {
			t.Errorf("a download does not %s", op)
		}
	}
	count, step := 0, 4
	if long.Asked() {
		step = 1
	}
	for first, times := range []int{1, faults.Always} {
		for n := first % step; ; n += step {
			d := &faults.Disk{Before: n, Times: times, Err: syscall.EIO, Half: true}
			err := fetched(t, d.Inject())
			if len(d.Failed()) == 0 {
				if err != nil {
					t.Errorf("without a fault: %v", err)
				}
				break
			}
			count++
			if first := d.Failed()[0]; err == nil && first.Op == disk.Close && d.Calls()[n-1].Op == disk.Read {
				continue // of a file that was only read
			} else if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), disk.Remedy(syscall.EIO)) && first.Op != disk.Folder {
				t.Errorf("%+v fails: %v", first, err)
			}
		}
	}
	if least := len(operations) / step; count < least { // of twice as many, which differ with what arrives together
		t.Errorf("%d operations were failed, fewer than %d", count, least)
	}
	t.Logf("%d operations were failed", count)
}

// TestFetchNotOnDisk lets the system say once that what the first of three connections has brought did not get to the
// disk. The connection broke anyway, but another one must not go on from bytes that may be in memory only.
func TestFetchNotOnDisk(t *testing.T) {
	for _, op := range []disk.Op{disk.Sync, disk.Close} {
		for _, removal := range []bool{true, false} {
			d := &faults.Disk{Ops: []disk.Op{op}, Times: 1, Err: syscall.EIO}
			what := "and was removed"
			if !removal {
				d.Ops, d.Times, what = append(d.Ops, disk.Remove), 2, "remove "
			}
			err := fetched(t, d.Inject())
			if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "may not be on the disk, "+what) || strings.Contains(err.Error(), "goes on from there") {
				t.Errorf("%s fails: %v", op, err)
			}
		}
	}
}

// TestFetchOnFullDisk fetches to a disk that is full after a number of bytes.
func TestFetchOnFullDisk(t *testing.T) {
	for room := 0; room < 300_000; room += 59_989 {
		_, undo := faults.FullDisk(room)
		err := fetched(t, undo)
		if err != nil && (!errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room on the disk, or name a file on another one; what has arrived is kept")) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		if err == nil && room < 10_000 {
			t.Errorf("a file of this size in %d bytes", room)
		}
	}
}
