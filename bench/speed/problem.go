package speed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"blskernel"
	"blskernel/internal/backend"
)

// A Problem is one case with operands of one shape, on which any backend can be run.
type Problem struct {
	Case  Case
	Shape Shape

	// call is the operation; where a backend needs more than the call, bind returns the call.
	call call
	bind func(blskernel.Backend) func() error
	// reset restores what the operation overwrites, or fills it with NaN if the operation does not
	// read it, so that no backend passes with the result of another.
	reset func()
	most  int // calls before a reset; see mostCalls

	// result is what has been computed, as an operator; expected the same of the operands before
	// they are overwritten. Their vector has length signs. bound returns the largest difference of
	// elements that rounding can make, which may depend on what has been computed.
	signs            int
	result, expected operator
	bound            func() float64

	// Bytes of inverses: matrix is the size of what the operation overwrites, prepared that of what
	// this problem does, with the workspaces that a call is given.
	matrix, prepared int

	// against prepares the problem of an opponent; opponent is the name of the one of which this
	// problem is.
	against  func(opponent string) *Problem
	opponent string

	t, want []float64
	err     error // of a call
}

// Prepare draws operands. They take 8 bytes for each element, and as much again for those that the
// operation overwrites and reads. The same seed gives the same operands. It panics if a size of the
// shape is less than 1.
func (c Case) Prepare(s Shape, seed uint64) *Problem {
	if min(s.M, s.N, s.K) < 1 {
		panic("speed: a size of the shape is less than 1")
	}
	r := source{rand.New(rand.NewPCG(seed, 0))}
	p := c.prepare(c.Args, s, r)
	p.Case, p.Shape = c, s
	p.t = r.signs(p.signs)
	p.want = p.expected(p.t)
	return p
}

// Flops returns the nominal flops of one call.
func (p *Problem) Flops() float64 { return p.Case.Flops(p.Shape) }

// Bind returns a function that calls the operation on b once. A nil b stands for blskernel.Default(). A
// call that fails makes Err return its error.
func (p *Problem) Bind(b blskernel.Backend) func() {
	b = backend.Or(b)
	if p.bind == nil {
		return func() { p.call(b) }
	}
	call := p.bind(b)
	return func() {
		if err := call(); err != nil && p.err == nil {
			p.err = err
		}
	}
}

// Most returns how often the operation may be called before Reset is due: elements might otherwise
// become so large or small that the time depends on them. It is very large where the operation does not
// read what it overwrites, and 1 for factorizations.
func (p *Problem) Most() int { return p.most }

// Reset restores the operand that calls overwrite and read, if there is one.
func (p *Problem) Reset() {
	if p.most < mostCalls {
		p.reset()
	}
}

// Err returns the first error of a call since the last Check: a factorization may fail.
func (p *Problem) Err() error { return p.err }

// name returns what stands for the problem on a backend in results and errors.
func (p *Problem) name(b blskernel.Backend) string {
	if p.opponent == "" {
		return b.Name()
	}
	return b.Name() + "/" + p.opponent
}

// failed returns the error of a call on b, in the terms of the operation.
func (p *Problem) failed(b blskernel.Backend) error {
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("speed: %s fails at %v %v: %w", p.name(b), p.Case, p.Shape, p.err)
}

// WrongError says that a backend computed something else than the operation.
type WrongError struct {
	Backend   string // and opponent, if it is one, as in Timing
	Case      Case
	Shape     Shape
	Row       int     // of C·t, for a vector t of signs; inverses are multiplied by what they are inverses of
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

// rounding returns the largest difference that rounding can make between result and expected, of
// which each element is a sum of products of operands. magnitude bounds the sum of their absolute
// values. With N rounded operations on the way of each product, either is off by γ_N·magnitude at
// most, where γ_N = N·u/(1 - N·u) (N. J. Higham, "Accuracy and Stability of Numerical Algorithms",
// 2002, section 3.1).
func rounding(terms int, magnitude float64) func() float64 {
	n := float64(terms) * unit
	return func() float64 { return 2 * n / (1 - n) * magnitude }
}

// Check runs the operation once on b and returns the error with which it fails, if it does, and a
// *WrongError unless the result is right.
func (p *Problem) Check(b blskernel.Backend) error {
	_, err := p.check(backend.Or(b), p.Bind(b))
	return err
}

// check is Check with a bound call. It also returns an upper bound of the memory of an inverse, see
// Timing. It empties pools first, so that the bound has what they would provide.
func (p *Problem) check(b blskernel.Backend, call func()) (memory float64, err error) {
	p.err = nil
	p.reset()
	var before, after runtime.MemStats
	if p.matrix > 0 {
		runtime.GC()
		runtime.GC() // a pool forgets in the second what it has kept from the first
		runtime.ReadMemStats(&before)
	}
	call()
	if p.matrix > 0 {
		runtime.ReadMemStats(&after)
		memory = (float64(p.prepared) + float64(after.TotalAlloc-before.TotalAlloc)) / float64(p.matrix)
	}
	return memory, p.compare(b)
}

// compare compares what the call on b has computed.
func (p *Problem) compare(b blskernel.Backend) error {
	if err := p.failed(b); err != nil {
		return err
	}
	result := p.result(p.t)
	bound := p.bound()
	for i, got := range result {
		if diff := math.Abs(got - p.want[i]); !(diff <= bound) || math.IsInf(diff, 0) {
			return &WrongError{Backend: p.name(b), Case: p.Case, Shape: p.Shape, Row: i, Got: got, Want: p.want[i], Bound: bound}
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
