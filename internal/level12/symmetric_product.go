package level12

// A symmetricProduct is alpha*A*x for a symmetric A of which one triangle is read, in pieces: each contributes to all of the
// result that the rows and the columns of its elements belong to.
type symmetricProduct struct {
	*Routines
	parts
	alpha float64
	a     []float64
	lda   int // 0 if the triangle is packed
	x     []float64
	sums  []float64 // by piece, n numbers each
}

// addTo adds the product to y. The contributions of the pieces come together in their order.
func (s *symmetricProduct) addTo(y []float64) {
	if s.count == 1 {
		s.rows(0, s.n, y)
		return
	}
	b := take(s.count * s.n)
	s.sums = b.v
	if numbers := s.n * (s.n + 1) / 2; s.shared(numbers) {
		own := *s // so that s itself stays on the caller's stack
		own.share(own.count, nanoseconds(numbers/own.count), func(from, to int) { own.some(from, to) })
	} else {
		s.some(0, s.count)
	}
	for i := range s.count {
		from, to := s.columns(i)
		s.kernel.Axpy(to-from, 1, &s.sums[i*s.n+from], &y[from])
	}
	buffers.Put(b)
}

// some computes the contributions of the pieces from to to.
func (s *symmetricProduct) some(from, to int) {
	for i := from; i < to; i++ {
		sums := s.sums[i*s.n : (i+1)*s.n]
		first, end := s.columns(i)
		clear(sums[first:end])
		s.rows(s.begin(i), s.begin(i+1), sums)
	}
}

func (s *symmetricProduct) rows(from, to int, y []float64) {
	if s.lda == 0 {
		s.packed(from, to, y)
	} else {
		s.full(from, to, y)
	}
}
