package svd

import (
	"math"

	"blskernel/internal/linalg/factor"
)

const (
	eps = 0x1p-53
	// tolerance is the relative error that an off-diagonal element may leave when it becomes zero.
	// eps^(-1/8) is 98.7.
	tolerance = 98.70149282610239 * eps
	// maxSweeps times n² is the number of rotations after which bdsqr gives up.
	maxSweeps = 6
)

// An iteration is the state of bdsqr: the bidiagonal B, and the rotations of its rows and columns.
type iteration struct {
	d, e            []float64
	u, v            *factor.Plane // nil where vectors are not wanted
	thresh          float64       // an element of e up to this is zero
	lastLo, lastEnd int           // the block before
	upwards         bool
}

// bdsqr computes the singular value decomposition of the bidiagonal B with d on its diagonal and e
// above it, in the first n-1 elements of e. d becomes the values, each to high relative accuracy, with
// any sign and in any order, e zero. Rotations go to u for the rows of Uᵀ and to v for the rows of Vᵀ.
// It reports whether 6n² rotations were enough.
//
//	source: Demmel and Kahan, SIAM J. Sci. Stat. Comput. 11 (1990) 873-912 (LAPACK: dbdsqr).
func bdsqr(d, e []float64, u, v *factor.Plane) bool {
	n := len(d)
	q := iteration{d: d, e: e, u: u, v: v, lastEnd: -1}
	q.thresh = max(tolerance*q.least(), maxSweeps*float64(n)*float64(n)*0x1p-1022)
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
		b := q.direct(lo, end)
		smallest, converged := b.converged()
		if converged {
			continue
		}
		if rotated += b.n; rotated > maxSweeps*n*n {
			return false
		}
		b.sweep(b.shift(smallest, largest))
	}
	return true
}

// least returns a lower bound for the least singular value, up to a factor of sqrt(n).
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

// block returns the first row of the unreduced block that ends before row end, and its largest element.
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

// pair diagonalizes the block of rows lo and lo+1.
func (q *iteration) pair(lo int) {
	least, most, sr, cr, sl, cl := lasv2(q.d[lo], q.e[lo], q.d[lo+1])
	q.d[lo], q.e[lo], q.d[lo+1] = most, 0, least
	q.v.Rotate(lo, lo+1, cr, sr)
	q.u.Rotate(lo, lo+1, cl, sl)
}

// A chase is a block of B, of n > 2 rows from lo on, that a sweep goes through downwards, or upwards:
// then the block is seen with its rows and columns in reverse order and transposed.
type chase struct {
	*iteration
	lo, n int
}

// direct returns the block of rows lo to end-1. The direction of a new block is that from its larger
// end to its smaller.
func (q *iteration) direct(lo, end int) chase {
	if lo >= q.lastEnd || end <= q.lastLo {
		q.upwards = math.Abs(q.d[lo]) < math.Abs(q.d[end-1])
	}
	q.lastLo, q.lastEnd = lo, end
	return chase{q, lo, end - lo}
}

// diagonal returns element i of the diagonal in the direction of the sweep.
func (b chase) diagonal(i int) *float64 {
	if b.upwards {
		return &b.d[b.lo+b.n-1-i]
	}
	return &b.d[b.lo+i]
}

// offDiagonal returns the element that couples rows i and i+1 in the direction of the sweep.
func (b chase) offDiagonal(i int) *float64 {
	if b.upwards {
		return &b.e[b.lo+b.n-2-i]
	}
	return &b.e[b.lo+i]
}

