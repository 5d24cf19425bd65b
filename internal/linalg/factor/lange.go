package factor

import (
	"math"

	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// sumWidth is the number of columns that Lange sums together. Their sums stay in the L1 cache, and
// their part of a row fills one page.
const sumWidth = 512

// Lange returns the 1-norm of the dense rows×cols matrix a and the largest magnitude of its elements.
// The norm is NaN or infinite if an element is, or if a sum overflows. If an element is NaN, the
// magnitude is undefined.
func Lange(bk Backend, rows, cols int, a block.Matrix) (norm, size float64) {
	if cols <= sumWidth {
		return langeStrip(bk, rows, cols, a)
	}
	strips := (cols + sumWidth - 1) / sumWidth
	norms, sizes := make([]float64, strips), make([]float64, strips)
	bk.BlockRows(strips, rows*min(cols, sumWidth)/2, func(from, to int) {
		for s := from; s < to; s++ {
			j := s * sumWidth
			norms[s], sizes[s] = langeStrip(bk, rows, min(sumWidth, cols-j), a.Sub(0, j))
		}
	})
	return largest(norms), largest(sizes)
}

// Largest returns the largest magnitude in the triangle ul of the n×n matrix a, or in all of a if ul is
// blas.All. The elements must be finite.
func Largest(bk Backend, ul blas.Uplo, n int, a block.Matrix) float64 {
	w := Acquire()
	defer w.Release()
	t := triangle{bk.Ops, ul, n, a, w.Take(n)}
	Rows(bk, n, 1+n/16, t, triangle.largest)
	return largest(t.sizes)
}

// A triangle is a call of Largest; sizes has the largest magnitude of each row.
type triangle struct {
	on    block.Ops
	ul    blas.Uplo
	n     int
	a     block.Matrix
	sizes []float64
}

func (t triangle) largest(i, end int) {
	for ; i < end; i++ {
		from, to := rowOf(t.ul, t.n, i)
		_, t.sizes[i] = t.on.AbsMax(t.a.Elements(i, from, to))
	}
}

// langeStrip is Lange for at most sumWidth columns.
func langeStrip(bk Backend, rows, cols int, a block.Matrix) (norm, size float64) {
	w := Acquire()
	defer w.Release()
	sums := w.Zeros(cols)
	i := 0
	for ; i+4 <= rows; i += 4 {
		r0, r1, r2, r3 := a.Elements(i, 0, cols), a.Elements(i+1, 0, cols), a.Elements(i+2, 0, cols), a.Elements(i+3, 0, cols)
		n := len(r0)
		s, r1, r2, r3 := sums[:n], r1[:n], r2[:n], r3[:n]
		for j, v := range r0 {
			s[j] += (math.Abs(v) + math.Abs(r1[j])) + (math.Abs(r2[j]) + math.Abs(r3[j]))
		}
		for _, row := range [...][]float64{r0, r1, r2, r3} {
			_, v := bk.AbsMax(row)
			size = max(size, v)
		}
	}
	for ; i < rows; i++ {
		for j, v := range a.Elements(i, 0, cols) {
			sums[j] += math.Abs(v)
			size = max(size, math.Abs(v))
		}
	}
	return largest(sums), size
}

// Lansy returns the 1-norm of the symmetric matrix in the upper triangle of the n×n matrix a. The norm
// is not finite if an element is not, or if a sum overflows.
func Lansy(bk Backend, n int, a block.Matrix) float64 {
	w := Acquire()
	defer w.Release()
	sums := w.Zeros(n)
	for i := range n {
		diagonal := sums[i]
		sums[i] = 0
		sums[i] = diagonal + bk.AddAbs(a.Elements(i, i, n), sums[i:])
	}
	return largest(sums)
}

// Lantr returns the 1-norm of the upper triangle of the n×n matrix u.
func Lantr(n int, u block.Matrix) float64 {
	w := Acquire()
	defer w.Release()
	sums := w.Zeros(n)
	for i := range n {
		for j, v := range u.Elements(i, i, n) {
			sums[i+j] += math.Abs(v)
		}
	}
	return largest(sums)
}

// largest returns the largest element of sums, or NaN if one is NaN. No element may be negative.
func largest(sums []float64) float64 {
	m := 0.0
	for _, s := range sums {
		m = max(m, s)
	}
	return m
}
