package lapack

import (
	"blskernel"
	"blskernel/internal/block"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// SolveTriangular computes X = op(R)⁻¹B for the n×m B in dst, which X overwrites, and the upper triangle
// of the n×n r; op(R) is Rᵀ if trans is set and R otherwise. What r holds below its diagonal is not
// read. Every column is a right-hand side; SolveTriangularRows has one in every row. bk may be nil for
// the default. It takes n²m flops and no workspace.
//
// The error matches ErrNotFinite where dst or R holds NaN or an infinity, and is a *PivotError that
// matches ErrSingular where R has a zero on its diagonal; dst is then unchanged. It matches ErrSingular
// too where X overflows; dst then holds what was computed. SolveTriangular panics with mat.ErrShape if
// the shapes do not fit, and if dst overlaps r. (LAPACK: dtrtrs; BLAS: dtrsm.)
func SolveTriangular(bk blskernel.Backend, dst, r *mat.Dense, trans bool) error {
	const routine = "Dtrtrs"
	n, m := dst.Dims()
	rows, cols := r.Dims()
	checkShape(rows == n && cols == n)
	u, x := r.RawMatrix(), dst.RawMatrix()
	if overlap(x, u) {
		panic(triangleAliased)
	}
	bk = blskernel.Begin(bk, blskernel.Routine{Name: routine, M: n, N: n, NRHS: m})
	if m == 0 || n == 0 {
		return nil
	}
	if err := checkTriangle(routine, n, u.Data, u.Stride); err != nil {
		return err
	}
	if err := checkFinite(routine, x, ErrNotFinite); err != nil {
		return err
	}
	defer blskernel.Hold(bk, float64(n)*float64(n)*float64(m))()
	dtrsm(bk, blas.Left, blas.Upper, transposed(trans), blas.NonUnit, n, m, 1, u.Data, u.Stride, x.Data, x.Stride)
	return checkFinite(routine, x, ErrSingular)
}

const triangleAliased = "lapack: the solution overlaps the triangle"

// InvertTriangle overwrites the upper triangle R of the n×n r by R⁻¹, which is upper triangular too. What
// r holds below its diagonal is neither read nor written. bk may be nil for the default. It takes n³/3
// flops and no workspace. The residual on the left is small, |X R - I| <= c n u |X| |R| (Higham,
// Accuracy and Stability of Numerical Algorithms, section 14.2.1); SolveTriangular is as cheap
// wherever only the product of R⁻¹ with n/3 columns is wanted, and more accurate.
//
// The error matches ErrNotFinite where R holds NaN or an infinity, and is a *PivotError that matches
// ErrSingular where R has a zero on its diagonal; r is then unchanged. It matches ErrSingular too where
// the inverse overflows; the triangle then holds what was computed. InvertTriangle panics with
// mat.ErrShape if r is not square. (LAPACK: dtrtri, by halves.)
func InvertTriangle(bk blskernel.Backend, r *mat.Dense) error {
	const routine = "Dtrtri"
	n, cols := r.Dims()
	checkShape(cols == n)
	bk = blskernel.Begin(bk, blskernel.Routine{Name: routine, M: n, N: n})
	if n == 0 {
		return nil
	}
	u := r.RawMatrix()
	if err := checkTriangle(routine, n, u.Data, u.Stride); err != nil {
		return err
	}
	defer blskernel.Hold(bk, cube(n)/3)()
	dtrtri(bk, blas.Upper, blas.NonUnit, n, u.Data, u.Stride)
	return checkFiniteTriangle(block.On(bk), routine, blas.Upper, u, ErrSingular)
}
