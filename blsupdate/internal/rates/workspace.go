package rates

import (
	"math"
	"slices"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"
)

// mostNumbers bounds the size of each of the two parts of a workspace: 128 MB, more than caches hold.
const mostNumbers = 16 << 20

// otherNumbers is twice the size of the second level of cache of most cores.
const otherNumbers = 256 << 10

// A workspace has the operands of what is measured, the same ones again and again. So they are found in the last level
// of cache where they fit into it, but not in those of one core, unless a call is timed warm.
type workspace struct {
	backend blskernel.Backend
	packed  blskernel.PackedProducts
	in      []float64 // random numbers between -1/2 and 1/2, which are never written
	out     []float64 // for results: any numbers, none of them large
	others  []float64 // more numbers than the second level of cache holds
	sum     float64   // of them
	fresh   []float64 // new storage
}

// newWorkspace returns a workspace that is large enough for some kinds, or has mostNumbers.
func newWorkspace(b blskernel.Backend, kinds []kindRates) *workspace {
	size := 2 * probeNumbers
	for _, k := range kinds {
		m, n, p := slices.Max(k.axes[0]), slices.Max(k.axes[1]), slices.Max(k.axes[2])
		size = max(size, m*n+n*n+n*p+p*m)
	}
	size = min(size, mostNumbers)
	w := &workspace{
		backend: b, packed: blskernel.Packed(b),
		in: make([]float64, size), out: make([]float64, size), others: make([]float64, otherNumbers),
	}
	// A random sequence of a prime length, over and over.
	const period = 99991
	state := uint64(1)
	for i := range period {
		state = state*6364136223846793005 + 1442695040888963407
		w.in[i] = float64(state>>11)*0x1p-53 - 0.5
	}
	for done := period; done < len(w.in); done *= 2 {
		copy(w.in[done:], w.in[:done])
	}
	copy(w.out, w.in)
	return w
}

// fits tells whether so many numbers of operands and of results fit in.
func (w *workspace) fits(in, out int) bool { return max(in, out) <= len(w.in) }

// timed returns the time that f takes.
func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// warm times a call that can be repeated as it is, and finds in the caches what it left there: so do the updates by a few
// rows that follow one another, whose steps need little but the state itself.
func (w *workspace) warm(call func()) func() time.Duration {
	return func() time.Duration { return timed(call) }
}

// cold times a call that can be repeated as it is, after other numbers have passed through the caches of the core.
func (w *workspace) cold(call func()) func() time.Duration { return w.after(func() {}, call) }

// after times a call after restore has brought its operands back. Between the two other numbers pass through the
// caches of the core, as they do between two steps of an update.
func (w *workspace) after(restore, call func()) func() time.Duration {
	return func() time.Duration {
		restore()
		const line = 8 // numbers
		for i := 0; i < len(w.others); i += line {
			w.sum += w.others[i]
		}
		return timed(call)
	}
}

// state returns what the states of all methods have in common.
func (w *workspace) state(k int) *state.Base {
	return &state.Base{Counter: cost.NewCounter(w.backend), Options: api.Options{Backend: w.backend}, K: k}
}

// half returns the size of a packed matrix of order n.
func half(n int) int { return n * (n + 1) / 2 }

// positive returns a packed matrix of order n that is positive definite, in storage of its own.
func (w *workspace) positive(n int) *mat.SymPacked {
	if !w.fits(half(n), half(n)) {
		return nil
	}
	s := mat.NewSymPacked(n, slices.Clone(w.in[:half(n)]))
	s.AddDiagonal(float64(n))
	return s
}

// regular returns a square matrix, in storage of its own, that can be inverted.
func (w *workspace) regular(n int) *mat.Dense {
	if !w.fits(n*n, n*n) {
		return nil
	}
	m := mat.NewDense(n, n, slices.Clone(w.in[:n*n]))
	for i := range n {
		m.Set(i, i, m.At(i, i)+math.Sqrt(float64(n)))
	}
	return m
}

// triangle returns a regular upper triangle in storage of its own.
func (w *workspace) triangle(n int) *mat.Dense {
	m := w.regular(n)
	if m == nil {
		return nil
	}
	for i := range n {
		m.Set(i, i, m.At(i, i)+float64(n))
		clear(m.RawRowView(i)[:i])
	}
	return m
}

// operand returns an m×n matrix of random numbers that is not to be written.
func (w *workspace) operand(m, n int) *mat.Dense {
	if !w.fits(m*n, m*n) {
		return nil
	}
	return mat.NewDense(m, n, w.in[:m*n:m*n])
}

// result returns an m×n matrix to be written, of whatever results of before have left there.
func (w *workspace) result(m, n int) *mat.Dense {
	if !w.fits(m*n, m*n) {
		return nil
	}
	return mat.NewDense(m, n, w.out[:m*n:m*n])
}
