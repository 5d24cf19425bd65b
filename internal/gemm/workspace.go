package gemm

import (
	"sync"
	"unsafe"

	"blskernel/internal/kernel"
)

// A workspace is the storage of one goroutine in one task. What is in it goes with the task, but for
// the block of B: the next task of the product may need the same one.
type workspace struct {
	a        []float64 // a packed block of A, or other copies
	b        []float64 // a packed block of B, which panelsB alone writes
	held     place     // the block that b holds
	c        []float64 // some rows of C, or of right-hand sides
	diagonal []float64 // of a triangular block
	triangle []float64 // a block on the diagonal of a triangle
	buffer   []float64 // workspace of source.pack
}

// A place is a block of the second operand of a product.
type place struct {
	id             int64 // of the product
	j0, j1, p0, p1 int
}

// workspaces keeps workspaces between calls.
var workspaces = &sync.Pool{New: func() any { return &workspace{buffer: make([]float64, gathered*gatheredSteps)} }}

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
