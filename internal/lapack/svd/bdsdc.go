package svd

import (
	"math"
	"slices"

	"blskernel/internal/block"
	"blskernel/internal/elementary"
	"blskernel/internal/lapack"
	"blskernel/internal/lapack/secular"
	"blskernel/internal/memory"
)

// leaf is the order up to which the QR algorithm takes no longer than halves.
const leaf = 32

// A divider is the divide and conquer algorithm for a bidiagonal matrix. One row is taken out; the
// singular vectors of the halves above and below it are known, and those of the whole are products of
// orthogonal matrices with them. (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 16 (1995) 79-92; LAPACK:
// dlasd1, dlasd2, dlasd3.)
type divider struct {
	lapack.Backend
	ut, vt         block.Matrix
	products, rows []float64 // the workspace of merges
}

// bdsdc overwrites d by the singular values, in no order, of the bidiagonal n×n B with d on its
// diagonal and e above it, and the rows of the n×n ut and vt by the left and right singular vectors. It
// overwrites e. Each value has an error of some roundings of the largest one. It returns false if the
// QR algorithm does not converge for a leaf.
//
// It takes at most about 8n³/3 flops, nearly all in products, and less where values agree or vectors
// are local. The workspace has 2n² numbers. (LAPACK: dbdsdc.)
func bdsdc(bk lapack.Backend, d, e []float64, ut, vt block.Matrix) bool {
	n := len(d)
	for i := range n {
		unit(ut.Elements(i, 0, n), i)
		unit(vt.Elements(i, 0, n), i)
	}
	v := divider{Backend: bk, ut: ut, vt: vt}
	if n <= leaf {
		return v.leaf(d, e[:n-1], 0)
	}
	largest := 0.0
	for i, x := range d {
		if largest = max(largest, math.Abs(x)); i < n-1 {
			largest = max(largest, math.Abs(e[i]))
		}
	}
	_, exponent := math.Frexp(largest)
	for i := range d {
		d[i], e[i] = math.Ldexp(d[i], -exponent), math.Ldexp(e[i], -exponent)
	}
	v.products, v.rows = memory.Zeros(n*lapack.Stride(n)), memory.Zeros(n*(n+1))
	if !v.divide(d, e[:n-1], 0) {
		return false
	}
	for i := range d {
		d[i] = math.Ldexp(d[i], exponent)
	}
	return true
}

// divide computes the decomposition of the block of B whose first row and column is first, of len(d)
// rows, and one more column if e is as long as d. The last row of vt in a block with one more column is
// that of its null space.
func (v *divider) divide(d, e []float64, first int) bool {
	n := len(d)
	if n <= leaf {
		return v.leaf(d, e, first)
	}
	middle := n / 2
	on, beside := d[middle], 0.0
	if middle < len(e) {
		beside = e[middle]
	}
	if !v.divide(d[:middle], e[:middle], first) || !v.divide(d[middle+1:], e[middle+1:], first+middle+1) {
		return false
	}
	v.merge(d, middle, len(e) == n, on, beside, v.ut.Sub(first, first), v.vt.Sub(first, first))
	return true
}

// leaf is divide by the QR algorithm. The column that a block may have beyond its rows is first rotated
// away: down the rows the block becomes lower bidiagonal, and upper again.
func (v *divider) leaf(d, e []float64, first int) bool {
	n := len(d)
	left, right := &plane{v.ut, first, n}, &plane{v.vt, first, len(e) + 1}
	if n == len(e) {
		c, s := make([]float64, n), make([]float64, n)
		chase := func(n int) {
			for i := range n {
				c[i], s[i], d[i] = lapack.Lartg(d[i], e[i])
				if e[i] = 0; i+1 < len(d) {
					e[i], d[i+1] = s[i]*d[i+1], c[i]*d[i+1]
				}
			}
		}
		chase(n)
		right.forward(0, c, s)
		chase(n - 1)
		left.forward(0, c[:n-1], s[:n-1])
	}
	if !bdsqr(d, slices.Concat(e[:n-1], []float64{0}), left, right) {
		return false
	}
	for i, x := range d {
		if math.Signbit(x) {
			d[i] = -x
			v.Dscal(right.n, -1, v.vt.Elements(first+i, first, first+right.n), 1)
		}
	}
	return true
}

