package lapack

import "sync"

// A workspace is storage for the time of one call. It is kept from call to call, since to allocate and
// clear it would take as long as all else for matrices of order 100. Its contents are of no account.
type workspace struct{ whole, rest []float64 }

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// borrow returns a workspace of n elements.
func borrow(n int) *workspace {
	w := workspaces.Get().(*workspace)
	if len(w.whole) < n {
		w.whole = make([]float64, n)
	}
	w.rest = w.whole[:n]
	return w
}

// take returns n elements that have not been taken.
func (w *workspace) take(n int) []float64 {
	x := w.rest[:n:n]
	w.rest = w.rest[n:]
	return x
}

// giveBack ends the use of the workspace.
func (w *workspace) giveBack() { workspaces.Put(w) }
