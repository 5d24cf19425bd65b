package eigensym

import (
	"math"

	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
)

// Sterf overwrites d with the eigenvalues, in any order, of the symmetric tridiagonal matrix with the
// diagonal d and the subdiagonal e, and e with zeros. It returns false if 30n sweeps are not enough.
//
// Sterf uses the implicit QL algorithm with Wilkinson's shifts, or QR if a block is reversed. It is the
// variant of Pal, Walker and Kahan: rotations are squared, and a sweep takes roots only for its shift
// (Parlett, The Symmetric Eigenvalue Problem, chapter 8; LAPACK: dsterf).
func Sterf(d, e []float64) bool {
	q := solver{left: sweeps * len(d)}
	return diagonalize(d, e, q.block)
}

// rotate applies the rotation (c, s) to the vectors of rows i and i+1 of the block.
func (q *solver) rotate(i int, c, s float64) {
	if q.reversed {
		q.plane.Rotate(q.n-1-i, q.n-2-i, c, s)
	} else {
		q.plane.Rotate(i, i+1, c, s)
	}
}

// pair diagonalizes the 2×2 block in rows l and l+1; d and e begin there.
func (q *solver) pair(d, e []float64, l int) {
	beside := e[0]
	if !q.vectors {
		beside = math.Sqrt(beside)
	}
	less := shift(d[0], beside, d[1])
	d[0], d[1], e[0] = d[0]-less, d[1]+less, 0
	if q.vectors {
		t := less / beside
		c := 1 / detmath.Hypot(1, t)
		q.rotate(l, c, -t*c)
	}
}

// sweep makes one sweep over the unreduced matrix that begins with row l of the block. Rotations of
// rows i and i+1, from the last to the first, multiply T from both sides. The first rotation comes from
// T minus the shift.
//
// Each rotation depends on the one before. The update of T uses squares and products of c and s, which
// wait for a single division. The square root for c and s is ready in time for the next rotation.
func (q *solver) sweep(d, e []float64, l int) {
	n := len(e)
	if !q.vectors {
		squares(d, e)
		return
	}
	g := d[n] - d[0] + shift(d[0], e[0], d[1])
	c, s, ss, p := 1.0, 1.0, 1.0, 0.0
	for i := n - 1; i >= 0; i-- {
		f, b := s*e[i], float64(c*e[i])
		rr := float64(g*g) + float64(ss*e[i]*e[i])
		r := math.Sqrt(rr)
		var cc, cs float64
		if rr > 0x1p-900 && (math.Abs(f) > 0x1p-500 || f == 0) { // no square underflows
			root, square := 1/r, 1/rr
			c, s = g*root, f*root
			cc, cs, ss = float64(g*g)*square, float64(f*g)*square, float64(f*f)*square
		} else {
			c, s, r = factor.Lartg(g, f)
			cc, cs, ss = c*c, c*s, s*s
		}
		if i < n-1 {
			e[i+1] = r
		}
		last := d[i+1] - p
		t := d[i] - last
		p = float64(ss*t) + float64(2*cs*b)
		d[i+1] = last + p
		g = float64(cs*t) + float64((cc-ss)*b)
		q.rotate(l+i, c, -s)
	}
	d[0] -= p
	e[0] = g
}

// squares is sweep without vectors; e holds the squares of the off-diagonal elements. If p is so small
// that c would lose digits, p and gamma become 0, since the next p would have no correct digit.
func squares(d, e []float64) {
	const least = 0x1p-960
	n := len(e)
	sigma := d[0] - shift(d[0], math.Sqrt(e[0]), d[1])
	c, s, gamma := 1.0, 0.0, d[n]-sigma
	p := gamma * gamma
	for i := n - 1; i >= 0; i-- {
		if p < least {
			gamma, p = 0, 0
		}
		r := p + e[i]
		if i < n-1 {
			e[i+1] = s * r
		}
		before, last := c, gamma
		c, s = p/r, e[i]/r
		gamma = float64(c*(d[i]-sigma)) - float64(s*last)
		d[i+1] = last + (d[i] - gamma)
		if p = gamma * gamma / c; c == 0 {
			p = float64(before * e[i])
		}
	}
	e[0] = s * p
	d[0] = sigma + gamma
}