// converged makes an off-diagonal element zero if that changes no singular value by more than the
// tolerance, and reports whether there was one. Otherwise smallest is a bound like least, of the block.
func (b chase) converged() (smallest float64, found bool) {
	if last := b.offDiagonal(b.n - 2); math.Abs(*last) <= tolerance*math.Abs(*b.diagonal(b.n - 1)) {
		*last = 0
		return 0, true
	}
	mu := math.Abs(*b.diagonal(0))
	smallest = mu
	for i := range b.n - 1 {
		e := b.offDiagonal(i)
		if math.Abs(*e) <= tolerance*mu {
			*e = 0
			return 0, true
		}
		mu = math.Abs(*b.diagonal(i + 1)) * (mu / (mu + math.Abs(*e)))
		smallest = min(smallest, mu)
	}
	return smallest, false
}

// shift returns the shift of the next sweep: the smaller singular value of the last two rows, or 0
// where a shift would cost relative accuracy or is negligible.
func (b chase) shift(smallest, largest float64) float64 {
	if float64(len(b.d))*tolerance*(smallest/largest) <= max(eps, 0.01*tolerance) {
		return 0
	}
	shift, _, _, _, _, _ := lasv2(*b.diagonal(b.n - 2), *b.offDiagonal(b.n - 2), *b.diagonal(b.n - 1))
	shift = math.Abs(shift)
	if first := math.Abs(*b.diagonal(0)); first > 0 && float64((shift/first)*(shift/first)) < eps {
		return 0
	}
	return shift
}

// sweep makes a QR step.
func (b chase) sweep(shift float64) {
	if shift == 0 {
		b.unshifted()
	} else {
		b.shifted(shift)
	}
	if last := b.offDiagonal(b.n - 2); math.Abs(*last) <= b.thresh {
		*last = 0
	}
}

// rotate applies the two rotations of step i of a sweep to the vectors: the rotation of the columns
// first, or of the rows where upwards.
func (b chase) rotate(i int, c1, s1, c2, s2 float64) {
	x, y, first, second := b.lo+i, b.lo+i+1, b.v, b.u
	if b.upwards {
		x, y, first, second = b.lo+b.n-1-i, b.lo+b.n-2-i, b.u, b.v
	}
	first.Rotate(x, y, c1, s1)
	second.Rotate(x, y, c2, s2)
}

// unshifted is the implicit zero-shift QR step, in which no sum cancels.
func (b chase) unshifted() {
	c, oldC, oldS := 1.0, 1.0, 0.0
	for i := range b.n - 1 {
		var s, r float64
		c, s, r = factor.Lartg(*b.diagonal(i)*c, *b.offDiagonal(i))
		if i > 0 {
			*b.offDiagonal(i - 1) = oldS * r
		}
		oldC, oldS, *b.diagonal(i) = factor.Lartg(oldC*r, *b.diagonal(i + 1)*s)
		b.rotate(i, c, s, oldC, oldS)
	}
	h := *b.diagonal(b.n - 1) * c
	*b.diagonal(b.n - 1), *b.offDiagonal(b.n - 2) = h*oldC, h*oldS
}

// shifted is the QR step with a shift, which chases a bulge through the block.
func (b chase) shifted(shift float64) {
	d := *b.diagonal(0)
	f := (math.Abs(d) - shift) * (math.Copysign(1, d) + shift/d)
	e := *b.offDiagonal(0)
	g := e
	for i := range b.n - 1 {
		c1, s1, r := factor.Lartg(f, g)
		if i > 0 {
			*b.offDiagonal(i - 1) = r
		}
		next := *b.diagonal(i + 1)
		f, e = float64(c1*d)+float64(s1*e), float64(c1*e)-float64(s1*d)
		g, next = s1*next, c1*next
		c2, s2, r := factor.Lartg(f, g)
		*b.diagonal(i) = r
		f, d = float64(c2*e)+float64(s2*next), float64(c2*next)-float64(s2*e)
		if i+2 < b.n {
			e = *b.offDiagonal(i + 1)
			g, e = s2*e, c2*e
		}
		b.rotate(i, c1, s1, c2, s2)
	}
	*b.diagonal(b.n - 1), *b.offDiagonal(b.n - 2) = d, f
}
