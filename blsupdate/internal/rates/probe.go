package rates

import (
	"math"
	"sync"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/ridge"
	"blskernel/internal/backend"

	"gonum.org/v1/gonum/blas"
)

// A probe is the speed of operations that tell how fast the machine is at the moment, as the seconds that they take. They
// are four because a machine does not become slower in everything at once: where another has the other half of a
// processor, products take twice as long, and what waits for memory, or for another thread, takes little longer.
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
	factor, state := dense.CloneSym(short), w.state(rowsOrder)
	row := w.in[half(rowsOrder):]
	return probe{
		Product: probeSeconds(func() { w.backend.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, w.in, n, w.in[n*n:], n, 0, w.out, n) }),
		Short: probeSeconds(func() {
			factor.CopySym(short)
			must(newCholesky(w.backend).FactorizeInPlace(factor))
		}),
		Rows:   probeSeconds(func() { ridge.TimesPacked(state, 1, 1, w.in, row, rowsOrder, w.out) }),
		Stream: probeSeconds(func() { copy(w.out[:probeNumbers], w.in) }),
	}
}

// probeSeconds returns the median time of a call.
func probeSeconds(call func()) float64 {
	call()
	var times []float64
	for began := time.Now(); len(times) < probeCalls || time.Since(began) < probeTime; {
		times = append(times, timed(call).Seconds())
	}
	return quantile(times, 0.5)
}

// parts returns the times.
func (p probe) parts() [4]float64 { return [4]float64{p.Product, p.Short, p.Rows, p.Stream} }

// probeOf is the inverse of parts.
func probeOf(p [4]float64) probe { return probe{p[0], p[1], p[2], p[3]} }

// valid tells whether each time is above 0.
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

// An operation of up to briefly is taken for as much slower as Short, and from lengthily on for as much as Product.
const (
	briefly   = 3e-4 // seconds
	lengthily = 3e-3
)

// of returns the time that stands for an operation of a kind that takes so many seconds.
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

// Refresh returns rates for the speed that the machine has at the moment: the times of operations are multiplied by the
// ratio of what such an operation takes now and took when the rates were measured, which for products is a Dgemm of order
// 400 on b, nil for blskernel.Default(), for short operations a factorization of order 200, for updates by single rows
// a pass over a state, and for passes over memory a copy. It takes some 0.1 s. Predictions for a machine that is shared,
// or whose clock depends on its heat, are better for it right before the work that they are for; the order of methods is
// nearly the same, and Plan does without. Constant rates remain what they are.
func (r *Rates) Refresh(b blskernel.Backend) *Rates {
	now := *r
	if r.probe.valid() {
		now.drift = r.gauge.read(backend.Or(b)).over(r.probe)
	}
	return &now
}
