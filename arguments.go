package blskernel

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// The texts with which gonum's BLAS panics, and in the checks below their order.
const (
	mLT0         = "blas: m < 0"
	nLT0         = "blas: n < 0"
	kLT0         = "blas: k < 0"
	badUplo      = "blas: illegal triangle"
	badTranspose = "blas: illegal transpose"
	badDiag      = "blas: illegal diagonal"
	badSide      = "blas: illegal side"
	badLdA       = "blas: bad leading dimension of A"
	badLdB       = "blas: bad leading dimension of B"
	badLdC       = "blas: bad leading dimension of C"
	shortA       = "blas: insufficient length of a"
	shortB       = "blas: insufficient length of b"
	shortC       = "blas: insufficient length of c"
	shortAP      = "blas: insufficient length of ap"
	shortD       = "blas: insufficient length of d"
	shortBias    = "blas: insufficient length of bias"
	zeroIncX     = "blas: zero x index increment"
	zeroIncY     = "blas: zero y index increment"
	shortX       = "blas: insufficient length of x"
	shortY       = "blas: insufficient length of y"
)

func require(ok bool, text string) {
	if !ok {
		panic(text)
	}
}

func checkSide(s blas.Side) { require(s == blas.Left || s == blas.Right, badSide) }

func checkUplo(ul blas.Uplo) { require(ul == blas.Lower || ul == blas.Upper, badUplo) }

func checkTranspose(t blas.Transpose) {
	require(t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans, badTranspose)
}

func checkDiag(d blas.Diag) { require(d == blas.NonUnit || d == blas.Unit, badDiag) }

// dimsOf returns the numbers of rows and columns that a matrix X has in storage if op(X) is r×c.
func dimsOf(t blas.Transpose, r, c int) (rows, cols int) {
	if t == blas.NoTrans {
		return r, c
	}
	return c, r
}

// checkLd panics unless ld can be the distance between rows of so many columns.
func checkLd(ld, cols int, text string) { require(ld >= max(1, cols), text) }

// checkLen panics unless a slice of the given length holds a rows×cols matrix with cols <= ld. It divides,
// because the product of rows and ld may overflow.
func checkLen(length, rows, cols, ld int, text string) {
	if rows > 0 {
		require(length >= cols && (rows == 1 || ld <= (length-cols)/(rows-1)), text)
	}
}

// checkPacked panics unless a slice of the given length holds a packed triangle of order n.
func checkPacked(length, n int) { require(length >= block.PackedLen(n), shortAP) }

// checkDgemm checks the arguments of a product C = op(A)*op(B) and reports whether C is not empty.
func checkDgemm(tA, tB blas.Transpose, m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) bool {
	checkTranspose(tA)
	checkTranspose(tB)
	require(m >= 0, mLT0)
	require(n >= 0, nLT0)
	require(k >= 0, kLT0)
	rowsA, colsA := dimsOf(tA, m, k)
	rowsB, colsB := dimsOf(tB, k, n)
	checkLd(lda, colsA, badLdA)
	checkLd(ldb, colsB, badLdB)
	checkLd(ldc, n, badLdC)
	if m == 0 || n == 0 {
		return false
	}
	checkLen(len(a), rowsA, colsA, lda, shortA)
	checkLen(len(b), rowsB, colsB, ldb, shortB)
	checkLen(len(c), m, n, ldc, shortC)
	return true
}

// checkDgemmt checks the arguments of a product of which one triangle is wanted and reports whether that is not
// empty.
func checkDgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) bool {
	checkUplo(ul)
	checkTranspose(tA)
	checkTranspose(tB)
	require(n >= 0, nLT0)
	return checkDgemm(tA, tB, n, n, k, a, lda, b, ldb, c, ldc)
}

// checkDgemmtp checks the arguments of a product into a packed triangle and reports whether that is not empty.
func checkDgemmtp(tA, tB blas.Transpose, n, k int, a []float64, lda int, b []float64, ldb int, ap []float64) bool {
	checkTranspose(tA)
	checkTranspose(tB)
	require(n >= 0, nLT0)
	require(k >= 0, kLT0)
	rowsA, colsA := dimsOf(tA, n, k)
	rowsB, colsB := dimsOf(tB, k, n)
	checkLd(lda, colsA, badLdA)
	checkLd(ldb, colsB, badLdB)
	if n == 0 {
		return false
	}
	checkLen(len(a), rowsA, colsA, lda, shortA)
	checkLen(len(b), rowsB, colsB, ldb, shortB)
	checkPacked(len(ap), n)
	return true
}

// checkDsprk checks the arguments of a rank-k update of a packed triangle and reports whether that is not
// empty.
func checkDsprk(t blas.Transpose, n, k int, a []float64, lda int, ap []float64) bool {
	checkTranspose(t)
	return checkDgemmtp(t, otherTranspose(t), n, k, a, lda, a, lda, ap)
}

// checkDspmm checks the arguments of a product with a packed symmetric matrix and reports whether C is not
// empty.
func checkDspmm(s blas.Side, m, n int, ap, b []float64, ldb int, c []float64, ldc int) bool {
	checkSide(s)
	require(m >= 0, mLT0)
	require(n >= 0, nLT0)
	checkLd(ldb, n, badLdB)
	checkLd(ldc, n, badLdC)
	if m == 0 || n == 0 {
		return false
	}
	checkPacked(len(ap), orderOf(s, m, n))
	checkLen(len(b), m, n, ldb, shortB)
	checkLen(len(c), m, n, ldc, shortC)
	return true
}

// otherTranspose returns blas.Trans for blas.NoTrans, and blas.NoTrans otherwise.
func otherTranspose(t blas.Transpose) blas.Transpose {
	if t == blas.NoTrans {
		return blas.Trans
	}
	return blas.NoTrans
}
