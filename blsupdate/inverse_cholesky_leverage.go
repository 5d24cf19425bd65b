package blsupdate

import (
	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// leverage returns x F Fᵀxᵀ, a sum of squares, for each row x of X.
func (s *inverseCholesky) leverage(x *mat.Dense) ([]float64, error) {
	rows := rowsOf(x)
	values := make([]float64, 0, rows)
	s.counter.Enter(StepLeverage)
	defer s.counter.Leave()
	for i := 0; i < rows; i += leverageRows {
		n := min(leverageRows, rows-i)
		seen := compact(rowRange(x, i, i+n))
		s.timesF(seen, n, false)
		for r := range n {
			row := seen[r*s.k : (r+1)*s.k]
			values = append(values, s.counter.Ddot(s.k, row, 1, row, 1))
		}
	}
	if isfinite.First(values) >= 0 {
		return nil, ErrOverflow
	}
	return values, nil
}
