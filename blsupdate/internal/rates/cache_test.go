package rates

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"blskernel"
)

// measured has rates of pure of which only the first kinds were measured, on a tiny grid.
var measured = sync.OnceValues(func() (*Rates, error) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		return nil, err
	}
	r, err := measureRates(context.Background(), b, tinyKinds()[:3], nil)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if r.tables[k.kind] == nil {
			r.tables[k.kind] = &table{Axes: [3][]int{one, one, one}, Cost: []float64{1e-10}}
		}
	}
	return r, nil
})

func TestRatesCache(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "new", "folder")
	t.Setenv(EnvCache, folder)
	var failed *CacheError
	if _, err := Load(b); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &failed) {
		t.Errorf("LoadRates before Save: %v; want a *CacheError that matches fs.ErrNotExist", err)
	}
	r, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Fatalf("the folder has %v, error %v; want one file", files, err)
	}
	file := filepath.Join(folder, files[0].Name())
	loaded, err := Load(b)
	if err != nil {
		t.Fatal(err)
	}
	for k, tab := range r.tables {
		for i, c := range tab.Cost {
			if loaded.tables[k].Cost[i] != c {
				t.Fatalf("%s: the cost %v was loaded as %v", k, c, loaded.tables[k].Cost[i])
			}
		}
	}
	if loaded.probe != r.probe || loaded.key != r.key {
		t.Errorf("loaded %v, %v; want %v, %v", loaded.key, loaded.probe, r.key, r.probe)
	}

	// RatesFor takes what is there.
	if again, err := For(context.Background(), b, nil); err != nil || again.probe != r.probe || again.Unsaved() != nil {
		t.Errorf("RatesFor: %v", err)
	}

	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"empty":           "",
		"cut off":         string(good[:len(good)/2]),
		"another version": strings.Replace(string(good), `"version":`, `"version":1`, 1),
		"another machine": strings.Replace(string(good), `"cores":`, `"cores":1`, 1),
		"a kind missing":  strings.Replace(string(good), `"Dgemm NN":`, `"Dgemm XX":`, 1),
		"a cost below 0":  strings.Replace(string(good), `"cost":[`, `"cost":[-`, 1),
		"no probe":        strings.Replace(string(good), `"product":`, `"produce":`, 1),
	} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(b); !errors.As(err, &failed) || failed.File != file || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: LoadRates: %v; want a *CacheError that names the file", name, err)
		}
	}
	if _, err := ratesFor(context.Background(), b, tinyKinds()[:3], nil); err != nil {
		t.Errorf("RatesFor with a damaged file: %v", err)
	}
	if _, err := loadRates(b, tinyKinds()[:3]); err != nil {
		t.Errorf("RatesFor has not replaced the file: %v", err)
	}
	if files, err = os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, error %v; want one file", files, err)
	}
}

// TestRatesThreads checks that rates for another number of threads are other rates.
func TestRatesThreads(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvCache, t.TempDir())
	r, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
	defer blskernel.SetThreads(0)
	blskernel.SetThreads(blskernel.Threads() + 1)
	if _, err := Load(b); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("LoadRates for another number of threads: %v", err)
	}
}

// TestRatesUnwritable has a file where the folder should be.
func TestRatesUnwritable(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvCache, file)
	r, err := ratesFor(context.Background(), b, tinyKinds()[:3], nil)
	if err != nil {
		t.Fatal(err)
	}
	var failed *CacheError
	if !errors.As(r.Unsaved(), &failed) {
		t.Errorf("Unsaved is %v; want a *CacheError", r.Unsaved())
	}
}
