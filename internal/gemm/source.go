package gemm

import "blskernel/internal/packed"

// A source is an operand of a product as the loops see it: a matrix X of which blocks can be packed.
// The first index i of X[i,p] runs along the tile of C and the second along the sum, so that one
// operand is A (X = op(A), m×k) and the other the transpose of B (X = op(B)ᵀ, n×k).
type source struct {
	layout layout
	packed bool      // a packed upper triangle of order n; only with symUpper
	x      []float64 // storage
	ld, n  int       // distance between rows, or order if packed
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
// (i and p counted from i0 and p0). The last panel is padded with rows of zeros.
func (s *source) pack(dst []float64, w, i0, i1, p0, p1 int) {
	size := w * (p1 - p0)
	for ; i0 < i1; i0 += w {
		end := min(i0+w, i1)
		if end < i0+w {
			clear(dst[:size])
		}
		s.panel(dst[:size], w, i0, end, p0, p1)
		dst = dst[size:]
	}
}

// panel packs one micro-panel of i1-i0 <= w rows. The panel of a symmetric matrix is in three parts,
// before, on and after the diagonal; the stored row is across in one of the outer parts and along in
// the other.
func (s *source) panel(dst []float64, w, i0, i1, p0, p1 int) {
	switch s.layout {
	case byRows:
		s.along(dst, w, i0, i1, p0, p1)
		return
	case byCols:
		s.across(dst, w, i0, i1, p0, p1)
		return
	}
	d0, d1 := min(max(i0, p0), p1), min(max(i1, p0), p1)
	before, on, after := dst[:(d0-p0)*w], dst[(d0-p0)*w:(d1-p0)*w], dst[(d1-p0)*w:]
	if s.layout == symUpper {
		s.across(before, w, i0, i1, p0, d0)
		s.along(after, w, i0, i1, d1, p1)
	} else {
		s.along(before, w, i0, i1, p0, d0)
		s.across(after, w, i0, i1, d1, p1)
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
func (s *source) along(dst []float64, w, i0, i1, p0, p1 int) {
	if p0 == p1 {
		return
	}
	for i := i0; i < i1; i++ {
		r := s.row(i)
		at := i - i0
		for _, v := range s.x[r+p0 : r+p1] {
			dst[at] = v
			at += w
		}
	}
}

// across packs rows p0 to p1, columns i0 to i1 of the storage, which lie across the sum.
func (s *source) across(dst []float64, w, i0, i1, p0, p1 int) {
	for p := p0; p < p1; p++ {
		r := s.row(p)
		copy(dst[(p-p0)*w:], s.x[r+i0:r+i1])
	}
}
