package gemm

import (
	"blskernel/internal/kernel"
	"blskernel/internal/packed"
)

// A source is an operand of a product as the loops see it: a matrix X of which blocks can be packed.
// The first index i of X[i,p] runs along the tile of C and the second along the sum, so that one
// operand is A (X = op(A), m×k) and the other the transpose of B (X = op(B)ᵀ, n×k).
type source struct {
	layout layout
	packed bool      // a packed upper triangle of order n; only with symUpper
	x      []float64 // storage
	ld, n  int       // distance between rows, or order if packed
	diag   []float64 // row p of op(B) is multiplied by diag[p]; only as second operand
}

// A layout says where in the storage X[i,p] is.
type layout uint8

const (
	byRows   layout = iota // x[i*ld+p]
	byCols                 // x[p*ld+i]
	symUpper               // X symmetric, row min(i,p), column max(i,p)
	symLower               // X symmetric, row max(i,p), column min(i,p)
)

// left is op(A) as the first operand of a product.
func left(trans bool, a []float64, lda int) source {
	if trans {
		return source{layout: byCols, x: a, ld: lda}
	}
	return source{layout: byRows, x: a, ld: lda}
}

// right is op(B) as the second operand of a product.
func right(trans bool, b []float64, ldb int) source { return left(!trans, b, ldb) }

// row returns the offset r of row i in the storage, for which column j is x[r+j].
func (s *source) row(i int) int {
	if s.packed {
		return packed.Row(s.n, i)
	}
	return i * s.ld
}

// pack copies X[i0:i1, p0:p1] into dst as micro-panels of w rows: element (i,p) of the block goes to
//
//	dst[(i/w)*w*kc + p*w + i%w],   kc = p1-p0
//
// (i and p counted from i0 and p0). What the last panel has beyond i1 is left as it is.
//
// Rows that lie across the sum are copied some at a time for all panels, since each is in a page of memory
// of its own.
func (s *source) pack(k *kernel.Kernel, dst []float64, w, i0, i1, p0, p1 int) {
	size := w * (p1 - p0)
	if s.layout == byCols && s.diag == nil {
		for p := p0; p < p1; p += packedRows {
			rows := min(packedRows, p1-p)
			for i := i0; i < i1; i += w {
				k.Copy(rows, min(w, i1-i), &s.x[p*s.ld+i], s.ld, &dst[(i-i0)/w*size+(p-p0)*w], w)
			}
		}
		return
	}
	for ; i0 < i1; i0 += w {
		s.panel(k, dst[:size], w, i0, min(i0+w, i1), p0, p1)
		if s.diag != nil {
			for p, d := range s.diag[p0:p1] {
				row := dst[p*w : p*w+min(w, i1-i0)]
				for i := range row {
					row[i] *= d
				}
			}
		}
		dst = dst[size:]
	}
}

// packedRows is how many rows that lie across the sum are copied at a time: their pages are known to any
// CPU's first table of pages.
const packedRows = 16

// panel packs one micro-panel of i1-i0 <= w rows. The panel of a symmetric matrix is in three parts,
// before, on and after the diagonal; the stored row is across in one of the outer parts and along in
// the other.
func (s *source) panel(k *kernel.Kernel, dst []float64, w, i0, i1, p0, p1 int) {
	switch s.layout {
	case byRows:
		s.along(k, dst, w, i0, i1, p0, p1)
		return
	case byCols:
		s.across(k, dst, w, i0, i1, p0, p1)
		return
	}
	d0, d1 := min(max(i0, p0), p1), min(max(i1, p0), p1)
	before, on, after := dst[:(d0-p0)*w], dst[(d0-p0)*w:(d1-p0)*w], dst[(d1-p0)*w:]
	if s.layout == symUpper {
		s.across(k, before, w, i0, i1, p0, d0)
		s.along(k, after, w, i0, i1, d1, p1)
	} else {
		s.along(k, before, w, i0, i1, p0, d0)
		s.across(k, after, w, i0, i1, d1, p1)
	}
	for i := i0; i < i1; i++ {
		for p := d0; p < d1; p++ {
			r, c := i, p
			if (r > c) == (s.layout == symUpper) {
				r, c = c, r
			}
			on[(p-d0)*w+i-i0] = s.x[s.row(r)+c]
		}
	}
}

// along packs rows i0 to i1, columns p0 to p1 of the storage, which lie along the sum.
func (s *source) along(k *kernel.Kernel, dst []float64, w, i0, i1, p0, p1 int) {
	switch {
	case p0 == p1:
	case !s.packed:
		k.Transpose(i1-i0, p1-p0, &s.x[s.row(i0)+p0], s.ld, &dst[0], w)
	default:
		for i := i0; i < i1; i++ {
			k.Transpose(1, p1-p0, &s.x[s.row(i)+p0], 0, &dst[i-i0], w)
		}
	}
}

// across packs rows p0 to p1, columns i0 to i1 of the storage, which lie across the sum.
func (s *source) across(k *kernel.Kernel, dst []float64, w, i0, i1, p0, p1 int) {
	switch {
	case p0 == p1:
	case !s.packed:
		k.Copy(p1-p0, i1-i0, &s.x[s.row(p0)+i0], s.ld, &dst[0], w)
	default:
		for p := p0; p < p1; p++ {
			k.Copy(1, i1-i0, &s.x[s.row(p)+i0], 0, &dst[(p-p0)*w], 0)
		}
	}
}

// beside reports whether the block X[i0:i1, p0:p1] of a symmetric matrix lies on one side of the diagonal,
// so that it can be read where it, or its transpose, is stored: from at on, and with these distances
// between rows and columns.
func (s *source) beside(i0, i1, p0, p1 int) (at, row, col int, ok bool) {
	stored, mirrored := i1-1 <= p0, p1-1 <= i0
	if s.layout == symLower {
		stored, mirrored = mirrored, stored
	}
	switch {
	case s.layout < symUpper || s.packed:
		return 0, 0, 0, false
	case stored:
		return i0*s.ld + p0, s.ld, 1, true
	case mirrored:
		return p0*s.ld + i0, 1, s.ld, true
	}
	return 0, 0, 0, false
}

// square copies all of a symmetric matrix of order n to dst, whose rows are n long.
func (s *source) square(dst []float64, n int) {
	for i := range n {
		r, from, to := s.row(i), 0, i+1
		if s.layout == symUpper {
			from, to = i, n
		}
		for j := from; j < to; j++ {
			v := s.x[r+j]
			dst[i*n+j], dst[j*n+i] = v, v
		}
	}
}

// strides returns the distances in storage between the rows and between the columns of a dense source.
func (s *source) strides() (row, col int) {
	if s.layout == byRows {
		return s.ld, 1
	}
	return 1, s.ld
}
