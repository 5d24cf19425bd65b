package blas12

import "sync"

// A vector is n numbers with increment 1: those of a caller's vector where that has increment 1, else a
// copy.
type vector struct {
	v      []float64
	buffer *buffer // nil unless a copy
}

// A buffer is the place of a copy, or of sums.
type buffer struct{ v []float64 }

// buffers are those of copies, and piecewise those of what pieces of rows contribute, which are larger.
var (
	buffers   = sync.Pool{New: func() any { return new(buffer) }}
	piecewise = sync.Pool{New: func() any { return new(buffer) }}
)

// take returns a buffer of n numbers, whatever they are.
func take(from *sync.Pool, n int) *buffer {
	b := from.Get().(*buffer)
	if cap(b.v) < n {
		b.v = make([]float64, n)
	}
	b.v = b.v[:n]
	return b
}

// gather returns the n elements of x at distance inc, to be given back by release or scatter.
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

// release gives the place of a copy back.
func (v vector) release() {
	if v.buffer != nil {
		buffers.Put(v.buffer)
	}
}

// scatter writes a copy back to y, from which it was gathered, and gives its place back.
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

// first is the index of element 0 of a vector of n: with a negative increment the vector begins at the
// end.
func first(n, inc int) int {
	if inc < 0 {
		return (1 - n) * inc
	}
	return 0
}
