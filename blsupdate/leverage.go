package blsupdate

import (
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"
)

// A Refiner is an Updater whose weights can be made more accurate with the data at hand, as that of Gram.
type Refiner interface {
	Updater

	// Refine corrects W twice by the solution for its residual,
	//
	//	W := W + (AᵀA + lambda I)⁻¹ (Aᵀ(Y - A W) - lambda W),
	//
	// with a, l×k, and y, l×c, all rows that the model has, in any order, each as the model has it. That
	// takes the error of W from eps κ² to eps κ for κ up to about 1e7, and 8lkc + 4ck² flops. W stays so until the
	// model changes. Neither matrix is changed or kept; the errors are those of Weights and a *ShapeError.
	// (Iterative refinement by the normal equations: Björck, Numerical Methods for Least Squares Problems,
	// section 2.9.)
	Refine(a, y *mat.Dense) error
}

// A refiner is an updater whose state is refining.
type refiner struct {
	*updater
	s state.Refiner
}

func (u refiner) Refine(a, y *mat.Dense) error {
	u.begin()
	if err := u.checkAll(a, y); err != nil {
		return err
	}
	if err := u.checkDetermined(); err != nil {
		return err
	}
	return u.run(0, 0, func() (state.Outcome, error) { return u.s.Refine(a, y) })
}

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

// A leverager is an updater whose state is leveraging.
type leverager struct {
	*updater
	s state.Leverager
}

func (u leverager) Leverage(x *mat.Dense) ([]float64, error) {
	if err := checkMatrix("X", x, 0, u.Nodes()); err != nil {
		return nil, err
	}
	if err := u.whole(); err != nil {
		return nil, err
	}
	defer u.counter.Reset() // what it takes is no part of any report
	return u.s.Leverage(x)
}

// A Pseudoinverter is an Updater that has A⁺ itself, as those of Original and Improved do.
type Pseudoinverter interface {
	Updater
	// Pseudoinverse returns a copy of A⁺, k×l.
	Pseudoinverse() *mat.Dense
}
