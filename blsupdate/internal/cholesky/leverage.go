package cholesky

import (
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// leverage returns x F Fᵀxᵀ, a sum of squares, for each row x of X.
func (s *State) Leverage(x *mat.Dense) ([]float64, error) {
	rows := dense.Rows(x)
	values := make([]float64, 0, rows)
	s.Counter.Enter(cost.StepLeverage)
	defer s.Counter.Leave()
	for i := 0; i < rows; i += state.LeverageRows {
		n := min(state.LeverageRows, rows-i)
		seen := dense.Compact(dense.RowRange(x, i, i+n))
		s.timesF(seen, n, false)
		for r := range n {
			row := seen[r*s.K : (r+1)*s.K]
			values = append(values, s.Counter.Ddot(s.K, row, 1, row, 1))
		}
	}
	if isfinite.First(values) >= 0 {
		return nil, api.ErrOverflow
	}
	return values, nil
}
