package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A problem is what a fuzzer decides: numbers taken from its data, zeros where that ends, and memory in
// which what lies beside an operand cannot be touched.
type problem struct {
	fuzz.Choices
	t       *testing.T
	rng     *rand.Rand
	bk      blskernel.Backend
	edge    guard.Edge
	regions []*guard.Region
}

// order returns an order up to most; the smaller ones have the block sizes of the tests, two to nine.
func (p *problem) order(most int) (n, nb int) { return p.Below(most + 1), 2 + p.Below(8) }

// region returns memory for n elements that nobody has.
func (p *problem) region(n int) []float64 {
	r := p.regions[0]
	p.regions = p.regions[1:]
	return r.Slice(n, p.edge)
}

// hold puts the elements of a that part names into guarded memory, with rows ld apart.
func (p *problem) hold(a *full, ld int, part func(i, j int) bool) *held {
	h := hold(a, ld, part)
	x := p.region(len(h.x))
	copy(x, h.x)
	h.x = x
	return h
}

// dense is hold for all of a, and a check that what is between its rows stays.
func (p *problem) dense(a *full) (*mat.Dense, func()) {
	p.t.Helper()
	if a.R == 0 || a.C == 0 {
		return &mat.Dense{}, func() {}
	}
	h := p.hold(a, a.C+p.Below(4), whole)
	return h.view(), func() { p.t.Helper(); h.check(p.t, "dense") }
}

// packed puts a into guarded memory.
func (p *problem) packed(a *full) *mat.SymPacked {
	ap := symOf(a).RawSymPacked().Data
	x := p.region(len(ap))
	copy(x, ap)
	return mat.NewSymPacked(a.R, x)
}

// do runs f, which touches nothing beside its operands.
func (p *problem) do(f func() error) error {
	p.t.Helper()
	var err error
	if guard.Faults(func() { err = f() }) {
		p.t.Fatal("something beside an operand was read or written")
	}
	return err
}

// mostGuarded is the number of elements that a guarded operand has room for.
const mostGuarded = 1 << 13

// fuzzed adds seeds for orders about the boundaries of tiles and blocks, and runs f on a backend that
// the fuzzer chooses: the pure one on each kernel, and gonum's BLAS, for which packed blocks are
// copied.
func fuzzed(f *testing.F, run func(p *problem)) {
	for form := range byte(5) {
		for _, n := range []byte{0, 1, 2, 3, 5, 7, 8, 9, 16, 17, 23, 24, 25, 40} {
			f.Add([]byte{form, form, n, n / 3, 1, 2, 3, form}, uint64(n))
		}
	}
	rnd := testutil.Rand(21)
	for range 40 {
		data := make([]byte, 16)
		for i := range data {
			data[i] = byte(rnd.IntN(256))
		}
		f.Add(data, rnd.Uint64())
	}
	on := append([]blskernel.Backend{gonumBackend{}}, backends.Pure(f)...)
	var regions []*guard.Region
	for range 6 {
		regions = append(regions, guard.New(f, mostGuarded))
	}
	blskernel.SetThreads(1) // a fault in another goroutine would end the program
	f.Cleanup(func() { blskernel.SetThreads(0) })
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		p := &problem{t: t, Choices: data, rng: testutil.Rand(seed), regions: regions}
		p.bk = on[p.Below(len(on))]
		p.edge = guard.Edges[p.Below(len(guard.Edges))]
		run(p)
	})
}

// matrix returns a symmetric matrix of one of some kinds, which make pivots of either size and
// exchanges of any distance.
func (p *problem) matrix(n int) *full {
	kind := p.Below(4)
	return testmat.Sym(n, func(i, j int) float64 {
		v := p.rng.NormFloat64()
		switch {
		case kind == 1 && i == j, kind == 2 && p.rng.IntN(3) > 0:
			return 0
		case kind == 3:
			return v * math.Pow(10, -float64((i*7+j*3)%9))
		}
		return v
	})
}

