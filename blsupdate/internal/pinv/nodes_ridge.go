package pinv

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// ridge computes Bᵀ = C (CᵀC + lambda DᵀD + lambda I)⁻¹, with which [A⁺ - D B; B] is the ridge inverse of
// [A H] if A⁺ is that of A. The matrix is the Schur complement HᵀH + lambda I - HᵀA D without its cancellation.
// From the QR factorization
//
//	[C; sqrt(lambda) D; sqrt(lambda) I] = [Q1; Q2; Q3] R
//
// it is RᵀR, and Bᵀ = Q1 R⁻ᵀ: nothing is squared, R is regular for any C, and no rank has to be decided.
//
// R is also what the triangular factor of [A H; sqrt(lambda) I] has below that of [A; sqrt(lambda) I], Ra:
//
//	[Ra  Ra D]⁻¹   [Ra⁻¹  -D R⁻¹]
//	[0   R   ]   = [0      R⁻¹  ].
//
// The norm of the columns that are new in the inverse tells how ill-conditioned the model becomes. D R⁻¹ and R⁻¹
// are Q2 and Q3 over sqrt(lambda), except for a lambda so small that those are rounding errors: hence the
// other bound, by the estimated condition of R.
func (s *widening) ridge() error {
	u, l, k, p := s.u, s.l, s.u.K, s.p
	u.Counter.Enter(cost.StepNodesB)
	defer u.Counter.Leave()
	root := math.Sqrt(u.Lambda)
	stacked := mat.NewDense(l+k+p, p, nil)
	stacked.Slice(0, l, 0, p).(*mat.Dense).Copy(s.c)
	below := stacked.Slice(l, l+k, 0, p).(*mat.Dense)
	below.Scale(root, s.d)
	for j := range p {
		stacked.Set(l+k+j, j, root)
	}
	qr := lapack.QR{Backend: u.Counter}
	if err := qr.FactorizeInPlace(stacked); err != nil {
		return api.ErrOverflow
	}
	var r mat.Dense
	qr.RTo(&r)
	inverse := math.Sqrt(float64(p)) / (qr.RCond() * r.Norm(1))
	q := qr.QInPlace().RawMatrix().Data
	s.grown = min(dense.Norm(q[l*p:])/root, math.Hypot(s.d.Norm(2), 1)*inverse)
	s.way.Ridge, s.way.Rank = true, p
	if err := s.solveTriangle(mat.NewDense(l+k, p, q[:(l+k)*p]), &r); err != nil {
		return err
	}
	s.bt, s.bd = mat.NewDense(l, p, q[:l*p]), mat.NewDense(k, p, q[l*p:(l+k)*p])
	return nil
}

// ridgeWeights computes the W of the new nodes, p×c. It is B Y; but rounding errors leave in C some of the
// column space of A, up to eps‖H‖, which B Y multiplies by what A explains of Y, and W would lose eps κ². For
// lambda = 0 C is projected once more. Here, where A A⁺ is no projection, it is in place of Y the residual,
//
//	B Y = (CᵀC + lambda DᵀD + lambda I)⁻¹ (Cᵀ(Y - A W) + lambda DᵀW),
//
// since W is the ridge solution for A, so that Aᵀ(Y - A W) = lambda W and AᵀC = lambda D.
func (s *widening) ridgeWeights(dst []float64) {
	u, l, k, p, c := s.u, s.l, s.u.K, s.p, s.u.C
	a, b, bd, rest := s.a.RawMatrix(), s.bt.RawMatrix(), s.bd.RawMatrix(), dense.Compact(s.y)
	u.Counter.Dgemm(blas.NoTrans, blas.NoTrans, l, c, k, -1, a.Data, a.Stride, u.W, c, 1, rest, c)
	u.Counter.Dgemm(blas.Trans, blas.NoTrans, p, c, l, 1, b.Data, b.Stride, rest, c, 0, dst, c)
	u.Counter.Dgemm(blas.Trans, blas.NoTrans, p, c, k, math.Sqrt(u.Lambda), bd.Data, bd.Stride, u.W, c, 1, dst, c)
}
