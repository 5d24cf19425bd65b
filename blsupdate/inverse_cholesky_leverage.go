package blsupdate

import "blskernel/mat"

// A Leverager is an Updater that has the inverse of AᵀA + lambda I, or a factor of it, as those of
// RidgeInverse and InverseCholesky do.
type Leverager interface {
	Updater

	// Leverage returns x_i (AᵀA + lambda I)⁻¹ x_iᵀ for each row x_i of X, m×k. Times the variance of
	// the noise in the targets, that is the variance of the prediction x_i W, as far as it comes from
	// the noise and lambda is small. It is large for rows that are unlike all that was learned, and
	// between 0 and 1 for each row that was. It takes 2mk² flops, with InverseCholesky half of that.
	Leverage(x *mat.Dense) ([]float64, error)
}

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
	if firstNotFinite(values) >= 0 {
		return nil, ErrOverflow
	}
	return values, nil
}
