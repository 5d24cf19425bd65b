package svd

import (
	"math"

	"blskernel/internal/linalg/factor"
)

const (
	eps = factor.Roundoff
	// tolerance is eps^(7/8), the relative error that neglecting an off-diagonal element may cause.
	tolerance = 98.70149282610239 * eps
	// maxSweeps times n² is the number of rotations after which bdsqr gives up.
	maxSweeps = 6
)

// An iteration is the state of bdsqr: the bidiagonal B, and the rows of Uᵀ and Vᵀ to rotate.
type iteration struct {
	d, e   []float64
	u, v   *factor.Plane // nil if vectors are not computed
	thresh float64       // an element of e up to this counts as zero

	// The block of B that a sweep goes through: n rows from lo on. If upwards is set, the sweep
	// treats the block as transposed, with its rows and columns in reverse order.
	lo, n   int
	upwards bool
}

// bdsqr computes the singular value decomposition of the bidiagonal B with d on its diagonal and the
// first n-1 elements of e above it. It overwrites d with the values, each to high relative accuracy,
// with any sign and in any order, and e with zeros. It applies its rotations to u, the rows of Uᵀ, and
// to v, the rows of Vᵀ. It reports whether 6n² rotations were enough. (Demmel and Kahan, SIAM J. Sci.
// Stat. Comput. 11 (1990) 873-912; LAPACK: dbdsqr.)
func bdsqr(d, e []float64, u, v *factor.Plane) bool {
	n := len(d)
	q := iteration{d: d, e: e, u: u, v: v}
	q.thresh = max(tolerance*q.least(), maxSweeps*float64(n)*float64(n)*factor.SmallestNormal)
	rotated := 0
	for end := n; end > 1; {
		lo, largest := q.block(end)
		switch end - lo {
		case 1:
			end--
			continue
		case 2:
			q.pair(lo)
			end = lo
			continue
		}
		q.direct(lo, end)
		smallest, converged := q.converged()
		if converged {
			continue
		}
		if rotated += q.n; rotated > maxSweeps*n*n {
			return false
		}
		q.sweep(q.shift(smallest, largest))
	}
	return true
}

// least returns a lower bound for the least singular value, too small by at most a factor of n.
func (q *iteration) least() float64 {
	mu := math.Abs(q.d[0])
	least := mu
	for i, e := range q.e[:len(q.d)-1] {
		if least == 0 {
			break
		}
		mu = math.Abs(q.d[i+1]) * (mu / (mu + math.Abs(e)))
		least = min(least, mu)
	}
	return least / math.Sqrt(float64(len(q.d)))
}

// block returns the first row and the largest magnitude of the unreduced block that ends before row
// end, and zeroes the negligible element of e that separates it from the row before.
func (q *iteration) block(end int) (lo int, largest float64) {
	largest = math.Abs(q.d[end-1])
	for lo = end - 1; lo > 0; lo-- {
		e := math.Abs(q.e[lo-1])
		if e <= q.thresh {
			q.e[lo-1] = 0
			break
		}
		largest = max(largest, e, math.Abs(q.d[lo-1]))
	}
	return lo, largest
}

func (q *iteration) pair(lo int) {
	least, most, sr, cr, sl, cl := lasv2(q.d[lo], q.e[lo], q.d[lo+1])
	q.d[lo], q.e[lo], q.d[lo+1] = most, 0, least
	q.v.Rotate(lo, lo+1, cr, sr)
	q.u.Rotate(lo, lo+1, cl, sl)
}

// direct makes rows lo to end-1 the current block. A new block is swept from its larger end.
func (q *iteration) direct(lo, end int) {
	if lo >= q.lo+q.n || end <= q.lo {
		q.upwards = math.Abs(q.d[lo]) < math.Abs(q.d[end-1])
	}
	q.lo, q.n = lo, end-lo
}

// diagonal returns element i of the diagonal in the direction of the sweep.
func (q *iteration) diagonal(i int) *float64 {
	if q.upwards {
		return &q.d[q.lo+q.n-1-i]
	}
	return &q.d[q.lo+i]
}

// offDiagonal returns the element that couples rows i and i+1 in the direction of the sweep.
func (q *iteration) offDiagonal(i int) *float64 {
	if q.upwards {
		return &q.e[q.lo+q.n-2-i]
	}
	return &q.e[q.lo+i]
}

