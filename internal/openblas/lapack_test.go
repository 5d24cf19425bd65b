package openblas_test

import (
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/backend"

	"gonum.org/v1/gonum/blas"
)

// needLAPACK returns the LAPACK of the backend openblas.
func needLAPACK(t *testing.T) backend.ColumnMajorLAPACK {
	t.Helper()
	b, err := blskernel.Lookup("openblas")
	if err != nil {
		t.Skip(err)
	}
	l, ok := backend.ColumnMajor(b)
	if !ok {
		t.Skip(backend.MissingLAPACK(b))
	}
	return l
}

func TestLAPACKCholesky(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		random := draws(n, true)
		a := func(i, j int) float64 { return random(i, j) + float64(n)*identity(i, j) }
		for _, ul := range bothTriangles {
			c := newColumns(n, n, half(ul, a))
			if info := l.Dpotrf(ul, n, c.data, c.ld); info != 0 {
				t.Fatalf("Dpotrf %c %d: info %d", ul, n, info)
			}
			factor := triangular(ul, false, c.at)
			left, right := factor, func(i, j int) float64 { return factor(j, i) }
			if ul == blas.Upper {
				left, right = right, left
			}
			if r, u, v := residualOf(n, n, n, left, right, a); !smallResidual(r, u, v, n) {
				t.Errorf("Dpotrf %c %d: residual %g", ul, n, r)
			}
			if info := l.Dpotri(ul, n, c.data, c.ld); info != 0 {
				t.Fatalf("Dpotri %c %d: info %d", ul, n, info)
			}
			if r, u, v := residualOf(n, n, n, a, mirrored(ul, c.at), identity); !smallResidual(r, u, v, n) {
				t.Errorf("Dpotri %c %d: residual %g", ul, n, r)
			}
			checkHalf(t, "Dpotri", ul, c)
		}
	}
}

// checkHalf looks for what must not be written.
func checkHalf(t *testing.T, routine string, ul blas.Uplo, c columns) {
	t.Helper()
	for i := range c.n {
		for j := range c.n {
			if i != j && i < j != (ul == blas.Upper) && !math.IsNaN(c.at(i, j)) {
				t.Fatalf("%s %c %d writes element %d, %d", routine, ul, c.n, i, j)
			}
		}
	}
	if !c.intact() {
		t.Errorf("%s %c %d writes between the columns", routine, ul, c.n)
	}
}

// TestLAPACKLU has also matrices that are not square, and both sizes of workspace.
func TestLAPACKLU(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		for _, m := range []int{n, max(1, n-3), n + 4} {
			a := draws(max(m, n), false)
			c, k := newColumns(m, n, a), min(m, n)
			ipiv := make([]int32, k)
			if info := l.Dgetrf(m, n, c.data, c.ld, ipiv); info != 0 {
				t.Fatalf("Dgetrf %d×%d: info %d", m, n, info)
			}
			rows := make([]int, m)
			for i := range rows {
				rows[i] = i
			}
			for i, p := range ipiv {
				rows[i], rows[p-1] = rows[p-1], rows[i]
			}
			r, u, v := residualOf(m, n, k, triangular(blas.Lower, true, c.at), triangular(blas.Upper, false, c.at),
				func(i, j int) float64 { return a(rows[i], j) })
			if !smallResidual(r, u, v, max(m, n)) || !c.intact() {
				t.Errorf("Dgetrf %d×%d: residual %g, intact %v", m, n, r, c.intact())
			}
			if m == n {
				checkSolves(t, l, n, a, c, ipiv)
				checkInverses(t, l, n, a, c, ipiv)
			}
		}
	}
}

