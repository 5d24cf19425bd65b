package speed

import (
	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// A fakeLAPACK makes the routines by columns of gonum's by rows. It has no LDLᵀ: Dsptri and Dsytri2
// find the matrix as it was and invert it as a general one.
type fakeLAPACK struct {
	*fake
	spoil func(a []float64) // spoils the final result
	info  int               // of every first routine
	after int               // once as many of them have been called
}

func newFakeLAPACK() *fakeLAPACK { return &fakeLAPACK{fake: &fake{name: "fake"}} }

var byRows gonum.Implementation

// begin returns the info of a first routine.
func (f *fakeLAPACK) begin(ok bool) int {
	if f.after--; f.after < 0 && f.info != 0 {
		return f.info
	}
	return failed(ok)
}

// end spoils a result.
func (f *fakeLAPACK) end(a []float64, ok bool) int {
	if f.spoil != nil {
		f.spoil(a)
	}
	return failed(ok)
}

func failed(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

// otherTriangle is by rows what ul is by columns.
func otherTriangle(ul blas.Uplo) blas.Uplo {
	if ul == blas.Upper {
		return blas.Lower
	}
	return blas.Upper
}

func (f *fakeLAPACK) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) int {
	return f.begin(byRows.Dpotrf(otherTriangle(ul), n, a, lda))
}

func (f *fakeLAPACK) Dpotri(ul blas.Uplo, n int, a []float64, lda int) int {
	return f.end(a, byRows.Dpotri(otherTriangle(ul), n, a, lda))
}

// byColumns returns the transpose of the r×c matrix with rows, or columns, ld apart in a.
func byColumns(r, c int, a []float64, ld int) []float64 {
	t := make([]float64, c*r)
	for i := range r {
		for j := range c {
			t[j*r+i] = a[i*ld+j]
		}
	}
	return t
}

// put is transposed the other way, to a.
func put(r, c int, t, a []float64, ld int) {
	for i := range r {
		for j := range c {
			a[i*ld+j] = t[j*r+i]
		}
	}
}

func (f *fakeLAPACK) Dgetrf(_, n int, a []float64, lda int, ipiv []int32) int {
	pivots, t := make([]int, n), byColumns(n, n, a, lda)
	ok := byRows.Dgetrf(n, n, t, n, pivots)
	put(n, n, t, a, lda)
	for i, p := range pivots {
		ipiv[i] = int32(p + 1)
	}
	return f.begin(ok)
}

func ofInt32(ipiv []int32) []int {
	pivots := make([]int, len(ipiv))
	for i, p := range ipiv {
		pivots[i] = int(p) - 1
	}
	return pivots
}

func (f *fakeLAPACK) Dgetri(n int, a []float64, lda int, ipiv []int32, work []float64) int {
	t := byColumns(n, n, a, lda)
	ok := byRows.Dgetri(n, t, n, ofInt32(ipiv), work, len(work))
	put(n, n, t, a, lda)
	return f.end(a, ok)
}

func (f *fakeLAPACK) Dgetrs(t blas.Transpose, n, nrhs int, a []float64, lda int, ipiv []int32, b []float64, ldb int) int {
	x := byColumns(nrhs, n, b, ldb)
	byRows.Dgetrs(t, n, nrhs, byColumns(n, n, a, lda), n, ofInt32(ipiv), x, nrhs)
	put(nrhs, n, x, b, ldb)
	return f.end(b, true)
}

func (f *fakeLAPACK) Dsptrf(blas.Uplo, int, []float64, []int32) int { return f.begin(true) }

// Dsptri is for the lower triangle.
func (f *fakeLAPACK) Dsptri(_ blas.Uplo, n int, ap []float64, _ []int32, _ []float64) int {
	full := make([]float64, n*n)
	each := func(do func(full, packed *float64)) {
		at := 0
		for i := range n {
			for j := i; j < n; j++ {
				do(&full[i*n+j], &ap[at])
				at++
			}
		}
	}
	each(func(full, packed *float64) { *full = *packed })
	ok := invertSymmetric(n, full)
	each(func(full, packed *float64) { *packed = *full })
	return f.end(ap, ok)
}

func (f *fakeLAPACK) Dsytrf(blas.Uplo, int, []float64, int, []int32, []float64) int {
	return f.begin(true)
}

// The decompositions return what the routine by rows does, transposed.

func (f *fakeLAPACK) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64) int {
	t := byColumns(m, n, a, lda)
	byRows.Dgeqrf(m, n, t, n, tau, work, len(work))
	put(m, n, t, a, lda)
	return f.begin(true)
}

func (f *fakeLAPACK) Dsyevd(job gonumlapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, _ []int32) int {
	t := byColumns(n, n, a, lda)
	ok := byRows.Dsyev(job, ul, n, t, n, w, work, len(work))
	put(n, n, t, a, lda)
	return f.begin(ok)
}

func (f *fakeLAPACK) Dgesdd(job gonumlapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, _ []int32) int {
	k := min(m, n)
	left, right := make([]float64, m*k), make([]float64, k*n)
	ok := byRows.Dgesvd(job, job, m, n, byColumns(m, n, a, lda), n, s, left, k, right, n, work, len(work))
	put(m, k, left, u, ldu)
	put(k, n, right, vt, ldvt)
	return f.begin(ok)
}

func (f *fakeLAPACK) Dgeev(left gonumlapack.LeftEVJob, right gonumlapack.RightEVJob, n int, a []float64, lda int, wr, wi, vl []float64, ldvl int, vr []float64, ldvr int, work []float64) int {
	v := make([]float64, n*n)
	first := byRows.Dgeev(left, right, n, byColumns(n, n, a, lda), n, wr, wi, vl, ldvl, v, n, work, len(work))
	put(n, n, v, vr, ldvr)
	return f.begin(first == 0)
}

// Dsytri2 is for the lower triangle.
func (f *fakeLAPACK) Dsytri2(_ blas.Uplo, n int, a []float64, _ int, _ []int32, _ []float64) int {
	return f.end(a, invertSymmetric(n, a))
}

// invertSymmetric inverts the matrix of which a has the upper triangle by rows.
func invertSymmetric(n int, a []float64) bool {
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
	}
	pivots := make([]int, n)
	return byRows.Dgetrf(n, n, a, n, pivots) && byRows.Dgetri(n, a, n, pivots, make([]float64, n), n)
}
