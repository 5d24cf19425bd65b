package blsupdate

import (
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
func (s *triangular) downdate(pt, ya *mat.Dense) error {
	q, k, c := rowsOf(pt), s.k, s.c
	rest, x := identityPacked(q), pt.RawMatrix()
	s.counter.Dgemmtp(blas.NoTrans, blas.Trans, q, k, -1, x.Data, x.Stride, x.Data, x.Stride, 1, rest.RawSymPacked().Data)
	factor, least, err := s.remainder(rest, func(z []float64) []float64 {
		p := make([]float64, k)
		s.counter.Dgemv(blas.Trans, q, k, 1, x.Data, x.Stride, z, 1, 0, p, 1)
		return p
	})
	if err != nil {
		return err
	}
	n := multipleOfIdentity(q, 1)
	mustNotFail(factor.MulUTriangle(n))

	s.counter.Enter(StepTriangle)
	zeta, z := gonummat.DenseCopyOf(ya), s.z.RawMatrix()
	s.counter.Dgemm(blas.NoTrans, blas.NoTrans, q, c, k, -1, x.Data, x.Stride, z.Data, z.Stride, 1, zeta.RawMatrix().Data, c)
	if err := factor.SolveUTo(zeta, zeta, true); err != nil {
		return ErrOverflow
	}
	if _, err := bounded(s.size.plus(sizes{a: make([]float64, k), y: columnNorms(zeta)})); err != nil {
		return err
	}
	r := s.r.RawMatrix()
	d := rotations{
		bk: backend.Begin(s.counter, backend.Routine{Name: string(chdd), M: q, N: k, NRHS: c}),
		q:  q, k: k, n: n.RawMatrix().Data, p: transpose(pt),
		others: []carried{
			{low: make([]float64, q*k), ldl: k, high: r.Data, ldh: r.Stride, width: k, triangle: true},
			{low: zeta.RawMatrix().Data, ldl: c, high: z.Data, ldh: z.Stride, width: c},
		},
	}
	d.run()
	s.noteLoss(1 / least)
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
