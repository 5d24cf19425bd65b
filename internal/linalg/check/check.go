// Package check provides the argument checks of the float64 BLAS, one set for all backends.
//
// The messages and their order are gonum's. A function that checks all arguments of a routine returns
// false if the result is empty. There is then nothing to compute, and slices have not been checked.
package check

import (
	"math/bits"

	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// Messages with which gonum's BLAS panics, in the order of the checks, and our ShortBias.
const (
	MLT0         = "blas: m < 0"
	NLT0         = "blas: n < 0"
	KLT0         = "blas: k < 0"
	KLLT0        = "blas: kL < 0"
	KULT0        = "blas: kU < 0"
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
	ShortBias    = "blas: insufficient length of bias"
	ShortX       = "blas: insufficient length of x"
	ShortY       = "blas: insufficient length of y"
)

// Require panics with text unless ok is true.
func Require(ok bool, text string) {
	if !ok {
		panic(text)
	}
}

// Side panics unless s is blas.Left or blas.Right.
func Side(s blas.Side) { Require(s == blas.Left || s == blas.Right, BadSide) }

// Uplo panics unless ul is blas.Upper or blas.Lower.
func Uplo(ul blas.Uplo) { Require(ul == blas.Lower || ul == blas.Upper, BadUplo) }

// Transpose panics unless t is blas.NoTrans, blas.Trans or blas.ConjTrans.
func Transpose(t blas.Transpose) {
	Require(t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans, BadTranspose)
}

// Diag panics unless d is blas.Unit or blas.NonUnit.
func Diag(d blas.Diag) { Require(d == blas.NonUnit || d == blas.Unit, BadDiag) }

// Ld panics with text unless ld can be the leading dimension of a matrix with cols columns.
func Ld(ld, cols int, text string) { Require(ld >= max(1, cols), text) }

// Length panics with text if a slice of the given length cannot hold a rows×cols matrix with stride ld.
func Length(length, rows, cols, ld int, text string) {
	if rows > 0 {
		Require(length >= cols && within(rows-1, ld, length-cols), text)
	}
}

// Vector panics with text unless a slice of the given length holds n >= 1 elements with increment inc.
func Vector(length, n, inc int, text string) {
	Require(length > 0 && within(n-1, max(inc, -inc), length-1), text)
}

// within reports whether steps*size <= length, even if the product overflows.
func within(steps, size, length int) bool {
	high, low := bits.Mul(uint(steps), uint(size))
	return high == 0 && low <= uint(length)
}

// Packed panics unless a slice of the given length holds a packed triangle of order n.
func Packed(length, n int) { Require(length >= block.PackedLen(n), ShortAP) }

// Order returns the order of the square operand on side s of an m×n matrix.
func Order(s blas.Side, m, n int) int {
	if s == blas.Left {
		return m
	}
	return n
}

// operands checks the leading dimensions of A, B and C. If C is empty, it then returns false; otherwise
// it checks the lengths a, b and c. Dgemm checks them inline, since a call would slow 2×2 products.
func operands(empty bool, a, rowsA, colsA, lda, b, rowsB, colsB, ldb, c, rowsC, colsC, ldc int) bool {
	Ld(lda, colsA, BadLdA)
	Ld(ldb, colsB, BadLdB)
	Ld(ldc, colsC, BadLdC)
	if empty {
		return false
	}
	Length(a, rowsA, colsA, lda, ShortA)
	Length(b, rowsB, colsB, ldb, ShortB)
	Length(c, rowsC, colsC, ldc, ShortC)
	return true
}

// Dgemv checks the arguments of y = op(A)*x.
func Dgemv(tA blas.Transpose, m, n int, a []float64, lda int, x []float64, incX int, y []float64, incY int) bool {
	Transpose(tA)
	Require(m >= 0, MLT0)
	Require(n >= 0, NLT0)
	Ld(lda, n, BadLdA)
	Require(incX != 0, ZeroIncX)
	Require(incY != 0, ZeroIncY)
	if m == 0 || n == 0 {
		return false
	}
	lenY, lenX := block.Stored(tA, m, n)
	Vector(len(x), lenX, incX, ShortX)
	Vector(len(y), lenY, incY, ShortY)
	Length(len(a), m, n, lda, ShortA)
	return true
}

// Dgemm checks the arguments of C = op(A)*op(B).
func Dgemm(tA, tB blas.Transpose, m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) bool {
	Transpose(tA)
	Transpose(tB)
	Require(m >= 0, MLT0)
	Require(n >= 0, NLT0)
	Require(k >= 0, KLT0)
	rowsA, colsA := block.Stored(tA, m, k)
	rowsB, colsB := block.Stored(tB, k, n)
	Ld(lda, colsA, BadLdA)
	Ld(ldb, colsB, BadLdB)
	Ld(ldc, n, BadLdC)
	if m == 0 || n == 0 {
		return false
	}
	Length(len(a), rowsA, colsA, lda, ShortA)
	Length(len(b), rowsB, colsB, ldb, ShortB)
	Length(len(c), m, n, ldc, ShortC)
	return true
}

// Dsymm checks the arguments of C = A*B or C = B*A with a symmetric A.
func Dsymm(s blas.Side, ul blas.Uplo, m, n int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) bool {
	Side(s)
	Uplo(ul)
	Require(m >= 0, MLT0)
	Require(n >= 0, NLT0)
	order := Order(s, m, n)
	return operands(m == 0 || n == 0, len(a), order, order, lda, len(b), m, n, ldb, len(c), m, n, ldc)
}

// Dsyrk checks the arguments of C = A*Aᵀ or C = Aᵀ*A for one triangle of C.
func Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, a []float64, lda int, c []float64, ldc int) bool {
	return Dsyr2k(ul, t, n, k, a, lda, a, lda, c, ldc)
}

