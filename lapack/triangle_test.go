package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A triangleFamily makes upper triangles with a positive diagonal.
type triangleFamily struct {
	name string
	at   func(rng *rand.Rand, n, i, j int) float64 // j >= i
}

func triangleFamilies() []triangleFamily {
	// Well conditioned for its order: elements of order one would make an inverse that grows as 2ⁿ.
	random := func(rng *rand.Rand, n, i, j int) float64 {
		x := rng.NormFloat64()
		switch {
		case i == j:
			return 1 + math.Abs(x)
		case n > 40:
			return x / float64(n)
		}
		return x / math.Sqrt(float64(n))
	}
	scaled := func(scale func(n, i, j int) float64) func(rng *rand.Rand, n, i, j int) float64 {
		return func(rng *rand.Rand, n, i, j int) float64 { return scale(n, i, j) * random(rng, n, i, j) }
	}
	return []triangleFamily{
		{"random", random},
		{"graded-rows", scaled(func(n, i, _ int) float64 { return math.Pow(10, -16*float64(i)/float64(n)) })},
		{"graded-columns", scaled(func(n, _, j int) float64 { return math.Pow(10, 16*float64(j)/float64(n)) })},
		{"graded-shuffled", scaled(func(_, i, j int) float64 { return math.Pow(10, float64(i*7%13)-float64(j*5%11)) })},
		// Kahan's matrix, of which the condition number grows as (1+c)ⁿ/sⁿ.
		{"kahan", func(_ *rand.Rand, _, i, j int) float64 {
			const c = 0.2
			s := math.Pow(math.Sqrt(1-c*c), float64(i))
			if i == j {
				return s
			}
			return -c * s
		}},
	}
}

// eachFamily runs f for all families at orders up to 40, for two block sizes, and for one family after
// the other at orders around the boundaries of tiles, base cases and halves.
func eachFamily(f func(name string, family triangleFamily, s size)) {
	families := triangleFamilies()
	for i, s := range append(sizes(), size{96, 0}, size{191, 0}, size{192, 0}, size{193, 0}, size{257, 0}, size{300, 0}, size{2*block.Size + 9, 0}) {
		for j, family := range families {
			if s.n <= 40 || i%len(families) == j || s.n > 300 && j == 0 {
				f(fmt.Sprintf("%s n=%d nb=%d", family.name, s.n, s.nb), family, s)
			}
		}
	}
}

// choleskyOf returns the factorization whose factor is U, from one of the families, and U.
func choleskyOf(rng *rand.Rand, bk blskernel.Backend, family triangleFamily, s size) (*Cholesky, *full) {
	n := s.n
	c := &Cholesky{symmetric: symmetric{factored: factored{bk, &lazy[float64]{value: 1, done: true}}, routines: &choleskyRoutines,
		n: n, u: make([]float64, block.PackedLen(n)), nb: s.nb}}
	for i := range n {
		for j := i; j < n; j++ {
			c.u[block.PackedIndex(n, i, j)] = family.at(rng, n, i, j)
		}
	}
	return c, factorOf(c.UTo)
}

// checkProduct tests that C is A B, element by element,
//
//	|C - A B| <= (2k + 6) u |A||B|,   k columns of A,
//
// where A B is computed. It holds where C is computed as that product, and also where A or B is the
// solution of a triangular system with the right side C by substitution: then (Higham, theorem 8.5, and
// one rounding more for a reciprocal of the diagonal) the exact product is within γ(k+1)|A||B| of C,
// the computed one within γ(k) of that, and the difference and second order terms are within the rest.
func checkProduct(t *testing.T, name string, c, a, b *full) {
	t.Helper()
	ab, bound := a.Mul(b), a.Abs().Mul(b.Abs())
	for i := range c.R {
		for j := range c.C {
			tolerance := float64(2*a.C+6) * eps * bound.At(i, j)
			if got := math.Abs(c.At(i, j) - ab.At(i, j)); !(got <= tolerance) {
				t.Errorf("%s: element (%d, %d) differs by %.3g, bound %.3g", name, i, j, got, tolerance)
				return
			}
		}
	}
}

// A triangularSolve is one of the routines for op(U) X = B, or X op(U) = B if rows is set.
type triangularSolve struct {
	name  string
	rows  bool
	solve func(dst, b *mat.Dense, trans bool) error
}

