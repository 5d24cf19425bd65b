package level12

// A symmetricUpdate is A += alpha*x*xᵀ for one triangle of A, in pieces.
type symmetricUpdate struct {
	*Routines
	parts
	alpha float64
	x     []float64
	a     []float64
	lda   int // 0 if the triangle is packed
}

// add adds the update to A.
func (s *symmetricUpdate) add() {
	numbers := s.n * (s.n + 1) // A passes in and out
	if s.count == 1 || !s.shared(numbers) {
		s.rows(0, s.n)
		return
	}
	own := *s // so that s itself stays on the caller's stack
	own.share(own.count, nanoseconds(numbers/own.count), func(from, to int) { own.rows(own.begin(from), own.begin(to)) })
}

func (s *symmetricUpdate) rows(from, to int) {
	if s.lda == 0 {
		s.packed(from, to)
	} else {
		s.full(from, to)
	}
}
