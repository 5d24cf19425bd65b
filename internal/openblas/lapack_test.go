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
			checkResidual(t, "Dsptri", a, unpackColumns(ul, n, ap), identity(n))
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

func unpackColumns(ul blas.Uplo, n int, ap []float64) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	kept := inTriangle(ul)
	for j := range n {
		for i := range n {
			if kept(i, j) {
				a.Set(i, j, ap[0])
				a.Set(j, i, ap[0])
				ap = ap[1:]
			}
		}
	}
	return a
}

// TestLAPACKRows is about storage by rows, as the comment of ColumnMajorLAPACK says it is seen: the
// upper triangle packed by rows is Lower, a matrix by rows is the transpose.
func TestLAPACKRows(t *testing.T) {
	l := needLAPACK(t)
	const n = 3
	// Row by row [[4 2 0][2 5 1][0 1 3]], of which the inverse has the upper triangle [14 -6 2 12
	// -4 16]/44.
	ap := []float64{4, 2, 0, 5, 1, 3}
	ipiv := make([]int32, n)
	if info := l.Dsptrf(blas.Lower, n, ap, ipiv); info != 0 {
		t.Fatal(info)
	}
	if info := l.Dsptri(blas.Lower, n, ap, ipiv, make([]float64, n)); info != 0 {
		t.Fatal(info)
	}
	a := []float64{4, 2, 0, -1, 5, 1, -1, -1, 3} // -1 is what is not read
	if info := l.Dpotrf(blas.Lower, n, a, n); info != 0 {
		t.Fatal(info)
	}
	if info := l.Dpotri(blas.Lower, n, a, n); info != 0 {
		t.Fatal(info)
	}
	for k, want := range []float64{14, -6, 2, 12, -4, 16} {
		// Positions of the upper triangle by rows; the condition number is below 4.
		full := []int{0, 1, 2, 4, 5, 8}[k]
		if !(math.Abs(44*ap[k]-want) <= 1e-13) || !(math.Abs(44*a[full]-want) <= 1e-13) {
			t.Errorf("element %d: %v packed and %v full; want %v", k, 44*ap[k], 44*a[full], want)
		}
	}
	if a[3] != -1 || a[6] != -1 || a[7] != -1 {
		t.Errorf("the other triangle is written: %v", a)
	}
	// [[1 2][0 4]] by rows is inverted to [[1 -1/2][0 1/4]] by rows.
	g := []float64{1, 2, 0, 4}
	if info := l.Dgetrf(2, 2, g, 2, ipiv); info != 0 {
		t.Fatal(info)
	}
	if info := l.Dgetri(2, g, 2, ipiv, make([]float64, 2)); info != 0 || !slices.Equal(g, []float64{1, -0.5, 0, 0.25}) {
		t.Errorf("info %d, inverse by rows %v", info, g)
	}
}

// TestLAPACKInfo has matrices to blame.
func TestLAPACKInfo(t *testing.T) {
	l := needLAPACK(t)
	ipiv, work := make([]int32, 3), make([]float64, 67*68)
	indefinite := func() []float64 { return []float64{1, 0, 0, 0, -1, 0, 0, 0, 1} }
	singular := func() []float64 { return []float64{1, 0, 0, 0, 0, 0, 0, 0, 1} }
	for _, ul := range bothTriangles {
		if info := l.Dpotrf(ul, 3, indefinite(), 3); info != 2 {
			t.Errorf("Dpotrf %c: info %d; want 2", ul, info)
		}
		if info := l.Dpotri(ul, 3, singular(), 3); info != 2 {
			t.Errorf("Dpotri %c: info %d; want 2", ul, info)
		}
		ap := packColumns(ul, mat.NewDense(3, 3, singular()))
		if info := l.Dsptrf(ul, 3, ap, ipiv); info != 2 {
			t.Errorf("Dsptrf %c: info %d; want 2", ul, info)
		}
		if info := l.Dsptri(ul, 3, ap, ipiv, work); info != 2 {
			t.Errorf("Dsptri %c: info %d; want 2", ul, info)
		}
		a := singular()
		if info := l.Dsytrf(ul, 3, a, 3, ipiv, work); info != 2 {
			t.Errorf("Dsytrf %c: info %d; want 2", ul, info)
		}
		if info := l.Dsytri2(ul, 3, a, 3, ipiv, work); info != 2 {
			t.Errorf("Dsytri2 %c: info %d; want 2", ul, info)
		}
	}
	a := singular()
	if info := l.Dgetrf(3, 3, a, 3, ipiv); info != 2 {
		t.Errorf("Dgetrf: info %d; want 2", info)
	}
	if info := l.Dgetri(3, a, 3, ipiv, work); info != 2 || !slices.Equal(a, singular()) {
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
