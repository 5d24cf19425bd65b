// Package floats finds NaN and infinities in slices, and reads optional weights.
package floats

// Finite reports whether x holds neither NaN nor an infinity. 0*v is NaN if v is NaN or infinite and
// zero otherwise, so the sum decides without branches. Four partial sums hide the latency of additions.
func Finite(x []float64) bool {
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

// FirstNonFinite returns the index of the first NaN or infinity in x, or -1 if there is none.
func FirstNonFinite(x []float64) int {
	if Finite(x) {
		return -1
	}
	for i, v := range x {
		if v-v != 0 {
			return i
		}
	}
	return -1
}

// Weight returns weights[i], or 1 if weights is nil.
func Weight(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}
