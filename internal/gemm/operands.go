package gemm

import (
	"sync"
	"unsafe"

	"blskernel/internal/block"
	"blskernel/internal/kernel"

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
// (i and p counted from i0 and p0). It does not write beyond i1 in the last panel. buffer, of
// gathered·gatheredSteps elements, is workspace for packed rows along the sum. Rows across the sum are
// copied for all panels, packedRows at a time, because each is in a page of its own.
func (s *source) pack(k *kernel.Kernel, buffer, dst []float64, w, i0, i1, p0, p1 int) {
	size := w * (p1 - p0)
	switch {
	case s.layout != byCols:
		for at := 0; i0+at < i1; at += w {
			s.panel(k, buffer, dst[at/w*size:][:size], w, i0+at, min(i0+at+w, i1), p0, p1)
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

// packedRows is the number of rows copied at a time: few enough for the first-level TLB of any CPU.
const packedRows = 16

// scatter packs rows across the sum one by one, each as a matrix whose rows go to different panels.
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

// panel packs one micro-panel of i1-i0 <= w rows. A symmetric matrix has three ranges, before, on and
// after the diagonal: the stored row is across the sum in one outer range and along it in the other.
func (s *source) panel(k *kernel.Kernel, buffer, dst []float64, w, i0, i1, p0, p1 int) {
	switch s.layout {
	case byRows:
		s.along(k, buffer, dst, w, i0, i1, p0, p1)
		return
	case byCols:
		s.across(k, dst, w, i0, i1, p0, p1)
		return
	}
	d0, d1 := min(max(i0, p0), p1), min(max(i1, p0), p1)
	before, on, after := dst[:(d0-p0)*w], dst[(d0-p0)*w:(d1-p0)*w], dst[(d1-p0)*w:]
	if s.layout == symUpper {
		s.across(k, before, w, i0, i1, p0, d0)
		s.along(k, buffer, after, w, i0, i1, d1, p1)
	} else {
		s.along(k, buffer, before, w, i0, i1, p0, d0)
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

// along packs rows i0 to i1, columns p0 to p1 of the storage: rows along the sum.
func (s *source) along(k *kernel.Kernel, buffer, dst []float64, w, i0, i1, p0, p1 int) {
	switch {
	case p0 == p1:
	case !s.Packed:
		k.Transpose(i1-i0, p1-p0, &s.X[s.Row(i0)+p0], s.Ld, &dst[0], w)
	default:
		// Some rows at a time become dense in a buffer that stays in L1.
		for ; i0 < i1; i0 += gathered {
			m := min(gathered, i1-i0)
			for p := p0; p < p1; p += gatheredSteps {
				n := min(gatheredSteps, p1-p)
				for i := range m {
					k.Copy(1, n, &s.X[s.Row(i0+i)+p], 0, &buffer[i*gatheredSteps], 0)
				}
				k.Transpose(m, n, &buffer[0], gatheredSteps, &dst[(p-p0)*w], w)
			}
			dst = dst[min(gathered, len(dst)):]
		}
	}
}

// gathered rows by gatheredSteps columns become dense at a time.
const (
	gathered      = 8
	gatheredSteps = 64
)

// across packs rows p0 to p1, columns i0 to i1 of the storage: rows across the sum.
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

// beside reports whether the block X[i0:i1, p0:p1] of a symmetric matrix is on one side of the
// diagonal, where the kernel can read it or its transpose in place, and at which place and strides.
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

// square copies both triangles of a symmetric matrix of order n to dst, an n×n matrix.
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

// all keeps a whole matrix.
func all(c block.Matrix) sink { return sink{c, full} }

// half keeps one triangle of a square matrix, with the diagonal.
func half(ul blas.Uplo, c block.Matrix) sink {
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
	case 1:
	default:
		for i := range x {
			x[i] *= beta
		}
	}
}

// A scratch is the workspace of one goroutine in one product: packed blocks of A and B, some rows of C,
// the diagonal of a triangular block, and some rows of a packed matrix.
type scratch struct {
	a, b, c, diagonal []float64
	buffer            []float64 // workspace of source.pack
	triangle          []float64 // a block on the diagonal of a packed triangle
	copied            triangle  // the triangle on that block
	packed            place     // the block of the current product that b holds
}

// A place is a block of the second operand of a product.
type place struct {
	id             int64 // of the product
	j0, j1, p0, p1 int
}

// scratches keeps workspaces between calls.
var scratches = sync.Pool{New: func() any { return &scratch{buffer: make([]float64, gathered*gatheredSteps)} }}

// aligned returns n elements at a kernel.Align-byte boundary, in the storage of x if that is long
// enough. Their contents are undefined.
func aligned(x []float64, n int) []float64 {
	if n <= cap(x) {
		return x[:n]
	}
	const align = int(kernel.Align / 8)
	x = make([]float64, n+align-1)
	off := int(-uintptr(unsafe.Pointer(&x[0]))%kernel.Align) / 8
	return x[off:][:n]
}

// alignedBlock is aligned for a block of at most the given number of elements. New storage holds that
// many unless n is a small fraction, so that a series of growing products does not allocate each time.
func alignedBlock(x []float64, n, most int) []float64 {
	if n > cap(x) && n > most/8 {
		x = aligned(x, max(n, most))
	}
	return aligned(x, n)
}
