// Package rates measures how long operations take on this machine, keeps the result in a file, and
// predicts times. Package blsupdate documents what it exports.
package rates

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"sync"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/backend"
	"blskernel/internal/cpu"
)

// Rates has the cost of each kind of operation on one machine, with one backend and one number of
// threads. Nothing changes it, and several goroutines may use it at once.
type Rates struct {
	machine string // backend, CPU and threads
	system  string // what rates depend on beside those
	tables  [cost.Kinds]*table
	probe   probe // at the measurement
	drift   probe // the ratio of the present probe to that
	gauge   *gauge
	unsaved error
}

// ratesVersion changes with the grids, the way to measure, and routines, where they would make earlier
// rates wrong.
const ratesVersion = 4

// newRates returns rates of b on this machine without tables.
func newRates(b blskernel.Backend) *Rates {
	info := blskernel.Describe(b)
	library := info.Name + " " + cmp.Or(info.Version, info.Kernel)
	return &Rates{
		machine: fmt.Sprintf("%s on %s, threads: %d", library, cpu.Name(), blskernel.Threads()),
		system:  fmt.Sprintf("%s/%s, cores: %d, version %d", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), ratesVersion),
		drift:   steady,
		gauge:   new(gauge),
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
		for _, o := range s.Operations() {
			if amount := o.Amount(); amount > 0 {
				sum += amount * r.tables[o.Kind].at([3]int{o.M, o.N, o.K}) * r.drift.of(o.Kind)
			}
		}
	}
	return sum
}

// ConstantRates returns the rates of an ideal machine.
func ConstantRates(flops, numbers float64) *Rates {
	if !(flops > 0) || !(numbers > 0) || math.IsInf(flops, 1) {
		panic("blsupdate: rates must be above 0")
	}
	r := &Rates{machine: "constant rates", drift: steady}
	for kind := range cost.Kinds {
		rate := flops
		switch kind {
		case cost.Stream, cost.Fresh, cost.Scan, cost.Gecon, cost.Trcon:
			rate = numbers
		}
		r.tables[kind] = &table{axes: [3][]int{one, one, one}, cost: []float64{1 / rate}}
	}
	return r
}

// A probe is the speed of the machine at the moment, as the seconds of three operations. A machine does
// not become slower in everything at once: where another one uses half of a core, products take twice
// as long, and operations that wait for memory little longer.
type probe [3]float64

// The operations of a probe.
const (
	probeProduct = iota // a Dgemm of order 400: all threads at work
	probeRows           // a Dspmv of order 700, a pass over a state
	probeStream         // a copy of 2 Mi numbers
)

// steady is the drift of a machine whose speed has not changed.
var steady = probe{1, 1, 1}

// of returns the time that stands for operations of a kind.
func (p probe) of(k cost.Kind) float64 {
	switch k {
	case cost.Stream, cost.Fresh, cost.Scan:
		return p[probeStream]
	case cost.Spmv, cost.Spr, cost.SpmmStrips, cost.SprkRows, cost.Carlson, cost.Chud, cost.Chdd, cost.Gecon, cost.Trcon:
		return p[probeRows]
	}
	return p[probeProduct]
}

// A gauge keeps the operands of the probe from one reading to the next.
type gauge struct {
	mu sync.Mutex
	w  *workspace
}

func (g *gauge) read(b blskernel.Backend) probe {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.w == nil || g.w.backend != b {
		g.w = newWorkspace(b, 2*probeNumbers)
	}
	return g.w.probe()
}

// Refresh returns rates for the speed that the machine has at the moment. It multiplies the times of
// operations by the ratio of what a probe takes now and took when the rates were measured.
func (r *Rates) Refresh(b blskernel.Backend) *Rates {
	now := *r
	if r.gauge != nil {
		for i, seconds := range r.gauge.read(backend.Or(b)) {
			now.drift[i] = seconds / r.probe[i]
		}
	}
	return &now
}
