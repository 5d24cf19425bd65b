package gemm

import (
	"sync"
	"unsafe"

	"blskernel/internal/kernel"
)

// A workspace is the storage of one goroutine in one product: packed blocks of A and B, some rows of C,
// the diagonal of a triangular block, and some rows of a packed matrix.
type workspace struct {
	a, b, c, diagonal []float64
	buffer            []float64 // workspace of source.pack
	triangle          []float64 // a block on the diagonal of a packed triangle
	packed            place     // the block of the current product that b holds
}

// A place is a block of the second operand of a product.
type place struct {
	id             int64 // of the product
	j0, j1, p0, p1 int
}

// workspaces keeps workspaces between calls.
var workspaces = sync.Pool{New: func() any { return &workspace{buffer: make([]float64, gathered*gatheredSteps)} }}

// aligned returns n elements at a kernel.Align-byte boundary, in the storage of x if that is long
// enough. Their contents are undefined. New storage is twice as long as the old, so that a series of
// growing products allocates few times.
func aligned(x []float64, n int) []float64 {
	if n <= cap(x) {
		return x[:n]
	}
	const align = int(kernel.Align / 8)
	x = make([]float64, max(n, 2*cap(x))+align-1)
	off := int(-uintptr(unsafe.Pointer(&x[0]))%kernel.Align) / 8
	return x[off:][:n]
}
