package secular

import (
	"math"

	"blskernel/internal/block"
	"blskernel/internal/lapack"
)

const eps = 0x1p-53

// An Equation is 1 + Σ z[j]²/(p[j] - x) = 0, whose roots are the eigenvalues of diag(p) + z zᵀ. Its
// poles p[j] are d[j], or d[j]² where Squares is set. d ascends, from 0 on for squares. No difference
// of poles and no element of z is zero, or so small beside the largest that a product of two of them
// might underflow.
type Equation struct {
	D, Z    []float64
	Squares bool
}

// A Root is the place of root i: the pole it is nearest to, and how far it is from that one.
type Root struct {
	Pole     int
	Distance float64
}

// difference returns p[i] - p[j].
func (q Equation) difference(i, j int) float64 {
	by := q.D[i] - q.D[j]
	if q.Squares {
		by *= q.D[i] + q.D[j]
	}
	return by
}

// distances writes p[j] - p[pole] to row, for all j.
func (q Equation) distances(pole int, row []float64) {
	at := q.D[pole]
	for j, d := range q.D {
		row[j] = d - at
	}
	if q.Squares {
		for j, d := range q.D {
			row[j] *= d + at
		}
	}
}

// Solve writes the roots in ascending order, and to row i of gaps the distances p[j] - x of all poles
// from root i. It overwrites Z, but for its signs, by the z for which the roots are exact.
//
// It takes about 30n² flops, of which every fourth is a division.
func (q Equation) Solve(bk lapack.Backend, roots []Root, gaps block.Matrix) {
	n := len(q.D)
	bk.BlockRows(n, 30*n, func(from, to int) {
		poles := make([]float64, n)
		for i := from; i < to; i++ {
			roots[i] = q.solve(i, poles, gaps.Elements(i, 0, n))
		}
	})
	// z[j]² is the product of all x[i] - p[j] over that of all other p[i] - p[j].
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

// Vectors overwrites the gaps by the unit vectors z[j]/(p[j] - x), row i for root i and element j at
// place[j], and norms by what they were divided by.
func (q Equation) Vectors(bk lapack.Backend, gaps block.Matrix, place []int, norms []float64) {
	n := len(q.D)
	bk.BlockRows(n, 3*n, func(from, to int) {
		vector := make([]float64, n)
		for i := from; i < to; i++ {
			row := gaps.Elements(i, 0, n)
			for j, gap := range row {
				vector[j] = q.Z[j] / gap
			}
			norms[i] = bk.Dnrm2(n, vector, 1)
			for j, x := range vector {
				row[place[j]] = x / norms[i]
			}
		}
	})
}
