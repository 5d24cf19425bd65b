package blskernel

import "gonum.org/v1/gonum/blas"

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

// checkLen panics unless a slice of the given length holds a rows×cols matrix.
func checkLen(length, rows, cols, ld int, text string) {
	require(length >= (rows-1)*ld+cols, text)
}
