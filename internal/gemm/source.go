package gemm

import (
	"blskernel/internal/block"
	"blskernel/internal/kernel"
)

// A source is an operand of a product as the loops see it: a matrix X of which blocks can be packed.
// The first index i of X[i,p] runs along the tile of C and the second along the sum, so that one
// operand is A (X = op(A), m×k) and the other the transpose of B (X = op(B)ᵀ, n×k).
type source struct {
	block.Matrix // storage; packed only in the layouts byRows, byCols and symUpper
	layout       layout
	diag         []float64 // row p of op(B) is multiplied by diag[p]; only as second operand
}

// A layout says where in the storage X[i,p] is.
type layout uint8

const (
	byRows   layout = iota // row i, column p
	byCols                 // row p, column i
	symUpper               // X symmetric, row min(i,p), column max(i,p)
	symLower               // X symmetric, row max(i,p), column min(i,p)
)

// left is op(A) as the first operand of a product.
func left(trans bool, a block.Matrix) source {
	if trans {
		return source{layout: byCols, Matrix: a}
	}
	return source{layout: byRows, Matrix: a}
}

// right is op(B) as the second operand of a product.
func right(trans bool, b block.Matrix) source { return left(!trans, b) }

// pack copies X[i0:i1, p0:p1] into dst as micro-panels of w rows: element (i,p) of the block goes to
//
//	dst[(i/w)*w*kc + p*w + i%w],   kc = p1-p0
//
// (i and p counted from i0 and p0). What the last panel has beyond i1 is left as it is. room is for
// what lies along the sum in packed storage, gathered·gatheredSteps elements.
//
// Rows that lie across the sum are copied for all panels, some at a time, since each is in a page of
// memory of its own.
func (s *source) pack(k *kernel.Kernel, room, dst []float64, w, i0, i1, p0, p1 int) {
	size := w * (p1 - p0)
	switch {
	case s.layout != byCols:
		for at := 0; i0+at < i1; at += w {
			s.panel(k, room, dst[at/w*size:][:size], w, i0+at, min(i0+at+w, i1), p0, p1)
		}
	case s.Packed:
		s.scatter(k, dst, w, i0, i1, p0, p1)
	default:
		for p := p0; p < p1; p += packedRows {
			rows := min(packedRows, p1-p)
			for i := i0; i < i1; i += w {
				k.Copy(rows, min(w, i1-i), &s.X[p*s.Ld+i], s.Ld, &dst[(i-i0)/w*size+(p-p0)*w], w)
			}
		}
	}
	if s.diag == nil {
		return
	}
	for at := 0; i0+at < i1; at += w {
		for p, d := range s.diag[p0:p1] {
			k.Scal(min(w, i1-i0-at), d, &dst[at/w*size+p*w])
		}
	}
}

// packedRows is how many rows that lie across the sum are copied at a time: their pages are known to
// any CPU's first table of pages.
const packedRows = 16

// scatter packs rows that lie across the sum one after the other, each as a matrix of which every row
// goes to another panel.
func (s *source) scatter(k *kernel.Kernel, dst []float64, w, i0, i1, p0, p1 int) {
	size, panels := w*(p1-p0), (i1-i0)/w
	whole := panels * w
	for p := p0; p < p1; p++ {
		row, to := s.X[s.Row(p)+i0:], dst[(p-p0)*w:]
		if panels > 0 {
			k.Copy(panels, w, &row[0], w, &to[0], size)
		}
		if rest := i1 - i0 - whole; rest > 0 {
			k.Copy(1, rest, &row[whole], 0, &to[panels*size], 0)
		}
	}
}

