package svd

import "math"

// lasv2 returns the decomposition of a 2×2 upper triangle,
//
//	[ cl sl] [f g] [cr -sr]   [most 0    ]
//	[-sl cl] [0 h] [sr  cr] = [0    least]
//
// with |most| >= |least|, all to a few ulp unless they overflow or underflow. (LAPACK: dlasv2.)
func lasv2(f, g, h float64) (least, most, sr, cr, sl, cl float64) {
	fa, ga, ha := math.Abs(f), math.Abs(g), math.Abs(h)
	ft, ht := f, h
	swap := ha > fa
	if swap { // transpose, with rows and columns in reverse order
		ft, ht, fa, ha = h, f, ha, fa
	}
	lead := ft // the element that gives most its sign
	switch {
	case ga == 0:
		least, most, cl, cr = ha, fa, 1, 1
	case ga > fa && fa/ga < eps:
		lead, most, cl, sr = g, ga, 1, 1
		sl, cr = ht/g, ft/g
		if ha > 1 {
			least = fa / (ga / ha)
		} else {
			least = fa / ga * ha
		}
	default:
		if ga > fa {
			lead = g
		}
		least, most, sr, cr, sl, cl = rotated(ft, g, ht)
	}
	if swap {
		sr, cr, sl, cl = cl, sl, cr, sr
	}
	// The signs of the factors decide the sign of most.
	sign := math.Copysign(1, lead)
	switch {
	case lead == g && ga != 0 && ga > fa:
		sign *= math.Copysign(1, sr) * math.Copysign(1, cl)
	case swap:
		sign *= math.Copysign(1, sr) * math.Copysign(1, sl)
	default:
		sign *= math.Copysign(1, cr) * math.Copysign(1, cl)
	}
	return math.Copysign(least, sign*math.Copysign(1, f)*math.Copysign(1, h)), math.Copysign(most, sign), sr, cr, sl, cl
}

// rotated is lasv2 without signs for |f| >= |h| and a g that is neither 0 nor beyond |f|/eps.
func rotated(f, g, h float64) (least, most, sr, cr, sl, cl float64) {
	fa, ha := math.Abs(f), math.Abs(h)
	d := fa - ha
	l := d / fa
	if d == fa { // also for infinite elements
		l = 1
	}
	m, t := g/f, 2-l
	mm := float64(m * m)
	s := math.Sqrt(float64(t*t) + mm)
	r := math.Abs(m)
	if l != 0 {
		r = math.Sqrt(float64(l*l) + mm)
	}
	a := float64(0.5 * (s + r)) // between 1 and 1 + |m|
	switch {
	case mm != 0:
		t = (m/(s+t) + m/(r+l)) * (1 + a)
	case l == 0: // and m is tiny
		t = math.Copysign(2, f) * math.Copysign(1, g)
	default:
		t = g/math.Copysign(d, f) + m/t
	}
	root := math.Sqrt(float64(t*t) + 4)
	cr, sr = 2/root, t/root
	cl, sl = (cr+float64(sr*m))/a, h/f*sr/a
	return ha / a, fa * a, sr, cr, sl, cl
}
