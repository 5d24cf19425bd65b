package blsupdate

import (
	"math"
	"slices"

	"blskernel/mat"
)

// sizes are the Euclidean norms of the columns of A and Y so far. With them it is known before an update
// whether sums of squares and products can overflow: no element of AᵀA, AᵀY, R or z is larger than a product, or
// one, of these norms, and nor is any partial sum.
//
// peak is the largest Frobenius norm that A had. What was rounded when A was larger is still there when rows have
// been removed.
type sizes struct {
	a, y []float64
	peak float64
}

func newSizes(k, c int) sizes { return sizes{a: make([]float64, k), y: make([]float64, c)} }

// with returns the norms with more rows.
func (s sizes) with(ax, ya *mat.Dense) sizes {
	return s.plus(sizes{a: columnNorms(ax), y: columnNorms(ya)})
}

// plus returns the norms of the rows of both.
func (s sizes) plus(o sizes) sizes {
	sum := newSizes(len(s.a), len(s.y))
	for j, v := range s.a {
		sum.a[j] = math.Hypot(v, o.a[j])
	}
	for j, v := range s.y {
		sum.y[j] = math.Hypot(v, o.y[j])
	}
	sum.peak = max(s.peak, o.peak, norm(sum.a))
	return sum
}

// without returns the norms of the rows that are left when some are removed.
func (s sizes) without(ax, ya *mat.Dense) sizes {
	left := newSizes(len(s.a), len(s.y))
	left.peak = s.peak
	for j, v := range columnNorms(ax) {
		left.a[j] = leg(s.a[j], v)
	}
	for j, v := range columnNorms(ya) {
		left.y[j] = leg(s.y[j], v)
	}
	return left
}

// leg returns the other leg of a right triangle, sqrt(h² - v²).
func leg(h, v float64) float64 {
	if !(v < h) {
		return 0
	}
	r := v / h
	return h * math.Sqrt((1-r)*(1+r))
}

// withNodes returns the norms with those of more columns of A.
func (s sizes) withNodes(norms []float64) sizes {
	return sizes{a: slices.Concat(s.a, norms), y: s.y, peak: math.Hypot(s.peak, norm(norms))}
}

// safe returns s, and ErrOverflow where the product of two columns could overflow.
func (s sizes) safe() (sizes, error) {
	if a, y := largest(s.a), largest(s.y); !(a*max(a, y) < math.MaxFloat64/4) {
		return s, ErrOverflow
	}
	return s, nil
}

// scaled returns the norms of A and Y times f.
func (s sizes) scaled(f float64) sizes {
	t := newSizes(len(s.a), len(s.y))
	t.peak = f * s.peak
	for j, v := range s.a {
		t.a[j] = f * v
	}
	for j, v := range s.y {
		t.y[j] = f * v
	}
	return t
}

// shrunk returns the Frobenius norm of [A; sqrt(lambda) I] over the largest that it had: the errors of a state are
// relative to the latter.
func (s sizes) shrunk(lambda float64) float64 {
	root := math.Sqrt(lambda) * math.Sqrt(float64(len(s.a))) // the product lambda k may overflow
	if most := math.Hypot(s.peak, root); most > 0 {
		return min(1, math.Hypot(norm(s.a), root)/most)
	}
	return 1
}

func largest(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = max(m, v)
	}
	return m
}

// columnNorms returns the Euclidean norms of the columns of m.
func columnNorms(m *mat.Dense) []float64 {
	raw := m.RawMatrix()
	norms := make([]float64, raw.Cols)
	i := 0
	for ; i+4 <= raw.Rows; i += 4 { // four rows, so that the sums are loaded and stored less often
		r0 := raw.Data[i*raw.Stride:][:len(norms)]
		r1 := raw.Data[(i+1)*raw.Stride:][:len(norms)]
		r2 := raw.Data[(i+2)*raw.Stride:][:len(norms)]
		r3 := raw.Data[(i+3)*raw.Stride:][:len(norms)]
		for j := range norms {
			norms[j] += (r0[j]*r0[j] + r1[j]*r1[j]) + (r2[j]*r2[j] + r3[j]*r3[j])
		}
	}
	for ; i < raw.Rows; i++ {
		for j, v := range raw.Data[i*raw.Stride:][:len(norms)] {
			norms[j] += v * v
		}
	}
	for j, sum := range norms {
		norms[j] = math.Sqrt(sum)
		if !(sum > smallestSquare && sum < math.MaxFloat64) {
			norms[j] = columnNorm(m, j)
		}
	}
	return norms
}

// columnNorm returns the norm of column j without overflow or underflow on the way.
func columnNorm(m *mat.Dense, j int) float64 {
	rows, _ := m.Dims()
	var sum float64
	for i := range rows {
		sum = math.Hypot(sum, m.At(i, j))
	}
	return sum
}