// Dsyr2k checks the arguments of C = A*Bᵀ + B*Aᵀ or C = Aᵀ*B + Bᵀ*A for one triangle of C.
func Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) bool {
	Uplo(ul)
	Transpose(t)
	Require(n >= 0, NLT0)
	Require(k >= 0, KLT0)
	rows, cols := block.Stored(t, n, k)
	return operands(n == 0, len(a), rows, cols, lda, len(b), rows, cols, ldb, len(c), n, n, ldc)
}

// Triangular checks the arguments of Dtrmm and Dtrsm.
func Triangular(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, a []float64, lda int, b []float64, ldb int) bool {
	Side(s)
	Uplo(ul)
	Transpose(tA)
	Diag(d)
	Require(m >= 0, MLT0)
	Require(n >= 0, NLT0)
	order := Order(s, m, n)
	return operands(m == 0 || n == 0, len(a), order, order, lda, len(b), m, n, ldb, len(b), m, n, ldb)
}

// Dgemmt checks the arguments of C = op(A)*op(B) for one triangle of C.
func Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) bool {
	Uplo(ul)
	Transpose(tA)
	Transpose(tB)
	Require(n >= 0, NLT0)
	return Dgemm(tA, tB, n, n, k, a, lda, b, ldb, c, ldc)
}

// Dgemmtp checks the arguments of AP = op(A)*op(B) for a packed triangle AP.
func Dgemmtp(tA, tB blas.Transpose, n, k int, a []float64, lda int, b []float64, ldb int, ap []float64) bool {
	Transpose(tA)
	Transpose(tB)
	Require(n >= 0, NLT0)
	Require(k >= 0, KLT0)
	rowsA, colsA := block.Stored(tA, n, k)
	rowsB, colsB := block.Stored(tB, k, n)
	Ld(lda, colsA, BadLdA)
	Ld(ldb, colsB, BadLdB)
	if n == 0 {
		return false
	}
	Length(len(a), rowsA, colsA, lda, ShortA)
	Length(len(b), rowsB, colsB, ldb, ShortB)
	Packed(len(ap), n)
	return true
}

// Dsprk checks the arguments of AP = A*Aᵀ or AP = Aᵀ*A for a packed triangle AP.
func Dsprk(t blas.Transpose, n, k int, a []float64, lda int, ap []float64) bool {
	Transpose(t)
	return Dgemmtp(t, block.Other(t), n, k, a, lda, a, lda, ap)
}

// Dspmm checks the arguments of C = S*B or C = B*S with a packed symmetric S.
func Dspmm(s blas.Side, m, n int, ap, b []float64, ldb int, c []float64, ldc int) bool {
	Side(s)
	Require(m >= 0, MLT0)
	Require(n >= 0, NLT0)
	Ld(ldb, n, BadLdB)
	Ld(ldc, n, BadLdC)
	if m == 0 || n == 0 {
		return false
	}
	Packed(len(ap), Order(s, m, n))
	Length(len(b), m, n, ldb, ShortB)
	Length(len(c), m, n, ldc, ShortC)
	return true
}

// DgemmTanh checks the arguments of C = tanh(op(A)*op(B) + bias).
func DgemmTanh(tA, tB blas.Transpose, m, n, k int, a []float64, lda int, b []float64, ldb int, bias, c []float64, ldc int) bool {
	ok := Dgemm(tA, tB, m, n, k, a, lda, b, ldb, c, ldc)
	Require(len(bias) >= n, ShortBias)
	return ok
}