// merge makes the values d, and the rows of ut and vt, of the halves those of the whole, which has the
// elements on and beside in its row middle, and one more column than rows if wide.
func (v *divider) merge(d []float64, middle int, wide bool, on, beside float64, ut, vt block.Matrix) {
	n := len(d)
	cols := n
	if wide {
		cols++
	}
	m := secular.Merge{D: d, X: make([]float64, n), Halfs: make([]secular.Half, n), Cut: middle + 1}
	largest := 0.0
	for i := range d {
		if i <= middle {
			m.X[i], m.Halfs[i] = on*vt.X[vt.Row(i)+middle], secular.Top
		} else {
			m.X[i], m.Halfs[i] = beside*vt.X[vt.Row(i)+middle+1], secular.Bottom
		}
		largest = max(largest, math.Abs(d[i]), math.Abs(m.X[i]))
	}
	d[middle], m.Halfs[middle] = 0, secular.Whole
	if wide {
		v.join(&m.X[middle], beside*vt.X[vt.Row(n)+middle+1], vt.Elements(middle, 0, cols), vt.Elements(n, 0, cols))
		largest = max(largest, math.Abs(m.X[middle]))
	}

	// The row that was taken out has no value of its own, and stays.
	negligible := 8 * eps * largest
	if negligible == 0 {
		return
	}
	m.X[middle] = math.Copysign(max(math.Abs(m.X[middle]), negligible), m.X[middle])
	m.Kept = append(m.Kept, middle)
	order := slices.DeleteFunc(m.Ascending(), func(i int) bool { return i == middle })
	m.Deflate(order, negligible, negligible, func(i, j int, c, s float64) {
		v.Drot(n, ut.Elements(i, 0, n), 1, ut.Elements(j, 0, n), 1, c, s)
		v.Drot(cols, vt.Elements(i, 0, cols), 1, vt.Elements(j, 0, cols), 1, c, s)
	})
	if len(m.Kept) > 1 {
		m.D[m.Kept[1]] = max(m.D[m.Kept[1]], negligible/2)
	}

	k := len(m.Kept)
	q, s := m.Equation(true), block.Dense(v.products, lapack.Stride(k))
	roots, norms := make([]secular.Root, k), make([]float64, k)
	q.Solve(v.Backend, roots, s)
	place, _, _, _ := m.Places()
	q.Vectors(v.Backend, s, place, norms)
	m.Multiply(v.Backend, s, cols, vt, v.rows)
	v.left(q, s, place, norms)
	m.Multiply(v.Backend, s, n, ut, v.rows)
	values := make([]float64, 0, n)
	for _, r := range roots {
		d := q.D[r.Pole]
		values = append(values, d+r.Distance/(d+math.Sqrt(float64(d*d)+r.Distance)))
	}
	for _, i := range m.Gone {
		values = append(values, d[i])
	}
	copy(d, values)
}

// left overwrites the right singular vectors in the rows of s by the left ones: elements d[j] times
// those of the right ones before they were divided by the norms, and -1 for the row that was taken out.
func (v *divider) left(q secular.Equation, s block.Matrix, place []int, norms []float64) {
	k := len(norms)
	by := make([]float64, k)
	for j, d := range q.D {
		by[place[j]] = d
	}
	v.BlockRows(k, 2*k, func(from, to int) {
		for i := from; i < to; i++ {
			row := s.Elements(i, 0, k)
			for j, d := range by {
				row[j] *= d
			}
			row[place[0]] = -1 / norms[i]
			v.Dscal(k, 1/v.Dnrm2(k, row, 1), row, 1)
		}
	})
}

// join makes the last element of x that of both null spaces: it rotates their rows, so that it is zero
// for the second.
func (v *divider) join(x *float64, y float64, row, last []float64) {
	r := elementary.Hypot(*x, y)
	if r == 0 {
		return
	}
	v.Drot(len(row), row, 1, last, 1, *x/r, y/r)
	*x = r
}
