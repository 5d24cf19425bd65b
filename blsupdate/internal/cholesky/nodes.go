package cholesky

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/isfinite"
	"blskernel/lapack"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// addNodes borders F by p columns. With D = F FᵀAᵀH, C = H - A D and R22 the triangle of a QR
// factorization of [C; sqrt(lambda) D; sqrt(lambda) I],
//
//	F := [F  -D G],   G = R22⁻¹,   W := [W - D W2],   W2 = R22⁻¹z,
//	     [0    G ]                      [W2      ]
//
// where z is Qᵀ[Y; 0; 0] of that factorization. D is corrected once, by F Fᵀ(AᵀC - lambda D), which is
// zero but for rounding: that takes its error from eps κ² to eps κ, as long as κ is below 1e7.
//
// Here each column of H is divided by a power of two to a norm of about 1, so that AᵀH neither overflows nor underflows
// if A does not; that divides the columns of D and R22 by it, and the rows of G and W2 are to be divided at the end.
func (s *State) AddNodes(a, h, y *mat.Dense) (state.Outcome, error) {
	l, p := h.Dims()
	norms := dense.ColumnNorms(h)
	size, err := s.size.WithNodes(norms).Safe()
	if err != nil {
		return state.Outcome{}, err
	}
	const what = "A'A + lambda I with the new nodes"
	now := *s
	if now.noteCondition(); !(now.worst >= leastForNodes) {
		return state.Outcome{}, &api.ConditionError{What: what, RCond: now.worst, Instead: []api.Method{api.QR}}
	}
	defer s.Counter.Leave()
	k, units, scaled := s.K, dense.Powers(norms), gonummat.DenseCopyOf(h)
	dense.ScaleColumns(scaled, units)
	b := s.NewBorder(a, scaled, func(g, d []float64) {
		copy(d, g)
		s.timesF(d, p, false)
		s.timesF(d, p, true)
	})
	if err := b.Solve(s.Lambda); err != nil {
		return state.Outcome{}, err
	}

	s.Counter.Enter(cost.StepNodesS)
	root := math.Sqrt(s.Lambda)
	r, z := mat.NewDense(p, p, nil), mat.NewDense(p, s.C, nil)
	for j, unit := range units {
		r.Set(j, j, root/unit)
	}
	if err := lapack.AppendRows(s.Counter, r, z, mat.NewDense(l, p, b.C), gonummat.DenseCopyOf(y)); err != nil {
		return state.Outcome{}, api.ErrOverflow
	}
	if s.Lambda > 0 {
		rows := mat.NewDense(k, p, nil)
		for i := range k {
			for j := range p {
				rows.Set(i, j, root*b.D[j*k+i])
			}
		}
		if err := lapack.AppendRows(s.Counter, r, z, rows, mat.NewDense(k, s.C, nil)); err != nil {
			return state.Outcome{}, api.ErrOverflow
		}
	}

	s.Counter.Enter(cost.StepWeights)
	w2 := z
	if err := lapack.SolveTriangular(s.Counter, w2, r, false); err != nil {
		return state.Outcome{}, state.TriangleError(what, err)
	}
	w := b.Weights(s.W, w2)
	divideRows(w, k, units)

	s.Counter.Enter(cost.StepF)
	side := mat.NewDense(p, k, b.D)
	if err := lapack.SolveTriangular(s.Counter, side, r, true); err != nil { // R22⁻ᵀDᵀ
		return state.Outcome{}, state.TriangleError(what, err)
	}
	if err := lapack.InvertTriangle(s.Counter, r); err != nil {
		return state.Outcome{}, state.TriangleError(what, err)
	}
	divideRows(r, 0, units)

	next := *s
	next.K, next.size, next.W, next.Gain = k+p, size, w, 1
	next.L = s.borderedL(side.RawMatrix().Data, dense.TransposedTriangle(r))
	next.NormL, next.MostW = next.frobenius(), dense.LargestOf(w.RawMatrix().Data)
	if !(next.NormL < math.MaxFloat64/4) || isfinite.First(w.RawMatrix().Data) >= 0 {
		return state.Outcome{}, api.ErrOverflow
	}
	next.peak *= s.Gain
	if next.noteCondition(); !(next.worst >= leastForNodes) {
		return state.Outcome{}, &api.ConditionError{What: what, RCond: next.worst, Instead: []api.Method{api.QR}}
	}
	*s = next
	return state.Outcome{Model: cost.CholeskyNodes(cost.Shape{L: l, K: k, P: p, C: s.C}, s.Lambda > 0)}, nil
}

// divideRows divides the rows of m from the given one on by units.
func divideRows(m *mat.Dense, from int, units []float64) {
	for i, unit := range units {
		row := m.RawRowView(from + i)
		for j := range row {
			row[j] /= unit
		}
	}
}

// leastForNodes is the least 1/κ, before and after, with which nodes are added: the D of a worse state
// is not saved by one correction.
const leastForNodes = 1e-7

// borderedL returns Fᵀ with p more columns of F, the rows [-E Gᵀ].
func (s *State) borderedL(e []float64, g *mat.Dense) *mat.Dense {
	k, p := s.K, dense.Rows(g)
	wide := k + p
	l := mat.NewDense(wide, wide, nil)
	dst, old, corner := l.RawMatrix().Data, s.L.RawMatrix().Data, g.RawMatrix().Data
	for i := range k {
		for j, v := range old[i*k : i*k+i+1] {
			dst[i*wide+j] = s.Gain * v
		}
	}
	for i := range p {
		row := dst[(k+i)*wide:]
		for j, v := range e[i*k : (i+1)*k] {
			row[j] = -v
		}
		copy(row[k:], corner[i*p:i*p+i+1])
	}
	return l
}
