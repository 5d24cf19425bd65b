package speed

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"blskernel"
	"blskernel/internal/linalg/backend"
)

// A Problem is one case with operands of order N, which any backend can compute. Case.Prepare returns
// problems; the zero value has no operation, and its Bind panics.
type Problem struct {
	Case Case
	N    int

	// bind returns the operation on a backend. The operation overwrites out.
	bind func(blskernel.Backend) func() error
	out  []float64
	// initial holds what Reset copies to out. It is nil if the operation only writes out; check
	// then starts with NaN in out, so that no backend passes with the result of another.
	initial []float64
	// maxBatch is the number of calls after which Reset is due. With more calls, elements could
	// become so large or small that they affect the time of a call.
	maxBatch int

	seed     uint64 // of the operands
	opponent string // the opponent whose problem this is, or ""

	// compared, if not nil, returns the numbers to compare instead of out. It must not change out.
	compared func() []float64
	*reference
	err error // of a call
}

// A reference holds a sample of the compared elements. by names the backend that computed them.
type reference struct {
	first []float64
	by    string
}

// Prepare draws operands of order n. They take 8 bytes for each element, and as much again for an
// operand that the operation reads and overwrites. The same seed gives the same operands. Prepare
// panics if n is less than 1.
func (c Case) Prepare(n int, seed uint64) *Problem {
	if n < 1 {
		panic("speed: the order is less than 1")
	}
	return c.problem(n, seed, "")
}

func (c Case) problem(n int, seed uint64, opponent string) *Problem {
	p := c.prepare(c.Args, n, source{rand.New(rand.NewPCG(seed, 0))}, opponent)
	p.Case, p.N, p.seed, p.opponent = c, n, seed, opponent
	return p
}

// Against returns the named opponent's problem with the same operands. LAPACK opponents run on
// Library's backend. Against panics if the case has no such opponent.
func (p *Problem) Against(opponent string) *Problem {
	if !slices.Contains(p.Case.Opponents, opponent) {
		panic("speed: the case has no such opponent")
	}
	q := p.Case.problem(p.N, p.seed, opponent)
	if q.compared != nil {
		q.reference = p.reference
	}
	return q
}

// Flops returns the nominal flops of one call.
func (p *Problem) Flops() float64 { return p.Case.Flops(p.N) }

// Bind returns a function that calls the operation on b once. A nil b stands for blskernel.Default().
// If a call fails, Err returns its error.
func (p *Problem) Bind(b blskernel.Backend) func() {
	call := p.bind(backend.Or(b))
	return func() {
		if err := call(); err != nil && p.err == nil {
			p.err = err
		}
	}
}

// Reset restores the operand that calls both read and overwrite, if there is one.
func (p *Problem) Reset() { copy(p.out, p.initial) }

// Calls returns the number of calls after which Reset is due.
func (p *Problem) Calls() int { return p.maxBatch }

// Result returns the operands that the calls write, stored one after another; the next call overwrites
// them. It is nil for the operations of gonum's mat.
func (p *Problem) Result() []float64 { return p.out }

// Err returns the first error of a call, such as a failed factorization, or nil.
func (p *Problem) Err() error { return p.err }

func (p *Problem) name(b blskernel.Backend) string {
	if p.opponent == "" || p.opponent == Gonum {
		return b.Name()
	}
	return b.Name() + "/" + p.opponent
}

func (p *Problem) failed(b blskernel.Backend) error {
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("speed: %s failed in %v of order %v: %w", p.name(b), p.Case, p.N, p.err)
}

// ErrDiffer reports that the results of two backends differ.
var ErrDiffer = errors.New("the results of the backends differ, so a comparison of their times is meaningless")

const (
	// agreement is the largest difference that counts as equal, as a fraction of the largest
	// element. Rounding stays below it for random matrices of any order that fits into memory.
	agreement = 1e-6
	// maxCompared bounds the number of elements that are compared.
	maxCompared = 1 << 20
)

// check calls the operation once. It returns the error of a failed call, or ErrDiffer if the result
// differs from the first backend's. Elements that neither backend writes are NaN in both.
func (p *Problem) check(b blskernel.Backend, call func()) error {
	for i := range p.out {
		p.out[i] = math.NaN()
	}
	p.Reset()
	call()
	if err := p.failed(b); err != nil {
		return err
	}
	var some []float64
	largest, all := 0.0, p.out
	if p.compared != nil {
		all = p.compared()
	}
	for i := 0; i < len(all); i += 1 + len(all)/maxCompared {
		some = append(some, all[i])
		if v := math.Abs(all[i]); v > largest {
			largest = v
		}
	}
	if p.first == nil {
		p.first, p.by = some, b.Name()
	}
	for i, got := range some {
		want := p.first[i]
		diff := math.Abs(got - want)
		if (!(diff <= agreement*largest) || math.IsInf(diff, 0)) && !(math.IsNaN(got) && math.IsNaN(want)) {
			return fmt.Errorf("speed: %s and %s in %v of order %d: %w (%g and %g)", p.name(b), p.by, p.Case, p.N, ErrDiffer, got, want)
		}
	}
	return nil
}

type source struct{ *rand.Rand }

// draw returns n numbers that are uniform in [-1/2, 1/2).
func (r source) draw(n int) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = float64(r.Float64()) - 0.5
	}
	return a
}

// In the triangular matrices I + E, the absolute values of E in a row, or in a column, add up to at
// most spread. One product or solution with them changes the largest element by a factor between 1 -
// spread and 1/(1 - spread). The factor of maxInPlace calls is therefore at most (1 - 1/16)^-4096 <
// 10^115, and at least the reciprocal.
const (
	spread     = 1.0 / 16
	maxInPlace = 4096
	maxCalls   = 1 << 30 // of operations that do not read what they overwrite
)

// nearIdentity returns I + E of order n. In absolute value, the off-diagonal elements of E add up to at
// most spread/2 in a row or column, and its diagonal elements are at most spread/2.
func (r source) nearIdentity(n int) []float64 {
	a := r.draw(n * n)
	for i := range a {
		a[i] *= spread / float64(n)
	}
	for i := range n {
		a[i*n+i] = 1 + float64(spread*(float64(r.Float64())-0.5))
	}
	return a
}

// computes returns the problem of an operation, bound to a backend by bind, that overwrites out.
func computes(out []float64, bind func(be blskernel.Backend) func() error) *Problem {
	return &Problem{out: out, maxBatch: maxCalls, bind: bind, reference: &reference{}}
}
