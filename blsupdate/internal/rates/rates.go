// Package rates measures how long operations take on this machine, keeps the result in a file, and
// predicts times. Package blsupdate documents what it exports.
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
	"runtime"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/atomicfile"
	"blskernel/internal/backend"
	"blskernel/internal/cpu"
	"blskernel/internal/vfs"
)

// Rates has the cost of each kind of operation on one machine, with one backend and one number of
// threads. Nothing changes it, and several goroutines may use it at once.
type Rates struct {
	machine string // backend, CPU and threads
	system  string // what rates depend on beside those
	tables  map[cost.Kind]*table
	peak    float64 // the FMA peak at the measurement, 0 for constant rates
	slower  float64 // its ratio to the present one
	unsaved error
}

// ratesVersion changes with the grids, the way to measure, and routines, where they would make earlier
// rates wrong.
const ratesVersion = 4

// newRates returns rates of b on this machine without tables.
func newRates(b blskernel.Backend) *Rates {
	info := blskernel.Describe(b)
	return &Rates{
		machine: fmt.Sprintf("%s on %s, threads: %d", info.Name, cpu.Name(), blskernel.Threads()),
		system: fmt.Sprintf("%s %s, %s/%s, cores: %d, version %d", info.Kernel, info.Version,
			runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), ratesVersion),
		tables: map[cost.Kind]*table{},
		slower: 1,
	}
}

// key has all that rates depend on.
func (r *Rates) key() string { return r.machine + ", " + r.system }

// String describes the machine in a few words.
func (r *Rates) String() string { return r.machine }

// Seconds returns the predicted time of all steps.
func (r *Rates) Seconds(steps ...cost.StepFlops) float64 {
	var sum float64
	for _, s := range steps {
		for _, o := range s.Work {
			sum += r.seconds(o)
		}
	}
	return sum
}

func (r *Rates) seconds(o cost.Operation) float64 {
	amount := o.Amount()
	if !(amount > 0) {
		return 0
	}
	kind := o.Kind
	if like, ok := alike[kind]; ok {
		kind = like
	}
	seconds := amount * r.tables[kind].at([3]int{o.M, o.N, o.K})
	if computes(kind) {
		seconds *= r.slower
	}
	return seconds
}

// ConstantRates returns the rates of an ideal machine.
func ConstantRates(flops, numbers float64) *Rates {
	if !(flops > 0) || !(numbers > 0) || math.IsInf(flops, 1) {
		panic("blsupdate: ConstantRates: flops must be finite and above 0, numbers above 0")
	}
	r := &Rates{machine: "constant rates", tables: map[cost.Kind]*table{}, slower: 1}
	for kind := range operations {
		rate := flops
		switch kind {
		case cost.Stream, cost.Fresh, cost.Scan, cost.Gecon:
			rate = numbers
		}
		r.tables[kind] = &table{axes: [3][]int{one, one, one}, cost: []float64{1 / rate}}
	}
	return r
}

// computes reports whether operations of a kind are faster where the clock is. The others wait for
// memory or for one another.
func computes(k cost.Kind) bool {
	switch k {
	case cost.Stream, cost.Fresh, cost.Scan, cost.Spmv, cost.Spr, cost.SpmmStrips, cost.SprkRows,
		cost.Carlson, cost.Chud, cost.Gecon:
		return false
	}
	return true
}

// Refresh returns rates for the speed that the machine has at the moment: the times of products and
// factorizations go by the FMA peak.
func (r *Rates) Refresh() *Rates {
	now := *r
	if r.peak > 0 {
		now.slower = r.peak / blskernel.Peak(blskernel.Threads())
	}
	return &now
}

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
	if err := write(fsys, name, f); err != nil {
		return fmt.Errorf("blsupdate: rates cannot be kept in %s: %w; name another folder by %s", name, err, EnvCache)
	}
	return nil
}

// write replaces a file, in a folder that may be new.
func write(fsys vfs.FS, name string, rates ratesFile) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := atomicfile.Create(fsys, name)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := json.NewEncoder(f).Encode(rates); err != nil {
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
