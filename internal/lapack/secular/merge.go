package secular

import (
	"cmp"
	"math"
	"slices"

	"blskernel/internal/block"
	"blskernel/internal/elementary"
	"blskernel/internal/lapack"

	"gonum.org/v1/gonum/blas"
)

// A Half says in which columns a row is not zero: those of one half, until a row of the other half is
// added to it.
type Half uint8

const (
	Top    Half = 1
	Bottom Half = 2
	Whole       = Top | Bottom
)

// A Merge is what is left of a matrix when its halves are diagonal: D and x, of which D + x xᵀ, or the
// matrix with D on its diagonal and x in the row of a zero there, is to be made diagonal.
type Merge struct {
	D, X  []float64
	Halfs []Half // of the rows of vectors
	Cut   int    // the column at which the bottom half begins
	Kept  []int  // rows whose D and X make an Equation, by ascending D
	Gone  []int  // the others
}

// Ascending returns the rows by ascending D.
func (m *Merge) Ascending() []int {
	order := make([]int, len(m.D))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(m.D[i], m.D[j]) })
	return order
}

// Deflate appends the rows of the order to Kept or Gone. Gone are those that belong to an eigenvector
// up to rounding: where X is at most least, and one of two with D so close that a rotation makes its X
// zero and the element beside the diagonal at most negligible. It calls rotate for the latter, to make
// rows i and j of all vectors c·i + s·j and c·j - s·i.
func (m *Merge) Deflate(order []int, least, negligible float64, rotate func(i, j int, c, s float64)) {
	last := -1
	for _, j := range order {
		if math.Abs(m.X[j]) <= least {
			m.Gone = append(m.Gone, j)
			continue
		}
		if i := last; i >= 0 {
			r := elementary.Hypot(m.X[i], m.X[j])
			c, s := m.X[j]/r, -m.X[i]/r
			if math.Abs((m.D[j]-m.D[i])*c*s) <= negligible {
				rotate(i, j, c, s)
				m.Halfs[i] |= m.Halfs[j]
				m.Halfs[j] = m.Halfs[i]
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

// Equation returns the equation of the kept rows.
func (m *Merge) Equation(squares bool) Equation {
	q := Equation{D: make([]float64, len(m.Kept)), Z: make([]float64, len(m.Kept)), Squares: squares}
	for k, i := range m.Kept {
		q.D[k], q.Z[k] = m.D[i], m.X[i]
	}
	return q
}

// Places returns the place of each kept row in the order top, whole, bottom, and how many there are of
// each. In this order each half of the columns has products with those rows that are not zero there.
func (m *Merge) Places() (place []int, top, whole, bottom int) {
	var count [4]int
	for _, i := range m.Kept {
		count[m.Halfs[i]]++
	}
	next := [4]int{Top: 0, Whole: count[Top], Bottom: count[Top] + count[Whole]}
	place = make([]int, len(m.Kept))
	for k, i := range m.Kept {
		place[k] = next[m.Halfs[i]]
		next[m.Halfs[i]]++
	}
	return place, count[Top], count[Whole], count[Bottom]
}

// Multiply overwrites the rows of vectors in z, of n columns: the first by the product of s, whose
// columns are in the order of Places, with the kept ones, the others by those that are gone. work has
// len(D)*n elements. It takes at most 2*len(D)²*n flops, and about half of them where D has halves.
func (m *Merge) Multiply(bk lapack.Backend, s block.Matrix, n int, z block.Matrix, work []float64) {
	place, top, whole, bottom := m.Places()
	left, right, k := m.Cut, n-m.Cut, len(m.Kept)
	upper := work[:(top+whole)*left]
	lower := work[len(upper):][:(whole+bottom)*right]
	others := work[len(upper)+len(lower):]
	for j, i := range m.Kept {
		if m.Halfs[i]&Top != 0 {
			copy(upper[place[j]*left:], z.Elements(i, 0, left))
		}
		if m.Halfs[i]&Bottom != 0 {
			copy(lower[(place[j]-top)*right:], z.Elements(i, left, n))
		}
	}
	for j, i := range m.Gone {
		copy(others[j*n:], z.Elements(i, 0, n))
	}
	multiply(bk, k, left, top+whole, s, upper, z)
	multiply(bk, k, right, whole+bottom, s.Sub(0, top), lower, z.Sub(0, left))
	for j := range m.Gone {
		copy(z.Elements(k+j, 0, n), others[j*n:])
	}
}

// multiply computes the m×n C = A B, where B has k rows and no gaps.
func multiply(bk lapack.Backend, m, n, k int, a block.Matrix, b []float64, c block.Matrix) {
	if k == 0 {
		for i := range m {
			clear(c.Elements(i, 0, n))
		}
		return
	}
	bk.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, a.X, a.Ld, b, n, 0, c.X, c.Ld)
}
