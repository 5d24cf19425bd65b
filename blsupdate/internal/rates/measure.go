package rates

import (
	"context"
	"slices"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/backend"
)

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
func Measure(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
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
	r := &Rates{key: keyFor(b), tables: map[cost.Kind]*table{}, drift: steady, gauge: new(gauge)}
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
				j.table.Cost[at] = seconds / j.at(j.table.sizes(j.table.cell(at))).Amount()
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
	return 5e-4 + 1.5*k.at(sizes).Amount()/rate
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
func (k *kindRates) at(sizes [3]int) cost.Operation {
	return cost.Operation{Kind: k.kind, M: sizes[0], N: sizes[1], K: sizes[2]}
}

// wanted tells whether a point is measured.
func (k *kindRates) wanted(sizes [3]int) bool {
	amount := k.at(sizes).Amount()
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
