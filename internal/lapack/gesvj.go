package lapack

import (
	"math"
	"sync/atomic"

	"blskernel/internal/block"
)

const (
	// gesvjSweeps is several times the number of sweeps that matrices need.
	gesvjSweeps = 60
	// GesvjZero is the square of a length below which a row counts as zero, for elements up to
	// about 1.
	GesvjZero = 0x1p-900
)

// Gesvj multiplies the dense rows×cols A by rotations from the left until its rows are orthogonal to
// rounding, and the dense rows×rows V by the same rotations. If V is I at first, V is orthogonal in the
// end, and A has become V A. The largest element of A must be near 1. Gesvj reports whether gesvjSweeps
// sweeps were enough. A sweep visits each pair of rows once, in rounds of disjoint pairs, which threads
// share: 3n²cols flops for n rows, and up to 3n³+3n²cols more where all pairs are rotated.
//
//	source: one-sided Jacobi method (LAPACK: dgesvj); the rounds are those of Brent and Luk, SIAM J.
//	Sci. Stat. Comput. 6, 1985.
func Gesvj(bk Backend, rows, cols int, a, v block.Matrix) bool {
	if rows < 2 {
		return true
	}
	tolerance := 2 * Roundoff * math.Sqrt(float64(cols))
	// A round of a tournament pairs all rows; of an odd number, one has nobody to meet.
	players := rows + rows%2
	rounds := players - 1
	for range gesvjSweeps {
		var rotated atomic.Bool
		for round := range rounds {
			bk.BlockRows(players/2, 2*(rows+cols), func(from, to int) {
				for k := from; k < to; k++ {
					p, q := (round+k)%rounds, (round+rounds-k)%rounds
					if k == 0 {
						q = rounds
					}
					if p, q = min(p, q), max(p, q); q < rows && orthogonalize(bk, p, q, rows, cols, a, v, tolerance) {
						rotated.Store(true)
					}
				}
			})
		}
		if !rotated.Load() {
			return true
		}
	}
	return false
}

// orthogonalize rotates rows p and q of a and v until those of a are orthogonal, and reports whether
// they were not.
func orthogonalize(bk Backend, p, q, rows, cols int, a, v block.Matrix, tolerance float64) bool {
	x, y := a.Elements(p, 0, cols), a.Elements(q, 0, cols)
	xx, xy, yy := bk.Ddot(cols, x, 1, x, 1), bk.Ddot(cols, x, 1, y, 1), bk.Ddot(cols, y, 1, y, 1)
	if min(xx, yy) < GesvjZero || math.Abs(xy) <= tolerance*math.Sqrt(xx)*math.Sqrt(yy) {
		return false
	}
	r, _ := diagonalizing(p, xx, xy, yy)
	r.shear(bk, x, y)
	r.shear(bk, v.Elements(p, 0, rows), v.Elements(q, 0, rows))
	return true
}

// shear rotates x and y as rows does, but by three shears, each of them a Daxpy.
func (r rotation) shear(bk Backend, x, y []float64) {
	half := r.s / (1 + r.c) // the tangent of half the angle
	bk.add(-half, y, x)
	bk.add(r.s, x, y)
	bk.add(-half, y, x)
}
