package rates

import (
	"math"
	"sync"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/backend"

	"gonum.org/v1/gonum/blas"
)

// A probe is the speed of the machine at the moment, as the seconds of four operations. A machine does
// not become slower in everything at once: where another one uses half of a core, products take twice
// as long, and operations that wait for memory or another thread little longer.
type probe struct {
	Product float64 `json:"product"` // a Dgemm of order probeOrder: all threads at work
	Short   float64 `json:"short"`   // a packed Cholesky factorization of order shortOrder, a tenth of a millisecond
	Rows    float64 `json:"rows"`    // a Dspmv of order rowsOrder, a pass over a state
	Stream  float64 `json:"stream"`  // a copy of probeNumbers
}

const (
	probeOrder   = 400
	shortOrder   = 200
	rowsOrder    = 700
	probeNumbers = 2 << 20
	probeTime    = 20 * time.Millisecond // of each, at least
	probeCalls   = 5                     // likewise
)

// probe measures the speed at the moment.
func (w *workspace) probe() probe {
	const n = probeOrder
	short := w.positive(shortOrder)
	factor := dense.CopySym(short)
	rows := prepareTimesPacked(w, 1, rowsOrder, 1)
	return probe{
		Product: probeSeconds(w.warm(func() {
			w.backend.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, w.in, n, w.in[n*n:], n, 0, w.out, n)
		})),
		Short: probeSeconds(w.warm(func() {
			factor.CopySym(short)
			must(newCholesky(w.backend).FactorizeInPlace(factor))
		})),
		Rows:   probeSeconds(rows),
		Stream: probeSeconds(w.warm(func() { copy(w.out[:probeNumbers], w.in) })),
	}
}

// probeSeconds returns the median time of a call.
func probeSeconds(call func() time.Duration) float64 {
	call()
	var times []float64
	for began := time.Now(); len(times) < probeCalls || time.Since(began) < probeTime; {
		times = append(times, call().Seconds())
	}
	return quantile(times, 0.5)
}

// parts returns the times.
func (p probe) parts() [4]float64 { return [4]float64{p.Product, p.Short, p.Rows, p.Stream} }

// probeOf is the inverse of parts.
func probeOf(p [4]float64) probe { return probe{p[0], p[1], p[2], p[3]} }

// valid reports whether each time is above 0.
func (p probe) valid() bool {
	for _, seconds := range p.parts() {
		if !(seconds > 0) {
			return false
		}
	}
	return true
}

// medianProbe returns the medians of probes.
func medianProbe(probes []probe) probe {
	var median [4]float64
	for i := range median {
		var part []float64
		for _, p := range probes {
			part = append(part, p.parts()[i])
		}
		median[i] = quantile(part, 0.5)
	}
	return probeOf(median)
}

// over returns the ratios of p to q.
func (p probe) over(q probe) probe {
	ratio, other := p.parts(), q.parts()
	for i := range ratio {
		ratio[i] /= other[i]
	}
	return probeOf(ratio)
}

// An operation of up to briefly slows down as Short does, and one of lengthily or more as Product does.
const (
	briefly   = 3e-4 // seconds
	lengthily = 3e-3
)

// of returns the time that stands for an operation of a kind that takes the given seconds.
func (p probe) of(k cost.Kind, seconds float64) float64 {
	switch k {
	case cost.Stream, cost.Fresh, cost.Scan:
		return p.Stream
	case cost.Spmv, cost.Spr, cost.SpmmStrips, cost.SprkRows, cost.Carlson, cost.Chud, cost.Chdd, cost.Gecon, cost.Trcon:
		return p.Rows
	}
	share := math.Log(seconds/briefly) / math.Log(lengthily/briefly)
	share = min(max(share, 0), 1)
	return math.Pow(p.Short, 1-share) * math.Pow(p.Product, share)
}

// A gauge keeps the operands of the probe from one Refresh to the next.
type gauge struct {
	mu sync.Mutex
	w  *workspace
}

func (g *gauge) read(b blskernel.Backend) probe {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.w == nil || g.w.backend != b {
		g.w = newWorkspace(b, nil)
	}
	return g.w.probe()
}

// Refresh returns rates for the speed that the machine has at the moment. It multiplies the times of
// operations by the ratio of what a probe takes now on b, nil for blskernel.Default(), and took when
// the rates were measured: a Dgemm of order 400 for products, a factorization of order 200 for short
// operations, a pass over a state for updates by single rows, and a copy for passes over memory. That
// takes about 0.1 s. Predictions for a shared machine, or one whose clock changes, are better right
// after it; the order of methods is nearly the same, and Plan does without. Constant rates stay.
func (r *Rates) Refresh(b blskernel.Backend) *Rates {
	now := *r
	if r.probe.valid() {
		now.drift = r.gauge.read(backend.Or(b)).over(r.probe)
	}
	return &now
}
