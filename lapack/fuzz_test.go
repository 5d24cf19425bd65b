package lapack

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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

// dense puts a into guarded memory, with canaries between its rows.
func (p *problem) dense(a *full) *mat.Dense {
	stride := max(1, a.c) + p.Below(4)
	if a.r == 0 || a.c == 0 {
		return &mat.Dense{}
	}
	x := p.region((a.r-1)*stride + a.c)
	for i := range x {
		x[i] = canary
	}
	for i := range a.r {
		copy(x[i*stride:], a.row(i))
	}
	d := new(mat.Dense)
	d.SetRawMatrix(blas64.General{Rows: a.r, Cols: a.c, Stride: stride, Data: x})
	return d
}

const canary = 12345.678

// intact fails if something between the rows of d has changed.
func (p *problem) intact(d *mat.Dense) {
	p.t.Helper()
	raw := d.RawMatrix()
	for i, v := range raw.Data {
		if raw.Cols > 0 && i%raw.Stride >= raw.Cols && v != canary {
			p.t.Fatalf("element %d between the rows was written", i)
		}
	}
}

// packed puts a into guarded memory.
func (p *problem) packed(a *full) *mat.SymPacked {
	ap := symOf(a).RawSymPacked().Data
	x := p.region(len(ap))
	copy(x, ap)
	return mat.NewSymPacked(a.r, x)
}

// guarded puts a triangle into guarded memory, and NaN into the other one and between the rows.
func (p *problem) guarded(ul blas.Uplo, n, lda int, unit bool, at func(i, j int) float64) *guarded {
	g := newGuarded(ul, n, lda, unit, at)
	x := p.region(len(g.a))
	copy(x, g.a)
	g.a = x
	return g
}

// untouched looks at what lies in the other triangle of g and between its rows; what lies outside
// cannot be touched.
func (p *problem) untouched(g *guarded) {
	p.t.Helper()
	copy(g.all[guardLength:], g.a)
	g.check(p.t, "guarded")
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
	return symFunc(n, func(i, j int) float64 {
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
	t, n := p.t, a.r
	f := newF(t, p.bk, nb, storage{
		packed: func(a *full) (*mat.SymPacked, func()) { return p.packed(a), func() {} },
		dense:  func(a *full) (*mat.Dense, func()) { d := p.dense(a); return d, func() { p.intact(d) } },
	})
	if err := p.do(func() error { return f.factorize(a, true) }); errors.Is(err, ErrSingular) {
		return // which some kinds are
	} else if err != nil {
		t.Fatal(err)
	}
	if r := over(a.sub(f.rebuild(false)).norm(), float64(n)*eps, a.norm()); !(r <= ratioBound) {
		t.Errorf("n=%d: ‖A - UᵀDU‖/(n ‖A‖ eps) = %.3g", n, r)
	}
	if b := randomFull(p.rng, n, p.Below(9)); b.r > 0 && b.c > 0 {
		p.solved("SolveTo", a, b, func(x *mat.Dense) error { return f.SolveTo(x, x) })
		p.solvedRows("SolveRowsTo", a.transpose(), b, func(x *mat.Dense) error { return f.SolveRowsTo(x, x) })
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
	p.solution(name, b.transpose(), solve, func(x *full) { checkSolution(p.t, name, a, x.transpose(), b) })
}

func (p *problem) solution(name string, b *full, solve func(x *mat.Dense) error, check func(x *full)) {
	p.t.Helper()
	x := p.dense(b)
	if err := p.do(func() error { return solve(x) }); err == nil {
		check(fullOf(x))
	} else if !errors.Is(err, ErrSingular) {
		p.t.Errorf("%s: %v", name, err)
	}
	p.intact(x)
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
		p.square(newCholesky, nb, spectrum(geometric(math.Pow(10, float64(p.Below(9)))))(p.rng, n))
	})
}

func FuzzLU(f *testing.F) {
	fuzzed(f, func(p *problem) {
		n, nb := p.order(60)
		a, zeros := newFull(n, n), p.Below(4)
		for i := range a.x {
			if p.rng.IntN(4) >= zeros {
				a.x[i] = p.rng.NormFloat64()
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
		a := symSpectrum(p.rng, n, func(i int) float64 { return 1 + float64(i) })
		testutil.NoError(t, p.do(func() error { return c.FactorizeInPlace(p.packed(a)) }))
		if n == 0 {
			return
		}
		u := upperOf(n, c.u, false)
		ut, random := u.transpose(), func(_, _ int) float64 { return p.rng.NormFloat64() }
		l := p.guarded(blas.Lower, n, n+p.Below(4), false, random)
		lower := l.triangular()
		testutil.NoError(t, p.do(func() error { return c.SolveUTriangle(l.view()) }))
		p.untouched(l)
		x := l.triangular()
		if r := over(lower.sub(ut.mul(x)).norm(), float64(n)*eps, ut.norm(), x.norm()); !(r <= ratioBound) {
			t.Errorf("SolveUTriangle, n=%d: ‖L - Uᵀ X‖/(n ‖U‖ ‖X‖ eps) = %.3g", n, r)
		}
		m := p.guarded(blas.Upper, n, n+p.Below(4), false, random)
		upper := m.triangular()
		testutil.NoError(t, p.do(func() error { return c.MulUTriangle(m.view()) }))
		p.untouched(m)
		if r := over(m.triangular().sub(u.mul(upper)).norm(), float64(n)*eps, u.norm(), upper.norm()); !(r <= ratioBound) {
			t.Errorf("MulUTriangle, n=%d: ‖X - U R‖/(n ‖U‖ ‖R‖ eps) = %.3g", n, r)
		}
	})
}
