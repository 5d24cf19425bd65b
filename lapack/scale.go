package lapack

import (
	"math"
)

// tiny is the norm below which a matrix is scaled to norm 1 before its inversion, so that elements
// overflow at the end. An infinity before would make NaN of other elements.
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
