package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"
)

// Exactly singular matrices that must be refused, and negative pivots of Cholesky. Rounding turns most
// singular matrices into nonsingular ones that RCond gives away; a pivot is exactly zero where
//
//   - a row or a column is zero, since zeros stay zeros in every elimination;
//   - the rank is deficient and the elimination exact: every quotient of the elimination and every sum
//     of products, in any order, has few digits.

// exactRank returns factors of exact products L D Lᵀ, or L D Mᵀ, of the given rank: L is unit lower
// triangular with quarters of -1, 0 and 1, so that sums of n products are multiples of 1/16 below n and
// exact, and D has ones, then zeros. No pivots are exchanged: the first row and column of every such
// product are at most 1/4 off the diagonal, which has 1, and the Schur complement is one again.
func exactRank(rng *rand.Rand, n, rank int) (l, d *full) {
	l = testmat.Func(n, n, func(i, j int) float64 {
		if j < i {
			return float64(rng.IntN(3)-1) / 4
		}
		return testmat.Unless(i != j)
	})
	return l, testmat.Identity(n).Weigh(func(i, _ int) float64 { return testmat.Unless(i >= rank) })
}

func TestExactlySingular(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(71)
		for _, n := range []int{1, 2, 3, 5, 17, 33, 64, 65, 97, 129, 200} {
			for _, f := range factorizations(t, bk) {
				refused := func(what string, a *full, first, last int) {
					t.Helper()
					for _, inPlace := range []bool{false, true} {
						name := fmt.Sprintf("%s: n=%d: %s", f.name, n, what)
						wantPivotIn(t, name, f.factorize(a, inPlace), f.singular, first, last, 0)
					}
				}
				for _, rank := range []int{0, 1, n / 3, n / 2, n - 1} {
					if rank >= n {
						continue
					}
					l, d := exactRank(rng, n, rank)
					m := l
					// A second factor makes eliminating the transpose as exact.
					if !f.symmetric {
						m, _ = exactRank(rng, n, rank)
					}
					refused(fmt.Sprintf("rank %d", rank), l.Mul(d).Mul(m.T()), rank, rank)
				}
				for _, p := range []int{0, n / 2, n - 1} {
					zero := fmt.Sprintf("zero row or column %d", p)
					without := func(a *full, row, column int) *full {
						return a.Weigh(func(i, j int) float64 { return testmat.Unless(i == row || j == column) })
					}
					switch {
					case f.definite:
						spd := testmat.Spectral(rng, n, func(i int) float64 { return 1 + float64(i%5) })
						refused(zero, without(spd, p, p), p, p)
						negative := testmat.Identity(n)
						negative.Set(p, p, -1)
						for _, nb := range []int{0, 3} {
							err := newCholesky(t, bk, nb, plain(t)).factorize(negative, false)
							wantPivotIn(t, f.name, err, ErrNotPositiveDefinite, p, p, -1)
						}
					case f.symmetric: // exchanges move row p further down, or leave it
						refused(zero, without(testmat.Normal(true, testmat.One)(rng, n), p, p), p, n-1)
					default:
						// A row of zeros sinks to the last place of LU and a
						// column of zeros stays in its own, or, if the
						// transpose is factored, the other way round.
						row, column := without(testmat.Random(rng, n, n), p, -1), without(testmat.Random(rng, n, n), -1, p)
						if _, transposed := backend.ColumnMajor(bk); transposed {
							row, column = column, row
						}
						refused(zero, row, n-1, n-1)
						refused(zero, column, p, p)
					}
				}
				// All elements are powers of two, of rank one, at every scale. The root
				// of an odd power of two is rounded.
				for _, scale := range []float64{1, 0x1p490, 0x1p-490} {
					power := make([]float64, n)
					for i := range power {
						power[i] = math.Ldexp(1, rng.IntN(9)-4)
						if !f.definite && rng.IntN(2) == 0 {
							power[i] *= -1
						}
					}
					if n > 1 {
						refused("powers of two", testmat.Sym(n, func(i, j int) float64 { return scale * power[i] * power[j] }), 1, 1)
					}
				}
			}
		}
	})
}

// wantPivotIn tests that err is a *PivotError of the given kind for a pivot in first..last, which has
// the given value if that is not NaN.
func wantPivotIn(t *testing.T, name string, err, kind error, first, last int, pivot float64) {
	t.Helper()
	var p *PivotError
	if !errors.As(err, &p) || !errors.Is(err, kind) || p.Index < first || p.Index > last || p.Pivot != pivot && pivot == pivot {
		t.Errorf("%s: error %v, want %v and a pivot %v in %d..%d", name, err, kind, pivot, first, last)
	}
}

