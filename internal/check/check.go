// Package check has the argument checks of the float64 BLAS: one set for every backend.
//
// The texts and their order are gonum's. A function that checks a whole routine returns false where the
// result is empty: then there is nothing to compute, and slices may be too short.
package check

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// The texts with which gonum's BLAS panics, in the order of the checks.
const (
	MLT0         = "blas: m < 0"
	NLT0         = "blas: n < 0"
	KLT0         = "blas: k < 0"
	BadUplo      = "blas: illegal triangle"
	BadTranspose = "blas: illegal transpose"
	BadDiag      = "blas: illegal diagonal"
	BadSide      = "blas: illegal side"
	BadFlag      = "blas: illegal rotm flag"
	BadLdA       = "blas: bad leading dimension of A"
	BadLdB       = "blas: bad leading dimension of B"
	BadLdC       = "blas: bad leading dimension of C"
	ZeroIncX     = "blas: zero x index increment"
	ZeroIncY     = "blas: zero y index increment"
	ShortA       = "blas: insufficient length of a"
	ShortB       = "blas: insufficient length of b"
	ShortC       = "blas: insufficient length of c"
	ShortAP      = "blas: insufficient length of ap"
	ShortD       = "blas: insufficient length of d"
	ShortBias    = "blas: insufficient length of bias"
	ShortX       = "blas: insufficient length of x"
	ShortY       = "blas: insufficient length of y"
)

// Require panics with text unless ok.
func Require(ok bool, text string) {
	if !ok {
		panic(text)
	}
}

// Side panics unless s is blas.Left or blas.Right.
func Side(s blas.Side) { Require(s == blas.Left || s == blas.Right, BadSide) }

// Uplo panics unless ul is blas.Upper or blas.Lower.
func Uplo(ul blas.Uplo) { Require(ul == blas.Lower || ul == blas.Upper, BadUplo) }

// Transpose panics unless t is a transpose of the BLAS.
func Transpose(t blas.Transpose) {
	Require(t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans, BadTranspose)
}

// Diag panics unless d is blas.Unit or blas.NonUnit.
func Diag(d blas.Diag) { Require(d == blas.NonUnit || d == blas.Unit, BadDiag) }

// Ld panics unless ld can be the leading dimension of a matrix with the given number of columns.
func Ld(ld, cols int, text string) { Require(ld >= max(1, cols), text) }

// Length panics unless a slice of the given length holds a rows×cols matrix, cols <= ld. It divides
// because rows*ld may overflow.
func Length(length, rows, cols, ld int, text string) {
	if rows > 0 {
		Require(length >= cols && (rows == 1 || ld <= (length-cols)/(rows-1)), text)
	}
}

// Vector panics unless a slice of the given length holds n >= 1 elements with increment inc. It divides
// because n*inc may overflow.
func Vector(length, n, inc int, text string) {
	if inc < 0 {
		inc = -inc
	}
	Require(length > 0 && inc > 0 && (n == 1 || inc <= (length-1)/(n-1)), text)
}

// Packed panics unless a slice of the given length holds a packed triangle of order n.
func Packed(length, n int) { Require(length >= block.PackedLen(n), ShortAP) }

// Stored returns the rows and columns of X in memory where op(X) is r×c.
func Stored(t blas.Transpose, r, c int) (rows, cols int) {
	if t == blas.NoTrans {
		return r, c
	}
	return c, r
}

// Order returns the order of the square operand on side s of an m×n matrix.
func Order(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}

// OtherTranspose returns blas.Trans for blas.NoTrans, and blas.NoTrans otherwise.
func OtherTranspose(t blas.Transpose) blas.Transpose {
	if t == blas.NoTrans {
		return blas.Trans
	}
	return blas.NoTrans
}
