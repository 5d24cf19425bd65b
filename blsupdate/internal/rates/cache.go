package rates

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"blskernel"
	"blskernel/internal/atomicfile"
	"blskernel/internal/backend"
	"blskernel/internal/vfs"
)

// EnvCache names the environment variable for the folder of files of rates.
const EnvCache = "BLSKERNEL_CACHE"

// For returns the rates of b, nil for blskernel.Default(), from the file of this machine, or else calls
// Measure.
func For(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	b = backend.Or(b)
	if r, err := load(b); err == nil {
		return r, nil
	}
	return Measure(ctx, b, progress)
}

// Unsaved returns why Measure could not write the rates to a file, or nil.
func (r *Rates) Unsaved() error { return r.unsaved }

// ratesFile is the contents of a file of rates.
type ratesFile struct {
	Key   string               `json:"key"`
	Peak  float64              `json:"peak"`
	Costs map[string][]float64 `json:"costs"` // by the name of the kind
}

// errDamaged is the error of a file that save did not write for this machine.
var errDamaged = errors.New("damaged, or of another machine or version")

// load returns the rates of b from the file of this machine.
func load(b blskernel.Backend) (*Rates, error) {
	r := newRates(b)
	name, err := r.file()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var f ratesFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Key != r.key() || !positive([]float64{f.Peak}) {
		return nil, errDamaged
	}
	r.peak = f.Peak
	for kind, o := range operations {
		t := newTable(o.axes)
		costs := f.Costs[kind.String()]
		if len(costs) != len(t.cost) || !positive(costs) {
			return nil, errDamaged
		}
		t.cost = costs
		r.tables[kind] = t
	}
	return r, nil
}

// positive reports whether all numbers are finite and above 0.
func positive(x []float64) bool {
	for _, v := range x {
		if !(v > 0) || math.IsInf(v, 1) {
			return false
		}
	}
	return true
}

// save writes the rates to the file of this machine, which it replaces as a whole or not at all.
func (r *Rates) save(fsys vfs.FS) error {
	name, err := r.file()
	if err != nil {
		return err
	}
	f := ratesFile{r.key(), r.peak, map[string][]float64{}}
	for kind, t := range r.tables {
		f.Costs[kind.String()] = t.cost
	}
	data, err := json.Marshal(f)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o755)
	}
	if err == nil {
		err = writeFile(fsys, name, data)
	}
	if err != nil {
		return fmt.Errorf("blsupdate: rates cannot be kept in %s: %w; name another folder by %s", name, err, EnvCache)
	}
	return nil
}

// writeFile replaces a file as a whole.
func writeFile(fsys vfs.FS, name string, data []byte) error {
	f, err := atomicfile.Create(fsys, name)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}

// file returns the name of the file of this machine.
func (r *Rates) file() (string, error) {
	folder := os.Getenv(EnvCache)
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("blsupdate: no folder for rates: %w; set %s", err, EnvCache)
		}
		folder = filepath.Join(user, "blskernel")
	}
	return filepath.Join(folder, fmt.Sprintf("rates-%x.json", sha256.Sum256([]byte(r.key())))), nil
}
