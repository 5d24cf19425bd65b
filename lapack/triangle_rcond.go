package lapack

import (
	"blskernel"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// RCondTriangle returns the estimated reciprocal condition number 1/(‖R‖₁ ‖R⁻¹‖₁) of the upper triangle R
// of the n×n r, between 0 and 1; see Cholesky.RCond. It is 0 where R has a zero on its diagonal, or
// holds NaN or an infinity. What r holds below its diagonal is not read, and nothing is written. bk may
// be nil for the default. It costs about 5n² flops. RCondTriangle is 1 for n = 0 and panics with
// mat.ErrShape if r is not square. (LAPACK: dtrcon.)
func RCondTriangle(bk blskernel.Backend, r *mat.Dense) float64 {
	n, cols := r.Dims()
	checkShape(cols == n)
	raw := r.RawMatrix()
	return rcondTriangle(bk, n, raw.Data, raw.Stride)
}

// rcondTriangle is RCondTriangle for the upper triangle of the n×n u.
func rcondTriangle(bk blskernel.Backend, n int, u []float64, ldu int) float64 {
	const routine = "Dtrcon"
	bk = blskernel.Begin(bk, blskernel.Routine{Name: routine, M: n, N: n})
	if checkTriangle(routine, n, u, ldu) != nil {
		return 0
	}
	return rcond(n, norm1Triangle(n, u, ldu), func(x []float64, trans bool) {
		dtrsm(bk, blas.Left, blas.Upper, transposed(trans), blas.NonUnit, n, 1, 1, u, ldu, x, 1)
	})
}