// converged looks for an off-diagonal element whose neglect changes no singular value by more than the
// tolerance, and zeroes it. Otherwise smallest is the least value to within a factor of sqrt(n).
func (q *iteration) converged() (smallest float64, found bool) {
	if last := q.offDiagonal(q.n - 2); math.Abs(*last) <= tolerance*math.Abs(*q.diagonal(q.n - 1)) {
		*last = 0
		return 0, true
	}
	mu := math.Abs(*q.diagonal(0))
	smallest = mu
	for i := range q.n - 1 {
		e := q.offDiagonal(i)
		if math.Abs(*e) <= tolerance*mu {
			*e = 0
			return 0, true
		}
		mu = math.Abs(*q.diagonal(i + 1)) * (mu / (mu + math.Abs(*e)))
		smallest = min(smallest, mu)
	}
	return smallest, false
}

// shift returns the shift of the next sweep: the smaller singular value of the last two rows, or 0 if a
// shift would cost relative accuracy or is negligible. smallest is the estimate from converged, and
// largest the largest element of the block.
func (q *iteration) shift(smallest, largest float64) float64 {
	if float64(len(q.d))*tolerance*(smallest/largest) <= max(eps, 0.01*tolerance) {
		return 0
	}
	shift, _, _, _, _, _ := lasv2(*q.diagonal(q.n - 2), *q.offDiagonal(q.n - 2), *q.diagonal(q.n - 1))
	shift = math.Abs(shift)
	if first := math.Abs(*q.diagonal(0)); first > 0 && float64((shift/first)*(shift/first)) < eps {
		return 0
	}
	return shift
}

func (q *iteration) sweep(shift float64) {
	if shift == 0 {
		q.unshifted()
	} else {
		q.shifted(shift)
	}
	if last := q.offDiagonal(q.n - 2); math.Abs(*last) <= q.thresh {
		*last = 0
	}
}

// rotate applies the two rotations of step i of a sweep to the vectors: first the rotation of the
// columns or, if upwards is set, of the rows.
func (q *iteration) rotate(i int, c1, s1, c2, s2 float64) {
	x, y, first, second := q.lo+i, q.lo+i+1, q.v, q.u
	if q.upwards {
		x, y, first, second = q.lo+q.n-1-i, q.lo+q.n-2-i, q.u, q.v
	}
	first.Rotate(x, y, c1, s1)
	second.Rotate(x, y, c2, s2)
}

// unshifted is the implicit zero-shift QR step, in which no sum cancels.
func (q *iteration) unshifted() {
	c, oldC, oldS := 1.0, 1.0, 0.0
	for i := range q.n - 1 {
		var s, r float64
		c, s, r = factor.Lartg(*q.diagonal(i)*c, *q.offDiagonal(i))
		if i > 0 {
			*q.offDiagonal(i - 1) = oldS * r
		}
		oldC, oldS, *q.diagonal(i) = factor.Lartg(oldC*r, *q.diagonal(i + 1)*s)
		q.rotate(i, c, s, oldC, oldS)
	}
	h := *q.diagonal(q.n - 1) * c
	*q.diagonal(q.n - 1), *q.offDiagonal(q.n - 2) = h*oldC, h*oldS
}

// shifted is the QR step with a shift, which chases a bulge through the block.
func (q *iteration) shifted(shift float64) {
	d := *q.diagonal(0)
	f := (math.Abs(d) - shift) * (math.Copysign(1, d) + shift/d)
	e := *q.offDiagonal(0)
	g := e
	for i := range q.n - 1 {
		c1, s1, r := factor.Lartg(f, g)
		if i > 0 {
			*q.offDiagonal(i - 1) = r
		}
		next := *q.diagonal(i + 1)
		f, e = float64(c1*d)+float64(s1*e), float64(c1*e)-float64(s1*d)
		g, next = s1*next, c1*next
		c2, s2, r := factor.Lartg(f, g)
		*q.diagonal(i) = r
		f, d = float64(c2*e)+float64(s2*next), float64(c2*next)-float64(s2*e)
		if i+2 < q.n {
			e = *q.offDiagonal(i + 1)
			g, e = s2*e, c2*e
		}
		q.rotate(i, c1, s1, c2, s2)
	}
	*q.diagonal(q.n - 1), *q.offDiagonal(q.n - 2) = d, f
}
