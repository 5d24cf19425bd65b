package blsupdate

import (
	"blskernel/blsupdate/internal/cost"
)

// batches are what a model should learn: count batches of q rows after the first l.
type batches struct {
	l, k, q, c int
	count      int
	atEnd      bool // weights are wanted after the last batch only
}

// total returns the number of samples in the end.
func (b batches) total() int { return b.l + b.count*b.q }

// firstWeights returns the number of samples at which weights are first wanted.
func (b batches) firstWeights() int {
	if b.atEnd {
		return b.total()
	}
	return b.l + b.q
}

// A prediction is the cost of learning.
type prediction struct {
	known     bool // there is a model of it
	seconds   float64
	flops     float64
	workspace float64 // the most numbers in new storage in one update or solution
}

// mostSegments bounds the number of segments in which batches are predicted.
const mostSegments = 64

// predict returns the cost of all batches and of the solutions for the weights, in a form that is
// resolved. Only in Original and Improved does an update depend on the rows so far. There the mean of
// the first and the last batch of each segment counts, which is exact for the flops from l >= k on.
func predict(r *Rates, m Method, opt Options, b batches) prediction {
	sum := prediction{known: true}
	add := func(times float64, action Action, s Shape) {
		s.K, s.C = b.k, b.c
		steps := Model(m, action, opt, s)
		sum.known = sum.known && steps != nil
		sum.seconds += times * r.Seconds(steps...)
		sum.flops += times * Total(steps)
		workspace := 0.0
		for _, step := range steps {
			for _, o := range step.line.Operations() {
				if o.Kind == cost.Fresh {
					workspace += float64(o.N)
				}
			}
		}
		sum.workspace = max(sum.workspace, workspace)
	}
	batch := func(times float64, i int) { add(times, ActionAdd, Shape{L: b.l + i*b.q, Q: b.q}) }
	segments := min(b.count, mostSegments)
	if !m.HasInverse() {
		batch(float64(b.count), 0)
		segments = 0
	}
	for s := range segments {
		first, last := s*b.count/segments, (s+1)*b.count/segments-1
		if first == last {
			batch(1, first)
			continue
		}
		weight := float64(last-first+1) / 2
		batch(weight, first)
		batch(weight, last)
	}
	if m == Gram || m == QR { // the others have the weights at any time
		count := b.count
		if b.atEnd {
			count = 1
		}
		add(float64(count), ActionWeights, Shape{L: b.total()})
	}
	return sum
}
