package speed

import (
	"fmt"
	"math"

	"blskernel"
)

// A Problem is one case with operands of one shape, on which any backend can be run.
type Problem struct {
	Case  Case
	Shape Shape

	// bind returns one call of the operation on a backend.
	bind func(blskernel.Backend) func()
	// reset restores the operand that is overwritten: to its initial elements where the operation reads
	// it, and to NaN where it does not, so that what one backend leaves undone is not taken from another.
	reset func()
	// reads tells that the operation reads what it overwrites.
	reads bool

	// result returns what has been computed, multiplied by t; expected the same of the operands by
	// other means, before they are overwritten. t has length signs.
	signs            int
	result, expected func(t []float64) []float64
	// Each element of the two is a sum of products of operands, of which each passes through at most
	// terms rounded operations on either way; magnitude bounds the sum of their absolute values.
	terms     int
	magnitude float64

	t, want []float64
}

// Prepare draws operands. They take 8 bytes for each element, and as much again for those that the
// operation overwrites and reads. The same seed gives the same operands. It panics if a size of the
// shape is less than 1.
func (c Case) Prepare(s Shape, seed uint64) *Problem {
	if min(s.M, s.N, s.K) < 1 {
		panic("speed: a size of the shape is less than 1")
	}
	r := newSource(seed)
	p := c.prepare(c.Args, s, r)
	p.Case, p.Shape = c, s
	p.t = r.signs(p.signs)
	p.want = p.expected(p.t)
	return p
}

// Flops returns the nominal flops of one call.
func (p *Problem) Flops() float64 { return p.Case.Flops(p.Shape) }

// Bind returns a function that calls the operation on b once. A nil b stands for blskernel.Default().
func (p *Problem) Bind(b blskernel.Backend) func() { return p.bind(blskernel.Or(b)) }

// Most returns how often the operation may be called before Reset is due: elements might otherwise
// become so large or small that the time depends on them. Where the operation does not read what it
// overwrites there is no such limit, and the number is only very large.
func (p *Problem) Most() int {
	if p.reads {
		return mostInPlace
	}
	return mostCalls
}

// Reset restores the operand that calls overwrite and read, if there is one.
func (p *Problem) Reset() {
	if p.reads {
		p.reset()
	}
}

// WrongError says that a backend computed something else than the operation.
type WrongError struct {
	Backend   string
	Case      Case
	Shape     Shape
	Row       int     // of C·t, for a vector t of signs
	Got, Want float64 // element of C·t
	Bound     float64 // how much rounding can make of |Got - Want|
}

// Error names the backend, the operation, its shape and the difference.
func (e *WrongError) Error() string {
	return fmt.Sprintf("speed: backend %q computes %v %v wrong: row %d adds up to %g with random signs, where %g is right to within %.2g; its time means nothing",
		e.Backend, e.Case, e.Shape, e.Row, e.Got, e.Want, e.Bound)
}

// unit is the largest relative error of one rounding.
const unit = 0x1p-53

// bound returns the largest difference that rounding can make between result and expected: with N
// rounded operations on the way of each product, either is off by γ_N·Σ|products| at most, where
// γ_N = N·u/(1 - N·u) (N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section
// 3.1).
func (p *Problem) bound() float64 {
	n := float64(p.terms) * unit
	return 2 * n / (1 - n) * p.magnitude
}

// Check runs the operation once on b and returns a *WrongError unless the result is right.
func (p *Problem) Check(b blskernel.Backend) error {
	b = blskernel.Or(b)
	p.reset()
	p.bind(b)()
	bound := p.bound()
	for i, got := range p.result(p.t) {
		if !(math.Abs(got-p.want[i]) <= bound) {
			return &WrongError{Backend: b.Name(), Case: p.Case, Shape: p.Shape, Row: i, Got: got, Want: p.want[i], Bound: bound}
		}
	}
	return nil
}

// poison fills x with NaN.
func poison(x []float64) {
	for i := range x {
		x[i] = math.NaN()
	}
}
