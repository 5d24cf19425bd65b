package rates

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"blskernel"
	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/vfs"
	"blskernel/internal/linalg/backend"
)

// EnvCache names the environment variable that sets the folder of the rates files.
const EnvCache = "BLSKERNEL_CACHE"

// For returns the rates of b (nil means blskernel.Default()) from the file of this machine, or else the
// built-in rates scaled to its current FMA peak.
func For(b blskernel.Backend) *Rates {
	b = backend.Or(b)
	if r, err := load(b); err == nil {
		return r
	}
	return builtIn(b).AtPeak(Peak())
}

// builtInFiles are rates files as save writes them, named after the backend. They were measured with
// two threads of a Zen 5 (AMD EPYC, 1 MiB of L2 each, 32 MiB of L3).
//
//go:embed builtin
var builtInFiles embed.FS

const builtInName = "built-in rates (two threads of a Zen 5, scaled to the FMA peak of this machine); " +
	"MeasureRates, or 'blskernel plan --calibrate', measures the rates of this machine"

func builtIn(b blskernel.Backend) *Rates {
	r := newRates(b)
	data, err := builtInFiles.ReadFile("builtin/" + b.Name() + ".json")
	if err != nil {
		data, err = builtInFiles.ReadFile("builtin/pure.json")
	}
	var f ratesFile
	if err := errors.Join(err, json.Unmarshal(data, &f), r.set(&f)); err != nil {
		panic("blsupdate: built-in rates: " + err.Error())
	}
	r.Name, r.Measured = builtInName, false
	return r
}

type ratesFile struct {
	Key   string               `json:"key"`
	Peak  float64              `json:"peak"`
	Costs map[string][]float64 `json:"costs"` // the costs in the table of each kind, by its name
}

// errDamaged reports a rates file that is damaged, or that another machine or version wrote.
var errDamaged = errors.New("damaged, or from another machine or version")

// maxFile bounds the size of a rates file, which is about 20 KB.
const maxFile = 1 << 20

func (r *Rates) read(suffix string, contents any) error {
	name, err := r.file()
	if err != nil {
		return err
	}
	file, err := vfs.Open(vfs.OS, name+suffix)
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile)) // a longer file, truncated, is not JSON
	if err != nil {
		return err
	}
	return json.Unmarshal(data, contents)
}

func load(b blskernel.Backend) (*Rates, error) {
	r := newRates(b)
	var f ratesFile
	if err := r.read("", &f); err != nil {
		return nil, err
	}
	if f.Key != r.key() || !(f.Peak > 0) || math.IsInf(f.Peak, 1) {
		return nil, errDamaged
	}
	if err := r.set(&f); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Rates) set(f *ratesFile) error {
	r.peak = f.Peak
	for kind, o := range operations {
		t := newTable(o.axes)
		costs := f.Costs[kind.String()]
		if len(costs) != len(t.cost) || !positive(costs) {
			return errDamaged
		}
		t.cost = costs
		r.tables[kind] = t
	}
	return nil
}

func positive(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return !(v > 0 && v <= math.MaxFloat64) })
}

func (r *Rates) save(fsys vfs.FS) error {
	f := ratesFile{Key: r.key(), Peak: r.peak, Costs: map[string][]float64{}}
	for kind, t := range r.tables {
		f.Costs[kind.String()] = t.cost
	}
	return r.write(fsys, "", f)
}

// write writes contents to this machine's file with the suffix, completely or not at all. It creates
// the folder.
func (r *Rates) write(fsys vfs.FS, suffix string, contents any) error {
	name, err := r.file()
	if err != nil {
		return err
	}
	err = os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = atomicfile.Write(fsys, name+suffix, func(w io.Writer) error { return json.NewEncoder(w).Encode(contents) })
	}
	if err != nil {
		return fmt.Errorf("blsupdate: cannot save the rates in %s: %w; set %s to another folder", name, err, EnvCache)
	}
	return nil
}

func (r *Rates) file() (string, error) {
	folder := os.Getenv(EnvCache)
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("blsupdate: there is no folder for the rates: %w; set %s to a folder", err, EnvCache)
		}
		folder = filepath.Join(user, "blskernel")
	}
	return filepath.Join(folder, fmt.Sprintf("rates-%x.json", sha256.Sum256([]byte(r.key())))), nil
}

// File returns the name of the rates file of b; nil stands for blskernel.Default(). It returns "" if
// BLSKERNEL_CACHE is not set and the user's cache folder is unknown. The folder need not exist.
func File(b blskernel.Backend) string {
	name, _ := newRates(backend.Or(b)).file()
	return name
}