// triangularSolves lists the solves with the factor of c, and with the same triangle in a matrix r.
func triangularSolves(bk blskernel.Backend, c *Cholesky, r *mat.Dense) []triangularSolve {
	in := func(solve func(bk blskernel.Backend, dst, r *mat.Dense, trans bool) error) func(dst, b *mat.Dense, trans bool) error {
		return func(dst, b *mat.Dense, trans bool) error {
			if dst.IsEmpty() {
				dst.CloneFrom(b)
			}
			return solve(bk, dst, r, trans)
		}
	}
	return []triangularSolve{
		{"SolveUTo", false, c.SolveUTo}, {"SolveURowsTo", true, c.SolveURowsTo},
		{"SolveTriangular", false, in(SolveTriangular)}, {"SolveTriangularRows", true, in(SolveTriangularRows)},
	}
}

// This tests U⁻¹B, U⁻ᵀB, B U⁻¹ and B U⁻ᵀ, in place and not, and that U is only read. For a Cholesky
// they are the two halves of SolveTo and SolveRowsTo to the bit.
func TestTriangularSolves(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(211)
		eachFamily(func(name string, family triangleFamily, s size) {
			c, u := choleskyOf(rng, bk, family, s)
			g := newGuarded(blas.Upper, s.n, s.n+3, false, u.At)
			for _, routine := range triangularSolves(bk, c, g.View()) {
				for _, m := range []int{1, 5} {
					b := testmat.Random(rng, s.n, m)
					if routine.rows {
						b = b.T()
					}
					for _, trans := range []bool{false, true} {
						name := fmt.Sprintf("%s: %s m=%d trans=%v", routine.name, name, m, trans)
						bd, intact := wide(t, b)
						var x mat.Dense
						if err := routine.solve(&x, bd, trans); err != nil {
							t.Errorf("%s: %v", name, err)
							continue
						}
						op, xf := u, testmat.Of(&x)
						if trans {
							op = u.T()
						}
						if routine.rows {
							checkProduct(t, name, b, xf, op)
						} else {
							checkProduct(t, name, b, op, xf)
						}
						if !testmat.SameBits(testmat.Of(bd).X, b.X) {
							t.Errorf("%s: the right-hand sides were changed", name)
						}
						if err := routine.solve(bd, bd, trans); err != nil || !testmat.SameBits(testmat.Of(bd).X, xf.X) {
							t.Errorf("%s: in place it is another solution, or %v", name, err)
						}
						intact()
					}
				}
			}
			if !testmat.SameBits(g.After(t, name).X, u.X) {
				t.Errorf("%s: the triangle was changed", name)
			}
			b := testmat.Random(rng, s.n, 5).Dense()
			for _, f := range []struct {
				half  func(dst, b *mat.Dense, trans bool) error
				whole func(dst, b *mat.Dense) error
				b     *mat.Dense
				trans bool
			}{{c.SolveUTo, c.SolveTo, b, true}, {c.SolveURowsTo, c.SolveRowsTo, testmat.Of(b).T().Dense(), false}} {
				var whole, halves mat.Dense
				err := errors.Join(f.whole(&whole, f.b), f.half(&halves, f.b, f.trans), f.half(&halves, &halves, !f.trans))
				if err != nil || !testmat.SameBits(testmat.Of(&whole).X, testmat.Of(&halves).X) {
					t.Errorf("%s: the halves of the solution do not make it, or %v", name, err)
				}
			}
		})
	})
}

// checkTriangles runs the routines that overwrite one triangle by another, on what hold returns, and
// tests the equation of each: Uᵀ X = L and X = U R, and for the inverse V U = I. The left residual of
// that is small element by element: each half's equation is one product and one solution, with sums of
// n terms together.
func checkTriangles(
	t *testing.T, name string, bk blskernel.Backend, rng *rand.Rand, c *Cholesky, do func(f func() error) error,
	hold func(a *full, part func(i, j int) bool) *held,
) {
	t.Helper()
	u := factorOf(c.UTo)
	random := func(_, _ int) float64 { return rng.NormFloat64() }
	signed := func(i, j int) float64 { return u.At(i, j) * (1 - 2*testmat.Unless(i != j || i%3 != 1)) }
	for _, routine := range []struct {
		name  string
		ul    blas.Uplo
		at    func(i, j int) float64
		run   func(x *mat.Dense) error
		check func(name string, before, after *full)
	}{
		{"SolveUTriangle", blas.Lower, random, c.SolveUTriangle,
			func(name string, l, x *full) { checkProduct(t, name, l, u.T(), x) }},
		{"MulUTriangle", blas.Upper, random, c.MulUTriangle,
			func(name string, r, x *full) { checkProduct(t, name, x, u, r) }},
		{"InvertTriangle", blas.Upper, signed, func(x *mat.Dense) error { return InvertTriangle(bk, x) },
			func(name string, r, v *full) { checkProduct(t, name, testmat.Identity(c.n), v, r) }},
	} {
		name := routine.name + ": " + name
		g := hold(testmat.Func(c.n, c.n, routine.at), triangleOf(routine.ul, false))
		before, rcond := g.Matrix(), 0.0
		err := do(func() error {
			if routine.name == "InvertTriangle" {
				rcond = RCondTriangle(bk, g.View())
			}
			if !testmat.SameBits(g.Matrix().X, before.X) {
				t.Errorf("%s: RCondTriangle changed the triangle", name)
			}
			return routine.run(g.View())
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		after := g.After(t, name)
		if routine.check(name, before, after); routine.name == "InvertTriangle" {
			checkRCond(t, name, rcond, before, after)
		}
	}
}

func TestTriangles(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(213)
		eachFamily(func(name string, family triangleFamily, s size) {
			c, _ := choleskyOf(rng, bk, family, s)
			for _, lda := range []int{s.n + 3, max(1, s.n)} {
				if lda > s.n || s.n <= 40 {
					checkTriangles(t, name, bk, rng, c, func(f func() error) error { return f() },
						func(a *full, part func(i, j int) bool) *held { return hold(a, lda, part) })
				}
			}
		})
	})
}

