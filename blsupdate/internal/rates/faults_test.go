package rates

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/atomicfile"
	"blskernel/internal/testutil/faultfs"
)

// TestRatesFaults lets each operation of Save fail, over rates that are there: either the old ones or
// the new ones can be loaded, and the error names the file and the variable for another folder.
func TestRatesFaults(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	t.Setenv(EnvCache, folder)
	first := &Rates{key: keyFor(b), probe: probe{1, 1, 1, 1}, tables: map[cost.Kind]*table{}}
	for _, k := range kinds {
		first.tables[k.kind] = &table{Axes: [3][]int{one, one, one}, Cost: []float64{1e-10}}
	}
	second := &Rates{key: first.key, probe: probe{2, 2, 2, 2}, tables: first.tables}
	if err := first.Save(); err != nil {
		t.Fatal(err)
	}
	name, err := first.key.file()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, times := range []int{1, faultfs.Always} {
		for n := 0; ; n++ {
			if err := first.Save(); err != nil {
				t.Fatal(err)
			}
			d := &faultfs.Disk{Before: n, Times: times, Err: syscall.EIO, Half: true}
			err := second.save(d.FS())
			if err := atomicfile.RemoveLeftovers(nil, name); err != nil {
				t.Error(err)
			}
			if entries, failed := filepath.Glob(filepath.Join(folder, "*.new")); failed != nil || len(entries) > 1 {
				t.Errorf("%v is left (%v)", entries, failed)
			} else if len(entries) == 1 {
				if err := os.Remove(entries[0]); err != nil {
					t.Error(err)
				}
			}
			loaded, failed := Load(b)
			if failed != nil {
				t.Fatalf("after %v: %v", err, failed)
			}
			done := len(d.Failed()) == 0
			want := first.probe
			if done || d.Failed()[0].Op == faultfs.SyncDir {
				want = second.probe
			}
			var cache *CacheError
			if loaded.probe != want || (err == nil) != (want == second.probe) {
				t.Errorf("%v fails: %+v, %v", d.Failed(), loaded.probe, err)
			} else if err != nil && (!errors.As(err, &cache) || !cache.Writing || !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), name) || !strings.HasSuffix(err.Error(), "name another folder by "+EnvCache)) {
				t.Error(err)
			}
			if done {
				break
			}
			count++
		}
	}
	t.Logf("%d operations were failed", count)
}
