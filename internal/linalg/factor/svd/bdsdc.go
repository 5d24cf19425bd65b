package svd

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/factor/secular"
)

// leafOrder is the largest order for which the QR algorithm is at least as fast as a merge.
const leafOrder = 32

// A divider is the state of divide and conquer for a bidiagonal matrix. The algorithm removes one row.
// Orthogonal matrices then turn the singular vectors of the halves above and below that row into the
// singular vectors of the whole. (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 16 (1995) 79-92; LAPACK:
// dlasd1, dlasd2, dlasd3.)
type divider struct {
	factor.Backend
	ut, vt         block.Matrix
	products, rows []float64 // the workspace of merges
}

// bdsdc overwrites d with the singular values, in any order, of the bidiagonal n×n matrix B with d on
// its diagonal and e above it. It overwrites the rows of the n×n ut and vt with the left and right
// singular vectors. e has n elements; the last is not used, and afterwards all are undefined. The error
// of each value is at most a few eps times the largest. bdsdc returns false if the QR algorithm does
// not converge for a leaf.
//
// It takes at most about 8n³/3 flops, nearly all in products, and fewer if values coincide or vectors
// are localized. The workspace has 2n² numbers. (LAPACK: dbdsdc.)
func bdsdc(bk factor.Backend, d, e []float64, ut, vt block.Matrix) bool {
	n := len(d)
	factor.Identity(n, ut)
	factor.Identity(n, vt)
	v := divider{Backend: bk, ut: ut, vt: vt}
	if n <= leafOrder {
		return v.leaf(d, e[:n-1], 0)
	}
	_, onDiagonal := bk.AbsMax(d)
	_, off := bk.AbsMax(e[:n-1])
	_, exponent := math.Frexp(max(onDiagonal, off))
	for i := range d {
		d[i], e[i] = math.Ldexp(d[i], -exponent), math.Ldexp(e[i], -exponent)
	}
	w := factor.Acquire()
	defer w.Release()
	v.products, v.rows = w.Take(n*factor.Stride(n)), w.Take(n*(n+1))
	if !v.divide(d, e[:n-1], 0) {
		return false
	}
	for i := range d {
		d[i] = math.Ldexp(d[i], exponent)
	}
	return true
}

// divide decomposes the diagonal block of B whose top left element is (first, first). The block has
// len(d) rows, and one more column than rows if e is as long as d. The last row of its part of vt then
// spans its null space. divide returns false if a leaf does not converge.
func (v *divider) divide(d, e []float64, first int) bool {
	n := len(d)
	if n <= leafOrder {
		return v.leaf(d, e, first)
	}
	middle := n / 2
	on, off := d[middle], 0.0
	if middle < len(e) {
		off = e[middle]
	}
	if !v.divide(d[:middle], e[:middle], first) || !v.divide(d[middle+1:], e[middle+1:], first+middle+1) {
		return false
	}
	v.merge(d, middle, len(e) == n, on, off, v.ut.Sub(first, first), v.vt.Sub(first, first))
	return true
}

// leaf is divide with the QR algorithm. If the block has one more column than rows, rotations of
// columns first make it square and lower bidiagonal. Rotations of rows then make it upper bidiagonal
// again. (LAPACK: dlasdq.)
func (v *divider) leaf(d, e []float64, first int) bool {
	n, cols := len(d), len(e)+1
	left, right := v.Plane(v.ut.Sub(first, first), n), v.Plane(v.vt.Sub(first, first), cols)
	if n == len(e) {
		chase := func(n int, p *factor.Plane) {
			for i := range n {
				var c, s float64
				c, s, d[i] = factor.Lartg(d[i], e[i])
				if e[i] = 0; i+1 < len(d) {
					e[i], d[i+1] = s*d[i+1], c*d[i+1]
				}
				p.Rotate(i, i+1, c, s)
			}
		}
		chase(n, &right)
		chase(n-1, &left)
	}
	if !bdsqr(d, e, &left, &right) {
		return false
	}
	for i, x := range d {
		if math.Signbit(x) {
			d[i] = -x
			v.Dscal(cols, -1, v.vt.Elements(first+i, first, first+cols), 1)
		}
	}
	return true
}

