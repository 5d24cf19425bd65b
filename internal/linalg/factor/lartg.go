package factor

import (
	"math"

	"blskernel/internal/linalg/block"
)

// Between these magnitudes, squares and sums of two squares neither overflow nor lose digits.
const (
	rootMin = 0x1p-511
	rootMax = 0x1p510
)

// Lartg returns the plane rotation with
//
//	 c·f + s·g = r
//	-s·f + c·g = 0
//
// where c² + s² = 1 and c >= 0, without overflow or harmful underflow. If g = 0, then c = 1 and s = 0;
// if only f is 0, then c = 0 and s = ±1. NaN and infinities propagate to at least one result.
//
// It uses Anderson's formula (Algorithm 978, ACM TOMS 44, 2017, doi:10.1145/3061665; LAPACK: dlartg).
func Lartg(f, g float64) (c, s, r float64) {
	sizeF, sizeG := math.Abs(f), math.Abs(g)
	switch {
	case g == 0:
		return 1, 0, f
	case f == 0:
		return 0, math.Copysign(1, g), sizeG
	}
	scale := 1.0
	if !(rootMin < sizeF && sizeF < rootMax && rootMin < sizeG && sizeG < rootMax) {
		scale = min(max(SmallestNormal, sizeF, sizeG), 1/SmallestNormal)
		f, g = f/scale, g/scale
	}
	r = math.Copysign(math.Sqrt(float64(f*f)+float64(g*g)), f)
	return f / r, g / r, r * scale
}

// shortRows is the largest row length for which a plain loop is faster than a backend call.
const shortRows = 12

// A Plane holds rows of n elements, ld apart, that rotations combine in pairs.
type Plane struct {
	bk    block.Ops
	x     []float64
	ld, n int
}

// Plane returns the rows of the dense block z, each of n elements, as a Plane.
func (bk Backend) Plane(z block.Matrix, n int) Plane { return Plane{bk.Ops, z.X, z.Ld, n} }

// Rotate overwrites row i with c·x + s·y and row j with c·y - s·x, where x and y are the old rows i and
// j. On a nil Plane it does nothing.
func (p *Plane) Rotate(i, j int, c, s float64) {
	if p == nil {
		return
	}
	x, y := p.x[i*p.ld:][:p.n], p.x[j*p.ld:][:p.n]
	if p.n > shortRows {
		p.bk.Rot(c, s, x, y)
		return
	}
	for k, u := range x { // with the rounding of Rot
		v := y[k]
		x[k], y[k] = float64(c*u)+float64(s*v), float64(c*v)-float64(s*u)
	}
}
