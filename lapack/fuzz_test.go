package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/cholesky"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A problem is what a fuzzer decides: numbers taken from its data, zeros where that ends, and memory in
// which nothing next to an operand can be touched.
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

// region returns unused memory for n elements.
func (p *problem) region(n int) []float64 {
	r := p.regions[0]
	p.regions = p.regions[1:]
	return r.Slice(n, p.edge)
}

// hold puts the elements of a that part names into guarded memory, with rows ld apart.
func (p *problem) hold(a *full, ld int, part func(i, j int) bool) *held {
	h := hold(a, ld, part)
	x := p.region(len(h.X))
	copy(x, h.X)
	h.X = x
	return h
}

// dense is hold for all of a, and returns a check that nothing between its rows changes.
func (p *problem) dense(a *full) (*mat.Dense, func()) {
	p.t.Helper()
	if a.R == 0 || a.C == 0 {
		return &mat.Dense{}, func() {}
	}
	h := p.hold(a, a.C+p.Below(4), whole)
	return h.View(), func() { p.t.Helper(); h.Check(p.t, "dense") }
}

func (p *problem) packed(a *full) *mat.SymPacked {
	ap := symOf(a).RawSymPacked().Data
	x := p.region(len(ap))
	copy(x, ap)
	return mat.NewSymPacked(a.R, x)
}

// do runs f, which touches nothing but its operands.
func (p *problem) do(f func() error) error {
	p.t.Helper()
	var err error
	if guard.Faults(func() { err = f() }) {
		p.t.Fatal("memory outside the operands was read or written")
	}
	return err
}

// maxGuarded is the number of elements that a guarded operand has room for.
const maxGuarded = 1 << 13

