package lapack

import (
	"sync"

	"blskernel/internal/block"
	"blskernel/internal/memory"
)

// A workspace is storage for the time of one call. A pool keeps it, since to allocate and clear it
// would take as long as all else for matrices of order 100. Its contents are undefined.
type workspace struct{ whole, rest []float64 }

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// acquire returns a workspace of n elements.
func acquire(n int) *workspace {
	w := workspaces.Get().(*workspace)
	if len(w.whole) < n {
		w.whole = memory.Zeros(n)
	}
	w.rest = w.whole[:n]
	return w
}

// take returns the next n elements.
func (w *workspace) take(n int) []float64 {
	x := w.rest[:n:n]
	w.rest = w.rest[n:]
	return x
}

// matrix returns the next elements as a dense block of the given number of rows, ld apart.
func (w *workspace) matrix(rows, ld int) block.Matrix { return block.Dense(w.take(rows*ld), ld) }

// release returns the workspace to the pool, unless it is large.
func (w *workspace) release() {
	const most = 1 << 22
	if len(w.whole) <= most {
		workspaces.Put(w)
	}
}
