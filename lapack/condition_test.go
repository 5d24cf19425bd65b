package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// conditions calls Dgecon, Dpocon and Dtrcon for all their arguments, with matrices of order n times
// scale, whose rows are 3 elements further apart than they are long; check is called with each estimate
// and with A and A⁻¹, or the transposes for the infinity norm. Elements outside the triangle that a
// routine reads are NaN.
func conditions(t *testing.T, impl Implementation, n int, scale float64, check func(name string, got float64, a, inv *full)) {
	rng := testutil.Rand(uint64(n))
	general := randomFull(rng, n, n)
	definite := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i) })
	triangle := randomFull(rng, n, n) // small off the diagonal, for a small condition number
	for i := range n {
		for j := range n {
			triangle.set(i, j, triangle.at(i, j)/float64(n))
		}
		triangle.set(i, i, float64(1+i%3))
	}
	lda := n + 3
	factored := func(factor func(x []float64) bool, a *full) []float64 {
		x := padded(a, lda)
		for i := range x {
			x[i] *= scale
		}
		if !factor(x) {
			t.Fatalf("n = %d: no factorization", n)
		}
		return x
	}
	ipiv, work, iwork := make([]int, n), nans(4*n), make([]int, n)
	norms := map[gonumlapack.MatrixNorm]func(a *full) *full{
		gonumlapack.MaxColumnSum: func(a *full) *full { return a },
		gonumlapack.MaxRowSum:    (*full).transpose,
	}
	lu := factored(func(x []float64) bool { return impl.Dgetrf(n, n, x, lda, ipiv) }, general)
	for norm, of := range norms {
		a := of(general)
		got := impl.Dgecon(norm, n, lu, lda, a.norm()*scale, work, iwork)
		check(fmt.Sprintf("Dgecon %c", norm), got, a, of(gonumInverse(general)))
	}
	for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
		x := factored(func(x []float64) bool { return impl.Dpotrf(ul, n, x, lda) }, definite)
		hide(x, ul, blas.NonUnit, n, lda)
		got := impl.Dpocon(ul, n, x, lda, definite.norm()*scale, work, iwork)
		check(fmt.Sprintf("Dpocon %c", ul), got, definite, gonumInverse(definite))
		for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
			if diag == blas.Unit && scale != 1 {
				continue
			}
			x := factored(func([]float64) bool { return true }, triangle)
			hide(x, ul, diag, n, lda)
			a := newFull(n, n)
			for i := range n {
				from, to := 0, i
				if ul == blas.Upper {
					from, to = i+1, n
				}
				copy(a.row(i)[from:to], triangle.row(i)[from:to])
				a.set(i, i, 1)
				if diag == blas.NonUnit {
					a.set(i, i, triangle.at(i, i))
				}
			}
			for norm, of := range norms {
				got := impl.Dtrcon(norm, ul, diag, n, x, lda, work, iwork)
				check(fmt.Sprintf("Dtrcon %c %c %c", norm, ul, diag), got, of(a), of(gonumInverse(a)))
			}
		}
	}
}

// hide overwrites what is not of the triangle ul by NaN, with the diagonal if it has ones.
func hide(x []float64, ul blas.Uplo, diag blas.Diag, n, lda int) {
	for i := range n {
		for j := range n {
			if i == j && diag == blas.Unit || i < j && ul == blas.Lower || i > j && ul == blas.Upper {
				x[i*lda+j] = math.NaN()
			}
		}
	}
}

// gonumInverse returns A⁻¹ by gonum's own LU.
func gonumInverse(a *full) *full {
	n := a.r
	inv := newFull(n, n)
	copy(inv.x, a.x)
	ipiv, work := make([]int, n), make([]float64, max(1, n))
	var impl gonum.Implementation
	impl.Dgetrf(n, n, inv.x, max(1, n), ipiv)
	impl.Dgetri(n, inv.x, max(1, n), ipiv, work, len(work))
	return inv
}

// The estimates are at least the true values, and at most ten times as large, in both norms, for both
// triangles, and for matrices times 2⁻⁹⁰⁰, 1 and 2⁹⁰⁰.
func TestCondition(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		impl := Implementation{Backend: bk}
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 64, 65, 100, 130} {
			for _, scale := range []float64{1, 0x1p-900, 0x1p900} {
				conditions(t, impl, n, scale, func(name string, got float64, a, inv *full) {
					checkRCond(t, fmt.Sprintf("n = %d, scale %g: %s", n, scale, name), got, a, inv)
				})
			}
		}
	})
}

// A condition number that is infinite or not known gives 0, and NaN gives NaN.
func TestConditionExtremes(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
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
			a := identity(n)
			if c.dense {
				a = randomFull(testutil.Rand(7), n, n)
			}
			a.set(2, 2, c.at)
			for _, norm := range []gonumlapack.MatrixNorm{gonumlapack.MaxColumnSum, gonumlapack.MaxRowSum} {
				for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
					for name, pair := range map[string][2]float64{
						"Dgecon": {c.factored, impl.Dgecon(norm, n, a.x, n, c.anorm, work, iwork)},
						"Dpocon": {c.factored, impl.Dpocon(ul, n, a.x, n, c.anorm, work, iwork)},
						"Dtrcon": {c.triangle, impl.Dtrcon(norm, ul, blas.NonUnit, n, a.x, n, work, iwork)},
					} {
						if want, got := pair[0], pair[1]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
							t.Errorf("%s: %s(%c, %c) = %v, want %v", c.name, name, norm, ul, got, want)
						}
					}
				}
			}
		}
		// Elements of 2⁸⁰⁰ times solutions of the size of the condition number, 2³⁰¹, would
		// overflow.
		u := []float64{0x1p800, 0x1p800, 0, 0x1p500}
		if got := impl.Dtrcon(gonumlapack.MaxColumnSum, blas.Upper, blas.NonUnit, 2, u, 2, work, iwork); !(got >= 0x1p-302 && got <= 0x1p-300) {
			t.Errorf("rcond = %v, want %v", got, 0x1p-301)
		}
	})
}