// merge overwrites the values d and the rows of ut and vt, known for the halves, with the decomposition
// of the whole. Row middle was taken out: on is its diagonal element, and off the element to the right.
// If extra is set, the whole has one more column than rows.
func (v *divider) merge(d []float64, middle int, extra bool, on, off float64, ut, vt block.Matrix) {
	n := len(d)
	cols := n
	if extra {
		cols++
	}
	m := secular.Merge{D: d, X: make([]float64, n), Halves: make([]secular.Half, n), Cut: middle + 1}
	largest := 0.0
	for i := range d {
		if i <= middle {
			m.X[i], m.Halves[i] = on*vt.X[vt.Row(i)+middle], secular.Top
		} else {
			m.X[i], m.Halves[i] = off*vt.X[vt.Row(i)+middle+1], secular.Bottom
		}
		largest = max(largest, math.Abs(d[i]), math.Abs(m.X[i]))
	}
	d[middle], m.Halves[middle] = 0, secular.Whole
	if extra {
		// Rotate the two null vectors so that the row taken out is orthogonal to the second.
		c, s, r := factor.Lartg(m.X[middle], off*vt.X[vt.Row(n)+middle+1])
		v.Rot(c, s, vt.Elements(middle, 0, cols), vt.Elements(n, 0, cols))
		m.X[middle] = r
		largest = max(largest, math.Abs(m.X[middle]))
	}
	if largest == 0 { // the block is zero, and so diagonal
		return
	}

	// Neglected elements are at most a few eps times the norm, or negligible compared with 1.
	// Squares of the other elements do not underflow. The row that was taken out is always kept:
	// its X is raised to at least negligible, and the next D to half of that. (LAPACK: dlasd2.)
	negligible := max(8*eps*largest, 0x1p-200)
	m.X[middle] = math.Copysign(max(math.Abs(m.X[middle]), negligible), m.X[middle])
	m.Kept = append(m.Kept, middle)
	order := slices.DeleteFunc(factor.Ascending(d), func(i int) bool { return i == middle })
	m.Deflate(order, negligible, negligible, func(i, j int, c, s float64) {
		v.Rot(c, s, ut.Elements(i, 0, n), ut.Elements(j, 0, n))
		v.Rot(c, s, vt.Elements(i, 0, cols), vt.Elements(j, 0, cols))
	})
	if len(m.Kept) > 1 {
		d[m.Kept[1]] = max(d[m.Kept[1]], negligible/2)
	}
	m.Solve(v.Backend, true, v.products)
	m.Multiply(v.Backend, cols, vt, v.rows)
	v.leftVectors(&m)
	m.Multiply(v.Backend, n, ut, v.rows)
	m.SetValues(func(pole, distance float64) float64 {
		return pole + distance/(pole+math.Sqrt(float64(pole*pole)+distance))
	})
}

// leftVectors overwrites the right singular vectors in the rows of S with the left ones. Before
// normalization, element j is Poles[j] times the right element, or -1 for the row taken out.
func (v *divider) leftVectors(m *secular.Merge) {
	k := len(m.Kept)
	by := make([]float64, k)
	for j, d := range m.Poles {
		by[m.Place[j]] = d
	}
	v.BlockRows(k, 2*k, func(from, to int) {
		for i := from; i < to; i++ {
			row := m.S.Elements(i, 0, k)
			for j, d := range by {
				row[j] *= d
			}
			row[m.Place[0]] = -1 / m.Norms[i]
			v.Dscal(k, 1/v.Dnrm2(k, row, 1), row, 1)
		}
	})
}