// square checks a factorization in place, solutions and the inverse in place of a in guarded memory.
func (p *problem) square(newF func(t testing.TB, bk blskernel.Backend, nb int, in storage) *factorization, nb int, a *full) {
	t, n := p.t, a.R
	f := newF(t, p.bk, nb, storage{
		packed: func(a *full) (*mat.SymPacked, func()) { return p.packed(a), func() {} },
		dense:  p.dense,
	})
	if err := p.do(func() error { return f.factorize(a, true) }); errors.Is(err, ErrSingular) {
		return // which some kinds are
	} else if err != nil {
		t.Fatal(err)
	}
	checkRatio(t, fmt.Sprintf("n=%d: ‖A - UᵀDU‖/(n ‖A‖ eps)", n), testmat.Over(a.Sub(f.rebuild(false)).Norm(), float64(n)*eps, a.Norm()))
	if b := testmat.Random(p.rng, n, p.Below(9)); b.R > 0 && b.C > 0 {
		p.solved("SolveTo", a, b, func(x *mat.Dense) error { return f.SolveTo(x, x) })
		p.solvedRows("SolveRowsTo", a.T(), b, func(x *mat.Dense) error { return f.SolveRowsTo(x, x) })
	}
	left := f.left()
	var inverse *full
	err := p.do(func() (err error) { inverse, err = f.inverse(true); return err })
	switch {
	case err != nil && !errors.Is(err, ErrSingular):
		t.Error(err)
	case err != nil:
	case left:
		checkInverse(t, "InverseInPlace", inverse, a)
	default:
		checkInverse(t, "InverseInPlace", a, inverse)
	}
}

// solved checks the solution of A X = B that solve makes in guarded memory, and solvedRows that of the
// transpose, whose right-hand sides are the columns of b.
func (p *problem) solved(name string, a, b *full, solve func(x *mat.Dense) error) {
	p.t.Helper()
	p.solution(name, b, solve, func(x *full) { checkSolution(p.t, name, a, x, b) })
}

func (p *problem) solvedRows(name string, a, b *full, solve func(x *mat.Dense) error) {
	p.t.Helper()
	p.solution(name, b.T(), solve, func(x *full) { checkSolution(p.t, name, a, x.T(), b) })
}

func (p *problem) solution(name string, b *full, solve func(x *mat.Dense) error, check func(x *full)) {
	p.t.Helper()
	x, intact := p.dense(b)
	if err := p.do(func() error { return solve(x) }); err == nil {
		check(testmat.Of(x))
	} else if !errors.Is(err, ErrSingular) {
		p.t.Errorf("%s: %v", name, err)
	}
	intact()
}

func FuzzLDLT(f *testing.F) {
	fuzzed(f, func(p *problem) {
		n, nb := p.order(60)
		p.square(newLDLT, nb, p.matrix(n))
	})
}

func FuzzCholesky(f *testing.F) {
	fuzzed(f, func(p *problem) {
		n, nb := p.order(60)
		p.square(newCholesky, nb, testmat.Spectrum(testmat.Geometric(math.Pow(10, float64(p.Below(9)))))(p.rng, n))
	})
}

func FuzzLU(f *testing.F) {
	fuzzed(f, func(p *problem) {
		n, nb := p.order(60)
		a, zeros := testmat.New(n, n), p.Below(4)
		for i := range a.X {
			if p.rng.IntN(4) >= zeros {
				a.X[i] = p.rng.NormFloat64()
			}
		}
		p.square(newLU, nb, a)
	})
}

// FuzzCholeskyTriangle has the products and solutions of two triangles, by halves down to small
// squares: each within 30 n eps of the product of their norms.
func FuzzCholeskyTriangle(f *testing.F) {
	fuzzed(f, func(p *problem) {
		t := p.t
		n, nb := p.order(60)
		c := Cholesky{Backend: p.bk, symmetric: symmetric{nb: nb}}
		a := testmat.Spectral(p.rng, n, testmat.From1)
		testutil.NoError(t, p.do(func() error { return c.FactorizeInPlace(p.packed(a)) }))
		if n == 0 {
			return
		}
		u := upperOf(n, c.u, false)
		ut, random := u.T(), func(_, _ int) float64 { return p.rng.NormFloat64() }
		l := p.hold(testmat.Func(n, n, random), n+p.Below(4), triangleOf(blas.Lower, false))
		lower := l.matrix()
		testutil.NoError(t, p.do(func() error { return c.SolveUTriangle(l.view()) }))
		l.check(t, "guarded")
		x := l.matrix()
		checkRatio(t, fmt.Sprintf("SolveUTriangle, n=%d: ‖L - Uᵀ X‖/(n ‖U‖ ‖X‖ eps)", n), testmat.Over(lower.Sub(ut.Mul(x)).Norm(), float64(n)*eps, ut.Norm(), x.Norm()))
		m := p.hold(testmat.Func(n, n, random), n+p.Below(4), triangleOf(blas.Upper, false))
		upper := m.matrix()
		testutil.NoError(t, p.do(func() error { return c.MulUTriangle(m.view()) }))
		m.check(t, "guarded")
		checkRatio(t, fmt.Sprintf("MulUTriangle, n=%d: ‖X - U R‖/(n ‖U‖ ‖R‖ eps)", n), testmat.Over(m.matrix().Sub(u.Mul(upper)).Norm(), float64(n)*eps, u.Norm(), upper.Norm()))
	})
}
