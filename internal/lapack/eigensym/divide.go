package eigensym

import (
	"cmp"
	"math"
	"slices"

	"blskernel/internal/block"
	"blskernel/internal/elementary"
	"blskernel/internal/lapack"
	"blskernel/internal/lapack/secular"
	"blskernel/internal/memory"

	"gonum.org/v1/gonum/blas"
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

// A merge is D + x xᵀ, the matrix of which the rows of z are to become eigenvectors after they are
// multiplied with those of D.
type merge struct {
	d, x []float64
	z    block.Matrix
	half int
	kind []int // of the rows of z: where they are not zero
	kept []int // rows whose d and x are not those of an eigenvector, by ascending d
	gone []int // the others
}

// A row of z is zero in one half of the columns until a row of the other half is added to it.
const (
	top, bottom = 1, 2
	whole       = top | bottom
)

// merge diagonalizes the block whose halves are diagonal but for the element beside them.
func (v *divider) merge(d []float64, half int, beside float64, z block.Matrix) {
	n := len(d)
	m := merge{d: d, x: make([]float64, n), z: z, half: half, kind: make([]int, n)}
	left, right := math.Sqrt(math.Abs(beside)), math.Copysign(math.Sqrt(math.Abs(beside)), beside)
	for i := range half {
		m.x[i], m.kind[i] = left*z.X[z.Row(i)+half-1], top
	}
	for i := half; i < n; i++ {
		m.x[i], m.kind[i] = right*z.X[z.Row(i)+half], bottom
	}
	m.deflate()
	if len(m.kept) == 0 {
		return
	}

	k := len(m.kept)
	q := secular.Equation{D: make([]float64, k), Z: make([]float64, k)}
	for i, from := range m.kept {
		q.D[i], q.Z[i] = d[from], m.x[from]
	}
	roots, s := make([]secular.Root, k), block.Dense(v.products, stride(k))
	q.Solve(v.Backend, roots, s)
	count, place := m.places()
	v.BlockRows(k, 3*k, func(from, to int) {
		vector := make([]float64, k)
		for i := from; i < to; i++ {
			row := s.Elements(i, 0, k)
			for j, gap := range row {
				vector[j] = q.Z[j] / gap
			}
			norm := v.Dnrm2(k, vector, 1)
			for j, x := range vector {
				row[place[j]] = x / norm
			}
		}
	})

	// Rows are in the order top, whole, bottom, so that each half of the columns has products with
	// those that are not zero there.
	m.gather(v.rows, count, place)
	upper, lower := count[top]+count[whole], count[whole]+count[bottom]
	x := v.rows
	v.multiply(k, half, upper, s, x, z)
	v.multiply(k, n-half, lower, s.Sub(0, count[top]), x[upper*half:], z.Sub(0, half))
	others := x[upper*half+lower*(n-half):]
	values := make([]float64, 0, n)
	for _, r := range roots {
		values = append(values, q.D[r.Pole]+r.Distance)
	}
	for i, from := range m.gone {
		values = append(values, d[from])
		copy(z.Elements(k+i, 0, n), others[i*n:])
	}
	copy(d, values)
}

// multiply computes the m×n C = A B, where B has k rows and no gaps.
func (v *divider) multiply(m, n, k int, a block.Matrix, b []float64, c block.Matrix) {
	if k == 0 {
		for i := range m {
			clear(c.Elements(i, 0, n))
		}
		return
	}
	v.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, a.X, a.Ld, b, n, 0, c.X, c.Ld)
}

// deflate tells the rows that are eigenvectors, up to rounding, as they are: those whose x is
// negligible, and one of two with d so close that a rotation may make its x zero. What either leaves
// out is at most eight roundings of the norm.
func (m *merge) deflate() {
	norm, largest := 0.0, 0.0
	order := make([]int, len(m.d))
	for i, d := range m.d {
		order[i], largest = i, max(largest, math.Abs(d))
		norm += float64(m.x[i] * m.x[i])
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(m.d[i], m.d[j]) })
	negligible := 8 * eps * max(largest, norm)
	norm = math.Sqrt(norm)
	for _, j := range order {
		if math.Abs(m.x[j])*norm <= negligible {
			m.gone = append(m.gone, j)
			continue
		}
		last := len(m.kept) - 1
		if last < 0 || !m.rotate(m.kept[last], j, negligible) {
			m.kept = append(m.kept, j)
			continue
		}
		m.gone = append(m.gone, m.kept[last])
		m.kept[last] = j
	}
}

// rotate makes x[i] zero by a rotation of rows i and j if the element beside the diagonal that this
// makes is negligible.
func (m *merge) rotate(i, j int, negligible float64) bool {
	r := elementary.Hypot(m.x[i], m.x[j])
	c, s := m.x[j]/r, -m.x[i]/r
	if math.Abs((m.d[j]-m.d[i])*c*s) > negligible {
		return false
	}
	rotate(c, s, m.z.Elements(i, 0, len(m.d)), m.z.Elements(j, 0, len(m.d)))
	m.kind[i] |= m.kind[j]
	m.kind[j] = m.kind[i]
	m.x[i], m.x[j] = 0, r
	cc, ss := c*c, s*s
	m.d[i], m.d[j] = float64(m.d[i]*cc)+float64(m.d[j]*ss), float64(m.d[i]*ss)+float64(m.d[j]*cc)
	return true
}

// places counts the kept rows of each kind, and returns the place of each among them in the order top,
// whole, bottom.
func (m *merge) places() (count [4]int, place []int) {
	for _, i := range m.kept {
		count[m.kind[i]]++
	}
	next := [4]int{top: 0, whole: count[top], bottom: count[top] + count[whole]}
	place = make([]int, len(m.kept))
	for j, i := range m.kept {
		place[j] = next[m.kind[i]]
		next[m.kind[i]]++
	}
	return count, place
}

// gather copies the rows of z to x without gaps: the left parts of the kept ones that are not zero
// there, the right parts, and all others.
func (m *merge) gather(x []float64, count [4]int, place []int) {
	n, right := len(m.d), len(m.d)-m.half
	lower := x[(count[top]+count[whole])*m.half:]
	for j, i := range m.kept {
		if m.kind[i]&top != 0 {
			copy(x[place[j]*m.half:], m.z.Elements(i, 0, m.half))
		}
		if m.kind[i]&bottom != 0 {
			copy(lower[(place[j]-count[top])*right:], m.z.Elements(i, m.half, n))
		}
	}
	others := lower[(count[whole]+count[bottom])*right:]
	for j, i := range m.gone {
		copy(others[j*n:], m.z.Elements(i, 0, n))
	}
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
		v.products, v.rows = memory.Zeros(n*stride(n)), memory.Zeros(n*n)
	}
	return diagonalize(d, e, v.divide)
}
