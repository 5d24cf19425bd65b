package dataset

// Image coordinates are in 1/sub = 1/256 pixel, from the upper left corner of the image.
const (
	subBits = 8
	sub     = 1 << subBits
)

// fine is the number of subunits in a unit of a skeleton, so that rounding to integers does not show.
const fine = 16

// usualHeight is the height of a subunit in image coordinates, times 2^16. It makes a digit of 140
// units 19 pixels high.
const usualHeight = 19 * sub << 16 / (140 * fine)

// distort sets dst to the control points of sk in image coordinates, distorted with random numbers from
// r. It jitters each point by itself, and then moves all points by one warp and one affine map.
func distort(dst *[maxPoints]point, sk *skeleton, r *generator) {
	// In subunits, the warp adds w·(x², xy, y²) / 2^17 to each coordinate. The standard deviation
	// of a coefficient is 10, which moves a point 70 units from the center by 6 units.
	var warp [6]int64
	for i := range warp {
		warp[i] = r.bell(maxWarp)
	}
	m := newAffine(r)
	for i, p := range sk.points {
		x := fine*p.x + r.bell(fine*maxJitter)
		y := fine*p.y + r.bell(fine*maxJitter)
		xx, xy, yy := x*x, x*y, y*y
		u := x + (warp[0]*xx+warp[1]*xy+warp[2]*yy)>>17
		v := y + (warp[3]*xx+warp[4]*xy+warp[5]*yy)>>17
		dst[i] = m.apply(u, v)
	}
}

// The bounds of the distortions, chosen to give the accuracies in the comment of Digits. Each
// distortion has a bell-shaped distribution with a standard deviation of a third of its bound.
const (
	maxJitter = 9   // jitter of a control point, in units
	maxWarp   = 30  // coefficients of the warp
	maxTan    = 270 // tangent of half the angle of rotation, in 1/1024
	maxSlant  = 480 // slant, in 1/1024
	maxHeight = 240 // change of height, in 1/1024
	maxAspect = 240 // change of the ratio of width to height, in 1/1024
	maxShift  = 540 // shift, in 1/256 pixel
)

// An affine maps a point (u, v) of a skeleton, in subunits, to a point (x, y) of the image. x is (xx*u
// + xy*v) / 2^16 + x0, and y is (yx*u + yy*v) / 2^16 + y0.
type affine struct{ xx, xy, yx, yy, x0, y0 int64 }

// newAffine draws a random map that scales, slants, rotates and shifts, in this order:
//
//	( c -s ) ( a*h  l*h )
//	( s  c ) (  0    h  )
//
// with height h, aspect a and slant l. The rational parametrization of the circle by t = tan(angle/2),
// c = (1-t²)/(1+t²) and s = 2t/(1+t²), needs no sine.
func newAffine(r *generator) affine {
	const one = 1 << 10
	height := usualHeight * (one + r.bell(maxHeight)) / one
	width := height * (one + r.bell(maxAspect)) / one
	slant := height * r.bell(maxSlant) / one
	t := r.bell(maxTan)
	norm := one*one + t*t
	c, s := (one*one-t*t)<<16/norm, (2*one*t)<<16/norm
	return affine{
		xx: c * width >> 16, xy: (c*slant - s*height) >> 16,
		yx: s * width >> 16, yy: (s*slant + c*height) >> 16,
		x0: digitSide*sub/2 + r.bell(maxShift),
		y0: digitSide*sub/2 + r.bell(maxShift),
	}
}

func (m *affine) apply(u, v int64) point {
	return point{(m.xx*u+m.xy*v)>>16 + m.x0, (m.yx*u+m.yy*v)>>16 + m.y0}
}
