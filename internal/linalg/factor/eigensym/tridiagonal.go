package eigensym

import (
	"math"
	"slices"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
)

const (
	eps    = factor.Roundoff
	sweeps = 30 // at most, per row
)

// A solver is the state of the implicit QL algorithm for a tridiagonal matrix with diagonal d and
// subdiagonal e. An eigenvalue of a random matrix takes about two sweeps, so n vectors take 6n³ flops.
type solver struct {
	factor.Backend
	vectors  bool         // whether to compute vectors; if not, e holds squares
	z        block.Matrix // row i becomes the eigenvector for d[i], if z is I at first
	columns  int          // columns of z to rotate; 0 stands for the block's columns, if z is I at first
	plane    factor.Plane // rotates the vectors of the block, which has order n
	n        int
	reversed bool // whether d and e are in reverse order
	left     int  // sweeps that are left
}

// diagonalize overwrites d with the eigenvalues, in any order, and e with zeros. It splits the matrix
// where e is negligible. It scales each block of order 2 or more to numbers of at most 1 in magnitude
// and calls do for it; the block begins with row first. It returns false as soon as do does.
func diagonalize(d, e []float64, do func(d, e []float64, first int) bool) bool {
	for first, last := 0, 0; first < len(d); first, last = last+1, last+1 {
		for last < len(e) && !(math.Abs(e[last]) <= math.Sqrt(math.Abs(d[last]))*math.Sqrt(math.Abs(d[last+1]))*eps) {
			last++
		}
		if last < len(e) {
			e[last] = 0
		}
		if first < last {
			d, e := d[first:last+1], e[first:last]
			largest := math.Abs(d[0])
			for i, v := range e {
				largest = max(largest, math.Abs(v), math.Abs(d[i+1]))
			}
			scale := unitScale(largest)
			multiply(scale, d)
			multiply(scale, e)
			if !do(d, e, first) {
				return false
			}
			multiply(1/scale, d)
		}
	}
	return true
}

// block diagonalizes the block from row first on. QL needs the smaller end first, so block reverses the
// rows if the last element of d is smaller than the first. It returns false after too many sweeps.
func (q *solver) block(d, e []float64, first int) bool {
	q.n = len(d)
	q.reversed = math.Abs(d[len(d)-1]) < math.Abs(d[0])
	if q.reversed {
		slices.Reverse(d)
		slices.Reverse(e)
		defer slices.Reverse(d)
	}
	if q.vectors {
		if q.columns > 0 {
			q.plane = q.Plane(q.z.Sub(first, 0), q.columns)
		} else {
			q.plane = q.Plane(q.z.Sub(first, first), q.n)
		}
	} else {
		for i, v := range e {
			e[i] = v * v
		}
	}
	for l, n := 0, len(d); l < n; {
		switch m := q.end(d, e, l); m - l {
		case 0:
			l++
		case 1:
			q.pair(d[l:], e[l:], l)
			l += 2
		default:
			if q.left--; q.left < 0 {
				return false
			}
			q.sweep(d[l:m+1], e[l:m], l)
		}
	}
	return true
}

// end returns the last row of the block that begins with row l, and clears the negligible e after it.
// Without vectors e holds squares; the bound 2⁻⁸⁰⁰ keeps them far enough above underflow for sweeps to
// be similarity transformations.
func (q *solver) end(d, e []float64, l int) int {
	for ; l < len(e); l++ {
		square, least := e[l], 0x1p-800
		if q.vectors {
			square, least = e[l]*e[l], factor.SmallestNormal
		}
		if square <= float64(eps*eps*math.Abs(d[l])*math.Abs(d[l+1]))+least {
			e[l] = 0
			break
		}
	}
	return l
}

func multiply(by float64, x []float64) {
	for i := range x {
		x[i] *= by
	}
}

// unitScale returns a power of two that brings size, if within [2⁻¹⁰⁰⁰, 2¹⁰⁰⁰], into [2⁻⁶⁰, 1].
func unitScale(size float64) float64 {
	if 0x1p-60 <= size && size <= 1 {
		return 1
	}
	_, exponent := math.Frexp(size)
	return math.Ldexp(1, min(max(-1000, -exponent), 1000)) // the reciprocal is finite
}

// shift returns p minus Wilkinson's shift, the eigenvalue of [p e; e next] that is closer to p.
func shift(p, e, next float64) float64 {
	g := (next - p) / (2 * e)
	return e / (g + math.Copysign(detmath.Hypot(g, 1), g))
}
