package blas12

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

var nan = math.NaN()

// An operand is the memory of one: as short as it may be, with what is none of its elements between
// them.
type operand struct {
	x   []float64
	own []int // where the elements are
}

// newVector returns one of n elements.
func newVector(n, inc int, value func() float64) (o operand) {
	if n == 0 {
		return o
	}
	o.x = make([]float64, (n-1)*max(inc, -inc)+1)
	for i := range n {
		o.own = append(o.own, first(n, inc)+i*inc)
	}
	return o.fill(value)
}

func (o operand) fill(value func() float64) operand {
	for i := range o.x {
		o.x[i] = value()
	}
	return o
}

// elements returns the elements one after the other.
func (o operand) elements() (x []float64) {
	x = make([]float64, len(o.own))
	for i, at := range o.own {
		x[i] = o.x[at]
	}
	return x
}

// matrix returns A, and sets s.ld. Of a unit diagonal nothing may be read.
func (r routine) matrix(s *shape, value func() float64) (o operand) {
	m, n, kL, kU := s.m, s.n, s.m, s.n // diagonals below the main one, and above
	if r.storage == "band" || r.storage == "diagonals" {
		kL, kU = s.kL, s.kU
	}
	switch {
	case !r.square():
	case s.ul == blas.Upper:
		kL, kU = 0, kL
	default:
		kU = 0
	}
	s.ld = max(1, n) + s.pad
	length, at := (m-1)*s.ld+n, func(i, j int) int { return i*s.ld + j }
	switch r.storage {
	case "band", "diagonals":
		s.ld = kL + kU + 1 + s.pad
		length, at = (min(m, n+kL)-1)*s.ld+kL+kU+1, func(i, j int) int { return i*s.ld + kL + j - i }
	case "packed":
		length = n * (n + 1) / 2
		at = func(i, j int) int {
			if s.ul == blas.Upper {
				return i*(2*n-i-1)/2 + j
			}
			return i*(i+1)/2 + j
		}
	}
	if r.storage == "" || m == 0 || n == 0 {
		return o
	}
	o.x, o.own = make([]float64, length), make([]int, 0, length)
	o = o.fill(value)
	for i := range m {
		for j := max(0, i-kL); j < min(n, i+kU+1); j++ {
			if i != j || !r.triangular() {
				o.own = append(o.own, at(i, j))
				continue
			}
			o.x[at(i, i)] = []float64{1, -2, 4}[i%3]
			if s.d == blas.NonUnit {
				o.own = append(o.own, at(i, i))
			}
		}
	}
	return o
}

// square reports whether the shape has one size alone.
func (r routine) square() bool { return r.storage != "matrix" && r.storage != "band" }

// operands returns A, x and y.
func (r routine) operands(s *shape, value func() float64) [3]operand {
	if r.square() {
		s.m = s.n
	}
	lenX, lenY := s.n, s.m
	if r.name == "Dger" || s.m != s.n && s.tA != blas.NoTrans {
		lenX, lenY = s.m, s.n
	}
	return [3]operand{r.matrix(s, value), newVector(lenX, s.incX, value), newVector(lenY, s.incY, value)}
}
