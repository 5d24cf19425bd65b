package blas12

// A symmetricUpdate is A += alpha*x*xᵀ for a symmetric A, in pieces of rows.
type symmetricUpdate struct {
	*Routines
	oneTriangle
	alpha float64
	x     []float64
}

// updatePieces is the number of pieces; no sum depends on it.
const updatePieces = 32

// add adds the update to A.
func (s *symmetricUpdate) add() {
	numbers := 2 * s.elements() // A passes in and out
	if !s.shared(numbers) {
		s.rows(0, s.n)
		return
	}
	own := *s // so that s itself stays on the caller's stack
	own.share(updatePieces, nanoseconds(numbers/updatePieces), func(from, to int) {
		own.rows(own.begin(from, updatePieces), own.begin(to, updatePieces))
	})
}

func (s *symmetricUpdate) rows(from, to int) {
	if s.lda == 0 {
		s.packed(from, to)
	} else {
		s.full(from, to)
	}
}
