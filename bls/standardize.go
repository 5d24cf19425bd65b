package bls

import (
	"math"

	"blskernel/mat"
)

// biasInput is the constant that the bias weights of both layers are multiplied by: the last column
// of H1 and of H2.
const biasInput = 0.1

// standardizeTo computes rows from to to of H1 = [Xz, 0.1]: every row of x standardised by
// standardizeRow, then the input of the bias. It writes the first to-from rows of h1, which has d+1
// columns.
func standardizeTo(h1, x *mat.Dense, from, to int) {
	_, d := x.Dims()
	rx, rh := x.RawMatrix(), h1.RawMatrix()
	parallelRows(to-from, d, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := rh.Data[i*rh.Stride : i*rh.Stride+d+1]
			at := (from + i) * rx.Stride
			standardizeRow(row[:d], rx.Data[at:at+d])
			row[d] = biasInput
		}
	})
}

// squareSafe bounds the exponents for which the square of a difference of two elements, as small as
// one unit in the last place or as large as twice the largest, neither overflows nor underflows,
// nor does the sum of many: 2·(332+53) < 1022.
const squareSafe = 332

// standardizeRow computes dst[j] = (x[j] - mean(x)) / std(x), where std divides by len(x)-1, for
// finite x. Where all elements of x are equal, as a single one is, dst is zero. That is
// decided by the elements themselves: the computed std of a constant row is rounding noise.
func standardizeRow(dst, x []float64) {
	lo, hi := x[0], x[0]
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo == hi {
		clear(dst)
		return
	}
	// The result does not change when x is multiplied by a power of two, which brings numbers of any
	// size into the range where their squares can be summed.
	if _, exp := math.Frexp(max(-lo, hi)); exp > squareSafe || exp < -squareSafe {
		for j, v := range x {
			dst[j] = math.Ldexp(v, -exp)
		}
		x = dst
	}
	var sum float64
	for _, v := range x {
		sum += v
	}
	mean := sum / float64(len(x))
	var ss float64
	for _, v := range x {
		ss += (v - mean) * (v - mean)
	}
	std := math.Sqrt(ss / float64(len(x)-1))
	for j, v := range x {
		dst[j] = (v - mean) / std
	}
}
