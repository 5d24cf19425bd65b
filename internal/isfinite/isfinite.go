// Package isfinite looks for NaN and infinities in slices, in one place for all that must not compute
// with them.
package isfinite

// All reports whether x holds neither NaN nor infinity. 0*v is NaN for those and zero for all
// others, so that one sum without branches decides; four sums hide the latency of the addition.
func All(x []float64) bool {
	var s0, s1, s2, s3 float64
	for ; len(x) >= 4; x = x[4:] {
		s0 += float64(0 * x[0])
		s1 += float64(0 * x[1])
		s2 += float64(0 * x[2])
		s3 += float64(0 * x[3])
	}
	for _, v := range x {
		s0 += float64(0 * v)
	}
	return s0+s1+s2+s3 == 0
}

// First returns the index of the first NaN or infinity in x, or -1.
func First(x []float64) int {
	if All(x) {
		return -1
	}
	for i, v := range x {
		if v-v != 0 {
			return i
		}
	}
	return -1
}
