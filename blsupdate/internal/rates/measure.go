package rates

import (
	"context"
	"math"
	"slices"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/backend"
)

const (
	measureRounds = 3 // measurements of each point, some seconds apart; the median counts
	againRounds   = 2 // more measurements of points for which the machine was never steady

	// A visit to a point times calls calls, and their median counts. A call longer than longCall is
	// timed once, after one that is not timed, and a call longer than longestCall once without
	// that.
	calls       = 5
	longCall    = 2 * time.Millisecond
	longestCall = 15 * time.Millisecond

	// probeInterval is the time between two probes. On a shared machine other work comes and goes,
	// and the clock changes, so times are divided by the speed of their moment.
	probeInterval = 400 * time.Millisecond

	// steadiness is the ratio of two probes up to which the machine is steady between them, and
	// slowness the ratio of both to the usual probe. A virtual machine that stops during a probe
	// makes it many times as long, and would make the times around it as many times too short. One
	// that is slow for long is not as much slower in everything.
	steadiness = 1.25
	slowness   = 2
)

// Measure measures the rates of b, nil for blskernel.Default(), with the set number of threads. It
// takes about a minute and 400 MB of memory, and needs a machine without other work. It calls progress,
// which may be nil, with the share of the work that is done. The error is the cause of ctx where that
// is canceled.
func Measure(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return measureRates(ctx, b, kinds, progress)
}

// A measurement is the state of measureRates.
type measurement struct {
	workspace   *workspace
	jobs        []job
	progress    func(done float64)
	done, total float64 // estimated seconds

	probes []probe
	probed time.Time // when the last of them was taken
	usual  probe     // their median at the end of the last round
}

// A job is a table to be filled.
type job struct {
	kindRates
	table *table
	seen  [][]sighting // of each point
}

// A sighting is the time of an operation.
type sighting struct {
	seconds float64
	after   int // index of the probe before it; the next one comes after it
}

// measureRates is Measure for some kinds, on their grids.
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
		for i := range t.points() {
			if sizes := t.sizes(t.cell(i)); k.wanted(sizes) {
				m.total += measureRounds * k.guess(sizes)
			}
		}
	}
	r := &Rates{key: keyFor(b), tables: map[cost.Kind]*table{}, drift: steady, gauge: new(gauge)}
	for round := range measureRounds + againRounds {
		for i := range m.jobs {
			if err := m.visit(ctx, &m.jobs[i], round < measureRounds); err != nil {
				return nil, err
			}
		}
		m.look() // the end of the interval of the last probe
		m.usual = medianProbe(m.probes)
	}
	r.probe = m.usual
	for i := range m.jobs {
		j := &m.jobs[i]
		for at := range j.seen {
			if seconds := m.seconds(j, at); seconds > 0 {
				j.table.Cost[at] = seconds / j.at(j.table.sizes(j.table.cell(at))).Amount()
			}
		}
		j.table.fill()
		r.tables[j.kind] = j.table
	}
	progress(1)
	return r, nil
}

// guess estimates the seconds of a visit to a point.
func (k *kindRates) guess(sizes [3]int) float64 {
	const rate = 4e10
	return 5e-4 + 1.5*k.at(sizes).Amount()/rate
}

// at returns the operation of the given sizes.
func (k *kindRates) at(sizes [3]int) cost.Operation {
	return cost.Operation{Kind: k.kind, M: sizes[0], N: sizes[1], K: sizes[2]}
}

// wanted reports whether a point is measured.
func (k *kindRates) wanted(sizes [3]int) bool {
	amount := k.at(sizes).Amount()
	return amount > 0 && amount <= k.most
}

// run returns the function of the preparation, or nil where there is no such operation or its operands
// do not fit.
func (k *kindRates) run(w *workspace, sizes [3]int) (run func() time.Duration) {
	defer func() {
		if v := recover(); v != nil && v != any(errTooLarge) {
			panic(v)
		}
	}()
	return k.prepare(w, sizes[0], sizes[1], sizes[2])
}

// visit measures all points of a job once, or only those for which the machine was never steady.
func (m *measurement) visit(ctx context.Context, j *job, all bool) error {
	for i := range j.table.points() {
		sizes := j.table.sizes(j.table.cell(i))
		if !j.wanted(sizes) || !all && (len(j.seen[i]) == 0 || m.steady(j, i)) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if run := j.run(m.workspace, sizes); run != nil {
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

// look takes a probe.
func (m *measurement) look() {
	m.probes = append(m.probes, m.workspace.probe())
	m.probed = time.Now()
}

// usually returns the time of a sighting at the usual speed, and whether the machine was steady.
// Between two probes that differ it takes the shorter one: a rate that is too low does less harm than
// one that no machine has.
func (m *measurement) usually(s sighting, k cost.Kind) (seconds float64, steady bool) {
	usual, before := m.usual.of(k, s.seconds), m.probes[s.after].of(k, s.seconds)
	if s.after+1 == len(m.probes) {
		return s.seconds * usual / before, false
	}
	after := m.probes[s.after+1].of(k, s.seconds)
	shorter, longer := min(before, after), max(before, after)
	if longer <= steadiness*shorter && longer <= slowness*usual {
		return s.seconds * usual / math.Sqrt(before*after), true
	}
	return s.seconds * usual / shorter, false
}

// steady reports whether a point of a job has been measured while the machine was steady.
func (m *measurement) steady(j *job, point int) bool {
	return slices.ContainsFunc(j.seen[point], func(s sighting) bool {
		_, steady := m.usually(s, j.kind)
		return steady
	})
}

// seconds returns the median time of a point at the usual speed, over the steady measurements if there
// are any, and 0 for a point without measurements.
func (m *measurement) seconds(j *job, point int) float64 {
	var steady, all []float64
	for _, s := range j.seen[point] {
		seconds, ok := m.usually(s, j.kind)
		if ok {
			steady = append(steady, seconds)
		}
		all = append(all, seconds)
	}
	switch {
	case len(steady) > 0:
		return quantile(steady, 0.5)
	case len(all) > 0:
		return quantile(all, 0.5)
	}
	return 0
}

// seconds returns the median time of some runs.
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

// quantile sorts x and returns the element below which the given share of the others lies.
func quantile(x []float64, share float64) float64 {
	slices.Sort(x)
	return x[int(share*float64(len(x)-1)+0.5)]
}