// panel packs one micro-panel of i1-i0 <= w rows. The panel of a symmetric matrix is in three parts,
// before, on and after the diagonal; the stored row is across in one of the outer parts and along in
// the other.
func (s *source) panel(k *kernel.Kernel, room, dst []float64, w, i0, i1, p0, p1 int) {
	switch s.layout {
	case byRows:
		s.along(k, room, dst, w, i0, i1, p0, p1)
		return
	case byCols:
		s.across(k, dst, w, i0, i1, p0, p1)
		return
	}
	d0, d1 := min(max(i0, p0), p1), min(max(i1, p0), p1)
	before, on, after := dst[:(d0-p0)*w], dst[(d0-p0)*w:(d1-p0)*w], dst[(d1-p0)*w:]
	if s.layout == symUpper {
		s.across(k, before, w, i0, i1, p0, d0)
		s.along(k, room, after, w, i0, i1, d1, p1)
	} else {
		s.along(k, room, before, w, i0, i1, p0, d0)
		s.across(k, after, w, i0, i1, d1, p1)
	}
	for i := i0; i < i1; i++ {
		for p := d0; p < d1; p++ {
			r, c := i, p
			if (r > c) == (s.layout == symUpper) {
				r, c = c, r
			}
			on[(p-d0)*w+i-i0] = s.X[s.Row(r)+c]
		}
	}
}

// along packs rows i0 to i1, columns p0 to p1 of the storage, which lie along the sum.
func (s *source) along(k *kernel.Kernel, room, dst []float64, w, i0, i1, p0, p1 int) {
	switch {
	case p0 == p1:
	case !s.Packed:
		k.Transpose(i1-i0, p1-p0, &s.X[s.Row(i0)+p0], s.Ld, &dst[0], w)
	default:
		// A copy of a part of the rows, which stays in the first level of cache, is dense.
		for ; i0 < i1; i0 += gathered {
			m := min(gathered, i1-i0)
			for p := p0; p < p1; p += gatheredSteps {
				n := min(gatheredSteps, p1-p)
				for i := range m {
					k.Copy(1, n, &s.X[s.Row(i0+i)+p], 0, &room[i*gatheredSteps], 0)
				}
				k.Transpose(m, n, &room[0], gatheredSteps, &dst[(p-p0)*w], w)
			}
			dst = dst[min(gathered, len(dst)):]
		}
	}
}

// gathered rows, and gatheredSteps of them, are made dense at a time.
const (
	gathered      = 8
	gatheredSteps = 64
)

// across packs rows p0 to p1, columns i0 to i1 of the storage, which lie across the sum.
func (s *source) across(k *kernel.Kernel, dst []float64, w, i0, i1, p0, p1 int) {
	switch {
	case p0 == p1:
	case !s.Packed:
		k.Copy(p1-p0, i1-i0, &s.X[s.Row(p0)+i0], s.Ld, &dst[0], w)
	default:
		for p := p0; p < p1; p++ {
			k.Copy(1, i1-i0, &s.X[s.Row(p)+i0], 0, &dst[(p-p0)*w], 0)
		}
	}
}

// beside reports whether the block X[i0:i1, p0:p1] of a symmetric matrix lies on one side of the
// diagonal, so that it can be read where it, or its transpose, is stored: from at on, and with these
// distances between rows and columns.
func (s *source) beside(i0, i1, p0, p1 int) (at, row, col int, ok bool) {
	stored, mirrored := i1-1 <= p0, p1-1 <= i0
	if s.layout == symLower {
		stored, mirrored = mirrored, stored
	}
	switch {
	case s.layout < symUpper || s.Packed:
		return 0, 0, 0, false
	case stored:
		return i0*s.Ld + p0, s.Ld, 1, true
	case mirrored:
		return p0*s.Ld + i0, 1, s.Ld, true
	}
	return 0, 0, 0, false
}

// square copies all of a symmetric matrix of order n to dst, whose rows are n long.
func (s *source) square(dst []float64, n int) {
	for i := range n {
		r, from, to := s.Row(i), 0, i+1
		if s.layout == symUpper {
			from, to = i, n
		}
		for j := from; j < to; j++ {
			v := s.X[r+j]
			dst[i*n+j], dst[j*n+i] = v, v
		}
	}
}
