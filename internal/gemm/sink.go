package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// A sink is the result C of a product: which elements are kept, and where.
type sink struct {
	block.Matrix // storage; not packed if the lower triangle is kept
	kept         region
}

// A region is the elements of C that are kept.
type region uint8

const (
	full region = iota
	upper
	lower
)

// dense keeps a whole matrix.
func dense(c block.Matrix) sink { return sink{c, full} }

// oneTriangle keeps one triangle of a square matrix, with the diagonal.
func oneTriangle(ul blas.Uplo, c block.Matrix) sink {
	if ul == blas.Upper {
		return sink{c, upper}
	}
	return sink{c, lower}
}

// columns returns the columns of [j0, j1) that are kept in some of the rows i0 to i1; from >= to if
// none.
func (s *sink) columns(i0, i1, j0, j1 int) (from, to int) {
	switch s.kept {
	case upper:
		return max(j0, i0), j1
	case lower:
		return j0, min(j1, i1)
	}
	return j0, j1
}

// row returns the kept elements of columns j0 to j1 of row i, and the column of the first (j0 if none).
func (s *sink) row(i, j0, j1 int) (c []float64, from int) {
	from, to := s.columns(i, i+1, j0, j1)
	if from >= to {
		return nil, j0
	}
	r := s.Row(i)
	return s.X[r+from : r+to], from
}

// whole returns the columns of [j0, j1) that are kept in all rows i to i+m; from >= to if none.
func (s *sink) whole(i, m, j0, j1 int) (from, to int) {
	switch s.kept {
	case upper:
		return max(j0, min(i+m-1, j1)), j1
	case lower:
		return j0, max(j0, min(i+1, j1))
	}
	return j0, j1
}

// scale multiplies the kept elements of rows i0 to i1, columns j0 to j1 by beta; beta = 0 clears them.
func (s *sink) scale(beta float64, i0, i1, j0, j1 int) {
	if beta == 1 {
		return
	}
	for i := i0; i < i1; i++ {
		c, _ := s.row(i, j0, j1)
		scal(beta, c)
	}
}

// load copies the kept elements of rows i to i+m, columns j0 to j1, to dst, whose rows are j1-j0 long.
func (s *sink) load(dst []float64, i, m, j0, j1 int) {
	for r := range m {
		c, from := s.row(i+r, j0, j1)
		copy(dst[r*(j1-j0)+from-j0:], c)
	}
}

// store is the reverse of load.
func (s *sink) store(src []float64, i, m, j0, j1 int) {
	for r := range m {
		c, from := s.row(i+r, j0, j1)
		copy(c, src[r*(j1-j0)+from-j0:])
	}
}

// scal sets x = beta·x; beta = 0 overwrites x.
func scal(beta float64, x []float64) {
	switch beta {
	case 0:
		clear(x)
	default:
		for i := range x {
			x[i] *= beta
		}
	}
}
