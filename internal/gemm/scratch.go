package gemm

import (
	"sync"
	"unsafe"

	"blskernel/internal/kernel"
)

// A scratch is the workspace of one thread in one product: packed blocks of A and B, and a tile.
type scratch struct {
	a, b, tile []float64
}

// scratches keeps workspaces from call to call.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// grow makes room for a block of m rows of A, one of n columns of B, and a tile.
func (w *scratch) grow(p *product, m, n int) {
	kc := min(p.KC, p.k)
	w.a = aligned(w.a, roundUp(m, p.MR)*kc)
	w.b = aligned(w.b, roundUp(n, p.NR)*kc)
	w.tile = aligned(w.tile, p.MR*p.NR)
}

// aligned returns n elements that begin on a kernel.Align-byte boundary, in the storage of x if that is
// long enough. Their values are of no account.
func aligned(x []float64, n int) []float64 {
	if n <= cap(x) {
		return x[:n]
	}
	const align = kernel.Align / 8
	x = make([]float64, n+align-1)
	off := int(-uintptr(unsafe.Pointer(&x[0]))%kernel.Align) / 8
	return x[off : off+n]
}
