package blsupdate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/cpu"
)

// Rates say how long operations take on one machine, with one backend and one number of threads: a cost for
// each kind of operation that depends on its sizes. They predict the time of the steps of a model.
//
// Rates are measured once, in about a minute, and kept in a file (see RatesFor). Nothing changes them, and
// they may be used by several goroutines at once.
type Rates struct {
	key     Key
	tables  map[kind]*table
	probe   probe // when they were measured
	drift   probe // by how much the operations of the probe take longer now
	gauge   *gauge
	unsaved error
}

// A Key says what rates depend on.
type Key struct {
	Version int    `json:"version"` // of what is measured, and how
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	System  string `json:"system"` // operating system and architecture
	Backend string `json:"backend"`
	Kernel  string `json:"kernel"` // micro-kernel of the backend pure, version of OpenBLAS
	Threads int    `json:"threads"`
}

// ratesVersion changes with every change of the grids, of the way to measure, and of the routines that would
// make rates measured before wrong.
const ratesVersion = 3

// keyFor returns the key of rates of b, here and now.
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

// Key returns what the rates are of. It is zero for ConstantRates.
func (r *Rates) Key() Key { return r.key }

// String describes what the rates are of in a few words.
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

// Seconds returns the predicted time of all steps: those of Model, or those that a Report has.
func (r *Rates) Seconds(steps ...StepFlops) float64 {
	var sum float64
	for _, s := range steps {
		for _, o := range s.work {
			sum += r.operation(o)
		}
	}
	return sum
}

// operation returns the predicted time of an operation.
func (r *Rates) operation(o operation) float64 {
	amount := o.amount()
	if !(amount > 0) {
		return 0
	}
	t, ok := r.tables[o.kind]
	if !ok {
		panic("blsupdate: no rates for operation " + string(o.kind))
	}
	seconds := amount * t.cost([3]int{o.m, o.n, o.k})
	return seconds * r.drift.of(o.kind, seconds)
}

// steady is the drift of a machine that is as fast as it was.
var steady = probe{1, 1, 1, 1}

// ConstantRates returns the rates of an ideal machine: so many flops a second in every operation, and so many
// numbers a second read or written in passes over memory. With them Plan goes by the flops, and needs no
// measurement. It panics unless both are above 0; infinitely many numbers leave the passes out.
func ConstantRates(flops, numbers float64) *Rates {
	if !(flops > 0) || !(numbers > 0) || math.IsInf(flops, 1) {
		panic("blsupdate: rates must be above 0")
	}
	r := &Rates{tables: map[kind]*table{}, drift: steady}
	for _, k := range kinds {
		rate := flops
		switch k.kind {
		case stream, fresh, scan, gecon, trcon:
			rate = numbers
		}
		r.tables[k.kind] = &table{Axes: [3][]int{one, one, one}, Cost: []float64{1 / rate}}
	}
	return r
}

// How rates are measured.
const (
	// measureRounds: every point is measured so many times, each time some seconds apart, and the median
	// counts, so that what else the machine does for a moment is not mistaken for its speed.
	measureRounds = 3
	// againRounds: so many times what was never measured while the machine was steady is measured again.
	againRounds = 2
	// At a visit to a point so many calls are timed, and their median counts. A call that takes longer than
	// longCall is timed once, after one that is not timed, and one that takes longer than longestCall just once.
	calls       = 5
	longCall    = 2 * time.Millisecond
	longestCall = 15 * time.Millisecond
)

// MeasureRates measures the rates of b, nil for blskernel.Default(), with the number of threads that is set. It
// takes about a minute and 400 MB of memory, and the machine should have nothing else to do. progress, which
// may be nil, is told of the share of the work that is done, on the calling goroutine. The error is the cause of
// ctx where that is cancelled.
func MeasureRates(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return measureRates(ctx, b, kinds, progress)
}

// measureRates is MeasureRates for some kinds, on their grids.
func measureRates(ctx context.Context, b blskernel.Backend, kinds []kindRates, progress func(done float64)) (*Rates, error) {
	b = backend.Or(b)
	if progress == nil {
		progress = func(float64) {}
	}
	m := &measurement{workspace: newWorkspace(b, kinds), progress: progress}
	for _, k := range kinds {
		t := &table{Axes: k.axes}
		t.Cost = make([]float64, t.points())
		m.jobs = append(m.jobs, job{k, t, make([][]sighting, t.points())})
		m.total += measureRounds * k.work(t)
	}
	r := &Rates{key: keyFor(b), tables: map[kind]*table{}, drift: steady, gauge: new(gauge)}
	for round := range measureRounds + againRounds {
		for i := range m.jobs {
			if err := m.visit(ctx, &m.jobs[i], round < measureRounds); err != nil {
				return nil, err
			}
		}
		m.look() // at the end of what the last probe is the beginning of
		m.usual = medianProbe(m.probes)
	}
	r.probe = m.usual
	for i := range m.jobs {
		j := &m.jobs[i]
		for at := range j.seen {
			if seconds := m.seconds(j, at); seconds > 0 {
				j.table.Cost[at] = seconds / j.at(j.table.sizes(j.table.cell(at))).amount()
			}
		}
		j.table.fill()
		r.tables[j.kind] = j.table
	}
	progress(1)
	return r, nil
}

// A job is a table that is to be filled.
type job struct {
	kindRates
	table *table
	seen  [][]sighting // of each point
}

// guess returns the seconds that a visit to a point takes, roughly.
func (k *kindRates) guess(sizes [3]int) float64 {
	const rate = 4e10
	return 5e-4 + 1.5*k.at(sizes).amount()/rate
}

// work returns the seconds that a round takes, roughly.
func (k *kindRates) work(t *table) float64 {
	var sum float64
	for i := range t.points() {
		if sizes := t.sizes(t.cell(i)); k.wanted(sizes) {
			sum += k.guess(sizes)
		}
	}
	return sum
}

// at returns the operation of the given sizes.
func (k *kindRates) at(sizes [3]int) operation {
	return operation{k.kind, sizes[0], sizes[1], sizes[2]}
}

// wanted tells whether a point is measured.
func (k *kindRates) wanted(sizes [3]int) bool {
	amount := k.at(sizes).amount()
	return amount > 0 && amount <= k.most
}

// visit measures all points of a job once, or those only that the machine was not steady for in any round before.
func (m *measurement) visit(ctx context.Context, j *job, all bool) error {
	for i := range j.table.points() {
		sizes := j.table.sizes(j.table.cell(i))
		if !j.wanted(sizes) || !all && (len(j.seen[i]) == 0 || m.steady(j, i)) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if run := j.prepare(m.workspace, sizes[0], sizes[1], sizes[2]); run != nil {
			if time.Since(m.probed) > probeInterval {
				m.look()
			}
			j.seen[i] = append(j.seen[i], sighting{seconds(run), len(m.probes) - 1})
		}
		if all {
			m.done += j.guess(sizes)
			m.progress(min(1, m.done/m.total))
		}
	}
	return nil
}

// seconds returns the median of some runs, as in use.
func seconds(run func() time.Duration) float64 {
	first := run()
	switch {
	case first > longestCall:
		return first.Seconds()
	case first > longCall:
		return run().Seconds()
	}
	var times [calls]float64
	for i := range times {
		times[i] = run().Seconds()
	}
	return max(quantile(times[:], 0.5), 1e-9)
}

// quantile returns the element of x, which it sorts, below which the given share of the others lies.
func quantile(x []float64, share float64) float64 {
	slices.Sort(x)
	return x[int(share*float64(len(x)-1)+0.5)]
}
