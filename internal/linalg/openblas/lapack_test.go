package openblas_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// succeed fails the test unless info is 0.
func succeed(t *testing.T, routine string, info int) {
	t.Helper()
	if info != 0 {
		t.Fatalf("%s: info %d", routine, info)
	}
}

func TestLAPACKCholesky(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		a := symmetric(n, 4*float64(n))
		for _, ul := range bothTriangles {
			c := half(ul, a)
			succeed(t, "Dpotrf", l.Dpotrf(ul, n, c.data, c.ld))
			factor := part(c, 0, inTriangle(ul))
			left, right := mat.Matrix(factor), factor.T()
			if ul == blas.Upper {
				left, right = right, left
			}
			checkResidual(t, "Dpotrf", left, right, a)
			succeed(t, "Dpotri", l.Dpotri(ul, n, c.data, c.ld))
			checkResidual(t, "Dpotri", a, mirrored(t, "Dpotri", ul, c), identity(n))
		}
	}
}

// TestLAPACKLU has also matrices that are not square, and both sizes of workspace.
func TestLAPACKLU(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		for _, m := range []int{n, max(1, n-3), n + 4} {
			a := testutil.Random(testutil.Rand(uint64(n)), m, n)
			lu, k := newColumns(a), min(m, n)
			ipiv := make([]int32, k)
			succeed(t, "Dgetrf", l.Dgetrf(m, n, lu.data, lu.ld, ipiv))
			permuted := mat.DenseCopyOf(a)
			for i, p := range ipiv {
				r, s := permuted.RawRowView(i), permuted.RawRowView(int(p)-1)
				if i != int(p)-1 {
					for j := range r {
						r[j], s[j] = s[j], r[j]
					}
				}
			}
			left := part(lu, 0, func(i, j int) bool { return i > j }).Slice(0, m, 0, k).(*mat.Dense)
			for i := range k {
				left.Set(i, i, 1)
			}
			checkResidual(t, "Dgetrf", left, part(lu, 0, inTriangle(blas.Upper)).Slice(0, k, 0, n), permuted)
			if !lu.intact() {
				t.Errorf("Dgetrf %d×%d writes between the columns", m, n)
			}
			if m != n {
				continue
			}
			for _, nrhs := range []int{1, 4, n + 1} {
				b := testutil.Random(testutil.Rand(7), n, nrhs)
				for tr, op := range map[blas.Transpose]mat.Matrix{blas.NoTrans: a, blas.Trans: a.T(), blas.ConjTrans: a.T()} {
					x := newColumns(b)
					succeed(t, "Dgetrs", l.Dgetrs(tr, n, nrhs, lu.data, lu.ld, ipiv, x.data, x.ld))
					checkResidual(t, fmt.Sprintf("Dgetrs %c", tr), op, x, b)
					if !x.intact() {
						t.Errorf("Dgetrs %c %d writes between the columns", tr, n)
					}
				}
			}
			for _, work := range []int{n, 64 * n} {
				x := newColumns(lu)
				succeed(t, "Dgetri", l.Dgetri(n, x.data, x.ld, ipiv, make([]float64, work)))
				// The residual that dgetri keeps small.
				checkResidual(t, "Dgetri", x, a, identity(n))
				if !x.intact() {
					t.Errorf("Dgetri %d writes between the columns", n)
				}
			}
		}
	}
}

// TestLAPACKIndefinite inverts random symmetric matrices, packed and not.
func TestLAPACKIndefinite(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		a := symmetric(n, 0)
		for _, ul := range bothTriangles {
			ipiv := make([]int32, n)
			ap := packColumns(ul, a)
			succeed(t, "Dsptrf", l.Dsptrf(ul, n, ap, ipiv))
			succeed(t, "Dsptri", l.Dsptri(ul, n, ap, ipiv, make([]float64, n)))
			for _, work := range []int{1, 64 * n} {
				c := half(ul, a)
				succeed(t, "Dsytrf", l.Dsytrf(ul, n, c.data, c.ld, ipiv, make([]float64, work)))
				succeed(t, "Dsytri2", l.Dsytri2(ul, n, c.data, c.ld, ipiv, make([]float64, 67*(n+65))))
				inverse := mirrored(t, "Dsytri2", ul, c)
				checkResidual(t, "Dsytri2", a, inverse, identity(n))
			}
			checkResidual(t, "Dsptri", a, mirrored(t, "Dsptri", ul, unpackColumns(ul, n, ap)), identity(n))
		}
	}
}

// packColumns packs one triangle by columns; unpackColumns is its inverse.
func packColumns(ul blas.Uplo, a mat.Matrix) (ap []float64) {
	n, _ := a.Dims()
	kept := inTriangle(ul)
	for j := range n {
		for i := range n {
			if kept(i, j) {
				ap = append(ap, a.At(i, j))
			}
		}
	}
	return ap
}

func unpackColumns(ul blas.Uplo, n int, ap []float64) columns {
	a, kept := half(ul, mat.NewDense(n, n, nil)), inTriangle(ul)
	for j := range n {
		for i := range n {
			if kept(i, j) {
				a.data[i+j*a.ld], ap = ap[0], ap[1:]
			}
		}
	}
	return a
}

// TestLAPACKInfo has matrices to blame.
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
			if info := test.call(a, packColumns(ul, mat.NewDense(3, 3, singular))); info != 2 {
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
