package stream

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/testutil/faultfs"
)

// TestSpoolFaults fails each operation on the temporary copy of an archive that comes through a
// pipe: the error says so, and nothing is left in the folder for temporary files.
func TestSpoolFaults(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	x := append(npyHeader(1, "<f8", false, 20, 2), float64s(count(1, 40)...)...)
	archive := npz(t, member{"X.npy", x, zip.Deflate})
	count := 0
	for n := 0; ; n++ {
		d := &faultfs.Disk{Before: n, Times: 1, Err: syscall.ENOSPC, Half: true}
		all, err := loadBy(t, "-", Options{Stdin: bytes.NewReader(archive), Format: NPZ, FS: d.FS()}, 7)
		entries, failure := os.ReadDir(temp)
		for _, e := range entries {
			if len(d.Failed()) == 0 || d.Failed()[0].Op != faultfs.Remove {
				t.Errorf("%v: %s is left", d.Failed(), e.Name())
			}
			failure = errors.Join(failure, os.Remove(filepath.Join(temp, e.Name())))
		}
		if failure != nil {
			t.Fatal(failure)
		}
		if len(d.Failed()) == 0 {
			if err != nil || all.rows == 0 {
				t.Errorf("%d rows, %v", all.rows, err)
			}
			break
		}
		count++
		first := d.Failed()[0]
		switch first.Op {
		case faultfs.Remove:
			if err != nil { // it is removed when it is closed
				t.Errorf("%+v fails: %v", first, err)
			}
		case faultfs.Read, faultfs.Close:
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%+v fails: %v", first, err)
			}
		default:
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room, or name another folder in TMPDIR") {
				t.Errorf("%+v fails: %v", first, err)
			}
		}
	}
	if count < 4 {
		t.Errorf("%d operations", count)
	}
	t.Logf("%d operations were failed", count)
}