// The estimate equals QR's, which has the same R, and is 0 if there is no inverse. TestTriangles
// compares it with the norm of the inverse, and TestRCondScaled has it at every scale.
func TestRCondTriangle(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		q := QR{Backend: bk}
		testutil.NoError(t, q.Factorize(testmat.Random(testutil.Rand(225), 60, 50).Dense()))
		var r mat.Dense
		q.RTo(&r)
		if a, b := q.RCond(), RCondTriangle(bk, &r); !(a > 0) || a != b {
			t.Errorf("QR.RCond is %v, RCondTriangle %v", a, b)
		}
	})
	inf, nan := math.Inf(1), math.NaN()
	for _, r := range [][]float64{{1, 2, 3, 0}, {1, 2, 3, -1 / inf}, {1, 2, 3, nan}, {1, 2, 3, inf}, {1, 2, 3, -inf}, {1, nan, 0, 1}} {
		if got := RCondTriangle(nil, mat.NewDense(2, 2, r)); got != 0 {
			t.Errorf("%v: %v, want 0", r, got)
		}
	}
	if got := RCondTriangle(nil, &mat.Dense{}); got != 1 {
		t.Errorf("nothing: %v, want 1", got)
	}
}

// A zero on a diagonal is an error that leaves everything unchanged. An overflow is an error too;
// elements after it may be NaN, but none before.
func TestTriangleErrors(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const n = 150
		rng := testutil.Rand(215)
		rf, b := testmat.Random(rng, n, n), testmat.Random(rng, n, 3)
		rf.Set(40, 40, 0)
		rf.Set(70, 70, 0)
		r, x := rf.Dense(), b.Dense()
		wantPivot(t, "SolveTriangular", SolveTriangular(bk, x, r, true), ErrSingular, 40)
		wantPivot(t, "InvertTriangle", InvertTriangle(bk, r), ErrSingular, 40)
		if !testmat.SameBits(denseData(r), rf.X) || !testmat.SameBits(denseData(x), b.X) {
			t.Error("a matrix was changed")
		}
		// U = s I, of which the quotients or products by 4 overflow, and that by 1 does not.
		scaled := func(s float64) *Cholesky {
			c, _ := choleskyOf(rng, bk, triangleFamily{"", func(_ *rand.Rand, _, i, j int) float64 { return s * testmat.Unless(i != j) }}, size{n, 0})
			return c
		}
		units := func() *mat.Dense {
			x := testmat.Identity(n)
			x.Set(99, 99, 4)
			return x.Dense()
		}
		small, large := scaled(0x1p-1023), scaled(0x1p1022)
		for _, routine := range triangularSolves(bk, small, factorOf(small.UTo).Dense()) {
			wantElement(t, routine.name, routine.solve(&mat.Dense{}, units(), !routine.rows), ErrOverflow, 99, 99)
		}
		wantElement(t, "SolveUTriangle", small.SolveUTriangle(units()), ErrOverflow, 99, 99)
		tiny := testmat.Identity(n)
		tiny.Set(0, 0, 0x1p-1074)
		wantElement(t, "InvertTriangle", InvertTriangle(bk, tiny.Dense()), ErrOverflow, 0, 0)
		wantElement(t, "MulUTriangle", large.MulUTriangle(units()), ErrOverflow, 99, 99)
	})
}
