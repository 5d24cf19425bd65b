package gemm

import (
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// A source is an operand X of a product, op(A) (m×k) or op(B)ᵀ (n×k). The index i of X[i,p] runs along
// the tile of C and p along the sum.
type source struct {
	block.Matrix // storage; packed only in the layouts byRows, byCols and symUpper
	layout       layout
	diag         []float64 // if not nil, row p of op(B) is multiplied by diag[p]; nil for the first operand
}

// A layout defines where X[i,p] is stored.
type layout uint8

const (
	byRows   layout = iota // row i, column p
	byCols                 // row p, column i
	symUpper               // X symmetric, row min(i,p), column max(i,p)
	symLower               // X symmetric, row max(i,p), column min(i,p)
)

// opA returns op(A) as the first operand of a product.
func opA(trans blas.Transpose, a block.Matrix) source {
	if trans == blas.NoTrans {
		return source{layout: byRows, Matrix: a}
	}
	return source{layout: byCols, Matrix: a}
}

// opB returns op(B) as the second operand of a product.
func opB(trans blas.Transpose, b block.Matrix) source { return opA(block.Other(trans), b) }

// symmetric returns the symmetric matrix s, stored in the triangle ul, for use as either operand.
func symmetric(ul blas.Uplo, s block.Matrix) source {
	if ul == blas.Lower {
		return source{layout: symLower, Matrix: s}
	}
	return source{layout: symUpper, Matrix: s}
}

// A sink is the result C of a product: which elements are kept, and where.
type sink struct {
	block.Matrix           // storage; not packed if the lower triangle is kept
	kept         blas.Uplo // the triangle that is written, with the diagonal; blas.All for all of C
}

func dense(c block.Matrix) sink { return sink{c, blas.All} }

// columns returns the columns of [j0, j1) that are kept in any of the rows [i0, i1), or from >= to if
// there are none.
func (s *sink) columns(i0, i1, j0, j1 int) (from, to int) {
	switch s.kept {
	case blas.Upper:
		return max(j0, i0), j1
	case blas.Lower:
		return j0, min(j1, i1)
	}
	return j0, j1
}

// row returns the kept elements of C[i, j0:j1], and the column of the first (j0 if there are none).
func (s *sink) row(i, j0, j1 int) (c []float64, from int) {
	from, to := s.columns(i, i+1, j0, j1)
	if from >= to {
		return nil, j0
	}
	r := s.Row(i)
	return s.X[r+from : r+to], from
}

// whole returns the columns of [j0, j1) that are kept in all rows [i, i+m), or from >= to if none are.
func (s *sink) whole(i, m, j0, j1 int) (from, to int) {
	switch s.kept {
	case blas.Upper:
		return max(j0, min(i+m-1, j1)), j1
	case blas.Lower:
		return j0, max(j0, min(i+1, j1))
	}
	return j0, j1
}

// scale multiplies the kept elements of C[i0:i1, j0:j1] by beta; beta = 0 sets them to zero.
func (s *sink) scale(beta float64, i0, i1, j0, j1 int) {
	if beta == 1 {
		return
	}
	for i := i0; i < i1; i++ {
		c, _ := s.row(i, j0, j1)
		scal(beta, c)
	}
}

// load copies the kept elements of C[i:i+m, j0:j1] to dst, in rows of length j1-j0.
func (s *sink) load(dst []float64, i, m, j0, j1 int) {
	for r := range m {
		c, from := s.row(i+r, j0, j1)
		copy(dst[r*(j1-j0)+from-j0:], c)
	}
}

// store copies the kept elements of C[i:i+m, j0:j1] back from src. It is the inverse of load.
func (s *sink) store(src []float64, i, m, j0, j1 int) {
	for r := range m {
		c, from := s.row(i+r, j0, j1)
		copy(c, src[r*(j1-j0)+from-j0:])
	}
}

// scal sets x = beta·x; for beta = 0 it sets x to zero, even if x holds NaN.
func scal(beta float64, x []float64) {
	if beta == 0 {
		clear(x)
		return
	}
	for i := range x {
		x[i] *= beta
	}
}
