package bls

import (
	"math"
	"sync"

	"blskernel/mat"
)

// biasInput is the constant that the bias weights of both layers are multiplied by: the last column
// of H1 and of H2.
const biasInput = 0.1

// standardizeTo computes rows from to to of H1 = [S, 0.1]: every row of x as the scaling says, then the
// input of the bias. It writes the first to-from rows of h1, which has d+1 columns. means and
// deviations are those of ScaleColumns, whose results may be beyond float64: then the error is a
// *OverflowError for the first of them.
func standardizeTo(h1, x *mat.Dense, from, to int, scaling Scaling, means, deviations []float64) error {
	_, d := x.Dims()
	rx, rh := x.RawMatrix(), h1.RawMatrix()
	// As in checkSamples, the earliest error does not depend on the parts.
	var mu sync.Mutex
	var first *OverflowError
	parallelRows(to-from, d, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := rh.Data[i*rh.Stride : i*rh.Stride+d+1]
			at := (from + i) * rx.Stride
			sample := rx.Data[at : at+d]
			row[d] = biasInput
			switch scaling {
			case ScaleNone:
				copy(row, sample)
			case ScaleColumns:
				if j := scaleByColumns(row[:d], sample, means, deviations); j >= 0 {
					mu.Lock()
					defer mu.Unlock()
					if first == nil || from+i < first.Row {
						first = &OverflowError{What: "the distance from the mean", Row: from + i, Col: j}
					}
					return
				}
			default:
				standardizeRow(row[:d], sample)
			}
		}
	})
	if first != nil {
		return first
	}
	return nil
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
