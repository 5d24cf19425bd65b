package qr

import (
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/backend"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// downdate removes the rows Ax, of which pt is Pᵀ = Ax R⁻¹, by plane rotations. With N the Cholesky
// factor of I - PᵀP and Zeta = N⁻ᵀ(Ya - Pᵀz), the columns of [N; P] are orthonormal, and the orthogonal
// matrix that turns them into [I; 0] does
//
//	[N 0 Zeta]      [I Ax Ya]
//	[P R z   ]  to  [0 R' z'],
//
// which is the addition of the rows read backwards, as stable as that but for N and Zeta: orthogonal
// transformations only, where AxᵀAx is never subtracted. (LINPACK: dchdd, for q = 1; Golub and Van
// Loan, Matrix Computations, fourth edition, section 6.5.4.)
//
// Before anything is overwritten N has been found, its 1-h is large enough and Zeta is finite. The
// rest cannot fail: no column of [0 Zeta; R z] becomes any longer. So R and z are changed in place.
func (s *State) downdate(pt, ya *mat.Dense) error {
	q, k, c := dense.Rows(pt), s.K, s.C
	rest, x := dense.IdentityPacked(q), pt.RawMatrix()
	s.Counter.Dgemmtp(blas.NoTrans, blas.Trans, q, k, -1, x.Data, x.Stride, x.Data, x.Stride, 1, rest.RawSymPacked().Data)
	factor, least, err := s.remainder(rest, func(z []float64) []float64 {
		p := make([]float64, k)
		s.Counter.Dgemv(blas.Trans, q, k, 1, x.Data, x.Stride, z, 1, 0, p, 1)
		return p
	})
	if err != nil {
		return err
	}
	n := dense.ScaledIdentity(q, 1)
	mustNotFail(factor.MulUTriangle(n))

	s.Counter.Enter(cost.StepTriangle)
	zeta, z := gonummat.DenseCopyOf(ya), s.Z.RawMatrix()
	s.Counter.Dgemm(blas.NoTrans, blas.NoTrans, q, c, k, -1, x.Data, x.Stride, z.Data, z.Stride, 1, zeta.RawMatrix().Data, c)
	if err := factor.SolveUTo(zeta, zeta, true); err != nil {
		return api.ErrOverflow
	}
	if _, err := bounded(s.Size.Plus(state.Norms{A: make([]float64, k), Y: dense.ColumnNorms(zeta)})); err != nil {
		return err
	}
	r := s.R.RawMatrix()
	d := Rotations{
		Bk: backend.Begin(s.Counter, cost.Operation{Kind: cost.Chdd, M: q, N: k, K: c}.Routine()),
		Q:  q, K: k, N: n.RawMatrix().Data, P: transpose(pt),
		Others: []Carried{
			{Low: make([]float64, q*k), Ldl: k, High: r.Data, Ldh: r.Stride, Width: k, Triangle: true},
			{Low: zeta.RawMatrix().Data, Ldl: c, High: z.Data, Ldh: z.Stride, Width: c},
		},
	}
	d.Run()
	s.NoteLoss(1 / least)
	return nil
}

// transpose returns the elements of mᵀ.
func transpose(m *mat.Dense) []float64 {
	rows, cols := m.Dims()
	t := make([]float64, rows*cols)
	for i := range rows {
		for j, v := range m.RawRowView(i) {
			t[j*rows+i] = v
		}
	}
	return t
}
