package blas12

import "sync"

// A vector holds n elements with increment 1: the caller's slice if its increment is 1, else a copy.
type vector struct {
	v      []float64
	buffer *buffer // nil unless v is a copy
}

// A buffer is storage for a copy or for sums.
type buffer struct{ v []float64 }

// buffers holds storage for copies, and piecewise holds larger storage for sums of pieces.
var (
	buffers   = sync.Pool{New: func() any { return new(buffer) }}
	piecewise = sync.Pool{New: func() any { return new(buffer) }}
)

// take returns a buffer of n elements from a pool, with undefined contents.
func take(from *sync.Pool, n int) *buffer {
	b := from.Get().(*buffer)
	if cap(b.v) < n {
		b.v = make([]float64, n)
	}
	b.v = b.v[:n]
	return b
}

// gather returns the n elements of x with increment inc. Call release or scatter to free the buffer.
func gather(n int, x []float64, inc int) vector {
	if inc == 1 {
		return vector{v: x[:n]}
	}
	return gatherCopy(n, x, inc)
}

func gatherCopy(n int, x []float64, inc int) vector {
	b := take(&buffers, n)
	v := b.v
	i := first(n, inc)
	for j := range v {
		v[j] = x[i]
		i += inc
	}
	return vector{v, b}
}

func (v vector) release() {
	if v.buffer != nil {
		buffers.Put(v.buffer)
	}
}

// scatter copies v back to y, from which it was gathered, unless v is y itself, and frees the buffer.
func (v vector) scatter(y []float64, inc int) {
	if v.buffer != nil {
		v.scatterCopy(y, inc)
	}
}

func (v vector) scatterCopy(y []float64, inc int) {
	i := first(len(v.v), inc)
	for _, e := range v.v {
		y[i] = e
		i += inc
	}
	buffers.Put(v.buffer)
}

// first returns the index of element 0 of n elements. If inc < 0, element 0 is last in memory.
func first(n, inc int) int {
	if inc < 0 {
		return (1 - n) * inc
	}
	return 0
}
