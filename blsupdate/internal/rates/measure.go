package rates

import (
	"context"
	"slices"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/backend"
	"blskernel/internal/vfs"
)

const (
	rounds = 3 // measurements of each point, some seconds apart; the median counts

	// A measurement of a point takes the median of calls until there are so many, or time is up.
	mostCalls = 6
	mostTime  = 10 * time.Millisecond

	// peakInterval is the time between two measurements of the FMA peak. On a shared machine other
	// work comes and goes, and the clock changes, so times are taken relative to the peak of their
	// moment.
	peakInterval = 400 * time.Millisecond
)

// A point is an operation that is measured.
type point struct {
	cost.Operation
	index int       // in the table of its kind
	times []float64 // seconds in each round, or flops that the peak executes meanwhile
}

// Measure measures the rates of b, nil for blskernel.Default(), with the set number of threads, and
// writes the file of this machine.
func Measure(ctx context.Context, b blskernel.Backend, progress func(done float64)) (*Rates, error) {
	b = backend.Or(b)
	if progress == nil {
		progress = func(float64) {}
	}
	r := newRates(b)
	points := r.plan()
	w := newWorkspace(b)
	var peaks []float64
	var taken time.Time // when the last of them was
	for round := range rounds {
		for i := range points {
			p := &points[i]
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if time.Since(taken) > peakInterval {
				peaks = append(peaks, blskernel.Peak(blskernel.Threads()))
				taken = time.Now()
			}
			if call := w.call(p.Operation); call != nil {
				seconds := typical(call)
				if computes(p.Kind) {
					seconds *= peaks[len(peaks)-1]
				}
				p.times = append(p.times, seconds)
			}
			progress(float64(round*len(points)+i+1) / float64(rounds*len(points)))
		}
	}
	r.peak = median(peaks)
	for _, p := range points {
		if len(p.times) == 0 {
			continue
		}
		seconds := median(p.times)
		if computes(p.Kind) {
			seconds /= r.peak
		}
		r.tables[p.Kind].cost[p.index] = seconds / p.Amount()
	}
	for _, t := range r.tables {
		t.fill()
	}
	r.unsaved = r.save(vfs.OS)
	return r, nil
}

// plan makes the tables, and returns the points to be measured.
func (r *Rates) plan() (points []point) {
	for kind, o := range operations {
		t := newTable(o.axes)
		r.tables[kind] = t
		for i := range t.cost {
			_, s := t.point(i)
			p := point{Operation: cost.Operation{Kind: kind, M: s[0], N: s[1], K: s[2]}, index: i}
			if amount := p.Amount(); amount > 0 && amount <= o.most {
				points = append(points, p)
			}
		}
	}
	return points
}

// typical returns the median seconds of calls. The first one counts only where it is the only one.
func typical(call func() time.Duration) float64 {
	var times []float64
	for began := time.Now(); len(times) == 0 || len(times) < mostCalls && time.Since(began) < mostTime; {
		times = append(times, call().Seconds())
	}
	return max(median(times[min(1, len(times)-1):]), 1e-9)
}

// median sorts x and returns the middle.
func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
