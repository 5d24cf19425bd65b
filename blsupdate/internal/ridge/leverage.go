package ridge

import (
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// leverage returns x Q xᵀ for each row x of X.
func (s *State) Leverage(x *mat.Dense) ([]float64, error) {
	rows, raw := dense.Rows(x), x.RawMatrix()
	values := make([]float64, 0, rows)
	s.Counter.Enter(cost.StepLeverage)
	defer s.Counter.Leave()
	p := make([]float64, min(rows, state.LeverageRows)*s.K)
	for i := 0; i < rows; i += state.LeverageRows {
		n := min(state.LeverageRows, rows-i)
		TimesPacked(&s.Base, n, s.gain, s.Q.RawSymPacked().Data, raw.Data[i*raw.Stride:], raw.Stride, p)
		for r := range n {
			values = append(values, s.Counter.Ddot(s.K, raw.Data[(i+r)*raw.Stride:], 1, p[r*s.K:], 1))
		}
	}
	if isfinite.First(values) >= 0 {
		return nil, api.ErrOverflow
	}
	return values, nil
}
