package cholesky

import (
	"cmp"
	"errors"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/lapack"
	"blskernel/mat"
)

// minForNodes is the smallest 1/κ, before and after the change, at which nodes are added. In a worse
// state one correction of D is not enough.
const minForNodes = 1e-7

const withNodes = "[A; sqrt(lambda) I] with the new nodes"

var errNodes = errors.New("new nodes need a condition number of at most 1e7: use New to start a new model with all nodes")

// AddNodes appends p rows and columns to F. With D = F FᵀAᵀH, C = H - A D and R22 the triangle of a QR
// factorization of [C; sqrt(lambda) D; sqrt(lambda) I],
//
//	F := [F  -D G],   G = R22⁻¹,   W := [W - D W2],   W2 = R22⁻¹z,
//	     [0    G ]                      [W2      ]
//
// where z is Qᵀ[Y; 0; 0] of that factorization. The correction of D reduces its error from eps κ² to
// eps κ for κ below 1e7.
//
// Each column of H is first divided by a power of two, to give it a norm of about 1, so that AᵀH
// neither overflows nor underflows if A does not. This also divides the columns of D and R22; the rows
// of G and W2 are divided at the end.
func (s *State) AddNodes(a, h, y *mat.Dense) (out state.Outcome, err error) {
	l, p := h.Dims()
	k, norms, next := s.K, dense.ColumnNorms(h), *s
	if next.Size, err = s.Size.WithNodes(l, norms, make([]float64, p)).Safe(); err != nil {
		return out, err
	}
	if err := s.checkForNodes("[A; sqrt(lambda) I] before the new nodes", l); err != nil {
		return out, err
	}
	scaled := dense.Copy(h)
	units, reciprocals := dense.Powers(norms)
	dense.DivideColumns(scaled, units)
	b, err := s.NewBorder(a, scaled, func(g, d *mat.Dense) {
		d.Copy(g)
		s.timesF(d, false)
		s.timesF(d, true)
	})
	if err != nil {
		return out, err
	}

	errs := b.Errors(s.Size.Lengths(s.Lambda), state.Unit(p, k), s.Reach().RCond())
	dense.Multiply(errs, units)
	next.Size.ErrColumns(errs)
	y1, w1, residual := s.NodeTargets(a, y, s.W, s.Reach().RCond())
	s.Counter.Enter(cost.StepNodesS)
	r, w2, err := s.Corner(b.C, y1, w1, units, func() *mat.Dense { return dense.Transposed(b.D) })
	if err != nil {
		return out, err
	}
	s.Counter.Enter(cost.StepWeights)
	if err := lapack.SolveTriangular(s.Counter, w2, r, false); err != nil {
		return out, s.triangleError(withNodes, err)
	}
	next.W = b.Weights(s.W, w2)
	dense.ScaleRows(dense.RowRange(next.W, k, k+p), reciprocals)
	before, after := dense.ColumnNorms(s.ResidualAfter(a, y, s.W)), next.Refitted(next.W, y, a, h)
	next.Size.Refit(s.Size, s.Reach(), s.Lambda, s.W, before, after)

	s.Counter.Enter(cost.StepF) // b.D becomes R22⁻ᵀDᵀ, and r becomes G
	err = cmp.Or(lapack.SolveTriangular(s.Counter, b.D, r, true), lapack.InvertTriangle(s.Counter, r))
	if err != nil {
		return out, s.triangleError(withNodes, err)
	}
	dense.ScaleRows(r, reciprocals)
	model := cost.CholeskyNodes(cost.Shape{L: l, K: k, P: p, C: s.C}, s.Lambda > 0)

	next.K, next.Gain = k+p, 1
	next.L = s.bordered(b.D, dense.Transposed(r))
	if err := next.measure(); err != nil {
		return out, err
	}
	next.noteRows()
	if err := next.checkForNodes(withNodes, l); err != nil {
		return out, err
	}
	next.NoteWeights(p)
	if w1 == nil {
		next.Size.ErrNodes(next.Reach(), next.Size.Lengths(s.Lambda), errs)
	}
	*s = next
	return state.Outcome{Model: cost.Plus(model, residual)}, nil
}

func (s *State) checkForNodes(what string, l int) error {
	switch rcond := s.Reach().RCond(); {
	case !(rcond > dense.RankTolerance(l, s.K)): // New would refuse all nodes, too
		return &types.ConditionError{What: what, RCond: rcond, Instead: s.BelowFullRank()}
	case !(rcond >= minForNodes):
		return &types.ConditionError{What: what, RCond: rcond, Err: errNodes}
	}
	return nil
}

// bordered returns Fᵀ with p more rows [-e g], the transposes of the new columns of F.
func (s *State) bordered(e, g *mat.Dense) *mat.Dense {
	k, p := s.K, dense.Rows(g)
	l := dense.Triangle(k + p)
	for i := range k {
		row := l.RawRowView(i)
		for j, v := range s.L.RawRowView(i)[:i+1] {
			row[j] = s.Gain * v
		}
	}
	for i := range p {
		row := l.RawRowView(k + i)
		for j, v := range e.RawRowView(i) {
			row[j] = -v
		}
		copy(row[k:], g.RawRowView(i)[:i+1])
	}
	return l
}
