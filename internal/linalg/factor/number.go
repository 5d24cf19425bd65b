package factor

import "math"

// IsFinite reports whether v is neither NaN nor infinite.
func IsFinite(v float64) bool { return v-v == 0 }

// SmallestNormal is the least normal number. Its reciprocal 2¹⁰²² is the largest power of two whose
// reciprocal is normal.
const SmallestNormal = 0x1p-1022

// invertible reports whether 1/d is a normal number: it does not overflow, as for the least d, nor lose
// digits to underflow, as for the largest. It is false for NaN and for every subnormal d.
func invertible(d float64) bool {
	d = math.Abs(d)
	return SmallestNormal <= d && d <= 1/SmallestNormal
}

// Divide computes x = x/d: by the reciprocal, which is faster, unless that would overflow or lose
// accuracy.
func Divide(bk Backend, x []float64, d float64) {
	const worthCall = 16 // elements; below that a call of a backend by cgo costs more than a loop
	switch r := 1 / d; {
	case !invertible(d):
		for i := range x {
			x[i] /= d
		}
	case len(x) < worthCall:
		for i := range x {
			x[i] *= r
		}
	default:
		bk.Dscal(len(x), r, x, 1)
	}
}

// Add computes y += alpha*x for vectors without gaps.
func (bk Backend) Add(alpha float64, x, y []float64) { bk.Daxpy(len(x), alpha, x, 1, y, 1) }

// magnitude clears the sign of a number's bits. Magnitudes are ordered as their bits are, and NaN comes
// after infinity.
const magnitude = 1<<63 - 1

// LargestAt returns the index of the first element of x with the largest magnitude; a NaN is larger
// than infinity.
func LargestAt(x []float64) int {
	at, top := 0, uint64(0)
	for i, v := range x {
		if m := math.Float64bits(v) & magnitude; m > top {
			at, top = i, m
		}
	}
	return at
}
