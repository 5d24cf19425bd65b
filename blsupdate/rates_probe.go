package blsupdate

import (
	"sync"
	"time"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// A probe is the speed of two operations that tell how fast the machine is at the moment.
type probe struct {
	Product float64 `json:"product"` // seconds for a Dgemm of order probeOrder
	Stream  float64 `json:"stream"`  // seconds for a copy of probeNumbers
}

const (
	probeOrder   = 400
	probeNumbers = 2 << 20
	probeTime    = 25 * time.Millisecond // of each of the two
)

// probe measures the speed at the moment.
func (w *workspace) probe() probe {
	const n = probeOrder
	return probe{
		Product: probeSeconds(func() { w.backend.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, w.in, n, w.in[n*n:], n, 0, w.out, n) }),
		Stream:  probeSeconds(func() { copy(w.out[:probeNumbers], w.in) }),
	}
}

// probeSeconds returns the median time of a call.
func probeSeconds(call func()) float64 {
	call()
	var times []float64
	for began := time.Now(); time.Since(began) < probeTime; {
		times = append(times, timed(call).Seconds())
	}
	return quantile(times, 0.5)
}

// medianProbe returns the medians of probes.
func medianProbe(probes []probe) probe {
	var products, streams []float64
	for _, p := range probes {
		products, streams = append(products, p.Product), append(streams, p.Stream)
	}
	return probe{quantile(products, 0.5), quantile(streams, 0.5)}
}

// of returns the time of the operation of the probe that stands for a kind.
func (p probe) of(k kind) float64 {
	switch k {
	case stream, fresh, scan:
		return p.Stream
	default:
		return p.Product
	}
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

// Refresh returns rates for the speed that the machine has at the moment: times of operations that count flops are
// multiplied by the ratio of a Dgemm of order 400 on b, nil for blskernel.Default(), now and when the rates were
// measured, and those of passes over memory by that of a copy. It takes some 0.05 s. Predictions for a machine that is
// shared, or whose clock depends on its heat, are better for it right before the work that they are for; the order of
// methods is nearly the same, and Plan does without. Constant rates remain what they are.
func (r *Rates) Refresh(b blskernel.Backend) *Rates {
	now := *r
	if r.probe.Product > 0 {
		p := r.gauge.read(blskernel.Or(b))
		now.drift = probe{p.Product / r.probe.Product, p.Stream / r.probe.Stream}
	}
	return &now
}
