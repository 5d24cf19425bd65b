package level12

import "gonum.org/v1/gonum/blas"

// Dspmv computes
//
//	y = alpha*A*x + beta*y
//
// for a symmetric n×n matrix A of which ap holds the triangle ul, packed by rows: n(n+1)/2 numbers. With
// beta = 0, y is not read; with alpha = 0, neither are A and x. y overlaps neither A nor x. Reads the
// triangle once from memory; 2n² flops. The error in y[i] is at most γ_{n+3}·(|alpha|·|A|·|x| +
// |beta|·|y|)[i].
func (r *Routines) Dspmv(ul blas.Uplo, n int, alpha float64, ap []float64, x []float64, incX int, beta float64, y []float64, incY int) {
	if n < smallTriangle {
		checkBothApart(n, incX, n, incY)
		r.Implementation.Dspmv(ul, n, alpha, ap, x, incX, beta, y, incY)
		return
	}
	checkUplo(ul)
	require(incX != 0, zeroIncX)
	require(incY != 0, zeroIncY)
	require(len(ap) >= n*(n+1)/2, shortAP)
	require(holds(len(x), n, incX), shortX)
	require(holds(len(y), n, incY), shortY)
	r.scale(n, beta, y, incY)
	if alpha == 0 {
		return
	}
	u, v := gather(n, x, incX), gather(n, y, incY)
	s := symmetricProduct{Routines: r, parts: partsOf(ul, n), alpha: alpha, a: ap, x: u.v}
	s.addTo(v.v)
	u.release()
	v.scatter(y, incY)
}

// packed adds to y what rows from to to of a packed matrix contribute.
func (s *symmetricProduct) packed(from, to int, y []float64) {
	ap := s.a[s.before(from):]
	for p := from; p < to; p++ {
		var diagonal float64
		var row, rest []float64 // beside the diagonal; after the row
		left := 0               // the column with which row begins
		if s.ul == blas.Upper {
			diagonal, row, rest, left = ap[0], ap[1:s.n-p], ap[s.n-p:], p+1
		} else {
			diagonal, row, rest = ap[p], ap[:p], ap[p+1:]
		}
		e := s.x[p]
		var sum float64
		if len(row) < shortRow {
			sum = dotAxpyShort(s.alpha*e, row, s.x[left:], y[left:])
		} else {
			sum = s.kernel.Dot(len(row), &row[0], &s.x[left])
			s.kernel.Axpy(len(row), s.alpha*e, &row[0], &y[left])
		}
		y[p] += s.alpha * (diagonal*e + sum)
		ap = rest
	}
}
