package blas12

import (
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Dsymv computes
//
//	y = alpha*A*x + beta*y
//
// for a symmetric n×n matrix A, row-major, lda >= n, of which it reads the triangle ul. If beta = 0, y
// is not read; if alpha = 0, A and x are not. y must not overlap A or x. Dsymv reads the triangle once
// from memory and takes 2n² flops. The error in y[i] is at most γ_{n+3}·(|alpha|·|A|·|x| +
// |beta|·|y|)[i]. NaN and infinities in row i of A reach y[i], and in x they reach all of y.
func (r *Routines) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if !checkSymmetric(ul, n, 0, lda >= max(1, n), incX, incY) {
		return
	}
	check.Length(len(a), n, n, lda, check.ShortA)
	if n < blockRows {
		check.Vector(len(x), n, incX, check.ShortX)
		check.Vector(len(y), n, incY, check.ShortY)
		r.scale(n, beta, y, incY)
		symvShort(ul, n, alpha, a, lda, x, incX, y, incY)
		return
	}
	s := symmetricProduct{Routines: r, alpha: alpha}
	s.full(ul, n, a, lda)
	s.times(x, incX, beta, y, incY)
}

// checkSymmetric checks the arguments of a product with a symmetric matrix, except for the slices, as
// checkTriangular does. It reports whether the matrix is nonempty.
func checkSymmetric(ul blas.Uplo, n, k int, far bool, incX, incY int) bool {
	empty := !checkTriangular(ul, blas.NoTrans, blas.Unit, n, k, far, incX)
	check.Require(incY != 0, check.ZeroIncY)
	return !empty
}

// symvShort adds alpha*A*x to y, for an A with fewer rows than a block. It uses the vectors in place.
func symvShort(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, y []float64, incY int) {
	if alpha == 0 {
		return
	}
	x0, y0 := first(n, incX), first(n, incY)
	for i := range n {
		left, right := 0, i
		if ul == blas.Upper {
			left, right = i+1, n
		}
		v := x[x0+i*incX]
		t, sum, ix, iy := alpha*v, 0.0, x0+left*incX, y0+left*incY
		for _, e := range a[i*lda+left : i*lda+right] {
			sum += float64(e * x[ix])
			y[iy] += float64(t * e)
			ix += incX
			iy += incY
		}
		y[y0+i*incY] += float64(alpha * (float64(a[i*lda+i]*v) + sum))
	}
}

// Dspmv is Dsymv with the triangle ul of A packed by rows in ap: n(n+1)/2 elements.
func (r *Routines) Dspmv(ul blas.Uplo, n int, alpha float64, ap []float64, x []float64, incX int, beta float64, y []float64, incY int) {
	if !checkSymmetric(ul, n, 0, true, incX, incY) {
		return
	}
	check.Packed(len(ap), n)
	s := symmetricProduct{Routines: r, alpha: alpha}
	s.packed(ul, n, ap)
	s.times(x, incX, beta, y, incY)
}

// times performs Dsymv or Dspmv after the checks of A.
func (s *symmetricProduct) times(x []float64, incX int, beta float64, y []float64, incY int) {
	check.Vector(len(x), s.n, incX, check.ShortX)
	check.Vector(len(y), s.n, incY, check.ShortY)
	s.scale(s.n, beta, y, incY)
	if s.alpha == 0 {
		return
	}
	u, v := gather(s.n, x, incX), gather(s.n, y, incY)
	s.x = u.v
	if count := pieces(s.n); count == 1 {
		s.rows(0, s.n, v.v)
	} else {
		own := *s // so that s itself stays on the caller's stack
		s.addPieces(count, s.n, s.elements(), v.v, func(i int, sums []float64) (from, to int) { return own.piece(i, count, sums) })
	}
	u.release()
	v.scatter(y, incY)
}

// A symmetricProduct is alpha*A*x for a symmetric A, computed in pieces of rows. A piece contributes to
// the elements of the result that belong to its rows and columns.
type symmetricProduct struct {
	*Routines
	oneTriangle
	alpha float64
	x     []float64
}

// piece writes the contribution of piece i of count to sums, and returns the range that it wrote.
func (s *symmetricProduct) piece(i, count int, sums []float64) (from, to int) {
	first, end := s.firstRow(i, count), s.firstRow(i+1, count)
	left, right := s.offDiagonal(first, end)
	from, to = min(first, left), max(end, right)
	clear(sums[from:to])
	s.rows(first, end, sums)
	return from, to
}

// rows adds the contribution of rows [from, to) to y.
func (s *symmetricProduct) rows(from, to int, y []float64) {
	for i := from; i < to; i += blockRows {
		end := min(i+blockRows, to)
		lda, step := s.distances(i)
		s.kernel.Symv(s.ul == blas.Upper, end-i, s.alpha, &s.a[s.at(i, i)], lda, step, &s.x[i], &y[i])
		if left, right := s.offDiagonal(i, end); left < right {
			s.kernel.Dotxaxpyf(end-i, right-left, s.alpha, &s.a[s.at(i, left)], lda, step, &s.x[left], &s.x[i], &y[left], &y[i])
		}
	}
}
