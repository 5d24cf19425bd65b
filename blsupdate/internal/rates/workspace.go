package rates

import (
	"errors"
	"math"
	"slices"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/state"
	"blskernel/lapack"
	"blskernel/mat"
)

// mostNumbers bounds each of the two parts of a workspace: 128 MB, more than caches hold.
const mostNumbers = 16 << 20

// otherNumbers is twice the size of the second level of cache of most cores.
const otherNumbers = 256 << 10

// A workspace has the operands of measured operations, the same ones again and again. So the last level
// of cache has them where they fit, but not the caches of one core, unless a call is timed warm.
type workspace struct {
	backend blskernel.Backend
	packed  blskernel.PackedProducts
	in      []float64 // random numbers between -1/2 and 1/2, never written
	out     []float64 // results: any numbers, none of them large
	others  []float64 // more numbers than the second level of cache holds
	sum     float64   // of others
	fresh   []float64 // new storage
}

// newWorkspace returns a workspace that is large enough for the kinds, up to mostNumbers.
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
	// A random sequence of a prime length, repeated.
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

// errTooLarge is what need panics with.
var errTooLarge = errors.New("operands do not fit into the workspace")

// need panics with errTooLarge unless the given numbers of operands and of results fit.
func (w *workspace) need(in, out int) {
	if max(in, out) > len(w.in) {
		panic(errTooLarge)
	}
}

// timed returns the time that f takes.
func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// warm times a repeatable call that finds in the caches what the last one left: so do updates by a few
// rows that follow one another, whose steps need little but the state.
func (w *workspace) warm(call func()) func() time.Duration {
	return func() time.Duration { return timed(call) }
}

// cold times a repeatable call after other numbers have passed through the caches of the core.
func (w *workspace) cold(call func()) func() time.Duration { return w.after(func() {}, call) }

// after times a call after restore has brought its operands back. Between the two, other numbers pass
// through the caches of the core, as between two steps of an update.
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

// base returns the common part of a state with k nodes.
func (w *workspace) base(k int) *state.Base {
	return &state.Base{Counter: cost.NewCounter(w.backend), Options: api.Options{Backend: w.backend}, K: k}
}

// packedLen returns the numbers in a packed matrix of order n.
func packedLen(n int) int { return n * (n + 1) / 2 }

// positive returns a positive definite packed matrix of order n, in storage of its own.
func (w *workspace) positive(n int) *mat.SymPacked {
	w.need(packedLen(n), packedLen(n))
	s := mat.NewSymPacked(n, slices.Clone(w.in[:packedLen(n)]))
	s.AddDiagonal(float64(n))
	return s
}

// cholesky returns the factor of a positive definite matrix.
func (w *workspace) cholesky(n int) *lapack.Cholesky {
	f := &lapack.Cholesky{Backend: w.backend}
	must(f.FactorizeInPlace(w.positive(n)))
	return f
}

// regular returns a regular square matrix, in storage of its own.
func (w *workspace) regular(n int) *mat.Dense {
	w.need(n*n, n*n)
	m := mat.NewDense(n, n, slices.Clone(w.in[:n*n]))
	for i := range n {
		m.Set(i, i, m.At(i, i)+math.Sqrt(float64(n)))
	}
	return m
}

// triangle returns a regular upper triangle, in storage of its own.
func (w *workspace) triangle(n int) *mat.Dense {
	m := w.regular(n)
	for i := range n {
		m.Set(i, i, m.At(i, i)+float64(n))
		clear(m.RawRowView(i)[:i])
	}
	return m
}

// operand returns an m×n matrix of random numbers, which must not be written.
func (w *workspace) operand(m, n int) *mat.Dense {
	w.need(m*n, m*n)
	return mat.NewDense(m, n, w.in[:m*n:m*n])
}

// result returns an m×n matrix for results. Its contents are those of earlier results.
func (w *workspace) result(m, n int) *mat.Dense {
	w.need(m*n, m*n)
	return mat.NewDense(m, n, w.out[:m*n:m*n])
}
