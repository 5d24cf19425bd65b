package gemm

import (
	"sync"
	"unsafe"

	"blskernel/internal/linalg/kernel"
)

// pack copies X[i0:i1, p0:p1] into dst as micro-panels of w rows: element (i,p) of the block goes to
//
//	dst[(i/w)*w*kc + p*w + i%w],   kc = p1-p0
//
// where i and p count from i0 and p0. In the last panel the rows from i1 on are not written. If stored
// rows run across the sum, packedRows at a time are copied to all panels: each is in its own page.
func (s *source) pack(k *kernel.Kernel, dst []float64, w, i0, i1, p0, p1 int) {
	size := w * (p1 - p0)
	if s.layout == byCols {
		for p := p0; p < p1; p += packedRows {
			end := min(p+packedRows, p1)
			for i := i0; i < i1; i += w {
				s.across(k, dst[(i-i0)/w*size+(p-p0)*w:], w, i, min(i+w, i1), p, end)
			}
		}
	} else {
		for i := i0; i < i1; i += w {
			s.panel(k, dst[(i-i0)/w*size:][:size], w, i, min(i+w, i1), p0, p1)
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

// packedRows is the number of rows copied at a time, few enough for the first-level TLB of any CPU.
const packedRows = 16

// panel packs one micro-panel of i1-i0 <= w rows. In a symmetric matrix, stored rows run across the sum
// on one side of the diagonal, and along the sum on the other.
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
			on[(p-d0)*w+i-i0] = s.X[s.Row(r)+c]
		}
	}
}

// along packs rows [i0, i1), columns [p0, p1) of the storage, where rows run along the sum.
func (s *source) along(k *kernel.Kernel, dst []float64, w, i0, i1, p0, p1 int) {
	if p0 < p1 {
		ld, step := s.Down(i0)
		k.Transpose(i1-i0, p1-p0, &s.X[s.Row(i0)+p0], ld, step, &dst[0], w)
	}
}

// across packs rows [p0, p1), columns [i0, i1) of the storage, where rows run across the sum.
func (s *source) across(k *kernel.Kernel, dst []float64, w, i0, i1, p0, p1 int) {
	if p0 < p1 {
		ld, step := s.Down(p0)
		k.Copy(p1-p0, i1-i0, &s.X[s.Row(p0)+i0], ld, step, &dst[0], w, 0)
	}
}

// A workspace is the storage of one goroutine in one task. Only the block of B outlives the task,
// because the next task of the product may need it.
type workspace struct {
	a        []float64 // a packed block of A, or other copies
	b        []float64 // a packed block of B, written only by panelsB
	held     place     // the block that b holds
	c        []float64 // some rows of C, or of right-hand sides
	diagonal []float64 // of a triangular block
	triangle []float64 // a block on the diagonal of a triangle
}

// A place identifies a block of the second operand of a product.
type place struct {
	id             int64 // of the product
	j0, j1, p0, p1 int
}

// workspaces keeps workspaces between calls.
var workspaces = &sync.Pool{New: func() any { return new(workspace) }}

// aligned returns n elements at a kernel.Align-byte boundary, in the storage of x if that is long
// enough. Their contents are undefined. New storage is at least twice as long as the old, so that a
// series of growing products allocates only a few times.
func aligned(x []float64, n int) []float64 {
	if n <= cap(x) {
		return x[:n]
	}
	const align = int(kernel.Align / 8)
	x = make([]float64, max(n, 2*cap(x))+align-1)
	off := int(-uintptr(unsafe.Pointer(&x[0]))%kernel.Align) / 8
	return x[off:][:n]
}
