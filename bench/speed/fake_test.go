package speed

import (
	"time"

	"blskernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	gonumlapack "gonum.org/v1/gonum/lapack"
	gonumimpl "gonum.org/v1/gonum/lapack/gonum"
)

// A fake is gonum's implementation with a clock that goes by the calls of some routines only.
type fake struct {
	gonum.Implementation
	name  string
	clock *time.Duration
	takes time.Duration // a call of Dgemm, Dtrsm or Ddot
	calls int
	wrong func(c []float64) // spoils the result of Dgemm
}

func (f *fake) Name() string { return f.name }

func (f *fake) tick() {
	f.calls++
	if f.clock != nil {
		*f.clock += f.takes
	}
}

func (f *fake) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	f.tick()
	f.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	if f.wrong != nil {
		f.wrong(c)
	}
}

func (f *fake) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	f.tick()
	f.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (f *fake) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	f.tick()
	return f.Implementation.Ddot(n, x, incX, y, incY)
}

// Dsyrk is gonum's on a zeroed C where beta is zero: for the lower triangle of Aᵀ·A gonum's own
// multiplies C by beta, which leaves NaN.
func (f *fake) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	for i := range n {
		from, to := i, n
		if ul == blas.Lower {
			from, to = 0, i+1
		}
		if beta == 0 {
			clear(c[i*ldc+from : i*ldc+to])
		}
	}
	f.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// usable returns the backends of this process and gonum's own.
func usable() []blskernel.Backend {
	all := []blskernel.Backend{&fake{name: "gonum"}}
	for _, name := range blskernel.Names() {
		if b, err := blskernel.Lookup(name); err == nil {
			all = append(all, b)
		}
	}
	return all
}

// A fakeLAPACK makes the routines by columns of gonum's by rows. All matrices are square, without gaps
// between columns. It has no LDLᵀ: Dsptri and Dsytri2 find the matrix as it was and invert it as a
// general one.
type fakeLAPACK struct {
	*fake
	spoil func(a []float64) // spoils the final result
	info  int               // of every first routine
	after int               // once as many of them have been called
}

func newFakeLAPACK() *fakeLAPACK { return &fakeLAPACK{fake: &fake{name: "fake"}} }

var byRows gonumimpl.Implementation

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

// failed returns the info of a routine.
func failed(ok bool) int { return map[bool]int{false: 1}[ok] }

// otherTriangle is by rows what ul is by columns.
func otherTriangle(ul blas.Uplo) blas.Uplo { return blas.Upper + blas.Lower - ul }

// transpose overwrites a matrix of order n by its transpose.
func transpose(n int, a []float64) {
	for i := range n {
		for j := range i {
			a[i*n+j], a[j*n+i] = a[j*n+i], a[i*n+j]
		}
	}
}

func (f *fakeLAPACK) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) int {
	return f.begin(byRows.Dpotrf(otherTriangle(ul), n, a, lda))
}

func (f *fakeLAPACK) Dpotri(ul blas.Uplo, n int, a []float64, lda int) int {
	return f.end(a, byRows.Dpotri(otherTriangle(ul), n, a, lda))
}

func (f *fakeLAPACK) Dgetrf(_, n int, a []float64, lda int, ipiv []int32) int {
	pivots := make([]int, n)
	transpose(n, a)
	ok := byRows.Dgetrf(n, n, a, lda, pivots)
	transpose(n, a)
	for i, p := range pivots {
		ipiv[i] = int32(p + 1)
	}
	return f.begin(ok)
}

func ofInt32(ipiv []int32) (pivots []int) {
	for _, p := range ipiv {
		pivots = append(pivots, int(p)-1)
	}
	return pivots
}

func (f *fakeLAPACK) Dgetri(n int, a []float64, lda int, ipiv []int32, work []float64) int {
	transpose(n, a)
	ok := byRows.Dgetri(n, a, lda, ofInt32(ipiv), work, len(work))
	transpose(n, a)
	return f.end(a, ok)
}

func (f *fakeLAPACK) Dgetrs(t blas.Transpose, n, _ int, a []float64, lda int, ipiv []int32, b []float64, ldb int) int {
	factors := transposed(n, a)
	transpose(n, b)
	byRows.Dgetrs(t, n, n, factors, lda, ofInt32(ipiv), b, ldb)
	transpose(n, b)
	return f.end(b, true)
}

func (f *fakeLAPACK) Dsptrf(blas.Uplo, int, []float64, []int32) int { return f.begin(true) }

func (f *fakeLAPACK) Dsytrf(blas.Uplo, int, []float64, int, []int32, []float64) int {
	return f.begin(true)
}

// Dsptri is for the lower triangle, as Dsytri2.
func (f *fakeLAPACK) Dsptri(_ blas.Uplo, n int, ap []float64, _ []int32, _ []float64) int {
	full := make([]float64, n*n)
	for at, i := 0, 0; i < n; at, i = at+n-i, i+1 {
		copy(full[i*n+i:(i+1)*n], ap[at:])
	}
	ok := invertSymmetric(n, full)
	for at, i := 0, 0; i < n; at, i = at+n-i, i+1 {
		copy(ap[at:], full[i*n+i:(i+1)*n])
	}
	return f.end(ap, ok)
}

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

// A = Q·R is Aᵀ = Rᵀ·Qᵀ, and U·Σ·Vᵀ is V·Σ·Uᵀ.

func (f *fakeLAPACK) Dgeqrf(m, n int, a []float64, lda int, tau, work []float64) int {
	byRows.Dgelqf(n, m, a, lda, tau, work, len(work))
	return f.begin(true)
}

func (f *fakeLAPACK) Dgesdd(job gonumlapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int, vt []float64, ldvt int, work []float64, _ []int32) int {
	return f.begin(byRows.Dgesvd(job, job, n, m, a, lda, s, vt, ldvt, u, ldu, work, len(work)))
}

func (f *fakeLAPACK) Dsyevd(job gonumlapack.EVJob, ul blas.Uplo, n int, a []float64, lda int, w, work []float64, _ []int32) int {
	ok := byRows.Dsyev(job, otherTriangle(ul), n, a, lda, w, work, len(work))
	transpose(n, a)
	return f.begin(ok)
}

func (f *fakeLAPACK) Dgeev(left gonumlapack.LeftEVJob, right gonumlapack.RightEVJob, n int, a []float64, lda int, wr, wi, vl []float64, ldvl int, vr []float64, ldvr int, work []float64) int {
	transpose(n, a)
	first := byRows.Dgeev(left, right, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, len(work))
	transpose(n, vr)
	return f.begin(first == 0)
}
