package lapack

import "math"

// The magnitudes between which squares and their sum neither overflow nor lose digits.
const (
	rootMin = 0x1p-511
	rootMax = 0x1p510
)

// Lartg returns the plane rotation with
//
//	 c·f + s·g = r
//	-s·f + c·g = 0
//
// where c² + s² = 1 and c >= 0, without overflow or harmful underflow: c = 1, s = 0 if g = 0, and c =
// 0, s = ±1 if only f is 0. NaN and infinities reach a result.
//
// The formula is Anderson's: Algorithm 978, ACM Trans. Math. Softw. 44 (2017), doi 10.1145/3061665
// (LAPACK: dlartg).
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
		scale = min(max(smallest, sizeF, sizeG), 1/smallest)
		f, g = f/scale, g/scale
	}
	r = math.Copysign(math.Sqrt(float64(f*f)+float64(g*g)), f)
	return f / r, g / r, r * scale
}

// Rot overwrites x by c·x + s·y, and y by c·y - s·x, without a call of a backend, which costs more
// than short vectors.
func Rot(c, s float64, x, y []float64) {
	y = y[:len(x)]
	for j, v := range x {
		w := y[j]
		x[j], y[j] = float64(c*v)+float64(s*w), float64(c*w)-float64(s*v)
	}
}
