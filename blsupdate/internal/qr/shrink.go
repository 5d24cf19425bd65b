package qr

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	gonummat "gonum.org/v1/gonum/mat"
)

// shrink replaces R by R' with R'ᵀR' = RᵀS R for S = I - PPᵀ, and z by z' with R'ᵀz' = Rᵀ(z - P Ya):
// with the Cholesky factor K of S, KᵀK = S,
//
//	R' = K R,   z' = K⁻ᵀ(z - P Ya),
//
// in k³/3 flops for K, k³/3 for the product of two triangles and ck² for z', beside S and P Ya. S
// is overwritten. pt is Pᵀ; pt and ya are nil where the targets of P are zero.
//
// S has eigenvalues between 1-h and 1, so that K is found with an error of about eps/(1-h), whatever
// the condition of R is. On an error R and z are unchanged: z' is found first, and ‖K‖ <= 1, so that R'
// cannot overflow where R has not.
func (s *State) shrink(rest *mat.SymPacked, pt, ya *mat.Dense) error {
	factor, least, err := s.remainder(rest, func(z []float64) []float64 { return z })
	if err != nil {
		return err
	}
	s.Counter.Enter(cost.StepTriangle)
	z := gonummat.DenseCopyOf(s.Z)
	if pt != nil {
		p, y := pt.RawMatrix(), ya.RawMatrix()
		s.Counter.Dgemm(blas.Trans, blas.NoTrans, s.K, s.C, p.Rows, -1, p.Data, p.Stride, y.Data, y.Stride, 1, z.RawMatrix().Data, s.C)
	}
	if err := factor.SolveUTo(z, z, true); err != nil {
		return api.ErrOverflow
	}
	if _, err := bounded(state.Norms{Y: dense.ColumnNorms(z)}); err != nil {
		return err
	}
	mustNotFail(factor.MulUTriangle(s.R))
	s.Z = z
	s.NoteLoss(1 / least)
	return nil
}

// remainder returns the Cholesky factor of S = I - PPᵀ or I - PᵀP, which it overwrites, with the smallest
// eigenvalue of S, 1-h, and a *LeverageError unless that is large enough. toP returns the vector of PPᵀ for one of S: the same,
// or P times it.
//
// The R that h is computed with has errors E of eps times the norms d of its columns. They change p = R⁻ᵀa
// by -R⁻ᵀEᵀp, and h = pᵀp by -2pᵀE x for x = R⁻¹p, which is about sqrt(k) eps ‖D x‖ where D has d on its
// diagonal. So it is the condition of R in the direction of the rows alone that decides whether h is known.
func (s *State) remainder(rest *mat.SymPacked, toP func(z []float64) []float64) (factor *lapack.Cholesky, least float64, err error) {
	factor = &lapack.Cholesky{Backend: s.Counter}
	if err := factor.FactorizeInPlace(rest); err != nil {
		return nil, 0, &api.LeverageError{Action: api.ActionRemove}
	}
	least = s.SmallestEigenvalue(factor)
	x := toP(s.SmallestDirection(factor))
	s.Counter.Dtrsv(blas.Upper, blas.NoTrans, blas.NonUnit, s.K, s.R.RawMatrix().Data, s.R.RawMatrix().Stride, x, 1)
	floats.Mul(x, s.Size.A)
	if limit := state.RestLimit(math.Sqrt(float64(s.K)) * dense.Norm(x)); !(least >= limit) {
		return nil, 0, &api.LeverageError{Rest: least, Least: limit, Action: api.ActionRemove}
	}
	return factor, least, nil
}
