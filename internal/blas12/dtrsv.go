package blas12

import (
	"blskernel/internal/check"

	"gonum.org/v1/gonum/blas"
)

// Dtrsv solves
//
//	A*y = x     if tA = blas.NoTrans
//	Aᵀ*y = x    if tA = blas.Trans or blas.ConjTrans
//
// for a triangular n×n matrix A, row-major, lda >= n, of which the triangle ul is read, without the
// diagonal if d is blas.Unit, and writes y to x. x does not overlap A. A zero on the diagonal is not
// looked for: it gives infinities and NaN. n² flops.
//
// The result is exact for a matrix A + E with |E| <= γ_{n+1}·|A|.
func (r *Routines) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if n < smallTriangle {
		r.Guarded.Dtrsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	check.Uplo(ul)
	check.Transpose(tA)
	check.Diag(d)
	check.Ld(lda, n, check.BadLdA)
	check.Require(incX != 0, check.ZeroIncX)
	check.Length(len(a), n, n, lda, check.ShortA)
	check.Vector(len(x), n, incX, check.ShortX)
	u := gather(n, x, incX)
	s := &triangle{r, ul == blas.Upper, tA != blas.NoTrans, d == blas.Unit, n, a, lda}
	if s.forward() {
		for i := 0; i < n; i += blockRows {
			s.solveBlock(i, u.v)
		}
	} else {
		for i := (n - 1) / blockRows * blockRows; i >= 0; i -= blockRows {
			s.solveBlock(i, u.v)
		}
	}
	u.scatter(x, incX)
}

// A triangle is the matrix of Dtrsv.
type triangle struct {
	*Routines
	upper, transposed, unit bool
	n                       int
	a                       []float64
	lda                     int
}

// forward reports whether the first unknown is the first one: the matrix, transposed or not, is a lower
// triangle.
func (s *triangle) forward() bool { return s.upper == s.transposed }

// solveBlock solves for the unknowns of the block from i on. With A, it first subtracts the rectangle
// beside the block's triangle times the known elements; with Aᵀ, it afterwards subtracts the rectangle
// times the block's unknowns from the other right-hand sides.
func (s *triangle) solveBlock(i int, x []float64) {
	end := min(i+blockRows, s.n)
	left, right := 0, i
	if s.upper {
		left, right = end, s.n
	}
	if s.transposed {
		s.solve(i, end, x)
	}
	if left < right {
		rectangle := &s.a[i*s.lda+left]
		if s.transposed {
			s.kernel.GemvT(end-i, right-left, -1, rectangle, s.lda, &x[i], 1, 1, &x[left])
		} else {
			s.kernel.GemvN(end-i, right-left, -1, rectangle, s.lda, &x[left], 1, &x[i], 1)
		}
	}
	if !s.transposed {
		s.solve(i, end, x)
	}
}

// solve solves with the triangle of rows i to end on the diagonal.
func (s *triangle) solve(i, end int, x []float64) {
	for k := range end - i {
		p := i + k
		if !s.forward() {
			p = end - 1 - k
		}
		left, right := i, p
		if s.upper {
			left, right = p+1, end
		}
		row, v := s.a[p*s.lda:p*s.lda+end], x[p]
		if !s.transposed {
			for q := left; q < right && q < len(row) && q < len(x); q++ {
				v -= row[q] * x[q]
			}
		}
		if !s.unit {
			v /= row[p]
		}
		x[p] = v
		if s.transposed {
			for q := left; q < right && q < len(row) && q < len(x); q++ {
				x[q] -= row[q] * v
			}
		}
	}
}
