package blas12

import "gonum.org/v1/gonum/blas"

// The texts with which gonum's BLAS panics.
const (
	mLT0         = "blas: m < 0"
	nLT0         = "blas: n < 0"
	zeroIncX     = "blas: zero x index increment"
	zeroIncY     = "blas: zero y index increment"
	badUplo      = "blas: illegal triangle"
	badTranspose = "blas: illegal transpose"
	badDiag      = "blas: illegal diagonal"
	badLdA       = "blas: bad leading dimension of A"
	shortX       = "blas: insufficient length of x"
	shortY       = "blas: insufficient length of y"
	shortA       = "blas: insufficient length of a"
	shortAP      = "blas: insufficient length of ap"
	badFlag      = "blas: illegal rotm flag"
)

func require(ok bool, text string) {
	if !ok {
		panic(text)
	}
}

func checkUplo(ul blas.Uplo) { require(ul == blas.Lower || ul == blas.Upper, badUplo) }

func checkTranspose(t blas.Transpose) {
	require(t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans, badTranspose)
}

func checkDiag(d blas.Diag) { require(d == blas.NonUnit || d == blas.Unit, badDiag) }

// holds reports whether a slice of the given length holds n >= 1 elements at distance inc. It divides,
// because the product of n and inc may overflow.
func holds(length, n, inc int) bool {
	if inc < 0 {
		inc = -inc
	}
	return length > 0 && inc > 0 && (n == 1 || inc <= (length-1)/(n-1))
}

// holdsMatrix reports whether a slice of the given length holds an m×n matrix, m >= 1, with n <= lda.
func holdsMatrix(length, m, n, lda int) bool {
	return length >= n && (m == 1 || lda <= (length-n)/(m-1))
}
