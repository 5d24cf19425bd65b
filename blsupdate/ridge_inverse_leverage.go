package blsupdate

import (
	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// leverage returns x Q xᵀ for each row x of X.
func (s *ridgeInverse) leverage(x *mat.Dense) ([]float64, error) {
	rows, raw := rowsOf(x), x.RawMatrix()
	values := make([]float64, 0, rows)
	s.counter.Enter(StepLeverage)
	defer s.counter.Leave()
	p := make([]float64, min(rows, leverageRows)*s.k)
	for i := 0; i < rows; i += leverageRows {
		n := min(leverageRows, rows-i)
		timesPacked(&s.common, n, s.gain, s.q.RawSymPacked().Data, raw.Data[i*raw.Stride:], raw.Stride, p)
		for r := range n {
			values = append(values, s.counter.Ddot(s.k, raw.Data[(i+r)*raw.Stride:], 1, p[r*s.k:], 1))
		}
	}
	if isfinite.First(values) >= 0 {
		return nil, ErrOverflow
	}
	return values, nil
}

// leverageRows is the number of rows whose leverages are computed together: enough for products at full
// speed.
const leverageRows = 512
