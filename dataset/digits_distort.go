package dataset

// Coordinates on the image are in units of 1/256 pixel, its upper left corner at (0, 0).
const (
	subBits = 8
	sub     = 1 << subBits
)

// Skeleton units are split into fine ones, so that integers are exact enough.
const fine = 16

// usualHeight makes a digit of usual size, 140 units, 19 pixels high: 1/256 pixels for each fine
// unit, times 2^16.
const usualHeight = 19 * sub << 16 / (140 * fine)

// distort places a skeleton on the image: it writes to dst the control points, each moved by itself,
// then warped, then mapped by one affine map, in 1/256 pixel.
func distort(dst *[maxPoints]point, sk *skeleton, r *generator) {
	// The warp adds w·(x², xy, y²) / 2^17 to each coordinate, in fine units. At 70 units from the
	// middle a coefficient of 10, the standard deviation, moves a point by 6 units.
	var warp [6]int64
	for i := range warp {
		warp[i] = r.bell(warpMost)
	}
	m := newAffine(r)
	for i, p := range sk.points {
		x := fine*p.x + r.bell(fine*jitterMost)
		y := fine*p.y + r.bell(fine*jitterMost)
		xx, xy, yy := x*x, x*y, y*y
		u := x + (warp[0]*xx+warp[1]*xy+warp[2]*yy)>>17
		v := y + (warp[3]*xx+warp[4]*xy+warp[5]*yy)>>17
		dst[i] = m.apply(u, v)
	}
}

// How far each distortion goes: every one is bell-shaped, and a third of the number is its standard
// deviation. TestDigitsDifficulty holds what they were chosen for.
const (
	jitterMost = 9   // units by which a control point moves by itself
	warpMost   = 30  // of the warp's coefficients
	tanMost    = 270 // tangent of half the angle of rotation, in 1/1024
	slantMost  = 480 // slant, in 1/1024
	heightMost = 240 // change of height, in 1/1024
	aspectMost = 240 // change of width against height, in 1/1024
	shiftMost  = 540 // shift, in 1/256 pixel
)

// An affine maps fine skeleton units to the image: x = (xx*u + xy*v) / 2^16 + x0, and y likewise.
type affine struct{ xx, xy, yx, yy, x0, y0 int64 }

// newAffine draws a map that scales, slants, turns and shifts, in this order:
//
//	( c -s ) ( a*h  l*h )
//	( s  c ) (  0    h  )
//
// with height h, aspect a, slant l and, so that no sine is needed, the rational parametrisation
// c = (1-t²)/(1+t²), s = 2t/(1+t²) of the circle by t = tan(angle/2).
func newAffine(r *generator) affine {
	const one = 1 << 10
	height := usualHeight * (one + r.bell(heightMost)) / one
	width := height * (one + r.bell(aspectMost)) / one
	slant := height * r.bell(slantMost) / one
	t := r.bell(tanMost)
	norm := one*one + t*t
	c, s := (one*one-t*t)<<16/norm, (2*one*t)<<16/norm
	return affine{
		xx: c * width >> 16, xy: (c*slant - s*height) >> 16,
		yx: s * width >> 16, yy: (s*slant + c*height) >> 16,
		x0: digitSide*sub/2 + r.bell(shiftMost),
		y0: digitSide*sub/2 + r.bell(shiftMost),
	}
}

func (m *affine) apply(u, v int64) point {
	return point{(m.xx*u+m.xy*v)>>16 + m.x0, (m.yx*u+m.yy*v)>>16 + m.y0}
}
