package main

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// This file is an ordinary gonum program. It does not know about blskernel.

// findings are the results of the analysis of samples X (l×d) and a target y (l).
type findings struct {
	ridge     *mat.VecDense // w = (XᵀX + lambda I)⁻¹Xᵀy, with a Cholesky factorization
	spread    []float64     // the diagonal of (XᵀX + lambda I)⁻¹: how well each weight is determined
	minSqr    *mat.VecDense // argmin ‖X w - y‖, with a QR factorization
	explained []float64     // variances along the principal components, largest first, from singular values
	distances []float64     // squared Mahalanobis distances of the samples, with the inverse of their covariance
}

// analyse computes ridge and least-squares regression, principal components and outliers.
func analyse(x *mat.Dense, y *mat.VecDense, lambda float64) (*findings, error) {
	l, d := x.Dims()
	f := &findings{ridge: &mat.VecDense{}, minSqr: &mat.VecDense{}}

	var gram mat.SymDense
	gram.SymOuterK(1, x.T())
	for i := range d {
		gram.SetSym(i, i, gram.At(i, i)+lambda)
	}
	var moment mat.VecDense
	moment.MulVec(x.T(), y)
	var c mat.Cholesky
	if !c.Factorize(&gram) {
		return nil, fmt.Errorf("XᵀX + lambda I is not positive definite: raise lambda, which is %g", lambda)
	}
	if err := c.SolveVecTo(f.ridge, &moment); err != nil {
		return nil, err
	}
	var inverse mat.SymDense
	if err := c.InverseTo(&inverse); err != nil {
		return nil, err
	}
	for i := range d {
		f.spread = append(f.spread, inverse.At(i, i))
	}

	var qr mat.QR
	qr.Factorize(x)
	if err := qr.SolveVecTo(f.minSqr, false, y); err != nil {
		return nil, err
	}

	var pc stat.PC
	if !pc.PrincipalComponents(x, nil) {
		return nil, fmt.Errorf("the singular values of the samples could not be computed")
	}
	f.explained = pc.VarsTo(nil)

	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, x, nil)
	var precision, centred, turned mat.Dense
	if err := precision.Inverse(&covariance); err != nil {
		return nil, err
	}
	centred.CloneFrom(x)
	for j := range d {
		mean := stat.Mean(mat.Col(nil, j, x), nil)
		for i := range l {
			centred.Set(i, j, x.At(i, j)-mean)
		}
	}
	turned.Mul(&centred, &precision)
	for i := range l {
		f.distances = append(f.distances, mat.Dot(turned.RowView(i), centred.RowView(i)))
	}
	return f, nil
}
