package ridge

import (
	"errors"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// nodesUnits is the error of D in units of the error of Q.
const nodesUnits = 4

// errNodes recommends a new start, since QR, which Instead names, adds nodes only up to κ = 1e7.
var errNodes = errors.New("new nodes need a condition number of at most 6e7: use New to start a new model with all nodes")

// AddNodes appends p rows and columns to Q. With D = Q AᵀH and C = H - A D,
//
//	S = CᵀC + lambda (DᵀD + I),
//	Q := [Q + D S⁻¹Dᵀ  -D S⁻¹],   W := [W - D W2],   W2 = S⁻¹CᵀY.
//	     [-S⁻¹Dᵀ        S⁻¹  ]         [W2      ]
//
// S is the Schur complement HᵀH + lambda I - HᵀA D. As a sum of squares it has no cancellation; the
// difference would have no correct digits if H were nearly a linear combination of the columns of A.
func (s *State) AddNodes(a, h, y *mat.Dense) (out state.Outcome, err error) {
	l, p := h.Dims()
	norms, next := dense.ColumnNorms(h), *s
	if next.Size, err = s.Size.WithNodes(l, norms, make([]float64, p)).Safe(); err != nil {
		return out, err
	}
	old := s.inverse()
	b, err := s.NewBorder(a, h, func(g, d *mat.Dense) { TimesPacked(&s.Base, s.Gain, s.Q, g, d) })
	if err != nil {
		return out, err
	}

	unit, rcond := state.Unit(p, s.K), s.Reach().RCond()
	errs, square := b.Errors(s.Size.Lengths(s.Lambda), unit, rcond), nodesUnits*max(s.Size.Drift, unit/(rcond*rcond))
	dense.Add(errs, square*square, norms) // the errors left after one correction of D
	for j, v := range norms {             // ErrA² is the error in AᵀA
		next.Size.ErrA[s.K+j] += float64(math.Sqrt(errs[j]) * math.Sqrt(v))
	}
	s.Counter.Enter(cost.StepNodesS)
	inner := mat.NewSymPacked(p, nil)
	dense.Sprk(s.Counter, 1, b.C, 0, inner)
	dense.Gemmtp(s.Counter, s.Lambda, b.D, b.D, 1, inner)
	inner.AddDiagonal(s.Lambda)
	s.Counter.Enter(cost.StepFactor)
	factor, err := s.Factor(inner, "the Schur complement of the new nodes", types.QR)
	if err != nil {
		return out, err
	}

	s.Counter.Enter(cost.StepWeights)
	y1, w1, residual := s.NodeTargets(a, y, s.W, rcond)
	w2 := mat.NewDense(p, s.C, nil)
	dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, b.C, y1, 0, w2)
	if w1 != nil {
		dense.Gemm(s.Counter, blas.NoTrans, blas.NoTrans, s.Lambda, b.D, w1, 1, w2)
		residual = cost.Plus(residual, cost.NodesRidge(cost.Shape{K: s.K, P: p, C: s.C}))
	}
	if factor.SolveTo(w2, w2) != nil {
		return out, types.ErrOverflow
	}
	next.W = b.Weights(s.W, w2)
	before, after := dense.ColumnNorms(s.ResidualAfter(a, y, s.W)), next.Refitted(next.W, y, a, h)
	next.Size.Refit(s.Size, s.Reach(), s.Lambda, s.W, before, after)

	s.Counter.Enter(cost.StepQ)
	t, side := b.D, new(mat.Dense) // which become T = U⁻ᵀDᵀ and S⁻¹Dᵀ
	if factor.SolveUTo(t, t, true) != nil || factor.SolveUTo(side, t, false) != nil {
		return out, types.ErrOverflow
	}
	AddOuter(&s.Base, 1, t, old)
	beside := dense.Transposed(side)
	beside.Scale(-1, beside)
	corner, err := factor.InverseInPlace()
	if err != nil {
		return out, types.ErrOverflow
	}
	model := cost.RidgeNodes(s.Options, cost.Shape{L: l, K: s.K, P: p, C: s.C})

	next.K, next.Gain = s.K+p, 1
	next.Q = dense.Bordered(old, beside, corner)
	next.BoundX, next.BoundW = dense.LargestOf(next.data()), dense.LargestOf(next.W.RawMatrix().Data)
	if !(max(next.BoundX, next.BoundW) < math.MaxFloat64/4) {
		return out, types.ErrOverflow
	}
	next.noteRows()
	next.NoteWeights(p)
	if w1 == nil {
		next.Size.ErrNodes(next.Reach(), next.Size.Lengths(s.Lambda), errs)
	}
	const what = "[A; sqrt(lambda) I] with the new nodes"
	switch rcond := next.Reach().RCond(); {
	case !(rcond > dense.RankTolerance(l, next.K)):
		return out, &types.ConditionError{What: what, RCond: rcond, Instead: s.BelowFullRank()}
	case !(rcond*rcond >= dense.Eps):
		return out, &types.ConditionError{What: what, RCond: rcond, Err: errNodes, Instead: []types.Method{types.QR}}
	}
	*s = next
	return state.Outcome{Model: cost.Plus(model, residual)}, nil
}
