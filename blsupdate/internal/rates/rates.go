// Package rates measures how long operations take on this machine, keeps the result in a file, and
// predicts times.
package rates

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/cpu"
)

// Rates say how long operations take on one machine, with one backend and one number of threads: a cost
// for each kind of operation that depends on its sizes. They predict the time of the steps of a model.
//
// For measures rates once, in about a minute, and keeps them in a file. Nothing changes them, and
// several goroutines may use them at once.
type Rates struct {
	key     Key
	tables  map[cost.Kind]*table
	probe   probe // at the measurement
	drift   probe // the ratio of the present probe to that
	gauge   *gauge
	unsaved error
}

// A Key has what rates depend on.
type Key struct {
	Version int    `json:"version"` // of the measurement
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	System  string `json:"system"` // operating system and architecture
	Backend string `json:"backend"`
	Kernel  string `json:"kernel"` // micro-kernel of the backend pure, version of OpenBLAS
	Threads int    `json:"threads"`
}

// ratesVersion changes with the grids, the way to measure, and routines, where they would make earlier
// rates wrong.
const ratesVersion = 3

// keyFor returns the key of rates of b on this machine.
func keyFor(b blskernel.Backend) Key {
	info := blskernel.Describe(b)
	return Key{
		Version: ratesVersion,
		CPU:     cpu.Name(),
		Cores:   runtime.NumCPU(),
		System:  runtime.GOOS + "/" + runtime.GOARCH,
		Backend: info.Name,
		Kernel:  cmp.Or(info.Version, info.Kernel),
		Threads: blskernel.Threads(),
	}
}

// Key returns what the rates depend on. It is zero for ConstantRates.
func (r *Rates) Key() Key { return r.key }

// String describes Key in a few words.
func (r *Rates) String() string {
	if r.key == (Key{}) {
		return "constant rates"
	}
	name := r.key.Backend
	if r.key.Kernel != "" && r.key.Backend == "pure" {
		name += "/" + r.key.Kernel
	}
	plural := "s"
	if r.key.Threads == 1 {
		plural = ""
	}
	return fmt.Sprintf("%s on %d thread%s of %s", name, r.key.Threads, plural, r.key.CPU)
}

// Seconds returns the predicted time of all steps, from Model or from a Report.
func (r *Rates) Seconds(steps ...cost.StepFlops) float64 {
	var sum float64
	for _, s := range steps {
		for _, o := range s.Operations() {
			sum += r.seconds(o)
		}
	}
	return sum
}

// seconds returns the predicted time of an operation.
func (r *Rates) seconds(o cost.Operation) float64 {
	amount := o.Amount()
	if !(amount > 0) {
		return 0
	}
	t, ok := r.tables[o.Kind]
	if !ok {
		panic("blsupdate: no rates for operation " + o.Kind.String())
	}
	seconds := amount * t.cost([3]int{o.M, o.N, o.K})
	return seconds * r.drift.of(o.Kind, seconds)
}

// steady is the drift of a machine whose speed has not changed.
var steady = probe{1, 1, 1, 1}

// ConstantRates returns the rates of an ideal machine, in flops per second of every operation, and in
// numbers per second that passes over memory read or write. With them Plan goes by the flops and needs
// no measurement. ConstantRates panics unless both are above 0. Infinitely many numbers leave the
// passes out.
func ConstantRates(flops, numbers float64) *Rates {
	if !(flops > 0) || !(numbers > 0) || math.IsInf(flops, 1) {
		panic("blsupdate: rates must be above 0")
	}
	r := &Rates{tables: map[cost.Kind]*table{}, drift: steady}
	for _, k := range kinds {
		rate := flops
		switch k.kind {
		case cost.Stream, cost.Fresh, cost.Scan, cost.Gecon, cost.Trcon:
			rate = numbers
		}
		r.tables[k.kind] = &table{Axes: [3][]int{one, one, one}, Cost: []float64{1 / rate}}
	}
	return r
}
