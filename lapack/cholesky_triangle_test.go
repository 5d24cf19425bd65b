package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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
		{"diagonal", func(rng *rand.Rand, _, i, j int) float64 {
			if i != j {
				return 0
			}
			return 0.5 + rng.Float64()
		}},
	}
}

// eachFamily runs f for all families at orders to 40, for two block sizes, and for one after the other
// at orders about the boundaries of tiles, base cases and halves.
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

// choleskyOf returns the factorization of which the factor is U, of one of the families, and U.
func choleskyOf(rng *rand.Rand, bk blskernel.Backend, family triangleFamily, s size) (*Cholesky, *full) {
	n := s.n
	c := &Cholesky{symmetric: symmetric{routines: &choleskyRoutines, backend: bk, n: n, u: make([]float64, block.PackedLen(n)), nb: s.nb}}
	for i := range n {
		for j := i; j < n; j++ {
			c.u[block.PackedIndex(n, i, j)] = family.at(rng, n, i, j)
		}
	}
	return c, upperOf(n, c.u, false)
}

// view returns the triangle as part of a matrix of which all else is NaN.
func (g *guarded) view() *mat.Dense {
	d := &mat.Dense{}
	if g.n > 0 {
		d.SetRawMatrix(blas64.General{Rows: g.n, Cols: g.n, Stride: g.lda, Data: g.a})
	}
	return d
}

// strides returns distances of rows of length n: the least for small orders, and one with gaps.
func strides(n int) []int {
	if n <= 40 {
		return []int{max(1, n), n + 3}
	}
	return []int{n + 3}
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
	ab, bound := a.mul(b), magnitudes(a).mul(magnitudes(b))
	for i := range c.r {
		for j := range c.c {
			tolerance := float64(2*a.c+6) * eps * bound.at(i, j)
			if got := math.Abs(c.at(i, j) - ab.at(i, j)); !(got <= tolerance) {
				t.Errorf("%s: element (%d, %d) differs by %.3g, bound %.3g", name, i, j, got, tolerance)
				return
			}
		}
	}
}

// U⁻¹B, U⁻ᵀB, B U⁻¹ and B U⁻ᵀ, in place and not, and the two halves of SolveTo and SolveRowsTo to the
// bit.
func TestCholeskySolveU(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(211)
		eachFamily(func(name string, family triangleFamily, s size) {
			c, u := choleskyOf(rng, bk, family, s)
			const m = 5
			b := randomFull(rng, s.n, m)
			for _, rows := range []bool{false, true} {
				solve, both, b := c.SolveUTo, c.SolveTo, b
				if rows {
					solve, both, b = c.SolveURowsTo, c.SolveRowsTo, b.transpose()
				}
				bd, intact := wide(t, b)
				var x [2]mat.Dense
				for k, trans := range []bool{false, true} {
					name := fmt.Sprintf("%s rows=%v trans=%v", name, rows, trans)
					if err := solve(&x[k], bd, trans); err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					op, xf := u, fullOf(&x[k])
					if trans {
						op = u.transpose()
					}
					if rows {
						checkProduct(t, name, b, xf, op)
					} else {
						checkProduct(t, name, b, op, xf)
					}
					if !sameBits(fullOf(bd).x, b.x) {
						t.Errorf("%s: the right-hand sides were changed", name)
					}
					in, inside := wide(t, b)
					if err := solve(in, in, trans); err != nil || !sameBits(fullOf(in).x, xf.x) {
						t.Errorf("%s: in place it is another solution, or %v", name, err)
					}
					inside()
				}
				intact()
				first, then := 1, false
				if rows {
					first, then = 0, true
				}
				var whole mat.Dense
				if err := errors.Join(solve(&x[first], &x[first], then), both(&whole, bd)); err != nil || !sameBits(fullOf(&whole).x, fullOf(&x[first]).x) {
					t.Errorf("%s rows=%v: the halves of the solution do not make it, or %v", name, rows, err)
				}
			}
		})
	})
}

// More rows than a panel has, each as if it were alone.
func TestCholeskySolveUPanels(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(212)
		c, u := choleskyOf(rng, bk, triangleFamilies()[0], size{7, 0})
		b := randomFull(rng, 2*rowPanel+3, 7)
		bd, intact := wide(t, b)
		if err := c.SolveURowsTo(bd, bd, false); err != nil {
			t.Fatal(err)
		}
		intact()
		checkProduct(t, "panels", b, fullOf(bd), u)
	})
}

