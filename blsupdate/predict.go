package blsupdate

import (
	"blskernel/blsupdate/internal/cost"
)

// batches are what a model is to learn: q rows at a time, beginning from l of them.
type batches struct {
	l, k, q, c int
	count      int  // of batches
	atEnd      bool // whether weights are wanted after the last batch only
}

// total returns the number of samples in the end.
func (b batches) Total() int { return b.l + b.count*b.q }

// A cost is what learning takes.
type prediction struct {
	known     bool // whether there is a model of it
	seconds   float64
	flops     float64
	workspace float64 // the most numbers in new storage in one update or solution
}

// mostSegments bounds the number of batches of which the model is looked at.
const mostSegments = 64

// predict returns the cost of all batches and of the solutions for the weights by a method, whose options have no form
// left to choose. Only the cost of an update of A⁺ depends on the rows so far. Where there are many batches they are
// looked at in mostSegments segments, and the mean of the first and the last batch of each counts, which is exact for
// the flops from l >= k on.
func predict(r *Rates, m Method, opt Options, b batches) prediction {
	sum := prediction{known: true}
	segments := min(b.count, mostSegments)
	if m != Original && m != Improved {
		sum.Add(float64(b.count), predictionOf(r, batchSteps(m, opt, b, 0)))
		segments = 0
	}
	for s := range segments {
		first, last := s*b.count/segments, (s+1)*b.count/segments-1
		if first == last {
			sum.Add(1, predictionOf(r, batchSteps(m, opt, b, first)))
			continue
		}
		weight := float64(last-first+1) / 2
		sum.Add(weight, predictionOf(r, batchSteps(m, opt, b, first)))
		sum.Add(weight, predictionOf(r, batchSteps(m, opt, b, last)))
	}
	// A method that has the weights at any time has no model of a solution.
	if solution := Model(m, ActionWeights, opt, Shape{L: b.Total(), K: b.k, C: b.c}); solution != nil {
		count := b.count
		if b.atEnd {
			count = 1
		}
		sum.Add(float64(count), predictionOf(r, solution))
	}
	return sum
}

// add adds a cost a number of times.
func (c *prediction) Add(times float64, o prediction) {
	c.known = c.known && o.known
	c.seconds += times * o.seconds
	c.flops += times * o.flops
	c.workspace = max(c.workspace, o.workspace)
}

// costOf returns the cost of the steps of a model.
func predictionOf(r *Rates, steps []StepFlops) prediction {
	c := prediction{known: steps != nil, seconds: r.Seconds(steps...), flops: Total(steps)}
	for _, s := range steps {
		for _, o := range s.Work {
			if o.Kind == cost.Fresh {
				c.workspace += float64(o.N)
			}
		}
	}
	return c
}

// batchSteps returns the model of the addition of a batch.
func batchSteps(m Method, opt Options, b batches, batch int) []StepFlops {
	return Model(m, ActionAdd, opt, Shape{L: b.l + batch*b.q, K: b.k, Q: b.q, C: b.c})
}
