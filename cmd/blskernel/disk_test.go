package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
	"blskernel/internal/vfs"
)

// under runs the command of a writing on a file system, and checks what it leaves, what it says, and
// that it can be done again. failed returns the operations that have failed.
func (tr *writing) under(t *testing.T, fsys vfs.FS, failed func() []faultfs.Call, reason error) {
	t.Helper()
	dir := tr.files.lay(t)
	defer os.RemoveAll(dir)
	status, stdout, stderr := inProcessOn(fsys, tr.args(dir)...)
	calls := failed()
	if len(calls) == 0 {
		if err := tr.final(t, dir); status != 0 || err != nil {
			t.Errorf("%s without a fault: status %d, %q, %v", tr.name, status, stderr, err)
		}
		return
	}
	where := fmt.Sprintf("%s, %d faults, the first %+v, status %d, stdout %q, stderr %q", tr.name, len(calls), calls[0], status, stdout, stderr)
	check := tr.whole
	if status == 0 {
		check = tr.final
		// Without consequences are a lock that stays, and a checkpoint of which only the folder
		// was not on the disk.
		for _, c := range calls {
			lock := strings.HasSuffix(c.Path, ".lock") && c.Op != faultfs.Open
			if !lock && !(c.Op == faultfs.SyncDir && strings.Contains(stderr, "its folder could not be brought to the disk")) {
				t.Errorf("%s: it says nothing", where)
			}
		}
	} else if !strings.Contains(stderr, tr.out) || !strings.Contains(stderr, vfs.Remedy(reason)) && !strings.Contains(stderr, "its folder could not be brought to the disk") {
		t.Errorf("%s: no path or no remedy", where)
	}
	if err := check(t, dir); err != nil {
		t.Errorf("%s: %v", where, err)
	}
	tr.leftovers(t, dir, where, stderr, calls)
	if status == 0 || strings.Contains(stderr, "do not repeat") {
		return
	}
	tr.goesOn(t, dir, where)
	if tr.lock { // so that nothing stays that could not be removed before
		tr.leftovers(t, dir, where+"; again", stderr, nil)
	}
}

// operations runs the command without faults and returns its operations on files, among which must be
// those of a file that is written as a whole: a command that goes past its file system would pass
// whatever fails.
func (tr *writing) operations(t *testing.T) int {
	t.Helper()
	all := &faultfs.Disk{}
	tr.under(t, all.FS(), all.Failed, nil)
	wanted := []faultfs.Op{faultfs.Open, faultfs.Write, faultfs.Sync, faultfs.Close, faultfs.Rename, faultfs.SyncDir}
	for _, op := range wanted {
		if !slices.ContainsFunc(all.Calls(), func(c faultfs.Call) bool { return c.Op == op }) {
			t.Errorf("%s does not %s", tr.name, op)
		}
	}
	return len(all.Calls())
}

// leftovers checks that nothing is left but an empty lock, complete files that the message names, and
// what could not be removed, since that is what failed.
func (tr *writing) leftovers(t *testing.T, dir, where, stderr string, failed []faultfs.Call) {
	t.Helper()
	for name := range takeUp(t, dir) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		_, there := tr.files[name]
		kept := strings.Contains(stderr, "kept as "+path)
		temporary := strings.HasSuffix(name, ".tmp")
		stays := slices.ContainsFunc(failed, func(c faultfs.Call) bool { return c.Op == faultfs.Remove && c.Path == path })
		switch {
		case temporary && (kept || stays):
		case temporary:
			t.Errorf("%s: %s is left", where, name)
		case there || name == tr.out || strings.HasPrefix(name, "page/") && !strings.HasSuffix(name, ".new"):
		case name == "."+tr.out+".lock":
		case strings.HasSuffix(name, ".new") && kept:
		default:
			t.Errorf("%s: %s is left", where, name)
		}
	}
}

// TestEveryDiskFault lets every operation on files of every command that writes some fail: once, and
// from then on. Without BLSKERNEL_LONG=1 it is one operation in twelve.
func TestEveryDiskFault(t *testing.T) {
	testutil.NotUnderRace(t, "a disk that fails starts no goroutine")
	testutil.NotEmulated(t, "hundreds of runs")
	total, commands := 0, writings(t)
	step := 12
	if testutil.Long() {
		step = 1
	}
	for first, tr := range commands {
		operations := tr.operations(t)
		for _, mode := range []struct {
			Times int
			Err   error
			Half  bool
		}{
			{1, syscall.EIO, false},
			{faultfs.Always, syscall.ENOSPC, true},
			{2, syscall.EACCES, false},
			{faultfs.Always, syscall.EIO, true},
		} {
			if !testutil.Long() && mode.Times == 2 || !testutil.Long() && mode.Times == faultfs.Always && mode.Err == syscall.EIO {
				continue
			}
			for n := first % min(step, operations); ; n += step {
				d := &faultfs.Disk{Before: n, Times: mode.Times, Err: mode.Err, Half: mode.Half}
				tr.under(t, d.FS(), d.Failed, mode.Err)
				if len(d.Failed()) == 0 {
					if n < operations {
						t.Errorf("%s: no operation fails after %d of %d", tr.name, n, operations)
					}
					break
				}
				total++
			}
		}
	}
	t.Logf("%d operations of %d commands were failed", total, len(commands))
}

// TestEveryFullDisk runs every command that writes files on a disk that is full after a number of
// bytes: 50 of them, spread evenly, with BLSKERNEL_LONG=1, else 2.
func TestEveryFullDisk(t *testing.T) {
	testutil.NotUnderRace(t, "a disk that fails starts no goroutine")
	testutil.NotEmulated(t, "hundreds of runs")
	total, commands := 0, writings(t)
	for _, tr := range commands {
		roomy, asked := faultfs.Full(1 << 30)
		status, _, stderr := inProcessOn(roomy, tr.args(tr.files.lay(t))...)
		size, parts := asked(), 2
		if status != 0 || size == 0 {
			t.Fatalf("%s: status %d, %d bytes, %q", tr.name, status, size, stderr)
		}
		if testutil.Long() {
			parts = 50
		}
		for part := range parts {
			room := size * part / parts
			full, asked := faultfs.Full(room)
			tr.under(t, full, func() []faultfs.Call {
				if asked() <= room {
					return nil
				}
				return []faultfs.Call{{Op: faultfs.Write}}
			}, syscall.ENOSPC)
			total++
		}
	}
	t.Logf("%d sizes of the disk for %d commands", total, len(commands))
}
