package lapack

import (
	"math"

	"blskernel"
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas/blas64"
)

// sumWidth is the number of columns of which the sums are made together: they stay in the first level
// of cache, and a part of a row is a page.
const sumWidth = 512

// measure returns the 1-norm of a and the largest magnitude of an element, in one pass. A NaN or an
// infinity makes the norm one, too; so may an overflow.
func measure(bk blskernel.Backend, a blas64.General) (norm1, amax float64) {
	strips := (a.Cols + sumWidth - 1) / sumWidth
	norms, most := make([]float64, strips), make([]float64, strips)
	block.On(bk).BlockRows(strips, a.Rows*min(a.Cols, sumWidth)/2, block.RowFunc(func(from, to int) {
		for s := from; s < to; s++ {
			j := s * sumWidth
			strip := blas64.General{Rows: a.Rows, Cols: min(sumWidth, a.Cols-j), Stride: a.Stride, Data: a.Data[j:]}
			norms[s], most[s] = measureStrip(strip)
		}
	}))
	for s := range strips {
		norm1, amax = max(norm1, norms[s]), max(amax, most[s])
	}
	return norm1, amax
}

// measureStrip is measure of an a with at most sumWidth columns.
func measureStrip(a blas64.General) (norm1, amax float64) {
	const magnitude = 1<<63 - 1
	var sums [sumWidth]float64
	top := uint64(0) // magnitudes are ordered as their bits are
	i := 0
	for ; i+4 <= a.Rows; i += 4 {
		r0, r1, r2, r3 := row(a, i), row(a, i+1), row(a, i+2), row(a, i+3)
		n := len(r0)
		s, r1, r2, r3 := sums[:n], r1[:n], r2[:n], r3[:n]
		for j, v := range r0 {
			b0, b1 := math.Float64bits(v)&magnitude, math.Float64bits(r1[j])&magnitude
			b2, b3 := math.Float64bits(r2[j])&magnitude, math.Float64bits(r3[j])&magnitude
			s[j] += (math.Float64frombits(b0) + math.Float64frombits(b1)) + (math.Float64frombits(b2) + math.Float64frombits(b3))
			if b := max(max(b0, b1), max(b2, b3)); b > top {
				top = b
			}
		}
	}
	for ; i < a.Rows; i++ {
		for j, v := range row(a, i) {
			sums[j] += math.Abs(v)
			top = max(top, math.Float64bits(v)&magnitude)
		}
	}
	for _, s := range sums[:a.Cols] {
		norm1 = max(norm1, s)
	}
	return norm1, math.Float64frombits(top)
}

func row(a blas64.General, i int) []float64 { return a.Data[i*a.Stride : i*a.Stride+a.Cols] }
