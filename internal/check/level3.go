package check

import "gonum.org/v1/gonum/blas"

// Dgemm checks the arguments of C = op(A)*op(B).
func Dgemm(tA, tB blas.Transpose, m, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) bool {
	Transpose(tA)
	Transpose(tB)
	Require(m >= 0, MLT0)
	Require(n >= 0, NLT0)
	Require(k >= 0, KLT0)
	rowsA, colsA := Stored(tA, m, k)
	rowsB, colsB := Stored(tB, k, n)
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
	Ld(lda, order, BadLdA)
	Ld(ldb, n, BadLdB)
	Ld(ldc, n, BadLdC)
	if m == 0 || n == 0 {
		return false
	}
	Length(len(a), order, order, lda, ShortA)
	Length(len(b), m, n, ldb, ShortB)
	Length(len(c), m, n, ldc, ShortC)
	return true
}

// Dsyrk checks the arguments of C = A*Aᵀ or C = Aᵀ*A into one triangle.
func Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, a []float64, lda int, c []float64, ldc int) bool {
	Uplo(ul)
	Transpose(t)
	Require(n >= 0, NLT0)
	Require(k >= 0, KLT0)
	rows, cols := Stored(t, n, k)
	Ld(lda, cols, BadLdA)
	Ld(ldc, n, BadLdC)
	if n == 0 {
		return false
	}
	Length(len(a), rows, cols, lda, ShortA)
	Length(len(c), n, n, ldc, ShortC)
	return true
}

// Dsyr2k checks the arguments of C = A*Bᵀ + B*Aᵀ or C = Aᵀ*B + Bᵀ*A into one triangle.
func Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) bool {
	Uplo(ul)
	Transpose(t)
	Require(n >= 0, NLT0)
	Require(k >= 0, KLT0)
	rows, cols := Stored(t, n, k)
	Ld(lda, cols, BadLdA)
	Ld(ldb, cols, BadLdB)
	Ld(ldc, n, BadLdC)
	if n == 0 {
		return false
	}
	Length(len(a), rows, cols, lda, ShortA)
	Length(len(b), rows, cols, ldb, ShortB)
	Length(len(c), n, n, ldc, ShortC)
	return true
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
	Ld(lda, order, BadLdA)
	Ld(ldb, n, BadLdB)
	if m == 0 || n == 0 {
		return false
	}
	Length(len(a), order, order, lda, ShortA)
	Length(len(b), m, n, ldb, ShortB)
	return true
}

// Dgemmt checks the arguments of C = op(A)*op(B) into one triangle.
func Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int) bool {
	Uplo(ul)
	Transpose(tA)
	Transpose(tB)
	Require(n >= 0, NLT0)
	return Dgemm(tA, tB, n, n, k, a, lda, b, ldb, c, ldc)
}

// Dgemmtp checks the arguments of AP = op(A)*op(B) into a packed triangle.
func Dgemmtp(tA, tB blas.Transpose, n, k int, a []float64, lda int, b []float64, ldb int, ap []float64) bool {
	Transpose(tA)
	Transpose(tB)
	Require(n >= 0, NLT0)
	Require(k >= 0, KLT0)
	rowsA, colsA := Stored(tA, n, k)
	rowsB, colsB := Stored(tB, k, n)
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

// Dsprk checks the arguments of AP = A*Aᵀ or AP = Aᵀ*A into a packed triangle.
func Dsprk(t blas.Transpose, n, k int, a []float64, lda int, ap []float64) bool {
	Transpose(t)
	return Dgemmtp(t, OtherTranspose(t), n, k, a, lda, a, lda, ap)
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
