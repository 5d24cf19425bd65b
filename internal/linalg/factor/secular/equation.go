package secular

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
)

const eps = factor.Roundoff

// An Equation is 1 + Σ Z[j]²/(p[j] - x) = 0, whose roots are the eigenvalues of diag(p) + Z Zᵀ. Its
// poles p[j] are Poles[j] or, if Squares is set, their squares. The poles ascend; squared poles begin
// with 0. No difference of poles and no element of Z is zero, or so small that its products underflow.
type Equation struct {
	Poles, Z []float64
	Squares  bool
}

// A Root is the root p[Pole] + Distance of an Equation, where p[Pole] is the nearest pole.
type Root struct {
	Pole     int
	Distance float64
}

func (q Equation) difference(i, j int) float64 {
	by := q.Poles[i] - q.Poles[j]
	if q.Squares {
		by *= q.Poles[i] + q.Poles[j]
	}
	return by
}

// distances writes p[j] - p[pole] to row, for all j.
func (q Equation) distances(pole int, row []float64) {
	at := q.Poles[pole]
	for j, d := range q.Poles {
		row[j] = d - at
	}
	if q.Squares {
		for j, d := range q.Poles {
			row[j] *= d + at
		}
	}
}

// Solve writes the roots in ascending order, and to row i of gaps the distances p[j] - x of the poles
// from root i. It changes the magnitudes of Z, not the signs, so that the roots are exact.
//
// It takes about 40n² flops, a sixth of them divisions.
func (q Equation) Solve(bk factor.Backend, roots []Root, gaps block.Matrix) {
	n := len(q.Poles)
	bk.BlockRows(n, 20*n, func(from, to int) {
		poles := make([]float64, n)
		for i := from; i < to; i++ {
			roots[i], _ = q.solve(i, poles, gaps.Elements(i, 0, n))
		}
	})
	// z[j]² is the product of all x[i] - p[j] over the product of all other p[i] - p[j].
	z := make([]float64, n)
	bk.BlockRows(n, 2*n, func(from, to int) {
		for j := from; j < to; j++ {
			z[j] = -gaps.X[gaps.Row(j)+j]
		}
		for i := range n {
			for j, gap := range gaps.Elements(i, from, to) {
				if j += from; j != i {
					z[j] *= gap / q.difference(j, i)
				}
			}
		}
	})
	for j, v := range z {
		q.Z[j] = math.Copysign(math.Sqrt(math.Abs(v)), q.Z[j])
	}
}
