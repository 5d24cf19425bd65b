package blas12

// A symmetricProduct is alpha*A*x for a symmetric A, in pieces of rows. A piece contributes to the
// elements of the result that belong to its rows and columns.
type symmetricProduct struct {
	*Routines
	oneTriangle
	alpha float64
	x     []float64
	sums  []float64 // by piece, n numbers each
}

// addTo adds the product to y, the contributions of the pieces in their order.
func (s *symmetricProduct) addTo(y []float64) {
	count := pieces(s.n)
	if count == 1 {
		s.rows(0, s.n, y)
		return
	}
	b := take(&piecewise, count*s.n)
	s.sums = b.v
	if s.shared(s.elements()) {
		own := *s // so that s itself stays on the caller's stack
		own.share(count, nanoseconds(s.elements()/count), func(from, to int) { own.some(from, to, count) })
	} else {
		s.some(0, count, count)
	}
	for i := range count {
		from, to := s.touches(i, count)
		s.kernel.Axpy(to-from, 1, &s.sums[i*s.n+from], &y[from])
	}
	piecewise.Put(b)
}

// some computes the contributions of the pieces from to to.
func (s *symmetricProduct) some(from, to, count int) {
	for i := from; i < to; i++ {
		sums := s.sums[i*s.n : (i+1)*s.n]
		first, end := s.touches(i, count)
		clear(sums[first:end])
		s.rows(s.begin(i, count), s.begin(i+1, count), sums)
	}
}

// touches returns the elements to which piece i contributes.
func (s *symmetricProduct) touches(i, count int) (from, to int) {
	from, to = s.begin(i, count), s.begin(i+1, count)
	left, right := s.beside(from, to)
	return min(from, left), max(to, right)
}

// rows adds the contribution of rows from to to to y.
func (s *symmetricProduct) rows(from, to int, y []float64) {
	for i := from; i < to; i += blockRows {
		end := min(i+blockRows, to)
		for p := i; p < end; p++ {
			left, right := s.within(p, i, end)
			row, diagonal := s.a[s.at(p, left):], s.a[s.at(p, p)]
			sum := diagonal*s.x[p] + dotAxpyShort(s.alpha*s.x[p], row[:right-left], s.x[left:], y[left:])
			y[p] += s.alpha * sum
		}
		if left, right := s.beside(i, end); left < right {
			lda, step := s.distances(i)
			s.kernel.Dotxaxpyf(end-i, right-left, s.alpha, &s.a[s.at(i, left)], lda, step, &s.x[left], &s.x[i], &y[left], &y[i])
		}
	}
}
