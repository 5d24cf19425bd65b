package dataset

// Image coordinates are in 1/256 pixel from the upper left corner.
const (
	subBits = 8
	sub     = 1 << subBits
)

// fine is the number of subunits of a skeleton unit, enough that rounding to integers does not show.
const fine = 16

// usualHeight scales 140 units, the height of a digit, to 19 pixels. It is in 1/256 pixel per
// subunit, times 2^16.
const usualHeight = 19 * sub << 16 / (140 * fine)

// distort sets dst to the control points of sk in image coordinates. It jitters each point, and then
// applies one random warp and one random affine map to all of them.
func distort(dst *[maxPoints]point, sk *skeleton, r *generator) {
	// The warp adds w·(x², xy, y²) / 2^17 to each coordinate, in subunits. A coefficient of 10, its
	// standard deviation, moves a point that is 70 units from the center by 6 units.
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

// The bounds of the distortions. Each distortion has a bell-shaped distribution with a third of its
// bound as the standard deviation. They were chosen for the accuracies in the comment of Digits.
const (
	maxJitter = 9   // jitter of a control point, in units
	maxWarp   = 30  // coefficients of the warp
	maxTan    = 270 // tangent of half the angle of rotation, in 1/1024
	maxSlant  = 480 // slant, in 1/1024
	maxHeight = 240 // change of height, in 1/1024
	maxAspect = 240 // change of width against height, in 1/1024
	maxShift  = 540 // shift, in 1/256 pixel
)

// An affine maps subunits (u, v) of a skeleton to the image: x = (xx*u + xy*v) / 2^16 + x0, and y
// likewise.
type affine struct{ xx, xy, yx, yy, x0, y0 int64 }

// newAffine draws a random map that scales, slants, rotates and shifts, in this order:
//
//	( c -s ) ( a*h  l*h )
//	( s  c ) (  0    h  )
//
// with height h, aspect a and slant l. The rational parametrisation of the circle by t = tan(angle/2),
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
