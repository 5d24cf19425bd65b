package state

import (
	"errors"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// A Covariance multiplies rows by Q = (AᵀA + lambda I)⁻¹, or by (AᵀA)⁺ in Original and Improved. It is
// valid until the state changes. Results may be NaN or infinite.
type Covariance struct {
	// Factors returns L and R, m×k, with x_i Q x_iᵀ = l_i·r_i for the rows of X.
	Factors func(x *mat.Dense) (l, r *mat.Dense, err error)
	// Times returns X Q.
	Times func(x *mat.Dense) (*mat.Dense, error)
	// Rank is the rank of A. It is valid only if lambda is 0.
	Rank int
}

// Halves returns the Covariance for Q = V Vᵀ and the given rank, where half overwrites X with X V, or
// with X Vᵀ if second is set.
func Halves(rank int, half func(x *mat.Dense, second bool) error) Covariance {
	return Covariance{
		Rank: rank,
		Factors: func(x *mat.Dense) (l, r *mat.Dense, err error) {
			l = dense.Copy(x)
			return l, l, half(l, false)
		},
		Times: func(x *mat.Dense) (*mat.Dense, error) {
			x = dense.Copy(x)
			return x, errors.Join(half(x, false), half(x, true))
		},
	}
}

// leverageRows is the number of rows whose leverages are computed at once, for products at full speed.
const leverageRows = 512

// Leverages returns x Q xᵀ for each row x of X, with inner products computed by b.
func (c Covariance) Leverages(b blskernel.Backend, x *mat.Dense) ([]float64, error) {
	rows := dense.Rows(x)
	values := make([]float64, 0, rows)
	for from := 0; from < rows; from += leverageRows {
		l, r, err := c.Factors(dense.RowRange(x, from, min(from+leverageRows, rows)))
		if err != nil {
			return nil, types.ErrOverflow
		}
		for i := range dense.Rows(l) {
			values = append(values, b.Ddot(dense.Cols(l), l.RawRowView(i), 1, r.RawRowView(i), 1))
		}
	}
	if floats.FirstNonFinite(values) >= 0 {
		return nil, types.ErrOverflow
	}
	return values, nil
}