// Uᵀ X = L in the lower triangle only, X lower triangular.
func TestCholeskySolveUTriangle(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(213)
		eachFamily(func(name string, family triangleFamily, s size) {
			c, u := choleskyOf(rng, bk, family, s)
			for _, lda := range strides(s.n) {
				g := newGuarded(blas.Lower, s.n, lda, false, func(_, _ int) float64 { return rng.NormFloat64() })
				l := g.triangular()
				if err := c.SolveUTriangle(g.view()); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				g.check(t, name)
				checkProduct(t, name, l, u.transpose(), g.triangular())
			}
		})
	})
}

// X = U R in the upper triangle only, both upper triangular.
func TestCholeskyMulUTriangle(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(214)
		eachFamily(func(name string, family triangleFamily, s size) {
			c, u := choleskyOf(rng, bk, family, s)
			for _, lda := range strides(s.n) {
				g := newGuarded(blas.Upper, s.n, lda, false, func(_, _ int) float64 { return rng.NormFloat64() })
				r := g.triangular()
				if err := c.MulUTriangle(g.view()); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				g.check(t, name)
				checkProduct(t, name, g.triangular(), u, r)
			}
		})
	})
}

// With integers everything is exact: U of ones, of which the inverse has two diagonals.
func TestCholeskyTriangleGolden(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 9, 65, 2*block.Size + 9} {
			ones := triangleFamily{"ones", func(*rand.Rand, int, int, int) float64 { return 1 }}
			c, _ := choleskyOf(nil, bk, ones, size{n, 0})
			r, l := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
			for i := range n {
				for j := range n {
					r.Set(i, j, float64(j-i))
					l.Set(i, j, float64(i*i+j))
				}
			}
			if err := errors.Join(c.MulUTriangle(r), c.SolveUTriangle(l)); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := range n {
					d := float64(j - i)
					wantR, wantL := d*(d+1)/2, float64(i*i+j)
					if j < i {
						wantR = d
						wantL -= float64((i-1)*(i-1) + j) // the row above, which is zero if it ends before j
					}
					if r.At(i, j) != wantR || l.At(i, j) != wantL {
						t.Fatalf("n=%d: element (%d, %d) of U R is %v, want %v, of U⁻ᵀL %v, want %v", n, i, j, r.At(i, j), wantR, l.At(i, j), wantL)
					}
				}
			}
		}
	})
}

// What is refused is not changed, and what overflows is an error.
func TestCholeskyTriangleErrors(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const n = 150
		rng := testutil.Rand(215)
		c, _ := choleskyOf(rng, bk, triangleFamilies()[0], size{n, 0})
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			refused := func(name string, i, j int, do func(x *mat.Dense) error) {
				t.Helper()
				b := randomFull(rng, n, n)
				b.set(i, j, bad)
				b.set(n-1, j, bad) // not the first, or the same
				x := b.dense()
				wantElement(t, name, do(x), ErrNotFinite, i, j)
				if !sameBits(x.RawMatrix().Data, b.x) {
					t.Errorf("%s: the matrix was changed", name)
				}
			}
			refused("SolveUTo", 3, 4, func(x *mat.Dense) error { return c.SolveUTo(x, x, true) })
			refused("SolveURowsTo", 3, 4, func(x *mat.Dense) error { return c.SolveURowsTo(x, x, false) })
			refused("SolveUTriangle", 120, 7, c.SolveUTriangle)
			refused("MulUTriangle", 7, 120, c.MulUTriangle)
		}
		// U = s I, of which the quotients or products by 4 overflow, and that by 1 does not.
		// What follows may be NaN, but nothing before.
		scaled := func(s float64) *Cholesky {
			c, _ := choleskyOf(rng, bk, triangleFamily{"", func(_ *rand.Rand, _, i, j int) float64 {
				if i != j {
					return 0
				}
				return s
			}}, size{n, 0})
			return c
		}
		units := func() *mat.Dense {
			x := identity(n)
			x.set(99, 99, 4)
			return x.dense()
		}
		small, large := scaled(0x1p-1023), scaled(0x1p1022)
		wantElement(t, "SolveUTo", small.SolveUTo(&mat.Dense{}, units(), true), ErrSingular, 99, 99)
		wantElement(t, "SolveURowsTo", small.SolveURowsTo(&mat.Dense{}, units(), false), ErrSingular, 99, 99)
		wantElement(t, "SolveUTriangle", small.SolveUTriangle(units()), ErrSingular, 99, 99)
		err := large.MulUTriangle(units())
		if !errors.Is(err, ErrNotFinite) || errors.Is(err, ErrSingular) {
			t.Errorf("MulUTriangle: %v", err)
		}
		if want := "lapack: Dttrmm: element (99, 99) of the product overflows: NaN or infinity; scale the matrices"; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}
