package rates

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/testutil/faults"
)

// keyMark stands in fuzzed files of rates for the key of this machine, which a checked-in file cannot
// have.
const keyMark = `"HERE"`

// ratesFixture returns a file of rates for this machine, with keyMark in the place of the key, and a
// function that loads rates from such a file.
func ratesFixture(t testing.TB) (file []byte, load func(data []byte) (*Rates, error)) {
	t.Helper()
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	tables := map[cost.Kind]*table{}
	for _, k := range kinds {
		tables[k.kind] = &table{Axes: [3][]int{{1, 20}, one, one}, Cost: []float64{1e-10, 3e-11}}
	}
	here, err := json.Marshal(keyFor(b))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(ratesFile{keyFor(b), probe{0.5, 0.25, 0.125, 0.0625}, tables})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	t.Setenv(EnvCache, folder)
	path, err := keyFor(b).file()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Replace(whole, here, []byte(keyMark), 1), func(data []byte) (*Rates, error) {
		data = bytes.Replace(data, []byte(keyMark), here, 1)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Load(b)
		var cache *CacheError
		if err != nil && (!errors.As(err, &cache) || cache.File != path || !strings.Contains(err.Error(), "measure them anew")) {
			t.Errorf("error %.300v", err)
		}
		return r, err
	}
}

// FuzzLoadRates loads any file as the rates of this machine: there is a *CacheError that names it, or
// rates that cost something and are the same when they are saved and loaded again.
func FuzzLoadRates(f *testing.F) {
	whole, _ := ratesFixture(f)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	for _, part := range []string{"{}", "null", "", `{"key":"HERE"}`, `{"key":"HERE","probe":{"product":1,"short":1,"rows":1,"stream":1},"tables":{"Dgemm NN":null}}`, strings.Repeat(`{"tables":`, 1<<10)} {
		f.Add([]byte(part))
	}
	for _, change := range [][2]string{{"[1,20]", "[20,1]"}, {"[1,20]", "[0,20]"}, {"[1,20]", "[1,9223372036854775807]"}, {"1e-10", "1e999"}, {"1e-10", "-1"}, {"1e-10", "5e-324"}, {`"axes"`, `"AXES"`}, {"0.5", "0"}} {
		f.Add(bytes.Replace(whole, []byte(change[0]), []byte(change[1]), 1))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, load := ratesFixture(t)
		var r *Rates
		var err error
		// A number takes two bytes of text and eight of a slice that doubles; a table of
		// nothing is ten bytes of text, and some 250 of a map; the file itself is there three
		// times, here among them.
		faults.Bounded(t, len(data), 128, 1<<18, func() { r, err = load(data) })
		if err != nil {
			return
		}
		for k, tab := range r.tables {
			if tab == nil || !tab.valid() {
				continue // of a kind that is not known: those that are have been checked
			}
			for _, sizes := range [][3]int{{1, 1, 1}, {math.MaxInt32, 1, math.MaxInt32}, {7, 300, 5000}} {
				if c := tab.cost(sizes); !(c >= 0) {
					t.Errorf("%s of %v costs %v", k, sizes, c)
				}
			}
		}
		if err := r.Save(); err != nil {
			t.Fatal(err)
		}
		again, err := Load(blskernelPure(t))
		if err != nil || again.key != r.key || again.probe != r.probe || !sameTables(again.tables, r.tables) {
			t.Errorf("other rates are loaded again: %v", err)
		}
	})
}

func blskernelPure(t testing.TB) blskernel.Backend {
	t.Helper()
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sameTables compares the texts of tables, which have each number to the last bit.
func sameTables(a, b map[cost.Kind]*table) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// TestHostileRates has in the place of the file of rates what Save does not write.
func TestHostileRates(t *testing.T) {
	whole, load := ratesFixture(t)
	if _, err := load(whole); err != nil {
		t.Fatal(err)
	}
	replace := func(from, to string) []byte { return bytes.Replace(whole, []byte(from), []byte(to), 1) }
	for name, data := range map[string][]byte{
		"empty": nil, "zeros": make([]byte, 1<<10), "a mark of UTF-8": append([]byte("\xef\xbb\xbf"), whole...), "twice": append(bytes.Clone(whole), whole...),
		"nested": bytes.Repeat([]byte(`{"tables":`), 1<<15), "an axis without sizes": replace("[1,20]", "[]"), "an axis that is not there": replace("[1,20]", "null"),
		"an axis that descends": replace("[1,20]", "[20,1]"), "a size of 0": replace("[1,20]", "[0,20]"), "a negative size": replace("[1,20]", "[-1,20]"),
		"a size beyond int": replace("[1,20]", "[1,9223372036854775808]"), "more sizes than costs": replace("[1,20]", "[1,20,30]"),
		"a cost of 0": replace("1e-10", "0"), "a negative cost": replace("1e-10", "-1"), "an infinite cost": replace("1e-10", "1e999"), "no tables": []byte(`{"key":"HERE","probe":{"product":1,"short":1,"rows":1,"stream":1}}`),
		"a key of another machine": replace(keyMark, `{"cpu":"another"}`),
	} {
		if r, err := load(data); err == nil || r != nil {
			t.Errorf("%s: %v", name, r)
		}
	}
	b := blskernelPure(t)
	path, err := keyFor(b).file()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
		t.Fatal(err)
	}
	var cache *CacheError
	if _, err := Load(b); !errors.As(err, &cache) || cache.File != path {
		t.Errorf("a folder: %v", err)
	}
	if err := errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o666), os.Truncate(path, mostCache+1)); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(b); !errors.Is(err, errNoRates) {
		t.Errorf("a file of %d bytes: %v", mostCache+1, err)
	}
	if _, err := load([]byte(`{"key": ` + strings.Repeat("9", 1<<20) + `}`)); err == nil || len(err.Error()) > 1<<10 {
		t.Errorf("a number of a million digits: %.2000v", err)
	}
	if err := errors.Join(os.Remove(path), os.Symlink(filepath.Base(path), path)); err != nil {
		t.Skip(err) // where links need a permission
	}
	if _, err := Load(b); !errors.As(err, &cache) || cache.File != path {
		t.Errorf("a link to itself: %v", err)
	}
}
