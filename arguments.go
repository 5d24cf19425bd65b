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

// A stored is a row-major matrix as an argument: what is claimed of it and what there is.
type stored struct {
	rows, cols, ld, length int
	badLd, short           string
}

// op returns the argument that op(X) r×c is in storage.
func op(t blas.Transpose, r, c, ld, length int, badLd, short string) stored {
	if t != blas.NoTrans {
		r, c = c, r
	}
	return stored{r, c, ld, length, badLd, short}
}

// checkStored panics unless every leading dimension is at least the number of columns and, where the
// result is not empty, every slice is long enough. It reports whether the result is not empty.
func checkStored(result stored, operands ...stored) bool {
	all := append(operands, result)
	for _, x := range all {
		require(x.ld >= max(1, x.cols), x.badLd)
	}
	if result.rows == 0 || result.cols == 0 {
		return false
	}
	for _, x := range all {
		require(x.length >= (x.rows-1)*x.ld+x.cols, x.short)
	}
	return true
}