// fuzzed adds seeds for orders near edges of tiles and blocks, and runs f on a backend that the fuzzer
// chooses: the pure one on each kernel, and gonum's BLAS, for which packed blocks are copied.
func fuzzed(f *testing.F, run func(p *problem)) {
	for form := range byte(5) {
		for _, n := range []byte{0, 1, 2, 3, 5, 7, 8, 9, 16, 17, 23, 24, 25, 40} {
			f.Add([]byte{form, form, n, n / 3, 1, 2, 3, form}, uint64(n))
		}
	}
	rnd := testutil.Rand(21)
	for range 40 {
		f.Add(fuzz.Random(rnd, 16), rnd.Uint64())
	}
	on := append([]blskernel.Backend{gonumBackend{}}, backends.Pure(f)...)
	var regions []*guard.Region
	for range 16 {
		regions = append(regions, guard.New(f, maxGuarded))
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

// matrix returns a symmetric matrix of one of several kinds, which make pivots of either order and
// exchanges over any distance.
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

// fuzzSquare tests factorizations of what matrix returns by all ratios, in guarded memory.
func fuzzSquare(
	f *testing.F, newF func(t testing.TB, bk blskernel.Backend, nb int, in storage) *factorization,
	matrix func(p *problem, n int) *full,
) {
	fuzzed(f, func(p *problem) {
		n, nb := p.order(60)
		a := matrix(p, n)
		f := newF(p.t, p.bk, nb, storage{
			packed: func(a *full) (*mat.SymPacked, func()) { return p.packed(a), func() {} },
			dense:  p.dense,
		})
		_ = p.do(func() error {
			err := f.factorize(a, true)
			if !errors.Is(err, ErrSingular) { // which some kinds are
				f.check(p.t, fmt.Sprintf("%s n=%d nb=%d", f.name, n, nb), a, testmat.Random(p.rng, n, 1+p.Below(8)))
			}
			return err
		})
	})
}

func FuzzLDLT(f *testing.F) { fuzzSquare(f, newLDLT, (*problem).matrix) }

func FuzzCholesky(f *testing.F) {
	fuzzSquare(f, newCholesky, func(p *problem, n int) *full {
		return testmat.Spectrum(testmat.Geometric(math.Pow(10, float64(p.Below(9)))))(p.rng, n)
	})
}

func FuzzLU(f *testing.F) {
	fuzzSquare(f, newLU, func(p *problem, n int) *full {
		zeros := p.Below(4)
		return testmat.Func(n, n, func(_, _ int) float64 {
			return testmat.Unless(p.rng.IntN(4) < zeros) * p.rng.NormFloat64()
		})
	})
}

// FuzzCholeskyTriangle tests products and solutions of two triangles, halved down to small squares.
func FuzzCholeskyTriangle(f *testing.F) {
	fuzzed(f, func(p *problem) {
		n, nb := p.order(60)
		c := Cholesky{Backend: p.bk, symmetric: symmetric{nb: nb}}
		a := testmat.Spectral(p.rng, n, testmat.From1)
		testutil.NoError(p.t, p.do(func() error { return c.FactorizeInPlace(p.packed(a)) }))
		checkTriangles(p.t, fmt.Sprintf("n=%d", n), p.bk, p.rng, &c, p.do, func(a *full, part func(i, j int) bool) *held {
			return p.hold(a, max(1, n)+p.Below(4), part)
		})
	})
}

// FuzzQR runs testQR on matrices of less than full rank.
func FuzzQR(f *testing.F) {
	fuzzed(f, func(p *problem) {
		k, nb := p.order(40)
		l := k + p.Below(20)
		qr := QR{Backend: p.bk, base: 1 + p.Below(6), nb: nb}
		a := testmat.Random(p.rng, l, k)
		for range p.Below(4) { // columns of zeros, which no reflection turns
			zero := p.Below(max(1, k))
			a = a.Weigh(func(_, j int) float64 { return testmat.Unless(j == zero) })
		}
		_ = p.do(func() error {
			testQR(p.t, fmt.Sprintf("%d×%d", l, k), &qr, a, false, p.dense)
			return nil
		})
	})
}

// FuzzElimination tests AppendRows and MergeTriangles: R'ᵀR' and, for the right-hand sides, R'ᵀz' are
// the sums over both parts, column by column.
func FuzzElimination(f *testing.F) {
	fuzzed(f, func(p *problem) {
		k, q, c := 1+p.Below(40), 1+p.Below(40), 1+p.Below(8)
		triangle := p.Below(2) == 1
		if triangle {
			q = k
		}
		s := newStackedProblem(p.rng, k, q, c, stackedGallery[0].change, triangle)
		got := s.eliminate(p.t, "fuzz", p.dense, func(r, z, b, y *mat.Dense) error {
			return p.do(func() error { return s.routine()(p.bk, r, z, b, y) })
		})
		checkSameGram(p.t, "fuzz", s.all(), got.below(), k+q)
	})
}

// FuzzDenseTriangles tests the dense routines on one triangle of a matrix, by halves down to tiles,
// whose other triangle is NaN: Cholesky factor and inverse, and the inverse of a triangle.
func FuzzDenseTriangles(f *testing.F) {
	fuzzed(f, func(p *problem) {
		t := p.t
		n := p.Below(80)
		ul, diag := []blas.Uplo{blas.Upper, blas.Lower}[p.Below(2)], []blas.Diag{blas.NonUnit, blas.Unit}[p.Below(2)]
		lda := max(1, n) + p.Below(4)
		if n == 0 {
			return
		}
		spd := testmat.Spectral(p.rng, n, testmat.From1)
		g := p.hold(testmat.Func(n, n, spd.At), lda, triangleOf(ul, false))
		_ = p.do(func() error { potrf(t, "guarded", p.bk, ul, g, -1); return nil })
		u := g.Matrix()
		if ul == blas.Lower {
			u = u.T()
		}
		checkRatio(t, fmt.Sprintf("n=%d %c: ‖A - UᵀU‖/(n ‖A‖ eps)", n, ul), testmat.ProductRatio(spd, u.T(), u))
		_ = p.do(func() error { cholesky.Potri(factor.On(p.bk), ul, factor.Base, n, block.Dense(g.X, lda)); return nil })
		g.Check(t, "guarded")
		checkInverse(t, "dpotri", spd, g.Symmetric())

		triangle := testmat.Triangle(p.rng, n)
		mirrored := func(i, j int) float64 { return triangle.At(min(i, j), max(i, j)) }
		g = p.hold(testmat.Func(n, n, mirrored), lda, triangleOf(ul, diag == blas.Unit))
		before := g.Matrix()
		_ = p.do(func() error { factor.Trtri(factor.On(p.bk), ul, diag, n, block.Dense(g.X, lda)); return nil })
		checkInverse(t, "dtrtri", before, g.After(t, "guarded"))

		// The same triangle to solve with, from either side, for columns of any number.
		g = p.hold(testmat.Func(n, n, mirrored), lda, triangleOf(ul, diag == blas.Unit))
		before = g.Matrix()
		side, tr := []blas.Side{blas.Left, blas.Right}[p.Below(2)], []blas.Transpose{blas.NoTrans, blas.Trans}[p.Below(2)]
		nrhs := 1 + p.Below(40)
		b := testmat.Random(p.rng, n, nrhs)
		op := before
		if tr != blas.NoTrans {
			op = before.T()
		}
		if side == blas.Right {
			b = b.T()
		}
		x, intact := p.dense(b)
		_ = p.do(func() error {
			factor.Trsm(factor.On(p.bk), side, ul, tr, diag, n, nrhs, 1, block.Dense(g.X, g.Ld), blockOf(x.RawMatrix()))
			return nil
		})
		if intact(); side == blas.Left {
			checkSolution(t, "dtrsm", op, testmat.Of(x), b)
		} else {
			checkSolution(t, "dtrsm", op.T(), testmat.Of(x).T(), b.T())
		}
		g.Check(t, "guarded")
	})
}
