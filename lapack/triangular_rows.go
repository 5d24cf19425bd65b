package lapack

import (
	"math"

	"blskernel"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// SolveTriangularRows computes X = B op(R)⁻¹ for the m×n B in dst, which X overwrites, and the upper
// triangle of the n×n r; op(R) is Rᵀ if trans is set and R otherwise. What r holds below its diagonal
// is not read. Every row is a right-hand side, there may be very many of them, and nothing is
// transposed: with R and Q of a QR factorization, trans set turns Q into Q R⁻ᵀ, the transposed
// pseudoinverse. bk may be nil for the default. It takes n²m flops and no workspace.
//
// The error matches ErrNotFinite where dst or R holds NaN or an infinity, and is a *PivotError that
// matches ErrSingular where R has a zero on its diagonal; dst is then unchanged. It matches
// ErrSingular too where X overflows; dst then holds what was computed. SolveTriangularRows panics with
// mat.ErrShape if the shapes do not fit; dst must not overlap r. (LAPACK: dtrtrs; BLAS: dtrsm.)
func SolveTriangularRows(bk blskernel.Backend, dst, r *mat.Dense, trans bool) error {
	const routine = "Dtrtrs"
	m, n := dst.Dims()
	rows, cols := r.Dims()
	checkShape(rows == n && cols == n)
	bk = blskernel.Begin(bk, blskernel.Routine{Name: routine, M: n, N: n, NRHS: m})
	if m == 0 || n == 0 {
		return nil
	}
	u, x := r.RawMatrix(), dst.RawMatrix()
	if err := checkTriangle(routine, n, u.Data, u.Stride); err != nil {
		return err
	}
	if err := checkFinite(routine, x, ErrNotFinite); err != nil {
		return err
	}
	t := blas.NoTrans
	if trans {
		t = blas.Trans
	}
	for i := 0; i < m; i += rowPanel {
		dtrsm(bk, blas.Right, blas.Upper, t, blas.NonUnit, min(rowPanel, m-i), n, 1, u.Data, u.Stride, x.Data[i*x.Stride:], x.Stride)
	}
	return checkFinite(routine, x, ErrSingular)
}

// checkTriangle returns an error if the upper triangle of the n×n u holds a number that is not finite,
// or a zero on its diagonal.
func checkTriangle(routine string, n int, u []float64, ldu int) error {
	for i := range n {
		row := u[i*ldu+i : i*ldu+n]
		if !isfinite.All(row) {
			return elementError(routine, i, i, row, ErrNotFinite)
		}
		if row[0] == 0 {
			return &PivotError{Routine: routine, Index: i, Pivot: 0, Err: ErrSingular}
		}
	}
	return nil
}

// norm1Triangle returns the 1-norm of the upper triangle of the n×n u.
func norm1Triangle(n int, u []float64, ldu int) float64 {
	sums := make([]float64, n)
	for i := range n {
		for j, v := range u[i*ldu+i : i*ldu+n] {
			sums[i+j] += math.Abs(v)
		}
	}
	return largest(sums)
}
