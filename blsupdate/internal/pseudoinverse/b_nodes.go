package pseudoinverse

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/linalg/detmath"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// decide sets how.Rank, the rank of C, with the same kind of tolerance as for added rows: singular
// values up to max(l, k+p) eps ‖H‖ max(1, ‖A‖‖A⁺‖) count as zero. Below full rank Norms.Drift does not
// bound the errors of A⁺. The tolerance is then at least the one for added rows, or after a second
// projection its square. If the condition of R in a QR factorization leaves no doubt, C has full rank.
// Otherwise the singular values of R decide. The rank is in doubt if C counts as zero, but a column
// exceeds rounding errors.
func (s *widening) decide() error {
	u, wide := s.u, s.u.K+s.p
	kappa, unit := max(1, u.conditionNumber()), dense.RankTolerance(s.l, wide)
	tolerance := unit * kappa
	if u.rank < u.K {
		share := unit * max(kappa, u.worst.a*u.worst.plus) * u.drift
		if s.how.Refined {
			share *= share
		}
		tolerance = max(tolerance, share)
	}
	if !(tolerance < undecidable) {
		return &types.ConditionError{What: "A (whose rank must be known to add nodes)", RCond: 1 / kappa}
	}
	tolerance *= dense.Frobenius(s.h)
	u.Counter.Enter(cost.StepRank)
	r := s.c // a matrix with the singular values of C
	if s.l >= s.p {
		qr := lapack.QR{Backend: u.Counter}
		if err := qr.Factorize(s.c); err != nil {
			return types.ErrOverflow
		}
		r = new(mat.Dense)
		qr.RTo(r)
		s.qr, s.r = &qr, r
		// The smallest singular value is at least 1/(‖R⁻¹‖₁ sqrt(p)), and the estimate of the
		// norm of the inverse is within a factor of 10.
		least := qr.RCond() * dense.TriangleNorm(r) / (10 * math.Sqrt(float64(s.p)))
		if least > tolerance && s.p <= s.l-u.rank {
			s.how.Rank = s.p
			return nil
		}
	}
	s.how.Values = true
	values, _, _, err := dense.SVD(u.Counter, r)
	if err != nil {
		return err
	}
	limit := min(s.l, wide) - u.rank
	if s.how.Rank = countAbove(values, tolerance, limit); s.how.Rank == 0 && limit > 0 {
		b := state.Border{Base: &u.Base, D: dense.Transposed(s.d), C: s.c}
		noise := b.Errors(u.size.A, roundingUnits*dense.Eps, 1)
		for j, length := range dense.ColumnNorms(s.c) {
			s.doubt = s.doubt || length > noise[j]
		}
	}
	return nil
}

// inside computes Z = D (I + DᵀD)⁻¹ and Bᵀ = P Z for C = 0. With the QR factorization [D; I] =
// [Q1; Q2] R, Z is Q1 R⁻ᵀ, so DᵀD is not formed.
func (s *widening) inside() error {
	u := s.u
	u.Counter.Enter(cost.StepNodesB)
	z, r, rcond, err := dense.QR(context.Background(), u.Counter, s.d, dense.ScaledIdentity(s.p, 1))
	if err != nil {
		return types.ErrOverflow
	}
	z = dense.RowRange(z, 0, u.K)
	if err := s.solveTriangle(z, r); err != nil {
		return err
	}
	s.z, s.condition = z, 1/rcond
	s.bt = mat.NewDense(s.l, s.p, nil)
	u.p.blockwise(func(first int, plus *mat.Dense) {
		b := dense.RowRange(s.bt, first, first+dense.Rows(plus))
		dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, 1, plus, z, 0, b)
	})
	return nil
}

// solveTriangle replaces X by X R⁻ᵀ.
func (s *widening) solveTriangle(x, r *mat.Dense) error {
	return state.Overflow(lapack.SolveTriangularRows(s.u.Counter, x, r, true))
}

// ridge computes Bᵀ = C (CᵀC + lambda DᵀD + lambda I)⁻¹. With this B, [A⁺ - D B; B] is the ridge
// inverse of [A H] if A⁺ is the ridge inverse of A. The inverted matrix is the Schur complement HᵀH +
// lambda I - HᵀA D without its cancellation. With the QR factorization
//
//	[C; sqrt(lambda) D; sqrt(lambda) I] = [Q1; Q2; Q3] R
//
// it is RᵀR, and Bᵀ = Q1 R⁻ᵀ: nothing is squared, R is nonsingular for any C, and no rank is decided.
//
// R is also the lower right block of the triangular factor of [A H; sqrt(lambda) I], whose upper left
// block Ra is the factor of [A; sqrt(lambda) I]:
//
//	[Ra  Ra D]⁻¹   [Ra⁻¹  -D R⁻¹]
//	[0   R   ]   = [0      R⁻¹  ].
//
// The norm of the new columns of the inverse tells how ill-conditioned the model becomes. D R⁻¹ and R⁻¹
// are Q2 and Q3 over sqrt(lambda). If lambda is so small that Q2 and Q3 are rounding errors, the
// condition of R gives the bound.
func (s *widening) ridge() error {
	u, l, k, p := s.u, s.l, s.u.K, s.p
	u.Counter.Enter(cost.StepNodesB)
	root, scaled := math.Sqrt(u.Lambda), new(mat.Dense)
	scaled.Scale(root, s.d)
	q, r, rcond, err := dense.QR(context.Background(), u.Counter, s.c, scaled, dense.ScaledIdentity(p, root))
	if err != nil {
		return types.ErrOverflow
	}
	inverse := math.Sqrt(float64(p)) / (rcond * dense.TriangleNorm(r))
	s.grown = min(dense.Norm(dense.RowRange(q, l, l+k+p).RawMatrix().Data)/root, detmath.Hypot(dense.Frobenius(s.d), 1)*inverse)
	s.bt, s.bd = dense.RowRange(q, 0, l), dense.RowRange(q, l, l+k)
	return s.solveTriangle(dense.RowRange(q, 0, l+k), r)
}

// ridgeWeights computes the weights of the new nodes in dst, p×c. In exact arithmetic they are B Y. But
// rounding errors leave C with a part of up to eps‖H‖ in the column space of A. B Y would multiply this
// part by the part of Y that A explains, and W would have an error of eps κ². For lambda = 0 C is
// projected once more instead. With a ridge A A⁺ is not a projection, so the residual replaces Y:
//
//	B Y = (CᵀC + lambda DᵀD + lambda I)⁻¹ (Cᵀ(Y - A W) + lambda DᵀW),
//
// since W is the ridge solution for A, so that Aᵀ(Y - A W) = lambda W and AᵀC = lambda D.
func (s *widening) ridgeWeights(dst *mat.Dense) {
	u := s.u
	rest := u.Residual(s.a, s.y, u.w)
	dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, s.bt, rest, 0, dst)
	dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, math.Sqrt(u.Lambda), s.bd, u.w, 1, dst)
}
