package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/vfs"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
)

// under runs the command of w on a file system, and checks what it leaves, what it says, and that it
// can be repeated. failed returns the operations that have failed.
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
	const onlyFolder = "its folder could not be synced"
	if status == 0 {
		// These have no consequences: a lock that stays, a checkpoint whose folder was not
		// synced, and needless reading.
		for _, c := range calls {
			lock := strings.HasSuffix(c.Path, ".lock") && c.Op != faultfs.Open
			if !lock && !c.Reads && !(c.Op == faultfs.SyncDir && strings.Contains(stderr, onlyFolder)) {
				t.Errorf("%s: it says nothing", where)
			}
		}
	} else if calls[0].Reads {
		named := func(c faultfs.Call) bool { return strings.Contains(stderr, filepath.Base(c.Path)) }
		if !slices.ContainsFunc(calls, named) { // a needless one may fail before another
			t.Errorf("%s: no path", where)
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
	if w.samples > 0 { // what could not be removed before is removed now
		w.leftovers(t, where+"; again", stderr, nil)
	}
}

// TestEveryDiskFault makes every operation on files fail, for every command: once, and from then on, as
// if the process were killed. Then it limits the disk to 50 sizes, spread evenly. Without
// BLSKERNEL_LONG=1 it tries one operation in twelve, and two sizes.
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
		// A command that bypassed its file system would pass whatever fails.
		all := &faultfs.Disk{}
		w.under(t, all.FS(), all.Failed, nil)
		expected := []faultfs.Op{faultfs.Stat, faultfs.Open, faultfs.Read, faultfs.Close}
		if len(w.made) > 0 {
			expected = append(expected, faultfs.Write, faultfs.Sync, faultfs.Rename, faultfs.SyncDir)
		}
		for _, op := range expected {
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
					if n+3 < operations { // how much is read ahead depends on the scheduler
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
		for part := range min(parts, size) {
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

// TestFolderNotOnDisk writes a model whose folder cannot be synced. The command prints the result, with
// an error that keeps people from learning the rows twice.
func TestFolderNotOnDisk(t *testing.T) {
	model, test := trained(t, "--target", "color")
	status, stdout, stderr := inProcessOn(faultfs.Func(func(c faultfs.Call) (int, error) {
		if c.Op == faultfs.SyncDir {
			return 0, os.ErrPermission
		}
		return 0, nil
	}), "update", "--checkpoint", "50", "--batch", "50", model, test)
	if status != ui.ExitFailure || !strings.HasSuffix(stderr, "; the model has learned the rows, so do not repeat the update\n") {
		t.Errorf("status %d, %q", status, stderr)
	}
	if !strings.Contains(stdout, "500 samples in all\nlearned 100 rows") || strings.Contains(stdout, "checkpoint") {
		t.Errorf("%q", stdout)
	}
	if n := strings.Count(stderr, "its folder could not be synced"); n != 3 {
		t.Errorf("said %d times: %q", n, stderr)
	}
	m, err := load(model)
	testutil.NoError(t, err)
	if n := m.Updater().Samples(); n != 500 {
		t.Errorf("%d samples", n)
	}
}