func checkSolves(t *testing.T, l backend.ColumnMajorLAPACK, n int, a func(i, j int) float64, lu columns, ipiv []int32) {
	for _, nrhs := range []int{1, 4, n + 1} {
		b := draws(n+1, false)
		for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans} {
			x := newColumns(n, nrhs, b)
			if info := l.Dgetrs(tr, n, nrhs, lu.data, lu.ld, ipiv, x.data, x.ld); info != 0 {
				t.Fatalf("Dgetrs %c %d: info %d", tr, n, info)
			}
			op := a
			if tr != blas.NoTrans {
				op = func(i, j int) float64 { return a(j, i) }
			}
			if r, u, v := residualOf(n, nrhs, n, op, x.at, b); !smallResidual(r, u, v, n) || !x.intact() {
				t.Errorf("Dgetrs %c %d, %d right-hand sides: residual %g, intact %v", tr, n, nrhs, r, x.intact())
			}
		}
	}
}

func checkInverses(t *testing.T, l backend.ColumnMajorLAPACK, n int, a func(i, j int) float64, lu columns, ipiv []int32) {
	for _, work := range []int{n, 64 * n} {
		x := newColumns(n, n, lu.at)
		if info := l.Dgetri(n, x.data, x.ld, ipiv, make([]float64, work)); info != 0 {
			t.Fatalf("Dgetri %d: info %d", n, info)
		}
		// The left residual is the one that dgetri keeps small.
		if r, u, v := residualOf(n, n, n, x.at, a, identity); !smallResidual(r, u, v, n) || !x.intact() {
			t.Errorf("Dgetri %d with %d elements: residual %g, intact %v", n, work, r, x.intact())
		}
	}
}

// TestLAPACKIndefinite inverts random symmetric matrices, packed and not.
func TestLAPACKIndefinite(t *testing.T) {
	l := needLAPACK(t)
	for _, n := range lapackSizes {
		a := draws(n, true)
		for _, ul := range bothTriangles {
			ipiv := make([]int32, n)
			ap := packColumns(ul, n, a)
			if info := l.Dsptrf(ul, n, ap, ipiv); info != 0 {
				t.Fatalf("Dsptrf %c %d: info %d", ul, n, info)
			}
			if info := l.Dsptri(ul, n, ap, ipiv, make([]float64, n)); info != 0 {
				t.Fatalf("Dsptri %c %d: info %d", ul, n, info)
			}
			if r, u, v := residualOf(n, n, n, a, unpackColumns(ul, n, ap), identity); !smallResidual(r, u, v, n) {
				t.Errorf("Dsptri %c %d: residual %g", ul, n, r)
			}
			for _, work := range []int{1, 64 * n} {
				c := newColumns(n, n, half(ul, a))
				if info := l.Dsytrf(ul, n, c.data, c.ld, ipiv, make([]float64, work)); info != 0 {
					t.Fatalf("Dsytrf %c %d: info %d", ul, n, info)
				}
				if info := l.Dsytri2(ul, n, c.data, c.ld, ipiv, make([]float64, 67*(n+65))); info != 0 {
					t.Fatalf("Dsytri2 %c %d: info %d", ul, n, info)
				}
				if r, u, v := residualOf(n, n, n, a, mirrored(ul, c.at), identity); !smallResidual(r, u, v, n) {
					t.Errorf("Dsytri2 %c %d: residual %g", ul, n, r)
				}
				checkHalf(t, "Dsytri2", ul, c)
			}
		}
	}
}

// packColumns packs one triangle by columns; unpackColumns is its inverse.
func packColumns(ul blas.Uplo, n int, at func(i, j int) float64) []float64 {
	var ap []float64
	for j := range n {
		from, to := 0, j
		if ul == blas.Lower {
			from, to = j, n-1
		}
		for i := from; i <= to; i++ {
			ap = append(ap, at(i, j))
		}
	}
	return ap
}

func unpackColumns(ul blas.Uplo, n int, ap []float64) func(i, j int) float64 {
	c := make([]float64, n*n)
	k := 0
	packColumns(ul, n, func(i, j int) float64 {
		c[i*n+j], c[j*n+i] = ap[k], ap[k]
		k++
		return 0
	})
	return func(i, j int) float64 { return c[i*n+j] }
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
		ap := packColumns(ul, 3, func(i, j int) float64 { return singular()[3*j+i] })
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
}
