package condition

import (
	"math"

	"blskernel/internal/linalg/factor"
)

// A norm1 estimates the 1-norm of an n×n matrix A from products of A and Aᵀ with the vectors that next
// requests. The method is by Hager (SIAM J. Sci. Stat. Comput. 5, 1984) and Higham (ACM TOMS 14, 1988,
// doi:10.1145/50063.214386). (LAPACK: dlacn2.)
type norm1 struct {
	x     []float64 // the vector to multiply
	trans bool      // whether to multiply by Aᵀ rather than A
	est   float64   // the estimate so far, a lower bound

	signs []float64 // of the last product, 1 or -1 for each element; undefined before the first
	step  norm1Step
	at    int // index of the last unit vector
	turns int // number of unit vectors so far
}

// A norm1Step says which product the method next will find in x.
type norm1Step int

const (
	norm1Begin      norm1Step = iota
	norm1Mean                 // A (1/n, ..., 1/n)
	norm1MeanSigns            // Aᵀ times the signs of that product
	norm1Column               // A times a unit vector
	norm1Signs                // Aᵀ times the signs of that product
	norm1Alternates           // A (1, -1-1/(n-1), ..., ±2)
)

// norm1Turns bounds the number of unit vectors, as in LAPACK.
const norm1Turns = 4

// next takes the requested product from x, and sets x and trans to request the next one. It returns
// false when est is final.
func (e *norm1) next() bool {
	n := len(e.x)
	switch e.step {
	case norm1Begin:
		for i := range e.x {
			e.x[i] = 1 / float64(n)
		}
		e.step = norm1Mean
		return true
	case norm1Mean:
		e.est = sumOf(e.x)
		if n == 1 {
			return false
		}
		e.takeSigns()
		e.trans, e.step = true, norm1MeanSigns
		return true
	case norm1MeanSigns:
		e.unit(factor.LargestAt(e.x))
		return true
	case norm1Column:
		sum := sumOf(e.x)
		larger := sum > e.est
		e.est = max(e.est, sum)
		if e.takeSigns() && larger {
			e.trans, e.step = true, norm1Signs
			return true
		}
	case norm1Signs:
		if j := factor.LargestAt(e.x); e.x[e.at] != math.Abs(e.x[j]) && e.turns < norm1Turns {
			e.unit(j)
			return true
		}
	case norm1Alternates:
		e.est = max(e.est, 2*sumOf(e.x)/float64(3*n))
		return false
	}
	for i := range e.x {
		e.x[i] = 1 + float64(i)/float64(n-1)
		if i%2 == 1 {
			e.x[i] = -e.x[i]
		}
	}
	e.trans, e.step = false, norm1Alternates
	return true
}

// takeSigns replaces each element of x with its sign, and reports whether a sign has changed.
func (e *norm1) takeSigns() (changed bool) {
	for i, v := range e.x {
		sign := math.Copysign(1, v)
		changed = changed || sign != e.signs[i]
		e.signs[i], e.x[i] = sign, sign
	}
	return changed
}

func (e *norm1) unit(j int) {
	factor.Unit(e.x, j)
	e.at, e.turns, e.trans, e.step = j, e.turns+1, false, norm1Column
}

func sumOf(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += math.Abs(v)
	}
	return s
}
