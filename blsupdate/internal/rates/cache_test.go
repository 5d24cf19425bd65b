package rates

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"blskernel"
	"blskernel/internal/io/vfs"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
	"blskernel/internal/testutil/faults"
)

func pure(t testing.TB) blskernel.Backend {
	t.Helper()
	b, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	return b
}

// saved returns rates of b, and the file in a folder of the test to which it saved them.
func saved(t testing.TB, b blskernel.Backend) (r *Rates, file string) {
	t.Helper()
	t.Setenv(EnvCache, filepath.Join(t.TempDir(), "new", "folder"))
	r = newRates(b)
	r.peak = 0.5e9
	for kind, o := range operations {
		r.tables[kind] = newTable(o.axes)
		for i := range r.tables[kind].cost {
			r.tables[kind].cost[i] = 1e-10 / float64(i+3)
		}
	}
	file, err := r.file()
	testutil.NoError(t, errors.Join(err, r.save(vfs.OS)))
	return r, file
}

func TestCache(t *testing.T) {
	b := pure(t)
	r, file := saved(t, b)
	loaded, err := load(b)
	if err != nil || loaded.peak != r.peak || !reflect.DeepEqual(loaded.tables, r.tables) {
		t.Errorf("loaded %+v, error %v; want %+v", loaded, err, r)
	}
	if again := For(b); again.peak != r.peak || !again.Measured || again.Unsaved != nil {
		t.Errorf("For has not loaded the file: %+v", again)
	}
	for _, n := range []int{1, 10_000} { // more threads than CPUs are as many as CPUs
		blskernel.SetThreads(n)
		_, err = load(b)
		same := threads() == 1
		blskernel.SetThreads(0)
		if same = same == (threads() == 1); errors.Is(err, fs.ErrNotExist) == same {
			t.Errorf("rates for %d threads: %v", n, err)
		}
	}
	testutil.NoError(t, os.WriteFile(file, nil, 0o600))
	if r := For(b); r.Measured {
		t.Errorf("%v from a damaged file", r)
	}
	measured, err := measure(context.Background(), b, 0, nil)
	testutil.NoError(t, err)
	if loaded, err := load(b); err != nil || loaded.peak != measured.peak {
		t.Errorf("Measure has not replaced a damaged file: %v", err)
	}
	like := builtIn(b) // which a measurement without time is
	for _, p := range newMeasurement(b).points {
		got, want := measured.tables[p.Kind].cost[p.index], like.tables[p.Kind].cost[p.index]
		if !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("%+v costs %v; want %v, which is built in", p, got, want)
		}
	}
	if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, error %v; want one file", files, err)
	}
	t.Setenv(EnvCache, file) // where the folder should be
	if r, err := measure(context.Background(), b, 0, nil); err != nil || r.Unsaved == nil {
		t.Errorf("rates in a folder that is a file: %v, %v", r, err)
	}
}

// TestRatesFaults lets each operation of save fail when it replaces earlier rates: either the old or
// the new ones can be loaded, and the error names the file and the variable for another folder.
func TestRatesFaults(t *testing.T) {
	b := pure(t)
	first, name := saved(t, b)
	second := *first
	second.peak = 2e9
	count := 0
	for _, times := range []int{1, faultfs.Always} {
		for done := false; !done; count++ {
			testutil.NoError(t, first.save(vfs.OS))
			d := &faultfs.Disk{Before: count, Times: times, Err: syscall.EIO, Half: true}
			err := second.save(d.FS())
			left, failed := filepath.Glob(filepath.Join(filepath.Dir(name), "*.new"))
			for _, file := range left {
				failed = errors.Join(failed, os.Remove(file))
			}
			loaded, missing := load(b)
			testutil.NoError(t, errors.Join(failed, missing))
			done = len(d.Failed()) == 0
			want := first.peak
			if done || d.Failed()[0].Op == faultfs.SyncDir { // the last one
				want = second.peak
			}
			if loaded.peak != want || (err == nil) != done || len(left) > 1 {
				t.Errorf("%v fails: %+v, %v, %v is left", d.Failed(), loaded.peak, err, left)
			} else if err != nil && (!errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), name) ||
				!strings.HasSuffix(err.Error(), "set "+EnvCache+" to another folder")) {
				t.Error(err)
			}
		}
		t.Logf("%d operations were failed", count-1)
		count = 0
	}
}

