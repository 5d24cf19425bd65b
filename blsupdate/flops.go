package blsupdate

import (
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/types"
)

// A Step is the name of a line of an algorithm.
type Step string

// StepFlops is a line of the flop model.
type StepFlops struct {
	Step    Step   // the computation
	Formula string // its flops in terms of l, k, q, c and p

	line cost.StepFlops
}

// Flops returns the flops of the step.
func (s StepFlops) Flops() float64 { return s.line.Thirds().Flops() }

func stepFlops(lines []cost.StepFlops) []StepFlops {
	var steps []StepFlops
	for _, line := range lines {
		steps = append(steps, StepFlops{Step(line.Step), line.Formula, line})
	}
	return steps
}

// A Shape holds the sizes that the flops of an action depend on: L samples, K nodes and C targets
// before it, Q samples or P nodes that it changes, and for ActionStart the Start and the Rank of A.
// Package types documents the fields.
type Shape = types.Shape

// Model returns the steps of an action with their flops, by the paper's convention. A product of an m×n
// with an n×p matrix takes 2mnp flops, and half where the result is symmetric; the inverse of a
// symmetric matrix n³, of a general one 2n³. Terms of lower order are dropped. Model returns nil for
// actions without flops, and for those that m does not support. It assumes rows in general position;
// the Report of an update has the actual steps.
func Model(m Method, action Action, opt Options, s Shape) []StepFlops {
	return stepFlops(cost.Model(m, action, opt, s))
}

// Total returns the flops of all steps.
func Total(steps []StepFlops) float64 {
	var sum cost.Thirds // which are exact in any order
	for _, s := range steps {
		sum += s.line.Thirds()
	}
	return sum.Flops()
}

// A Counter is a Backend that counts flops by the paper's convention (see Model) and time, by step. It
// forwards every call to another Backend, has its methods, and returns it by Unwrap.
//
// Level 3 products count by their shapes, and LAPACK-level routines as one operation each. Vector and
// matrix-vector operations are of lower order and count nothing. Several goroutines may call the
// products at once, but not Enter, Leave and Reset. The zero value has no Backend, and its methods
// panic: call NewCounter.
type Counter struct{ *cost.Counter }

var _ blskernel.Backend = (*Counter)(nil)

// NewCounter returns a Counter that passes calls on to b, or to blskernel.Default() where b is nil.
func NewCounter(b blskernel.Backend) *Counter { return &Counter{cost.NewCounter(b)} }

// Enter assigns the following flops and time to the given step, until the next Enter or Leave. A step
// may be entered many times.
func (c *Counter) Enter(s Step) { c.Counter.Enter(cost.Step(s)) }

// Leave ends the current step. Later flops and time belong to the step with the empty name.
func (c *Counter) Leave() { c.Counter.Leave() }

// Reset forgets all counts and times.
func (c *Counter) Reset() { c.Counter.Reset() }

// Flops returns the flops counted since the last Reset, in all steps.
func (c *Counter) Flops() float64 { return c.Counter.Flops() }

// Step returns the flops and the time accounted to s since the last Reset.
func (c *Counter) Step(s Step) (flops float64, elapsed time.Duration) {
	return c.Counter.Step(cost.Step(s))
}
