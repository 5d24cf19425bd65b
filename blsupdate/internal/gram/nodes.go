package gram

import (
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// addNodes appends AᵀH and HᵀH to G and HᵀY to T.
func (s *State) AddNodes(a, h, y *mat.Dense) (state.Outcome, error) {
	l, p := h.Dims()
	size, err := s.size.WithNodes(dense.ColumnNorms(h)).Safe()
	if err != nil {
		return state.Outcome{}, err
	}
	ra, rh, ry := a.RawMatrix(), h.RawMatrix(), y.RawMatrix()
	wide := s.K + p
	t := mat.NewDense(wide, s.C, nil)
	t.Slice(0, s.K, 0, s.C).(*mat.Dense).Copy(s.t)
	side, corner := make([]float64, s.K*p), mat.NewSymPacked(p, nil)

	s.Counter.Enter(cost.StepBorder)
	s.Counter.Dgemm(blas.Trans, blas.NoTrans, s.K, p, l, 1, ra.Data, ra.Stride, rh.Data, rh.Stride, 0, side, p)
	s.Counter.Dsprk(blas.Trans, p, l, 1, rh.Data, rh.Stride, 0, corner.RawSymPacked().Data)
	s.Counter.Enter(cost.StepT)
	s.Counter.Dgemm(blas.Trans, blas.NoTrans, p, s.C, l, 1, rh.Data, rh.Stride, ry.Data, ry.Stride, 0, t.RawMatrix().Data[s.K*s.C:], s.C)
	s.Counter.Leave()

	data := make([]float64, 0, wide*(wide+1)/2)
	old := s.g.RawSymPacked().Data
	for i := range s.K {
		data = append(append(data, old[:s.K-i]...), side[i*p:(i+1)*p]...)
		old = old[s.K-i:]
	}
	data = append(data, corner.RawSymPacked().Data...)

	d := state.Outcome{Model: cost.GramNodes(cost.Shape{L: l, K: s.K, P: p, C: s.C})}
	s.g, s.t, s.K, s.size = mat.NewSymPacked(wide, data), t, wide, size
	s.changed()
	return d, nil
}
