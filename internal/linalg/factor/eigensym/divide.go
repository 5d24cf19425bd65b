package eigensym

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/secular"
)

// leafOrder is the largest order for which the QL algorithm is at least as fast as a merge.
const leafOrder = 32

// A divider is the state of divide and conquer for a block of a tridiagonal matrix. Subtracting a
// matrix of rank 1 splits the block into two halves, which are diagonalized first. The eigenvectors of
// the whole, as rows, are an orthogonal matrix times the eigenvectors of the halves. (Cuppen, Numer.
// Math. 36 (1981) 177-195; LAPACK: dlaed1, dlaed2, dlaed3.)
type divider struct {
	solver                   // for the leaves; its z holds all vectors
	products, rows []float64 // the workspace of merges
}

// divide diagonalizes the block of T that begins with row first, with diagonal d and subdiagonal e. It
// returns false if a leaf does not converge.
func (v *divider) divide(d, e []float64, first int) bool {
	n := len(d)
	if n <= leafOrder {
		return v.block(d, e, first)
	}
	half := n / 2
	coupling := e[half-1]
	d[half-1] -= math.Abs(coupling)
	d[half] -= math.Abs(coupling)
	if !v.divide(d[:half], e[:half-1], first) || !v.divide(d[half:], e[half:], first+half) {
		return false
	}
	e[half-1] = 0
	v.merge(d, half, coupling, v.z.Sub(first, first))
	return true
}

// merge overwrites the values d and the vectors in the rows of z, known for the halves of a block, with
// the decomposition of the block. The first half has order half; coupling is the element between them.
func (v *divider) merge(d []float64, half int, coupling float64, z block.Matrix) {
	n := len(d)
	m := secular.Merge{D: d, X: make([]float64, n), Halves: make([]secular.Half, n), Cut: half}
	root, largest, squares := math.Sqrt(math.Abs(coupling)), 0.0, 0.0
	for i := range d {
		if i < half {
			m.X[i], m.Halves[i] = root*z.X[z.Row(i)+half-1], secular.Top
		} else {
			m.X[i], m.Halves[i] = math.Copysign(root, coupling)*z.X[z.Row(i)+half], secular.Bottom
		}
		largest = max(largest, math.Abs(d[i]))
		squares += float64(m.X[i] * m.X[i])
	}
	// Neglected elements are at most a few eps times the norm, or negligible compared with 1.
	// Squares of the other elements do not underflow.
	negligible := max(8*eps*max(largest, squares), 0x1p-400)
	m.Deflate(factor.Ascending(d), negligible/math.Sqrt(squares), negligible, func(i, j int, c, s float64) {
		v.Rot(c, s, z.Elements(i, 0, n), z.Elements(j, 0, n))
	})
	if len(m.Kept) > 0 {
		m.Solve(v.Backend, false, v.products)
		m.Multiply(v.Backend, n, z, v.rows)
		m.SetValues(func(pole, distance float64) float64 { return pole + distance })
	}
}

// Stedc overwrites d with the eigenvalues, in any order, of the symmetric tridiagonal T of order n with
// diagonal d and subdiagonal e. It zeroes e and overwrites row i of z with the eigenvector for d[i]. It
// returns false, with d, e and z undefined, if 30n sweeps do not suffice for the leaves.
//
// It takes at most about 4n³/3 flops, nearly all in products, and fewer if eigenvalues coincide or
// vectors are localized. The workspace has 2n² numbers. (LAPACK: dstedc.)
func Stedc(bk factor.Backend, d, e []float64, z block.Matrix) bool {
	n := len(d)
	factor.Identity(n, z)
	v := divider{solver: solver{Backend: bk, vectors: true, z: z, left: sweeps * n}}
	if n > leafOrder {
		w := factor.Acquire()
		defer w.Release()
		v.products, v.rows = w.Take(n*factor.Stride(n)), w.Take(n*n)
	}
	return diagonalize(d, e, v.divide)
}
