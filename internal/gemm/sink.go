package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// A sink is the result C of a product as the loops see it: which elements are kept, and where.
type sink struct {
	block.Matrix // storage; not packed where the lower triangle is kept
	part         part
}

// A part is the part of C that is kept.
type part uint8

const (
	full part = iota
	upper
	lower
)

// all keeps a whole matrix.
func all(c block.Matrix) sink { return sink{c, full} }

// half keeps one triangle of a square matrix, with the diagonal.
func half(ul blas.Uplo, c block.Matrix) sink {
	if ul == blas.Upper {
		return sink{c, upper}
	}
	return sink{c, lower}
}

// columns returns the part of the columns j0 to j1 that is kept in at least one of the rows i0 to i1.
// It is empty, from >= to, where there is none.
func (s *sink) columns(i0, i1, j0, j1 int) (from, to int) {
	switch s.part {
	case upper:
		return max(j0, i0), j1
	case lower:
		return j0, min(j1, i1)
	}
	return j0, j1
}

// row returns the kept elements of columns j0 to j1 of row i, and the column of the first (j0 where
// there is none).
func (s *sink) row(i, j0, j1 int) (c []float64, from int) {
	from, to := s.columns(i, i+1, j0, j1)
	if from >= to {
		return nil, j0
	}
	r := s.Row(i)
	return s.X[r+from : r+to], from
}

// whole returns the part of the columns j0 to j1 in which every element of rows i to i+m is kept. It is
// empty, from >= to, where there is none.
func (s *sink) whole(i, m, j0, j1 int) (from, to int) {
	switch s.part {
	case upper:
		return max(j0, min(i+m-1, j1)), j1
	case lower:
		return j0, max(j0, min(i+1, j1))
	}
	return j0, j1
}

// scale multiplies the kept elements of rows i0 to i1, columns j0 to j1 by beta, or sets them to zero
// without reading them where beta = 0.
func (s *sink) scale(beta float64, i0, i1, j0, j1 int) {
	if beta == 1 {
		return
	}
	for i := i0; i < i1; i++ {
		c, _ := s.row(i, j0, j1)
		scal(beta, c)
	}
}

// load copies what is kept of rows i to i+m, columns j0 to j1, to dst, whose rows are j1-j0 long.
func (s *sink) load(dst []float64, i, m, j0, j1 int) {
	for r := range m {
		c, from := s.row(i+r, j0, j1)
		copy(dst[r*(j1-j0)+from-j0:], c)
	}
}

// store is load the other way.
func (s *sink) store(src []float64, i, m, j0, j1 int) {
	for r := range m {
		c, from := s.row(i+r, j0, j1)
		copy(c, src[r*(j1-j0)+from-j0:])
	}
}

// scal sets x = beta·x, and x = 0 whatever it was where beta = 0.
func scal(beta float64, x []float64) {
	switch beta {
	case 0:
		clear(x)
	case 1:
	default:
		for i := range x {
			x[i] *= beta
		}
	}
}
