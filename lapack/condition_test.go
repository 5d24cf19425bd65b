package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// gonumInverse returns A⁻¹, computed with gonum's own LU.
func gonumInverse(a *full) *full {
	n := a.R
	inv := testmat.New(n, n)
	copy(inv.X, a.X)
	ipiv, work := make([]int, n), make([]float64, max(1, n))
	var impl gonum.Implementation
	impl.Dgetrf(n, n, inv.X, max(1, n), ipiv)
	impl.Dgetri(n, inv.X, max(1, n), ipiv, work, len(work))
	return inv
}

// The estimates are at least the true values, and at most ten times as large, in both norms, for both
// triangles, and for matrices times 2⁻⁹⁰⁰, 1 and 2⁹⁰⁰. What a routine does not read is NaN.
func TestCondition(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		impl := Implementation{Backend: bk}
		norms := map[gonumlapack.MatrixNorm]func(a *full) *full{
			gonumlapack.MaxColumnSum: func(a *full) *full { return a },
			gonumlapack.MaxRowSum:    (*full).T,
		}
		for _, n := range []int{0, 1, 2, 3, 4, 7, 8, 9, 33, 64, 130} {
			rng := testutil.Rand(uint64(n))
			general, definite, random := testmat.Random(rng, n, n), testmat.Spectral(rng, n, testmat.From1), testmat.Random(rng, n, n)
			ipiv, work, iwork := make([]int, n), nans(4*n), make([]int, n)
			for _, exponent := range []int{0, -900, 900} {
				check := func(name string, got float64, a *full) {
					t.Helper()
					checkRCond(t, fmt.Sprintf("n=%d, 2^%d: %s", n, exponent, name), got, a, gonumInverse(a))
				}
				h := hold(general.Times(exponent), n+3, whole)
				ok := impl.Dgetrf(n, n, h.X, h.Ld, ipiv)
				for norm, of := range norms {
					anorm := of(general.Times(exponent)).Norm()
					check(fmt.Sprintf("Dgecon %c", norm), impl.Dgecon(norm, n, h.X, h.Ld, anorm, work, iwork), of(general))
				}
				for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
					h = hold(definite.Times(exponent), n+3, triangleOf(ul, false))
					ok = impl.Dpotrf(ul, n, h.X, h.Ld) && ok
					check(fmt.Sprintf("Dpocon %c", ul), impl.Dpocon(ul, n, h.X, h.Ld, definite.Times(exponent).Norm(), work, iwork), definite)
					for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
						h = newGuarded(ul, n, n+3, diag == blas.Unit, func(i, j int) float64 {
							if i == j {
								return math.Ldexp(float64(1+i%3), exponent)
							}
							return math.Ldexp(random.At(i, j)/float64(n), exponent) // for a small condition number
						})
						for norm, of := range norms {
							if diag == blas.NonUnit || exponent == 0 {
								got := impl.Dtrcon(norm, ul, diag, n, h.X, h.Ld, work, iwork)
								check(fmt.Sprintf("Dtrcon %c %c %c", norm, ul, diag), got, of(h.Matrix().Times(-exponent)))
							}
						}
					}
				}
				if !ok {
					t.Fatalf("n=%d: no factorization", n)
				}
			}
		}
	})
}

// An infinite or unknown condition number gives 0, and NaN gives NaN.
func TestConditionExtremes(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const n = 5
		impl := Implementation{Backend: bk}
		work, iwork := make([]float64, 4*n), make([]int, n)
		inf, nan := math.Inf(1), math.NaN()
		for _, c := range []struct {
			name     string
			at       float64 // element 2, 2 of I, or of a dense matrix
			anorm    float64
			factored float64
			triangle float64
			dense    bool
		}{
			{"I", 1, 1, 1, 1, false},
			{"singular", 0, 1, 0, 0, false},
			{"singular and dense", 0, 1, 0, 0, true},
			{"norm 0", 1, 0, 0, 1, false},
			{"infinite norm", 1, inf, 0, 1, false},
			{"norm NaN", 1, nan, nan, 1, false},
			{"NaN", nan, 1, 0, nan, false},
			{"NaN and dense", nan, 1, 0, nan, true},
			{"overflow", 0x1p-1060, 1, 0, 0, false},
		} {
			a := testmat.Identity(n)
			if c.dense {
				a = testmat.Random(testutil.Rand(7), n, n)
			}
			a.Set(2, 2, c.at)
			for _, norm := range []gonumlapack.MatrixNorm{gonumlapack.MaxColumnSum, gonumlapack.MaxRowSum} {
				for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
					for name, pair := range map[string][2]float64{
						"Dgecon": {c.factored, impl.Dgecon(norm, n, a.X, n, c.anorm, work, iwork)},
						"Dpocon": {c.factored, impl.Dpocon(ul, n, a.X, n, c.anorm, work, iwork)},
						"Dtrcon": {c.triangle, impl.Dtrcon(norm, ul, blas.NonUnit, n, a.X, n, work, iwork)},
					} {
						if want, got := pair[0], pair[1]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
							t.Errorf("%s: %s(%c, %c) = %v, want %v", c.name, name, norm, ul, got, want)
						}
					}
				}
			}
		}
		// Elements of 2⁸⁰⁰ times solutions near the condition number, 2³⁰¹, would overflow.
		u := []float64{0x1p800, 0x1p800, 0, 0x1p500}
		if got := impl.Dtrcon(gonumlapack.MaxColumnSum, blas.Upper, blas.NonUnit, 2, u, 2, work, iwork); !(got >= 0x1p-302 && got <= 0x1p-300) {
			t.Errorf("rcond = %v, want %v", got, 0x1p-301)
		}
	})
}

// RCond does not depend on the scale of the matrix, unless the norm itself overflows.
func TestRCondScaled(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, s := range []float64{0x1p1023, 1.7e308, 0x1p900, 0x1p901, 1, 0x1p-900, 0x1p-1000} {
			check := func(name string, err error, rcond func() float64) {
				t.Helper()
				if err != nil {
					t.Errorf("%s, scale %g: %v", name, s, err)
				} else if got := rcond(); !(math.Abs(got-1) <= 4*eps) {
					t.Errorf("%s, scale %g: RCond = %v, want 1", name, s, got)
				}
			}
			swap := testmat.From(2, 2, 0, s, s, 0)
			for _, f := range factorizations(t, bk) {
				a := swap
				if f.definite {
					a = testmat.From(2, 2, s, 0, 0, s)
				}
				check(f.name, f.factorize(a, false), f.RCond)
			}
			q := QR{Backend: bk}
			check("QR", q.Factorize(swap.Dense()), q.RCond)
			check("RCondTriangle", nil, func() float64 { return RCondTriangle(bk, mat.NewDense(2, 2, []float64{s, 0, 0, -s})) })
		}
	})
}
