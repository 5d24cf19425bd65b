package lapack

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// SolveTo computes the k×c X that minimises ‖A X - B‖ in each column, for the l×c b, and writes it to
// dst: X = R⁻¹ (QᵀB)₁..ₖ. An empty dst is given its size; b is not changed. It takes
// c(4lk - k²) flops, and a workspace of l(c + 64) + 64c numbers.
//
// The error matches ErrNotFinite where b holds NaN or an infinity, and is a *PivotError that matches
// ErrSingular where R has a zero on its diagonal, so that A has not full column rank; dst is then
// unchanged. It matches ErrSingular too where X overflows; dst then holds what was computed. SolveTo
// panics with mat.ErrShape if the shapes do not fit, and if the receiver is empty.
// (LAPACK: dormqr, dtrtrs.)
func (f *QR) SolveTo(dst, b *mat.Dense) error {
	f.mustHold()
	l, k := f.Dims()
	rows, nrhs := b.Dims()
	checkShape(rows == l)
	reuseFor(b, dst, k, nrhs)
	multiply := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dormqr", M: l, N: k, NRHS: nrhs})
	solve := blskernel.Begin(f.Backend, blskernel.Routine{Name: "Dtrtrs", M: k, N: k, NRHS: nrhs})
	if k == 0 || nrhs == 0 {
		return nil
	}
	if err := checkFinite("Dormqr", b.RawMatrix(), ErrNotFinite); err != nil {
		return err
	}
	if err := checkTriangle("Dtrtrs", k, f.qr.Data, f.qr.Stride); err != nil {
		return err
	}
	x := denseCopy(b)
	nb := min(f.block(), k)
	v, work := make([]float64, l*nb), make([]float64, nb*nrhs)
	for j := 0; j < k; j += f.block() {
		f.reflector(f.qr, j, v).apply(multiply, blas.Trans, nrhs, x.Data[j*nrhs:], nrhs, work)
	}
	dtrsm(solve, blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, k, nrhs, 1, f.qr.Data, f.qr.Stride, x.Data, nrhs)
	x.Rows = k
	raw := dst.RawMatrix()
	copyGeneral(raw, x)
	return checkFinite("Dtrtrs", raw, ErrSingular)
}
