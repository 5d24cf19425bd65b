package lapack

import (
	"sync"

	"blskernel/internal/block"
	"blskernel/internal/memory"
)

// A Workspace is storage for the time of one call. A pool keeps it, since to allocate and clear it
// would take as long as all else for matrices of order 100.
type Workspace struct {
	whole []float64
	taken int // in this call, or in the last one: more than there is where calls before took less
}

var workspaces = sync.Pool{New: func() any { return new(Workspace) }}

// Acquire returns a workspace.
func Acquire() *Workspace {
	w := workspaces.Get().(*Workspace)
	w.reset()
	return w
}

// mostKept is the largest number of elements that are kept.
const mostKept = 1 << 22

// reset gives back all that was taken, and makes room for as much.
func (w *Workspace) reset() {
	if w.taken > len(w.whole) && w.taken <= mostKept {
		w.whole = memory.Zeros(w.taken)
	}
	w.taken = 0
}

// Take returns n elements, which are undefined and begin with a line of the cache.
func (w *Workspace) Take(n int) []float64 {
	from := w.taken
	w.taken += (n + 7) / 8 * 8
	if w.taken > len(w.whole) {
		return memory.Zeros(n)
	}
	return w.whole[from : from+n : from+n]
}

// Matrix takes a dense block of the given number of rows, ld apart.
func (w *Workspace) Matrix(rows, ld int) block.Matrix { return block.Dense(w.Take(rows*ld), ld) }

// Release returns the workspace to the pool.
func (w *Workspace) Release() { workspaces.Put(w) }
