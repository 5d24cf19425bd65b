package level12

import "gonum.org/v1/gonum/blas"

// Dspr computes
//
//	A += alpha*x*xᵀ
//
// for a symmetric n×n matrix A of which ap holds the triangle ul, packed by rows: n(n+1)/2 numbers. With
// alpha = 0 it reads and writes nothing. A does not overlap x. n² flops. An element takes two or three
// roundings: (alpha*x[i])*x[j] + A[i,j], where i is the row in the triangle.
func (r *Routines) Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64) {
	if n < smallTriangle {
		checkApart(n, incX)
		r.Implementation.Dspr(ul, n, alpha, x, incX, ap)
		return
	}
	checkUplo(ul)
	require(incX != 0, zeroIncX)
	require(holds(len(x), n, incX), shortX)
	require(len(ap) >= n*(n+1)/2, shortAP)
	if alpha == 0 {
		return
	}
	u := gather(n, x, incX)
	s := symmetricUpdate{Routines: r, parts: partsOf(ul, n), alpha: alpha, x: u.v, a: ap}
	s.add()
	u.release()
}

// packed adds rows from to to of the update to a packed matrix.
func (s *symmetricUpdate) packed(from, to int) {
	ap := s.a[s.before(from):]
	for p := from; p < to; p++ {
		length, along := s.n-p, s.x[p:]
		if s.ul == blas.Lower {
			length, along = p+1, s.x[:p+1]
		}
		row := ap[:length]
		if length < shortRow {
			axpyShort(s.alpha*s.x[p], along, row)
		} else {
			s.kernel.Axpy(length, s.alpha*s.x[p], &along[0], &row[0])
		}
		ap = ap[length:]
	}
}
