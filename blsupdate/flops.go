package blsupdate

import (
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/types"
)

// A Step names one step of an algorithm, such as "D' = Ax A+".
type Step string

// StepFlops is one line of the flop model: a step and its flops.
type StepFlops struct {
	Step    Step   // the computation
	Formula string // its flops in terms of l, k, q, c and p

	line cost.StepFlops
}

// Flops returns the value of Formula for the sizes of the action.
func (s StepFlops) Flops() float64 { return s.line.Thirds().Flops() }

func stepFlops(lines []cost.StepFlops) []StepFlops {
	var steps []StepFlops
	for _, line := range lines {
		steps = append(steps, StepFlops{Step(line.Step), line.Formula, line})
	}
	return steps
}

// A Shape holds the sizes on which the flops of an action depend. L, K and C are the samples, nodes and
// targets before the action. Q is the number of samples that it adds or removes, and P the number of
// nodes, or of columns of T. ActionStart also depends on Start and Rank. Package types has the fields.
type Shape = types.Shape

// Model returns the steps of an action with their flops, by the paper's convention. A product of an m×n
// and an n×p matrix takes 2mnp flops, or half as many if the result is symmetric; inverting a symmetric
// n×n matrix takes n³, and a general one 2n³. Terms of lower order are dropped. Model returns nil for
// actions without flops, and for actions that m does not support. It assumes rows in general position;
// the Report of an update has the actual steps.
func Model(m Method, action Action, opt Options, s Shape) []StepFlops {
	return stepFlops(cost.Model(m, action, opt, s))
}

// Total returns the sum of Flops over steps.
func Total(steps []StepFlops) float64 {
	var sum cost.Thirds // exact in any order
	for _, s := range steps {
		sum += s.line.Thirds()
	}
	return sum.Flops()
}

// A Counter is a Backend that counts the flops, by the paper's convention (see Model), and measures the
// time of each step. It forwards every call to another Backend, which Unwrap returns.
//
// The flops of Level 3 products follow from their shapes; a LAPACK-level routine counts as one
// operation. Vector and matrix-vector operations are of lower order and are not counted. Several
// goroutines may call the products at once, but only one may call Enter, Leave and Reset. The zero
// value has no Backend, and its methods panic: call NewCounter.
type Counter struct{ *cost.Counter }

var _ blskernel.Backend = (*Counter)(nil)

// NewCounter returns a Counter that passes calls on to b, or to blskernel.Default() if b is nil.
func NewCounter(b blskernel.Backend) *Counter { return &Counter{cost.NewCounter(b)} }

// Enter begins the given step: flops and time up to the next Enter or Leave belong to it. A step may be
// entered more than once.
func (c *Counter) Enter(s Step) { c.Counter.Enter(cost.Step(s)) }

// Leave ends the current step. Until the next Enter, flops belong to the step "", and time to no step.
func (c *Counter) Leave() { c.Counter.Leave() }

// Reset clears all counts and times, and ends the current step.
func (c *Counter) Reset() { c.Counter.Reset() }

// Flops returns the flops counted since the last Reset, in all steps.
func (c *Counter) Flops() float64 { return c.Counter.Flops() }

// Step returns the flops and the time assigned to s since the last Reset.
func (c *Counter) Step(s Step) (flops float64, elapsed time.Duration) {
	return c.Counter.Step(cost.Step(s))
}
