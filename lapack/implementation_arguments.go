package lapack

import "gonum.org/v1/gonum/blas"

// The texts of gonum's LAPACK, which does not export them.
const (
	badDiag    = "lapack: bad Diag"
	badTrans   = "lapack: bad Trans"
	badUplo    = "lapack: bad Uplo"
	mLT0       = "lapack: m < 0"
	nLT0       = "lapack: n < 0"
	nrhsLT0    = "lapack: nrhs < 0"
	badLdA     = "lapack: bad leading dimension of A"
	badLdB     = "lapack: bad leading dimension of B"
	badLWork   = "lapack: insufficient declared workspace length"
	badLenIpiv = "lapack: bad length of ipiv"
	shortA     = "lapack: insufficient length of a"
	shortB     = "lapack: insufficient length of b"
	shortWork  = "lapack: insufficient length of work"
)

// require panics with text unless ok.
func require(ok bool, text string) {
	if !ok {
		panic(text)
	}
}

func requireUplo(ul blas.Uplo) { require(ul == blas.Upper || ul == blas.Lower, badUplo) }

func requireDiag(d blas.Diag) { require(d == blas.NonUnit || d == blas.Unit, badDiag) }

func requireTranspose(t blas.Transpose) {
	require(t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans, badTrans)
}

// requireLength panics unless x holds an m×n matrix, m positive, of which the rows are ldx apart.
func requireLength(x []float64, m, n, ldx int, text string) { require(holds(x, m, n, ldx), text) }

// holds reports whether x holds an m×n matrix, m and ldx positive, of which the rows are ldx apart.
func holds(x []float64, m, n, ldx int) bool { return len(x) >= n && m-1 <= (len(x)-n)/ldx }

// requireSquare panics on a bad n×n matrix and reports whether it is not empty.
func requireSquare(n int, a []float64, lda int) bool {
	require(n >= 0, nLT0)
	require(lda >= max(1, n), badLdA)
	if n == 0 {
		return false
	}
	requireLength(a, n, n, lda, shortA)
	return true
}

// requireSystem panics on bad sizes of an n×n matrix and an n×nrhs right side, requireLengths where
// one of them, not empty, is short.
func requireSystem(n, nrhs, lda, ldb int) {
	require(n >= 0, nLT0)
	require(nrhs >= 0, nrhsLT0)
	require(lda >= max(1, n), badLdA)
	require(ldb >= max(1, nrhs), badLdB)
}

func requireLengths(n, nrhs int, a []float64, lda int, b []float64, ldb int) {
	requireLength(a, n, n, lda, shortA)
	requireLength(b, n, nrhs, ldb, shortB)
}

// singular reports whether the n×n triangle a has a zero on its diagonal.
func singular(diag blas.Diag, n int, a []float64, lda int) bool {
	if diag == blas.Unit {
		return false
	}
	for i := range n {
		if a[i*lda+i] == 0 {
			return true
		}
	}
	return false
}
