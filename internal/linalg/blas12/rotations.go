package blas12

import (
	"math"

	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Drot applies a plane rotation:
//
//	x[i], y[i] = c*x[i] + s*y[i], c*y[i] - s*x[i]
//
// x and y must not overlap. Drot reads and writes both, in 6n flops. Each product and each sum is
// rounded: the error is at most γ_2 times the same expression with absolute values. NaN and infinities
// in x[i] or y[i] reach both results, even if c or s is zero.
func (r *Routines) Drot(n int, x []float64, incX int, y []float64, incY int, c, s float64) {
	if checkPair(n, x, incX, y, incY) {
		r.rotate(n, x, incX, y, incY, c, -s, s, c)
	}
}

// Drotm applies the modified rotation of Drotmg:
//
//	x[i], y[i] = h11*x[i] + h12*y[i], h21*x[i] + h22*y[i]
//
// where p.H is h11, h21, h12, h22. p.Flag determines which of these elements are read:
//
//	blas.Identity       none is read; nothing is done
//	blas.Rescaling      all are read
//	blas.OffDiagonal    h21 and h12 are read; h11 = h22 = 1
//	blas.Diagonal       h11 and h22 are read; h12 = 1, h21 = -1
//
// x and y must not overlap. Drotm reads and writes both, in 6n flops. The error is at most γ_2 times
// the same expression with absolute values. NaN and infinities in x[i] or y[i] reach both results.
func (r *Routines) Drotm(n int, x []float64, incX int, y []float64, incY int, p blas.DrotmParams) {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	check.Require(n >= 0, check.NLT0)
	check.Require(blas.Identity <= p.Flag && p.Flag <= blas.Diagonal, check.BadFlag)
	if !checkPair(n, x, incX, y, incY) {
		return
	}
	switch h := p.H; p.Flag {
	case blas.Rescaling:
		r.rotate(n, x, incX, y, incY, h[0], h[1], h[2], h[3])
	case blas.OffDiagonal:
		r.rotate(n, x, incX, y, incY, 1, h[1], h[2], 1)
	case blas.Diagonal:
		r.rotate(n, x, incX, y, incY, h[0], -1, 1, h[3])
	}
}

// rotate multiplies all pairs x[i], y[i] by a 2×2 matrix.
func (r *Routines) rotate(n int, x []float64, incX int, y []float64, incY int, h11, h21, h12, h22 float64) {
	if incX == 1 && incY == 1 {
		r.kernel.Rot(n, h11, h12, h21, h22, &x[0], &y[0])
		return
	}
	ix, iy := first(n, incX), first(n, incY)
	for range n {
		u, v := x[ix], y[iy]
		x[ix], y[iy] = float64(h11*u)+float64(h12*v), float64(h21*u)+float64(h22*v)
		ix += incX
		iy += incY
	}
}

// Drotg returns the rotation with
//
//	 c*a + s*b = rr
//	-s*a + c*b = 0
//
// where c² + s² = 1, and rr has the sign of a if |a| > |b|, otherwise of b. c and s can be recovered
// from z, which is s if |a| > |b|, otherwise 1/c, or 1 if c = 0. If b = 0, the results are 1, 0, a, 0;
// if only a = 0, they are 0, 1, b, 1.
//
// Each result has a relative error of at most γ_8 if neither it nor rr is subnormal and rr does not
// overflow. rr overflows only if its exact value does, up to that error; c and s are then 0, as in
// gonum. rr is NaN if a or b is NaN. If a or b is infinite and neither is NaN, rr is infinite, and c or
// s is NaN unless a or b is zero.
//
// The formula is Anderson's: Algorithm 978, ACM Trans. Math. Softw. 44 (2017), doi 10.1145/3061665.
func (r *Routines) Drotg(a, b float64) (c, s, rr, z float64) {
	const limit = 0x1p1022
	sizeA, sizeB := math.Abs(a), math.Abs(b)
	switch {
	case sizeB == 0:
		return 1, 0, a, 0
	case sizeA == 0:
		return 0, 1, b, 1
	}
	larger := b
	if sizeA > sizeB {
		larger = a
	}
	scale := min(max(sizeA, sizeB), limit) // an infinity divided by itself would be NaN
	u, v := a/scale, b/scale
	rr = math.Copysign(scale*math.Sqrt(float64(u*u)+float64(v*v)), larger)
	c, s = a/rr, b/rr
	switch {
	case sizeA > sizeB:
		z = s
	case c != 0:
		z = 1 / c
	default:
		z = 1
	}
	return c, s, rr, z
}

// Drotmg returns the modified rotation p for Drotm. The matrix H of p satisfies
//
//	(rx1, 0)ᵀ = H*(x1, y1)ᵀ
//	(sqrt(rd1)*rx1, 0) is (sqrt(d1)*x1, sqrt(d2)*y1) rotated
//
// Drotmg needs no square root. d1 must not be negative. d2 may be negative if y1 = 0 or d1*x1² + d2*y1²
// is positive. Otherwise all results are 0, with the flag blas.Rescaling. The products are formed
// without scaling: if d1*x1² or d2*y1² overflows or underflows, results may be wrong. Powers of 4096²
// taken out of rd1 and rd2 keep |rd1| and |rd2| between 2⁻²⁴ and 2²⁴, unless d2 or y1 is 0. Zeros,
// infinities and NaN are not scaled. NaN reaches the results, unless d1 <= 0, d2 = 0, y1 = 0 or
// d2*y1² < 0: as in the reference BLAS, each of these conditions may alone determine the results.
//
// The formulas are Hopkins's: ACM Trans. Math. Softw. 23 (1997), doi 10.1145/289251.289253.
func (r *Routines) Drotmg(d1, d2, x1, y1 float64) (p blas.DrotmParams, rd1, rd2, rx1 float64) {
	p1, p2 := d1*x1, d2*y1
	q1, q2 := p1*x1, p2*y1
	var h [4]float64 // by columns
	switch {
	case d1 < 0:
		return blas.DrotmParams{Flag: blas.Rescaling}, 0, 0, 0
	case d2 == 0 || y1 == 0:
		return blas.DrotmParams{Flag: blas.Identity}, d1, d2, x1
	case (d1 == 0 || x1 == 0) && d2 > 0:
		p.Flag, h = blas.Diagonal, [4]float64{0, -1, 1, 0}
		d1, d2, x1 = d2, d1, y1
	case math.Abs(q1) > math.Abs(q2):
		p.Flag, h = blas.OffDiagonal, [4]float64{1, -y1 / x1, p2 / p1, 1}
		u := 1 - float64(h[2]*h[1])
		if u <= 0 {
			return blas.DrotmParams{Flag: blas.Rescaling}, 0, 0, 0
		}
		d1, d2, x1 = d1/u, d2/u, x1*u
	case q2 < 0:
		return blas.DrotmParams{Flag: blas.Rescaling}, 0, 0, 0
	default:
		p.Flag, h = blas.Diagonal, [4]float64{p1 / p2, -1, 1, x1 / y1}
		u := 1 + float64(h[0]*h[3])
		d1, d2, x1 = d2/u, d1/u, y1*u
	}
	d1, first := rescaled(d1)
	d2, second := rescaled(d2)
	if first != 1 || second != 1 {
		p.Flag = blas.Rescaling
	}
	x1 *= first
	h = [4]float64{h[0] * first, h[1] * second, h[2] * first, h[3] * second}
	switch p.Flag {
	case blas.OffDiagonal:
		h[0], h[3] = 0, 0
	case blas.Diagonal:
		h[1], h[2] = 0, 0
	}
	p.H = h
	return p, d1, d2, x1
}

// rescaled returns d/factor², with a magnitude in (2⁻²⁴, 2²⁴], and factor, a power of 4096. If d is
// zero, infinite or NaN, it returns d and 1.
func rescaled(d float64) (scaled, factor float64) {
	const gamma, square = 4096, 4096 * 4096
	factor = 1
	for math.Abs(d) <= 1.0/square && d != 0 {
		d, factor = d*square, factor/gamma
	}
	for math.Abs(d) > square && !math.IsInf(d, 0) {
		d, factor = d/square, factor*gamma
	}
	return d, factor
}

// checkOne checks the arguments of a routine on one vector and reports whether there are elements to
// process. There are none if incX < 0.
func checkOne(n int, x []float64, incX int) bool {
	check.Require(incX != 0, check.ZeroIncX)
	return incX > 0 && checkPair(n, x, incX, x, incX)
}

// checkPair checks the arguments of a routine on two vectors and reports whether n > 0.
func checkPair(n int, x []float64, incX int, y []float64, incY int) bool {
	check.Require(incX != 0, check.ZeroIncX)
	check.Require(incY != 0, check.ZeroIncY)
	if n <= 0 {
		check.Require(n == 0, check.NLT0)
		return false
	}
	check.Vector(len(x), n, incX, check.ShortX)
	check.Vector(len(y), n, incY, check.ShortY)
	return true
}
