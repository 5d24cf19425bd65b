package factor

import (
	"sync"

	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/block"
)

// A Workspace is storage for the duration of one call. A pool keeps it afterwards, since allocating and
// clearing it would double the time for matrices of order 100. It grows by doubling, so it keeps at
// most twice the elements that a call has needed, and at most maxKept.
type Workspace struct{ whole, rest []float64 }

var workspaces = sync.Pool{New: func() any { return new(Workspace) }}

// maxKept is the largest number of elements that a workspace keeps.
const maxKept = 1 << 22

// Acquire returns a workspace from the pool.
func Acquire() *Workspace {
	w := workspaces.Get().(*Workspace)
	w.rest = w.whole
	return w
}

// Reserve makes room, in one allocation, for Takes of the given sizes, unless they are more than a
// workspace keeps. Without it, Takes that follow a long one may allocate twice its size.
func (w *Workspace) Reserve(sizes ...int) {
	total := 0
	for _, n := range sizes {
		total += lines(n)
	}
	if total > len(w.rest) && total <= maxKept {
		w.whole = memory.Zeros(total)
		w.rest = w.whole
	}
}

// lines returns n rounded up to whole cache lines.
func lines(n int) int { return (n + 7) / 8 * 8 }

// Take returns n elements with undefined contents, aligned to a cache line and valid until Release.
func (w *Workspace) Take(n int) []float64 {
	size := lines(n)
	if size > len(w.rest) {
		next := max(size, 2*len(w.whole))
		if next > maxKept {
			return memory.Zeros(n)
		}
		w.whole = memory.Zeros(next)
		w.rest = w.whole
	}
	x := w.rest[:n:n]
	w.rest = w.rest[size:]
	return x
}

// Zeros takes n zeros.
func (w *Workspace) Zeros(n int) []float64 {
	x := w.Take(n)
	clear(x)
	return x
}

// Matrix takes a rows×cols dense block, with stride Stride(cols).
func (w *Workspace) Matrix(rows, cols int) block.Matrix {
	return block.Dense(w.Take(rows*Stride(cols)), Stride(cols))
}

// Release returns the workspace to the pool.
func (w *Workspace) Release() { workspaces.Put(w) }
