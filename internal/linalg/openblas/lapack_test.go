package openblas_test

import (
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/openblas/opponents"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
)

func needLAPACK(t *testing.T) opponents.LAPACK {
	t.Helper()
	b, err := blskernel.Lookup("openblas")
	if err != nil {
		t.Skip(err)
	}
	l, err := opponents.Of(b)
	if err != nil {
		t.Skip(err)
	}
	return l
}

var bothTriangles = []blas.Uplo{blas.Upper, blas.Lower}

// TestLAPACKInverses inverts with each routine that factors square matrices, at small and odd sizes,
// and beyond one block of 64. A matrix stored by rows is its transpose by columns.
func TestLAPACKInverses(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range []int{1, 2, 3, 5, 13, 33, 70, 131} {
		rng, ipiv, long := testutil.Rand(uint64(n)), make([]int32, n), make([]float64, 67*(n+65))
		check := func(name string, a *testmat.Matrix, part func(i, j int) bool, invert func(x []float64, ld int) (info int)) {
			t.Helper()
			h := testmat.Hold(a, n+2, part)
			info := invert(h.X, h.Ld)
			h.Check(t, name)
			if r := testmat.InverseRatio(a, h.Symmetric()); info != 0 || !(r <= testmat.Bound) {
				t.Errorf("%s, n=%d: info %d, ‖I - A X‖/(n ‖A‖ ‖X‖ eps) = %.3g", name, n, info, r)
			}
		}
		definite, general := testmat.Spectral(rng, n, testmat.From1), testmat.Random(rng, n, n)
		symmetric := testmat.Sym(n, general.At)
		for _, ul := range bothTriangles {
			part := testmat.TriangleOf(map[blas.Uplo]blas.Uplo{blas.Upper: blas.Lower, blas.Lower: blas.Upper}[ul], false)
			check("Dpotri", definite, part, func(x []float64, ld int) int {
				return l.Dpotrf(ul, n, x, ld) | l.Dpotri(ul, n, x, ld)
			})
			for _, work := range [][]float64{long[:1], long[:64*n]} {
				check("Dsytri2", symmetric, part, func(x []float64, ld int) int {
					return l.Dsytrf(ul, n, x, ld, ipiv, work) | l.Dsytri2(ul, n, x, ld, ipiv, long)
				})
			}
			check("Dsptri", symmetric, part, func(x []float64, ld int) int {
				var at []int
				var packed []float64
				for k, v := range x {
					if k%ld < n && part(k/ld, k%ld) {
						at, packed = append(at, k), append(packed, v)
					}
				}
				info := l.Dsptrf(ul, n, packed, ipiv) | l.Dsptri(ul, n, packed, ipiv, long)
				for k, v := range packed {
					x[at[k]] = v
				}
				return info
			})
		}
		for _, work := range [][]float64{long[:n], long[:64*n]} {
			check("Dgetri", general, testmat.Whole, func(x []float64, ld int) int {
				return l.Dgetrf(n, n, x, ld, ipiv) | l.Dgetri(n, x, ld, ipiv, work)
			})
		}
		for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans} {
			check("Dgetrs", general, testmat.Whole, func(x []float64, ld int) int {
				lu := testmat.Hold(general, n+1, testmat.Whole)
				if tr != blas.NoTrans {
					lu = testmat.Hold(general.T(), n+1, testmat.Whole)
				}
				for k := range x {
					if k%ld < n {
						x[k] = testmat.Unless(k%ld != k/ld)
					}
				}
				return l.Dgetrf(n, n, lu.X, lu.Ld, ipiv) | l.Dgetrs(tr, n, n, lu.X, lu.Ld, ipiv, x, ld)
			})
		}
	}
}

// TestLAPACKInfo checks info for singular and indefinite matrices and for a NaN.
func TestLAPACKInfo(t *testing.T) {
	l := needLAPACK(t)
	ipiv, work := make([]int32, 3), make([]float64, 67*68)
	singular := []float64{1, 0, 0, 0, 0, 0, 0, 0, 1}
	for _, ul := range bothTriangles {
		for _, test := range []struct {
			routine string
			call    func(a, ap []float64) int
		}{
			{"Dpotrf", func(a, _ []float64) int {
				a[4] = -1
				return l.Dpotrf(ul, 3, a, 3)
			}},
			{"Dpotri", func(a, _ []float64) int { return l.Dpotri(ul, 3, a, 3) }},
			{"Dsptrf", func(_, ap []float64) int { return l.Dsptrf(ul, 3, ap, ipiv) }},
			{"Dsptri", func(_, ap []float64) int {
				l.Dsptrf(ul, 3, ap, ipiv)
				return l.Dsptri(ul, 3, ap, ipiv, work)
			}},
			{"Dsytrf", func(a, _ []float64) int { return l.Dsytrf(ul, 3, a, 3, ipiv, work) }},
			{"Dsytri2", func(a, _ []float64) int {
				l.Dsytrf(ul, 3, a, 3, ipiv, work)
				return l.Dsytri2(ul, 3, a, 3, ipiv, work)
			}},
			{"Dgetrf", func(a, _ []float64) int { return l.Dgetrf(3, 3, a, 3, ipiv) }},
		} {
			a := slices.Clone(singular)
			if info := test.call(a, []float64{1, 0, 0, 0, 0, 1}); info != 2 {
				t.Errorf("%s %c: info %d; want 2", test.routine, ul, info)
			}
		}
	}
	a := slices.Clone(singular)
	l.Dgetrf(3, 3, a, 3, ipiv)
	if info := l.Dgetri(3, a, 3, ipiv, work); info != 2 || !slices.Equal(a, singular) {
		t.Errorf("Dgetri: info %d; want 2, and nothing written: %v", info, a)
	}
	if info := l.Dgetrs(blas.NoTrans, 3, 1, a, 3, ipiv, work, 3); info != 0 {
		t.Errorf("Dgetrs: info %d; want 0", info)
	}
	a[4] = math.NaN()
	if info := l.Dgesdd('N', 3, 3, a, 3, work, nil, 1, nil, 1, work[9:], make([]int32, 24)); info != -4 {
		t.Errorf("Dgesdd: info %d; want -4 for a NaN", info)
	}
}
