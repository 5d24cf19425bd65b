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
// where i and p count from i0 and p0. In the last panel the rows from i1 on are not written. buffer, of
// gathered·gatheredSteps elements, is workspace for rows along the sum in packed storage. Stored rows
// across the sum are copied to all panels, packedRows at a time, because each row is in its own page.
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

// packedRows is the number of rows copied at a time, few enough for the first-level TLB of any CPU.
const packedRows = 16

// scatter packs rows across the sum one by one. Each run of w elements in a row goes to its own panel.
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

// panel packs one micro-panel of i1-i0 <= w rows. In a symmetric matrix, stored rows run across the sum
// on one side of the diagonal, and along the sum on the other.
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

// along packs rows [i0, i1), columns [p0, p1) of the storage, where rows run along the sum.
func (s *source) along(k *kernel.Kernel, buffer, dst []float64, w, i0, i1, p0, p1 int) {
	switch {
	case p0 == p1:
	case !s.Packed:
		k.Transpose(i1-i0, p1-p0, &s.X[s.Row(i0)+p0], s.Ld, &dst[0], w)
	default:
		// Copy a few rows at a time, as dense rows, to a buffer that stays in L1.
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

// gathered and gatheredSteps are the numbers of rows and columns that along makes dense at a time.
const (
	gathered      = 8
	gatheredSteps = 64
)

// across packs rows [p0, p1), columns [i0, i1) of the storage, where rows run across the sum.
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

// A workspace is the storage of one goroutine in one task. Only the block of B outlives the task,
// because the next task of the product may need it.
type workspace struct {
	a        []float64 // a packed block of A, or other copies
	b        []float64 // a packed block of B, written only by panelsB
	held     place     // the block that b holds
	c        []float64 // some rows of C, or of right-hand sides
	diagonal []float64 // of a triangular block
	triangle []float64 // a block on the diagonal of a triangle
	buffer   []float64 // workspace of source.pack
}

// A place identifies a block of the second operand of a product.
type place struct {
	id             int64 // of the product
	j0, j1, p0, p1 int
}

// workspaces keeps workspaces between calls.
var workspaces = &sync.Pool{New: func() any { return &workspace{buffer: make([]float64, gathered*gatheredSteps)} }}

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
