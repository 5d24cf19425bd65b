package eigensym

import (
	"math"

	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/lapack/secular"
	"blskernel/internal/memory"
)

// leaf is the order up to which rotations, n³ flops one by one, take no longer than halves.
const leaf = 32

// A divider is the divide and conquer algorithm for a block of a tridiagonal matrix: the eigenvectors
// of the halves less a matrix of rank 1 are known, and the rows of the vectors of the whole are
// products of an orthogonal matrix with theirs. (Cuppen, Numer. Math. 36 (1981) 177-195; LAPACK:
// dlaed1, dlaed2, dlaed3.)
type divider struct {
	lapack.Backend
	solver                   // of leaves; its z has the vectors of all
	products, rows []float64 // the workspace of merges
}

// divide diagonalizes the block of T with the diagonal d and e beside it that begins with row first.
func (v *divider) divide(d, e []float64, first int) bool {
	n := len(d)
	if n <= leaf {
		return v.block(d, e, first)
	}
	half := n / 2
	beside := e[half-1]
	d[half-1] -= math.Abs(beside)
	d[half] -= math.Abs(beside)
	if !v.divide(d[:half], e[:half-1], first) || !v.divide(d[half:], e[half:], first+half) {
		return false
	}
	e[half-1] = 0
	v.merge(d, half, beside, v.z.Sub(first, first))
	return true
}

// merge diagonalizes the block whose halves are diagonal but for the element beside them.
func (v *divider) merge(d []float64, half int, beside float64, z block.Matrix) {
	n := len(d)
	m := secular.Merge{D: d, X: make([]float64, n), Halfs: make([]secular.Half, n), Cut: half}
	root, largest, squares := math.Sqrt(math.Abs(beside)), 0.0, 0.0
	for i := range d {
		if i < half {
			m.X[i], m.Halfs[i] = root*z.X[z.Row(i)+half-1], secular.Top
		} else {
			m.X[i], m.Halfs[i] = math.Copysign(root, beside)*z.X[z.Row(i)+half], secular.Bottom
		}
		largest = max(largest, math.Abs(d[i]))
		squares += float64(m.X[i] * m.X[i])
	}
	negligible := 8 * eps * max(largest, squares)
	least := negligible / max(math.Sqrt(squares), 0x1p-500)
	m.Deflate(m.Ascending(), least, negligible, func(i, j int, c, s float64) {
		rotate(c, s, z.Elements(i, 0, n), z.Elements(j, 0, n))
	})
	k := len(m.Kept)
	if k == 0 {
		return
	}

	q, s := m.Equation(false), block.Dense(v.products, lapack.Stride(k))
	roots, norms := make([]secular.Root, k), make([]float64, k)
	q.Solve(v.Backend, roots, s)
	place, _, _, _ := m.Places()
	q.Vectors(v.Backend, s, place, norms)
	m.Multiply(v.Backend, s, n, z, v.rows)
	values := make([]float64, 0, n)
	for _, r := range roots {
		values = append(values, q.D[r.Pole]+r.Distance)
	}
	for _, i := range m.Gone {
		values = append(values, d[i])
	}
	copy(d, values)
}

// Stedc overwrites d by the eigenvalues, in no order, of the symmetric tridiagonal n×n matrix T with
// the diagonal d and e beside it, e by zeros, and row i of the dense n×n z by the eigenvector for d[i].
// It returns false if 30n sweeps are not enough for the leaves; d, e and z are then undefined.
//
// It takes at most about 4n³/3 flops, nearly all in products, and less where eigenvalues agree or
// vectors are local. The workspace has 2n² numbers. (LAPACK: dstedc.)
func Stedc(bk lapack.Backend, d, e []float64, z block.Matrix) bool {
	n := len(d)
	for i := range n {
		clear(z.Elements(i, 0, n))
		z.X[z.Row(i)+i] = 1
	}
	v := divider{Backend: bk, solver: solver{vectors: true, z: z, c: make([]float64, n), s: make([]float64, n), left: sweeps * n}}
	if n > leaf {
		v.products, v.rows = memory.Zeros(n*lapack.Stride(n)), memory.Zeros(n*n)
	}
	return diagonalize(d, e, v.divide)
}
