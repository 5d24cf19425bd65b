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

// A leveraging is a state with the inverse of AᵀA + lambda I at hand. x is finite and k columns wide.
type leveraging interface {
	leverage(x *mat.Dense) ([]float64, error)
}

// A leverager is an updater whose state is leveraging.
type leverager struct {
	*updater
	s leveraging
}

func (u leverager) Leverage(x *mat.Dense) ([]float64, error) {
	if err := checkMatrix("X", x, 0, u.Nodes()); err != nil {
		return nil, err
	}
	if err := u.whole(); err != nil {
		return nil, err
	}
	defer u.counter.Reset() // what it takes is no part of any report
	return u.s.leverage(x)
}
