package gemm

import (
	"sync"
	"unsafe"

	"blskernel/internal/kernel"
)

// A scratch is the workspace of one thread in one product: packed blocks of A and B, a strip of C, the
// diagonal of a triangular block, and some rows of a packed matrix.
type scratch struct {
	a, b, c, diagonal []float64
	room              []float64 // of source.pack
	triangle          []float64 // a block on the diagonal of a packed triangle
	copied            triangle  // on it
	packed            place     // what b holds, of the product at hand
}

// A place is a block of the second operand of a product.
type place struct{ j0, j1, p0, p1 int }

// scratches keeps workspaces from call to call.
var scratches = sync.Pool{New: func() any { return &scratch{room: make([]float64, gathered*gatheredSteps)} }}

// release gives a workspace back, and forgets what it was used for.
func (w *scratch) release() {
	w.packed = place{}
	scratches.Put(w)
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
	return x[off:][:n]
}

// alignedBlock is aligned for a block that is to have at most so many elements. Unless n is a small part of
// them new storage has room for all, so that products that become larger little by little do not leave
// one storage behind each time.
func alignedBlock(x []float64, n, most int) []float64 {
	if n > cap(x) && n > most/8 {
		x = aligned(x, max(n, most))
	}
	return aligned(x, n)
}
