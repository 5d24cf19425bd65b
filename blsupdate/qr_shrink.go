package blsupdate

import (
	"math/rand/v2"

	"blskernel"

	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
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
func (s *triangular) shrink(rest *mat.SymPacked, pt, ya *mat.Dense) error {
	factor, err := s.remainder(rest)
	if err != nil {
		return err
	}
	s.counter.Enter(StepTriangle)
	z := cloneDense(s.z)
	if pt != nil {
		p, y := pt.RawMatrix(), ya.RawMatrix()
		s.counter.Dgemm(blas.Trans, blas.NoTrans, s.k, s.c, p.Rows, -1, p.Data, p.Stride, y.Data, y.Stride, 1, z.RawMatrix().Data, s.c)
	}
	if err := factor.SolveUTo(z, z, true); err != nil {
		return ErrOverflow
	}
	if _, err := bounded(sizes{y: columnNorms(z)}); err != nil {
		return err
	}
	mustNotFail(factor.MulUTriangle(s.r))
	s.z = z
	return nil
}

// remainder returns the Cholesky factor of S = I - PPᵀ or I - PᵀP, which it overwrites, and a
// *LeverageError unless the smallest eigenvalue of S is at least leastRest.
func (s *triangular) remainder(rest *mat.SymPacked) (*lapack.Cholesky, error) {
	factor := &lapack.Cholesky{Backend: s.counter}
	if err := factor.FactorizeInPlace(rest); err != nil {
		return nil, &LeverageError{}
	}
	if least := smallestEigenvalue(factor, s.counter.Backend); !(least >= leastRest) {
		return nil, &LeverageError{Rest: least}
	}
	return factor, nil
}

// smallestEigenvalue estimates the smallest eigenvalue of the matrix with the given factor from above,
// by the power method on its inverse. Where that eigenvalue is far below the others, as it is if it
// matters, few steps are enough. They are operations on vectors, which are not counted.
func smallestEigenvalue(factor *lapack.Cholesky, bk blskernel.Backend) float64 {
	plain := *factor
	plain.Backend = bk
	n := plain.Dim()
	x := mat.NewDense(n, 1, nil)
	v := x.RawMatrix().Data
	rnd := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range v {
		v[i] = rnd.NormFloat64()
	}
	var value float64
	for range inverseSteps {
		scale(1/norm(v), v)
		if err := plain.SolveTo(x, x); err != nil {
			return 0
		}
		value = norm(v)
	}
	return 1 / value
}

// inverseSteps is the number of steps of the power method on an inverse. A start with 1/sqrt(n) of the
// wanted direction, n = 5000, gives 1/3 of the eigenvalue after 4 steps, and 1/2 after 6, if all others
// are nearly as large, and more if they are not.
const inverseSteps = 6

// identityPacked returns I of order n.
func identityPacked(n int) *mat.SymPacked {
	m := mat.NewSymPacked(n, nil)
	m.AddDiagonal(1)
	return m
}