// keyMark stands for this machine's key in fuzzed rates files: a checked-in file cannot have that key.
const keyMark = `"HERE"`

// fixture returns a rates file for this machine, with keyMark in place of the key, and a function that
// loads rates from such a file.
func fixture(t testing.TB) (file []byte, read func(data []byte) (*Rates, error)) {
	t.Helper()
	b := pure(t)
	r, path := saved(t, b)
	whole, err := os.ReadFile(path)
	testutil.NoError(t, err)
	here, err := json.Marshal(r.key())
	testutil.NoError(t, err)
	return bytes.Replace(whole, here, []byte(keyMark), 1), func(data []byte) (*Rates, error) {
		testutil.NoError(t, os.WriteFile(path, bytes.Replace(data, []byte(keyMark), here, 1), 0o666))
		return load(b)
	}
}

// damaged returns files that save does not write, made from whole, a file that it has written.
func damaged(t testing.TB, whole []byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{
		"empty": nil, "zeros": make([]byte, 1<<10), "cut off": whole[:len(whole)/2], "twice": append(bytes.Clone(whole), whole...),
		"nested": bytes.Repeat([]byte(`{"costs":`), 1<<10), "no tables": []byte(`{"key":"HERE","peak":1}`),
		"null tables": []byte(`{"key":"HERE","peak":1,"costs":{"Dgemm NN":null}}`), "null": []byte("null"), "long": append(bytes.Repeat([]byte(" "), maxFile), whole...), "nothing": []byte("{}"),
		"many digits": []byte(`{"key": ` + strings.Repeat("9", 1<<12) + `}`),
	}
	for name, change := range map[string][2]string{
		"no number as peak":     {`"peak":`, `"peak":"a`},
		"a peak of 0":           {`"peak":`, `"peak":0e`},
		"a peak below 0":        {`"peak":`, `"peak":-`},
		"no peak":               {`"peak"`, `"peek"`},
		"a kind missing":        {`"Dgemm NN"`, `"Dgemm XX"`},
		"a cost of 0":           {`"Dgemm NN":[`, `"Dgemm NN":[0`},
		"a negative cost":       {`"Dgemm NN":[`, `"Dgemm NN":[-`},
		"a cost too many":       {`"Dgemm NN":[`, `"Dgemm NN":[1,`},
		"no costs":              {`"Dgemm NN":[`, `"Dgemm NN":null,"no":[`},
		"an infinite cost":      {`"Dgemm NN":[`, `"Dgemm NN":[1e999,`},
		"another machine":       {keyMark, `"another"`},
		"a key that is a table": {keyMark, `{"cpu":1}`},
		"a mark of UTF-8":       {"{", "\xef\xbb\xbf{"},
	} {
		all[name] = bytes.Replace(whole, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(all[name], whole) {
			t.Errorf("%s: nothing is changed", name)
		}
	}
	return all
}

// TestHostileRates replaces the rates file by files that save does not write.
func TestHostileRates(t *testing.T) {
	whole, read := fixture(t)
	if _, err := read(whole); err != nil {
		t.Fatal(err)
	}
	for name, data := range damaged(t, whole) {
		if r, err := read(data); err == nil || r != nil {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// FuzzLoadRates loads any file as the rates of this machine: the result is an error, or rates without
// negative costs that are the same when they are saved and loaded again.
func FuzzLoadRates(f *testing.F) {
	whole, _ := fixture(f)
	f.Add(whole)
	for _, data := range damaged(f, whole) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, read := fixture(t)
		var r *Rates
		var err error
		// A number takes two bytes of text and eight in a slice that doubles; an empty table is
		// ten bytes of text, and some 250 of a map; the file itself is in memory three times,
		// including here.
		faults.Bounded(t, len(data), 128, 1<<18, func() { r, err = read(data) })
		if err != nil {
			return
		}
		for kind, tab := range r.tables {
			for _, sizes := range [][3]int{{1, 1, 1}, {1<<31 - 1, 1, 1<<31 - 1}, {7, 300, 5000}} {
				if c := tab.at(sizes); !(c >= 0) {
					t.Errorf("%d of %v costs %v", kind, sizes, c)
				}
			}
		}
		testutil.NoError(t, r.save(vfs.OS))
		again, err := load(pure(t))
		if err != nil || again.key() != r.key() || again.peak != r.peak || !reflect.DeepEqual(again.tables, r.tables) {
			t.Errorf("other rates are loaded again: %v", err)
		}
	})
}
