// Package rates measures how long operations take on this machine, keeps the result in a file, and
// predicts times. Package blsupdate documents the exported names.
package rates

import (
	"fmt"
	"math"
	"runtime"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/linalg/cpu"
)

// Rates has the costs of each kind of operation, measured, built-in or constant.
type Rates struct {
	Name     string // backend, CPU and threads, or that the rates are built-in or constant
	Measured bool   // on this machine
	Unsaved  error  // why Measure could not write the rates to a file, or nil

	system string // the rest of the key: kernel, operating system, cores, ratesVersion
	tables map[cost.Kind]*table
	peak   float64 // the FMA peak for which times are predicted, 0 for constant rates
}

// ratesVersion must change when new grids, measurements or routines make earlier rates wrong.
const ratesVersion = 5

func newRates(b blskernel.Backend) *Rates {
	info := blskernel.Describe(b)
	return &Rates{
		Name: fmt.Sprintf("%s on %s, threads: %d", info.Name, cpu.Name(), threads()),
		system: fmt.Sprintf("%s %s, %s/%s, cores: %d, version %d", info.Kernel, info.Version,
			runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), ratesVersion),
		tables:   map[cost.Kind]*table{},
		Measured: true,
	}
}

func (r *Rates) key() string { return r.Name + ", " + r.system }

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
	if like, ok := sameRateAs[kind]; ok {
		kind = like
	}
	return amount * r.tables[kind].at([3]int{o.M, o.N, o.K}) / r.scale(kind)
}

// scale returns the divisor of the costs of a kind: the FMA peak for kinds that compute, otherwise 1.
func (r *Rates) scale(k cost.Kind) float64 {
	if r.peak > 0 && computes(k) {
		return r.peak
	}
	return 1
}

// computes reports whether the speed of a kind follows the clock. Other kinds wait for memory or for
// dependent operations.
func computes(k cost.Kind) bool {
	switch k {
	case cost.Stream, cost.Fresh, cost.Scan, cost.Spmv, cost.Spr, cost.SpmmStrips, cost.SprkRows,
		cost.Carlson, cost.Chud, cost.Gecon:
		return false
	}
	return true
}

// AtPeak returns the rates rescaled to the given FMA peak in flop/s.
func (r *Rates) AtPeak(flops float64) *Rates {
	now := *r
	if r.peak > 0 {
		now.peak = flops
	}
	return &now
}

// ConstantRates returns the rates of an ideal machine with these flops and float64s moved per second.
func ConstantRates(flops, numbers float64) *Rates {
	if !(flops > 0) || !(numbers > 0) || math.IsInf(flops, 1) {
		panic("blsupdate: ConstantRates: flops must be positive and finite, numbers positive")
	}
	r := &Rates{Name: "constant rates", tables: map[cost.Kind]*table{}}
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
