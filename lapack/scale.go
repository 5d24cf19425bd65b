package lapack

import (
	"math"
)

// tiny is the norm below which a matrix is inverted as a multiple of norm 1, so that what overflows
// does so at the end. An infinity on the way would make NaN of elements that are finite or infinite.
const tiny = 0x1p-1000

// upscale returns the power of four s for which a matrix of norm anorm times s² has a norm of about 1,
// or 1 if the norm is not below tiny; s² may overflow.
func upscale(anorm float64) float64 {
	if !(anorm < tiny) {
		return 1
	}
	_, exponent := math.Frexp(anorm)
	return math.Ldexp(1, -exponent/4*2)
}
