package state

import (
	"math"
	"slices"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/coder"
	"blskernel/blsupdate/internal/dense"
	"blskernel/mat"
)

// sizes are the Euclidean norms of the columns of A and Y so far. With them it is known before an update
// whether sums of squares and products can overflow: no element of AᵀA, AᵀY, R or z is larger than a product, or
// one, of these norms, and nor is any partial sum.
//
// peak is the largest Frobenius norm that A had. What was rounded when A was larger is still there when rows have
// been removed.
type Norms struct {
	A, Y []float64
	Peak float64
}

func NewNorms(k, c int) Norms { return Norms{A: make([]float64, k), Y: make([]float64, c)} }

// with returns the norms with more rows.
func (s Norms) With(ax, ya *mat.Dense) Norms {
	return s.Plus(Norms{A: dense.ColumnNorms(ax), Y: dense.ColumnNorms(ya)})
}

// plus returns the norms of the rows of both.
func (s Norms) Plus(o Norms) Norms {
	sum := NewNorms(len(s.A), len(s.Y))
	for j, v := range s.A {
		sum.A[j] = math.Hypot(v, o.A[j])
	}
	for j, v := range s.Y {
		sum.Y[j] = math.Hypot(v, o.Y[j])
	}
	sum.Peak = max(s.Peak, o.Peak, dense.Norm(sum.A))
	return sum
}

// without returns the norms of the rows that are left when some are removed.
func (s Norms) Without(ax, ya *mat.Dense) Norms {
	left := NewNorms(len(s.A), len(s.Y))
	left.Peak = s.Peak
	for j, v := range dense.ColumnNorms(ax) {
		left.A[j] = Leg(s.A[j], v)
	}
	for j, v := range dense.ColumnNorms(ya) {
		left.Y[j] = Leg(s.Y[j], v)
	}
	return left
}

// leg returns the other leg of a right triangle, sqrt(h² - v²).
func Leg(h, v float64) float64 {
	if !(v < h) {
		return 0
	}
	r := v / h
	return h * math.Sqrt((1-r)*(1+r))
}

// withNodes returns the norms with those of more columns of A.
func (s Norms) WithNodes(norms []float64) Norms {
	return Norms{A: slices.Concat(s.A, norms), Y: s.Y, Peak: math.Hypot(s.Peak, dense.Norm(norms))}
}

// safe returns s, and ErrOverflow where the product of two columns could overflow.
func (s Norms) Safe() (Norms, error) {
	if a, y := dense.Largest(s.A), dense.Largest(s.Y); !(a*max(a, y) < math.MaxFloat64/4) {
		return s, api.ErrOverflow
	}
	return s, nil
}

// scaled returns the norms of A and Y times f.
func (s Norms) Scaled(f float64) Norms {
	t := NewNorms(len(s.A), len(s.Y))
	t.Peak = f * s.Peak
	for j, v := range s.A {
		t.A[j] = f * v
	}
	for j, v := range s.Y {
		t.Y[j] = f * v
	}
	return t
}

// shrunk returns the Frobenius norm of [A; sqrt(lambda) I] over the largest that it had: the errors of a state are
// relative to the latter.
func (s Norms) Shrunk(lambda float64) float64 {
	root := math.Sqrt(lambda) * math.Sqrt(float64(len(s.A))) // the product lambda k may overflow
	if most := math.Hypot(s.Peak, root); most > 0 {
		return min(1, math.Hypot(dense.Norm(s.A), root)/most)
	}
	return 1
}

// code writes or reads the norms of k columns of A and c of Y.
func (s *Norms) Code(x *coder.Coder, k, c int) {
	x.Lengths("a norm of a column of A", &s.A, k)
	x.Lengths("a norm of a column of Y", &s.Y, c)
	x.Float("the largest norm of A", &s.Peak, coder.NotNegative)
}
