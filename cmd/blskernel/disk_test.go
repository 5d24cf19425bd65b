package main

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/io/vfs"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
)

// under runs the command of a writing on a file system, and checks what it leaves, what it says, and
// that it can be done again. failed returns the operations that have failed.
func (w *writing) under(t *testing.T, fsys vfs.FS, failed func() []faultfs.Call, reason error) {
	t.Helper()
	w.files.lay(t)
	status, stdout, stderr := inProcessOn(fsys, w.args()...)
	calls := failed()
	if len(calls) == 0 {
		if status != 0 {
			t.Errorf("%s without a fault: status %d, %q", w.line, status, stderr)
		}
		w.check(t, w.line+" without a fault", stdout, true)
		return
	}
	where := fmt.Sprintf("%s, %d faults, the first %+v, status %d, stdout %q, stderr %q",
		w.line, len(calls), calls[0], status, stdout, stderr)
	const onlyFolder = "its folder could not be brought to the disk"
	if status == 0 {
		// Without consequences are a lock that stays, and a checkpoint of which only the folder
		// was not on the disk.
		for _, c := range calls {
			lock := strings.HasSuffix(c.Path, ".lock") && c.Op != faultfs.Open
			if !lock && !(c.Op == faultfs.SyncDir && strings.Contains(stderr, onlyFolder)) {
				t.Errorf("%s: it says nothing", where)
			}
		}
	} else if !strings.Contains(stderr, w.out) ||
		!strings.Contains(stderr, vfs.Remedy(reason)) && !strings.Contains(stderr, onlyFolder) {
		t.Errorf("%s: no path or no remedy", where)
	}
	w.check(t, where, stdout, status == 0)
	w.leftovers(t, where, stderr, calls)
	if status == 0 || strings.Contains(stderr, "do not repeat") {
		return
	}
	w.goesOn(t, where, false)
	if w.samples > 0 { // so that nothing stays that could not be removed before
		w.leftovers(t, where+"; again", stderr, nil)
	}
}

// TestEveryDiskFault lets every operation on files of every command that writes some fail: once, and
// from then on, as if the process were killed. Then the disk is full after a number of bytes: 50 of
// them, spread evenly. Without BLSKERNEL_LONG=1 it is one operation in twelve, and two sizes.
func TestEveryDiskFault(t *testing.T) {
	testutil.NotUnderRace(t, "a disk that fails starts no goroutine")
	testutil.NotEmulated(t, "hundreds of runs")
	modes := []faultfs.Disk{{Times: 1, Err: syscall.EIO}, {Times: faultfs.Always, Err: syscall.ENOSPC, Half: true}}
	step, parts := 12, 2
	if testutil.Long() {
		modes = append(modes, faultfs.Disk{Times: 2, Err: syscall.EACCES},
			faultfs.Disk{Times: faultfs.Always, Err: syscall.EIO, Half: true})
		step, parts = 1, 50
	}
	faults, sizes := 0, 0
	for first, w := range writings(t, 150) {
		if len(w.made) == 0 {
			continue
		}
		// A command that goes past its file system would pass whatever fails.
		all := &faultfs.Disk{}
		w.under(t, all.FS(), all.Failed, nil)
		for _, op := range []faultfs.Op{
			faultfs.Open, faultfs.Write, faultfs.Sync, faultfs.Close, faultfs.Rename, faultfs.SyncDir,
		} {
			if !slices.ContainsFunc(all.Calls(), func(c faultfs.Call) bool { return c.Op == op }) {
				t.Errorf("%s does not %s", w.line, op)
			}
		}
		operations := len(all.Calls())
		for i := range modes {
			for n := first % min(step, operations); ; n += step {
				d := &faultfs.Disk{Before: n, Times: modes[i].Times, Err: modes[i].Err, Half: modes[i].Half}
				w.under(t, d.FS(), d.Failed, d.Err)
				if len(d.Failed()) == 0 {
					if n < operations {
						t.Errorf("%s: no operation fails after %d of %d", w.line, n, operations)
					}
					break
				}
				faults++
			}
		}
		size := 0
		for _, c := range all.Calls() {
			size += c.Bytes
		}
		for part := range parts {
			room := size * part / parts
			full, asked := faultfs.Full(room)
			w.under(t, full, func() []faultfs.Call {
				if asked() <= room {
					return nil
				}
				return []faultfs.Call{{Op: faultfs.Write}}
			}, syscall.ENOSPC)
			sizes++
		}
	}
	t.Logf("%d operations were failed, and %d sizes of the disk tried", faults, sizes)
}
