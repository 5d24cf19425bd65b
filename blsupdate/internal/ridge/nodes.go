package ridge

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
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
func (s *State) AddNodes(a, h, y *mat.Dense) (state.Outcome, error) {
	l, p := h.Dims()
	size, err := s.size.WithNodes(dense.ColumnNorms(h)).Safe()
	if err != nil {
		return state.Outcome{}, err
	}
	defer s.Counter.Leave()
	k, q := s.K, s.Q.RawSymPacked().Data
	old := s.Inverse()
	b := s.NewBorder(a, h, func(g, d []float64) { TimesPacked(&s.Base, p, s.gain, q, g, k, d) })
	if err := b.Solve(s.Lambda); err != nil {
		return state.Outcome{}, err
	}

	s.Counter.Enter(cost.StepNodesS)
	inner := mat.NewSymPacked(p, nil)
	raw := inner.RawSymPacked().Data
	s.Counter.Dsprk(blas.Trans, p, l, 1, b.C, p, 0, raw)
	s.Counter.Dgemmtp(blas.NoTrans, blas.Trans, p, k, s.Lambda, b.D, k, b.D, k, 1, raw)
	inner.AddDiagonal(s.Lambda)
	s.Counter.Enter(cost.StepFactor)
	factor, err := s.DefiniteFactor(inner, "the new nodes beside the old ones")
	if err != nil {
		return state.Outcome{}, err
	}

	s.Counter.Enter(cost.StepWeights)
	w2, err := b.Project(y)
	if err != nil {
		return state.Outcome{}, err
	}
	if err := factor.SolveTo(w2, w2); err != nil {
		return state.Outcome{}, api.ErrOverflow
	}
	w := b.Weights(s.W, w2)

	s.Counter.Enter(cost.StepQ)
	t, side := mat.NewDense(p, k, b.D), new(mat.Dense)
	if err := factor.SolveUTo(t, t, true); err != nil { // T = U⁻ᵀDᵀ
		return state.Outcome{}, api.ErrOverflow
	}
	if err := factor.SolveUTo(side, t, false); err != nil { // S⁻¹Dᵀ
		return state.Outcome{}, api.ErrOverflow
	}
	AddOuter(&s.Base, p, 1, b.D, old.RawSymPacked().Data)
	corner, err := factor.InverseInPlace()
	if err != nil {
		return state.Outcome{}, api.ErrOverflow
	}

	next := *s
	next.K, next.size, next.W, next.gain = k+p, size, w, 1
	next.Q = bordered(old, side.RawMatrix().Data, corner)
	next.MostQ, next.MostW = dense.LargestOf(next.Q.RawSymPacked().Data), dense.LargestOf(w.RawMatrix().Data)
	if !(max(next.MostQ, next.MostW) < math.MaxFloat64/4) {
		return state.Outcome{}, api.ErrOverflow
	}
	next.peak *= s.gain
	next.noteCondition()
	if rcond := next.worst * next.worst; !(rcond >= dense.Eps) {
		return state.Outcome{}, &api.ConditionError{What: "A'A + lambda I with the new nodes", RCond: rcond, Instead: []api.Method{api.QR}}
	}
	*s = next
	return state.Outcome{Model: cost.RidgeNodes(s.Options, cost.Shape{L: l, K: k, P: p, C: s.C})}, nil
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
