package testmat

// Eps is the unit roundoff.
const Eps = 0x1p-53

// Bound is the bound of LAPACK's own tests on backward errors in units of n*Eps*‖A‖.
const Bound = 30

// Over returns x divided by each element of by in turn, since their product could overflow. It returns
// 0 if x is 0, so that 0/0 = 0 for empty and zero matrices.
func Over(x float64, by ...float64) float64 {
	if x == 0 {
		return 0
	}
	for _, v := range by {
		x /= v
	}
	return x
}

// ResidualRatio returns max_j ‖(B - A X)_j‖/(n ‖A‖ ‖X_j‖ eps). It treats columns separately, since they
// may differ in size.
func ResidualRatio(a, x, b *Matrix) float64 {
	res, worst := b.Sub(a.Mul(x)), 0.0
	for j := range b.C {
		worst = max(worst, Over(res.Column(j).Norm(), float64(a.R)*Eps, a.Norm(), x.Column(j).Norm()))
	}
	return worst
}

// InverseRatio returns ‖I - A X‖/(n ‖A‖ ‖X‖ eps).
func InverseRatio(a, x *Matrix) float64 {
	return Over(Identity(a.R).Sub(a.Mul(x)).Norm(), float64(a.R)*Eps, a.Norm(), x.Norm())
}

// ProductRatio returns ‖A - B C‖/(max(r, c) ‖A‖ eps) for an r×c A.
func ProductRatio(a, b, c *Matrix) float64 {
	return Over(a.Sub(b.Mul(c)).Norm(), float64(max(a.R, a.C))*Eps, a.Norm())
}

// EigenRatio returns ‖A Z - Z Λ‖/(n ‖A‖ eps), with the eigenvectors in the columns of Z.
func EigenRatio(a *Matrix, values []float64, z *Matrix) float64 {
	return Over(a.Mul(z).Sub(z.T().ScaleRows(values).T()).Norm(), float64(a.R)*Eps, a.Norm())
}

// OrthogonalRatio returns ‖ZᵀZ - I‖/(r eps) for an r×c Z.
func OrthogonalRatio(z *Matrix) float64 {
	return Over(z.T().Mul(z).Sub(Identity(z.C)).Norm(), float64(z.R)*Eps)
}
