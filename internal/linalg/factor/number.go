package factor

import "math"

// IsFinite reports whether v is neither NaN nor infinite.
func IsFinite(v float64) bool { return v-v == 0 }

// SmallestNormal is the smallest positive normal number. Its reciprocal, 2¹⁰²², is the largest power of
// two whose reciprocal is normal.
const SmallestNormal = 0x1p-1022

// Roundoff is the unit roundoff u, half the distance from 1 to the next larger number.
const Roundoff = 0x1p-53

// invertible reports whether d and 1/d are both normal numbers: for a smaller d the reciprocal may
// overflow, and for a larger one it loses digits to underflow. It is false for NaN.
func invertible(d float64) bool {
	d = math.Abs(d)
	return SmallestNormal <= d && d <= 1/SmallestNormal
}

// Divide computes x = x/d. It multiplies by 1/d, which is faster, unless 1/d overflows or loses digits.
func Divide(bk Backend, x []float64, d float64) {
	const worthCall = 16 // elements; below that a cgo call costs more than a loop
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

// Add computes y += alpha*x for contiguous vectors of the same length.
func (bk Backend) Add(alpha float64, x, y []float64) { bk.Daxpy(len(x), alpha, x, 1, y, 1) }

// magnitude is the mask that clears the sign bit of a float64. The other bits, compared as integers,
// order numbers by magnitude, with NaN after infinity.
const magnitude = 1<<63 - 1

// LargestAt returns the index of the first element of x of largest magnitude; NaN ranks above infinity.
func LargestAt(x []float64) int {
	at, top := 0, uint64(0)
	for i, v := range x {
		if m := math.Float64bits(v) & magnitude; m > top {
			at, top = i, m
		}
	}
	return at
}
