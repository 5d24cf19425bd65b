package rates

import (
	"context"
	"slices"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/backend"

	"gonum.org/v1/gonum/blas"
)

const (
	rounds = 3 // measurements of each point, some seconds apart; the median counts

	// A measurement of a point takes the median of calls until there are so many, or time is up.
	pointCalls = 6
	pointTime  = 10 * time.Millisecond

	// probeInterval is the time between two probes. On a shared machine other work comes and goes,
	// and the clock changes, so times are divided by the speed of their moment.
	probeInterval = 400 * time.Millisecond
	probeCalls    = 1000
	probeTime     = 20 * time.Millisecond // of each operation
	probeNumbers  = 2 << 20
)

// A point is an operation that is measured.
type point struct {
	cost.Operation
	index   int       // in the table of its kind
	seconds []float64 // of each round
	probes  []int     // the probe before each
}

// guess estimates the seconds of a measurement.
func (p *point) guess() float64 {
	const rate = 4e10
	return 5e-4 + 1.5*p.Amount()/rate
}

// Measure measures the rates of b, nil for blskernel.Default(), with the set number of threads.
func Measure(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	return measure(ctx, b, &operations, progress)
}

// measure is Measure for operations on any grids.
func measure(ctx context.Context, b blskernel.Backend, ops *operationTable, progress func(done float64)) (*Rates, error) {
	b = backend.Or(b)
	if progress == nil {
		progress = func(float64) {}
	}
	r := newRates(b)
	points, total := r.plan(ops)
	w := newWorkspace(b, mostNumbers)
	var probes []probe
	var probed time.Time
	done := 0.0
	for range rounds {
		for i := range points {
			p := &points[i]
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if time.Since(probed) > probeInterval {
				probes = append(probes, r.gauge.read(b))
				probed = time.Now()
			}
			if call := w.call(ops, p.Operation); call != nil {
				p.seconds = append(p.seconds, typical(call, pointCalls, pointTime))
				p.probes = append(p.probes, len(probes)-1)
			}
			done += p.guess()
			progress(min(1, done/total))
		}
	}
	r.probe = medianProbe(probes)
	for _, p := range points {
		for i := range p.seconds {
			p.seconds[i] *= r.probe.of(p.Kind) / probes[p.probes[i]].of(p.Kind)
		}
		if len(p.seconds) > 0 {
			r.tables[p.Kind].cost[p.index] = median(p.seconds) / p.Amount()
		}
	}
	for _, t := range r.tables {
		t.fill()
	}
	progress(1)
	return r, nil
}

// plan makes the tables, and returns the points to be measured and an estimate of the seconds that they
// take.
func (r *Rates) plan(ops *operationTable) (points []point, total float64) {
	for kind, o := range ops {
		t := newTable(o.axes)
		r.tables[kind] = t
		for i := range t.cost {
			_, s := t.point(i)
			p := point{Operation: cost.Operation{Kind: cost.Kind(kind), M: s[0], N: s[1], K: s[2]}, index: i}
			if amount := p.Amount(); amount > 0 && amount <= o.most {
				points = append(points, p)
				total += rounds * p.guess()
			}
		}
	}
	return points, total
}

// probe measures the speed at the moment.
func (w *workspace) probe() (p probe) {
	const n, rows = 400, 700
	pass := w.call(&operations, cost.Operation{Kind: cost.Spmv, M: 1, N: rows})
	for i, call := range [...]func() time.Duration{
		probeProduct: w.warm(func() {
			w.backend.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, w.in, n, w.in[n*n:], n, 0, w.out, n)
		}),
		probeRows:   pass,
		probeStream: w.warm(func() { copy(w.out[:probeNumbers], w.in) }),
	} {
		p[i] = typical(call, probeCalls, probeTime)
	}
	return p
}

// typical returns the median seconds of calls, at most most and until enough has passed. The first one
// counts only where it is the only one.
func typical(call func() time.Duration, most int, enough time.Duration) float64 {
	var times []float64
	for began := time.Now(); len(times) == 0 || len(times) < most && time.Since(began) < enough; {
		times = append(times, call().Seconds())
	}
	return max(median(times[min(1, len(times)-1):]), 1e-9)
}

// medianProbe returns the medians of probes.
func medianProbe(probes []probe) (all probe) {
	for i := range all {
		var part []float64
		for _, p := range probes {
			part = append(part, p[i])
		}
		all[i] = median(part)
	}
	return all
}

// median sorts x and returns the middle.
func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