// Solutions, inverses and eliminations that overflow are errors. Small integers of rank 2 with exact
// quotients are singular.
func TestOverflowOfOrderTwo(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, f := range factorizations(t, bk) {
			testutil.NoError(t, f.factorize(testmat.From(1, 1, 1e-310), true))
			_, err := f.inverse(false)
			wantElement(t, f.name, err, ErrOverflow, 0, 0)
			wantElement(t, f.name, f.SolveTo(&mat.Dense{}, mat.NewDense(1, 1, []float64{1})), ErrOverflow, 0, 0)
			if _, err := f.inverse(true); !errors.Is(err, ErrOverflow) || errors.Is(err, ErrSingular) {
				t.Errorf("%s: error %v", f.name, err)
			}
			// 1e308 - 1e308*(1e308/-1e308).
			switch {
			case f.definite:
			case f.symmetric:
				wantPivot(t, f.name, f.factorize(testmat.From(2, 2, -1e308, 1e308, 1e308, 1e308), false), ErrNotFinite, 1)
			default:
				wantPivot(t, f.name, f.factorize(testmat.From(2, 2, 1e308, 1e308, -1e308, 1e308), false), ErrNotFinite, 1)
				wantPivot(t, f.name, f.factorize(testmat.From(3, 3, 4, 2, 1, 2, 2, 1, -2, 0, 0), false), ErrSingular, 2)
			}
		}
	})
}

// The inverse of a tiny matrix has infinities exactly where its elements overflow, and no NaN.
func TestInverseOfTiny(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		_, library := backend.ColumnMajor(bk)
		for _, n := range []int{1, 2, 3, 40} {
			a, want := testmat.New(n, n), testmat.New(n, n)
			for i := range n {
				a.Set(i, i, 1e-310)
				want.Set(i, i, math.Inf(1))
				if i%2 == 1 {
					a.Set(i, i, 0x1p-1022)
					want.Set(i, i, 0x1p1022)
				}
			}
			check := func(name string, err error, got *full) {
				t.Helper()
				wantElement(t, fmt.Sprintf("%s, n=%d", name, n), err, ErrOverflow, 0, 0)
				if !slices.Equal(got.X, want.X) {
					t.Errorf("%s, n=%d: the inverse begins with %v", name, n, got.X[:min(3, n)])
				}
			}
			for _, f := range factorizations(t, bk) {
				if err := f.factorize(a, false); err != nil && library && !f.symmetric {
					continue // OpenBLAS multiplies by reciprocals of the pivots, which are infinite
				}
				x, err := f.inverse(false)
				check(f.name, err, x)
			}
			r := a.Dense()
			check("InvertTriangle", InvertTriangle(bk, r), testmat.Of(r))
		}
	})
}

// Eliminations that overflow on the way end with an error that says so. The elements are random signs
// of nearly the largest number, whose Schur complements are zero or overflow.
func TestOverflow(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(73)
		overflows := 0
		for _, n := range []int{1, 2, 3, 4, 5, 8, 16, 17, 33, 65, 100, 129, 200} {
			for range 4 {
				a := testmat.Sym(n, func(i, j int) float64 { return math.Copysign(1.7e308, rng.Float64()-0.5) })
				for _, f := range factorizations(t, bk) {
					err := f.factorize(a, false)
					var p *PivotError
					switch {
					case err == nil && n > 16:
						t.Errorf("%s: n=%d: no overflow", f.name, n)
					case err == nil:
					case !errors.As(err, &p) || p.Index < 0 || p.Index >= n:
						t.Errorf("%s: n=%d: error %v", f.name, n, err)
					case errors.Is(err, ErrNotFinite):
						overflows++
					case f.definite && errors.Is(err, ErrNotPositiveDefinite):
					case n > 8 || !errors.Is(err, ErrSingular): // equal rows
						t.Errorf("%s: n=%d: error %v", f.name, n, err)
					}
				}
			}
		}
		if overflows < 50 {
			t.Errorf("only %d eliminations overflowed", overflows)
		}
	})
}

// The message says what, where and what to do.
func TestErrorMessages(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&PivotError{"Dpptrf", 17, -0.25, ErrNotPositiveDefinite}, "Dpptrf: pivot 17 is -0.25: " +
			"matrix is not positive definite; use LDLT, or add a ridge to the diagonal"},
		{&PivotError{"Dgetrf", 3, 0, ErrSingular}, "Dgetrf: pivot 3 is exactly zero: matrix is singular; " +
			"remove dependent rows or columns, or add a ridge to the diagonal"},
		{&PivotError{"Dsptrf", 1, math.Inf(1), ErrNotFinite},
			"Dsptrf: pivot 1 is +Inf: the elimination overflowed; scale the matrix"},
		{&ElementError{"Dgeqrf", 2, 5, math.NaN(), ErrNotFinite},
			"Dgeqrf: element (2, 5) of the input is NaN; remove or replace such values first"},
		{&ElementError{"Dsptri", 0, 4, math.Inf(-1), ErrOverflow}, "Dsptri: element (0, 4) of the result is -Inf: " +
			"overflow; scale the input, or add a ridge to the diagonal if RCond is small"},
		{&GrowthError{"Dgetrf", 1e120, 0}, "Dgetrf: elements grew by a factor of 1e+120 during the elimination, so the result loses about 16 digits; use Factorize, which keeps the matrix and refines solutions, or QR"},
		{&GrowthError{"Dgetrs", 1e120, 1e-8}, "Dgetrs: elements grew by a factor of 1e+120 during the elimination and refinement did not converge, so the result loses about 8 digits; use QR"},
	} {
		if got := c.err.Error(); got != "lapack: "+c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
