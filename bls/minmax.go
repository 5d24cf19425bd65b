package bls

import (
	"math"

	"blskernel/mat"
)

// maxGain is the largest factor of minMax: a range narrower than 1e-14 of the target is rounding noise.
const maxGain = 1e14

// minMax returns the settings that map [lo, hi] to [0, width] by (v-offset)*gain. It returns ok false,
// and 0 and 1, which change nothing, if hi-lo is 0 or not finite, or if the gain exceeds maxGain.
func minMax(lo, hi, width float64) (offset, gain float64, ok bool) {
	gain = width / (hi - lo)
	if !(gain <= maxGain) || math.IsInf(hi-lo, 0) {
		return 0, 1, false
	}
	return lo, gain, true
}

// scaleRow maps a row from its [min, max] to [-1,1]: the scaling of A1. It leaves a row that minMax
// refuses.
func scaleRow(row []float64) {
	lo, hi := row[0], row[0]
	for _, v := range row {
		lo, hi = min(lo, v), max(hi, v)
	}
	offset, gain, ok := minMax(lo, hi, 2)
	if !ok {
		return
	}
	for j, v := range row {
		row[j] = (v-offset)*gain - 1
	}
}

// minMaxColumns returns the settings that map each column of t from its [min, max] to [0,1], or leave
// it if minMax refuses.
func minMaxColumns(t *mat.Dense) (offset, gain []float64) {
	l, n := t.Dims()
	raw := t.RawMatrix()
	lo, hi := make([]float64, n), make([]float64, n)
	copy(lo, raw.Data[:n])
	copy(hi, raw.Data[:n])
	for i := 1; i < l; i++ {
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+n] {
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	}
	for j := range n {
		lo[j], hi[j], _ = minMax(lo[j], hi[j], 1)
	}
	return lo, hi
}
