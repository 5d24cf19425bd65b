package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// A source is an operand X of a product, op(A) (m×k) or op(B)ᵀ (n×k). The index i of X[i,p] runs along
// the tile of C and p along the sum.
type source struct {
	block.Matrix // storage; packed only in the layouts byRows, byCols and symUpper
	layout       layout
	diag         []float64 // row p of op(B) is multiplied by diag[p]; nil for the first operand
}

// A layout says where in the storage X[i,p] is.
type layout uint8

const (
	byRows   layout = iota // row i, column p
	byCols                 // row p, column i
	symUpper               // X symmetric, row min(i,p), column max(i,p)
	symLower               // X symmetric, row max(i,p), column min(i,p)
)

// opA is op(A) as the first operand of a product.
func opA(trans blas.Transpose, a block.Matrix) source {
	if trans == blas.NoTrans {
		return source{layout: byRows, Matrix: a}
	}
	return source{layout: byCols, Matrix: a}
}

// opB is op(B) as the second operand of a product.
func opB(trans blas.Transpose, b block.Matrix) source { return opA(block.Other(trans), b) }

// symmetric is a symmetric matrix, of which the triangle ul is stored, as either operand.
func symmetric(ul blas.Uplo, s block.Matrix) source {
	if ul == blas.Lower {
		return source{layout: symLower, Matrix: s}
	}
	return source{layout: symUpper, Matrix: s}
}
