package lapack

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Trmm computes B = U B for the m×n dense block b and the upper triangle of the m×m u, in m²n flops. It
// halves U, so that nearly all of the work is in long products.
func Trmm(bk Backend, m, n int, u, b block.Matrix) {
	if m <= block.Size {
		w := acquire(m * stride(m))
		defer w.release()
		d := w.matrix(m, stride(m))
		block.CopyUpper(d, u, m)
		bk.trmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, m, n, 1, d, b)
		return
	}
	m1 := half(m)
	m2 := m - m1
	b2 := b.Sub(m1, 0)
	Trmm(bk, m1, n, u, b)
	bk.gemm(blas.NoTrans, blas.NoTrans, m1, n, m2, 1, u.Sub(0, m1), b2, 1, b)
	Trmm(bk, m2, n, u.Sub(m1, m1), b2)
}
