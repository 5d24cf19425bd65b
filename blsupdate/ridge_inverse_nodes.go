package blsupdate

import (
	"math"

	"blskernel/internal/block"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// addNodes borders Q by p columns. With D = Q AᵀH and C = H - A D, the part of H that the old nodes do
// not have,
//
//	S = CᵀC + lambda (DᵀD + I),
//	Q := [Q + D S⁻¹Dᵀ  -D S⁻¹],   W := [W - D W2],   W2 = S⁻¹CᵀY.
//	     [-S⁻¹Dᵀ        S⁻¹  ]         [W2      ]
//
// S is the Schur complement HᵀH + lambda I - HᵀA D, but as a sum of squares it has no cancellation:
// where H is nearly a combination of the columns of A, the difference has no correct digits. D is
// corrected once, by Q(AᵀC - lambda D), which is zero but for rounding.
func (s *ridgeInverse) addNodes(a, h, y *mat.Dense) (done, error) {
	l, p := h.Dims()
	size, err := s.size.withNodes(columnNorms(h)).safe()
	if err != nil {
		return done{}, err
	}
	defer s.counter.Leave()
	k, q := s.k, s.q.RawSymPacked().Data
	old := s.inverse()
	b := s.newBorder(a, h, func(g, d []float64) { timesPacked(&s.common, p, s.gain, q, g, k, d) })
	if err := b.solve(s.ridge); err != nil {
		return done{}, err
	}

	s.counter.Enter(StepNodesS)
	inner := mat.NewSymPacked(p, nil)
	raw := inner.RawSymPacked().Data
	s.counter.Dsprk(blas.Trans, p, l, 1, b.c, p, 0, raw)
	s.counter.Dgemmtp(blas.NoTrans, blas.Trans, p, k, s.ridge, b.d, k, b.d, k, 1, raw)
	inner.AddDiagonal(s.ridge)
	s.counter.Enter(StepFactor)
	factor, err := s.definiteFactor(inner, "the new nodes beside the old ones")
	if err != nil {
		return done{}, err
	}

	s.counter.Enter(StepWeights)
	w2, err := b.project(y)
	if err != nil {
		return done{}, err
	}
	if err := factor.SolveTo(w2, w2); err != nil {
		return done{}, ErrOverflow
	}
	w := b.weights(s.w, w2)

	s.counter.Enter(StepQ)
	t, side := mat.NewDense(p, k, b.d), new(mat.Dense)
	if err := factor.SolveUTo(t, t, true); err != nil { // T = U⁻ᵀDᵀ
		return done{}, ErrOverflow
	}
	if err := factor.SolveUTo(side, t, false); err != nil { // S⁻¹Dᵀ
		return done{}, ErrOverflow
	}
	addOuter(&s.common, p, 1, b.d, old.RawSymPacked().Data)
	corner, err := factor.InverseInPlace()
	if err != nil {
		return done{}, ErrOverflow
	}

	next := *s
	next.k, next.size, next.w, next.gain = k+p, size, w, 1
	next.q = bordered(old, side.RawMatrix().Data, corner)
	next.mostQ, next.mostW = largestOf(next.q.RawSymPacked().Data), largestOf(w.RawMatrix().Data)
	if !(max(next.mostQ, next.mostW) < math.MaxFloat64/4) {
		return done{}, ErrOverflow
	}
	next.peak *= s.gain
	next.noteCondition()
	if rcond := next.worst * next.worst; !(rcond >= eps) {
		return done{}, &ConditionError{What: "A'A + lambda I with the new nodes", RCond: rcond, Instead: []Method{QR}}
	}
	*s = next
	return done{model: ridgeInverseNodes(s.opt, Shape{L: l, K: k, P: p, C: s.c})}, nil
}

// bordered returns [Q -Eᵀ; -E S] for the p×k E.
func bordered(q *mat.SymPacked, e []float64, s *mat.SymPacked) *mat.SymPacked {
	k, p := q.SymmetricDim(), s.SymmetricDim()
	data := make([]float64, 0, block.PackedLen(k+p))
	old := q.RawSymPacked().Data
	for i := range k {
		data = append(data, old[block.PackedRow(k, i)+i:][:k-i]...)
		for j := range p {
			data = append(data, -e[j*k+i])
		}
	}
	return mat.NewSymPacked(k+p, append(data, s.RawSymPacked().Data...))
}
