package secular

import (
	"math"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// A Half says in which halves of the columns a row may be nonzero.
type Half uint8

const (
	Top    Half = 1
	Bottom Half = 2
	Whole       = Top | Bottom
)

// A Merge is the remaining problem when both halves are diagonal: to diagonalize D + x xᵀ or, for
// singular values, the matrix with the diagonal D and x in place of the row where D is 0.
type Merge struct {
	D, X   []float64
	Halves []Half // of the rows of vectors
	Cut    int    // the column at which the bottom half begins
	Kept   []int  // rows whose D and X form an Equation, by ascending D
	Gone   []int  // the other, deflated rows

	// Results of Solve: the equation, its roots, and the vectors in the rows of S, each divided by
	// its norm in Norms. Element j of a vector, for row Kept[j], is in column Place[j] of S. The
	// order of these columns is top, whole, bottom, so that each half of the columns of the vectors
	// is multiplied only with rows that may be nonzero there.
	Equation
	Roots              []Root
	S                  block.Matrix
	Norms              []float64
	Place              []int
	top, whole, bottom int
}

// Deflate appends the rows to Kept or Gone, in the given order. A row goes to Gone if it is an
// eigenvector up to rounding: |X| is at most least, or a rotation with the next row makes its X zero
// and leaves at most negligible off the diagonal. Deflate calls rotate for such a rotation, to replace
// rows i and j of all vectors by c·i + s·j and c·j - s·i.
func (m *Merge) Deflate(order []int, least, negligible float64, rotate func(i, j int, c, s float64)) {
	last := -1
	for _, j := range order {
		if math.Abs(m.X[j]) <= least {
			m.Gone = append(m.Gone, j)
			continue
		}
		if i := last; i >= 0 {
			r := detmath.Hypot(m.X[i], m.X[j])
			c, s := m.X[j]/r, -m.X[i]/r
			if math.Abs((m.D[j]-m.D[i])*c*s) <= negligible {
				rotate(i, j, c, s)
				m.Halves[i] |= m.Halves[j]
				m.Halves[j] = m.Halves[i]
				m.X[i], m.X[j] = 0, r
				cc, ss := c*c, s*s
				m.D[i], m.D[j] = float64(m.D[i]*cc)+float64(m.D[j]*ss), float64(m.D[i]*ss)+float64(m.D[j]*cc)
				m.Gone = append(m.Gone, i)
				m.Kept = m.Kept[:len(m.Kept)-1]
			}
		}
		m.Kept, last = append(m.Kept, j), j
	}
}

// Solve sets the results of m: it solves the Equation of the n kept rows, with the given Squares. work,
// of n(n+16) elements, becomes S.
func (m *Merge) Solve(bk factor.Backend, squares bool, work []float64) {
	k := len(m.Kept)
	m.Equation = Equation{Poles: make([]float64, k), Z: make([]float64, k), Squares: squares}
	var count [4]int
	for j, i := range m.Kept {
		m.Poles[j], m.Z[j] = m.D[i], m.X[i]
		count[m.Halves[i]]++
	}
	m.top, m.whole, m.bottom = count[Top], count[Whole], count[Bottom]
	next := [4]int{Top: 0, Whole: m.top, Bottom: m.top + m.whole}
	m.Place = make([]int, k)
	for j, i := range m.Kept {
		m.Place[j] = next[m.Halves[i]]
		next[m.Halves[i]]++
	}
	m.Roots, m.Norms, m.S = make([]Root, k), make([]float64, k), block.Dense(work, factor.Stride(k))
	m.Equation.Solve(bk, m.Roots, m.S)
	m.vectors(bk)
}

// vectors overwrites the gaps in S with the unit vectors along z[j]/(p[j] - x), in row i for root i.
func (m *Merge) vectors(bk factor.Backend) {
	k := len(m.Roots)
	bk.BlockRows(k, 3*k, func(from, to int) {
		vector := make([]float64, k)
		for i := from; i < to; i++ {
			row := m.S.Elements(i, 0, k)
			for j, gap := range row {
				vector[j] = m.Z[j] / gap
			}
			m.Norms[i] = bk.Dnrm2(k, vector, 1)
			for j, x := range vector {
				row[m.Place[j]] = x / m.Norms[i]
			}
		}
	})
}

// SetValues overwrites D, in the order of Multiply: first with the value of each root, given its pole
// and the distance from it, then with the elements of D for the deflated rows.
func (m *Merge) SetValues(value func(pole, distance float64) float64) {
	values := make([]float64, 0, len(m.D))
	for _, r := range m.Roots {
		values = append(values, value(m.Poles[r.Pole], r.Distance))
	}
	for _, i := range m.Gone {
		values = append(values, m.D[i])
	}
	copy(m.D, values)
}

// Multiply overwrites z, whose rows are vectors of n elements: the first rows with the product of S and
// the kept rows, the others with the deflated rows. work has len(D)*n elements. Multiply takes at most
// 2*len(D)²*n flops, and about half as many if most rows are zero in one half of the columns.
func (m *Merge) Multiply(bk factor.Backend, n int, z block.Matrix, work []float64) {
	left, right, k, top, whole, bottom := m.Cut, n-m.Cut, len(m.Kept), m.top, m.whole, m.bottom
	upper := work[:(top+whole)*left]
	lower := work[len(upper):][:(whole+bottom)*right]
	others := work[len(upper)+len(lower):]
	for j, i := range m.Kept {
		if m.Halves[i]&Top != 0 {
			copy(upper[m.Place[j]*left:], z.Elements(i, 0, left))
		}
		if m.Halves[i]&Bottom != 0 {
			copy(lower[(m.Place[j]-top)*right:], z.Elements(i, left, n))
		}
	}
	for j, i := range m.Gone {
		copy(others[j*n:], z.Elements(i, 0, n))
	}
	s, c := m.S.Sub(0, top), z.Sub(0, left)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, k, left, top+whole, 1, m.S.X, m.S.Ld, upper, left, 0, z.X, z.Ld)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, k, right, whole+bottom, 1, s.X, s.Ld, lower, right, 0, c.X, c.Ld)
	for j := range m.Gone {
		copy(z.Elements(k+j, 0, n), others[j*n:])
	}
}
