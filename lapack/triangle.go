package lapack

import (
	"math"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// SolveTriangular overwrites the n×m matrix B in dst with X = op(R)⁻¹B, where R is the upper triangle
// of the n×n matrix r; op(R) is Rᵀ if trans is set and R otherwise. It does not read r below its
// diagonal, and takes n²m flops and no workspace. bk may be nil for the default.
//
// The error matches ErrNotFinite if dst or R holds NaN or an infinity. It is a *PivotError that matches
// ErrSingular if R has a zero on its diagonal. In both cases dst is unchanged. The error matches
// ErrOverflow if X overflows; dst then holds the computed values. SolveTriangular panics with
// mat.ErrShape if the shapes do not match, or with a string if dst overlaps r. (LAPACK: dtrtrs;
// BLAS: dtrsm.)
func SolveTriangular(bk blskernel.Backend, dst, r *mat.Dense, trans bool) error {
	return solveTriangular(bk, blas.Left, dst, r, trans)
}

// SolveTriangularRows overwrites the m×n matrix B in dst with X = B op(R)⁻¹ for the upper triangle R of
// the n×n matrix r. The rows of B are the right-hand sides; nothing is transposed. With Q and R of a QR
// factorization and trans set, it turns Q into Q R⁻ᵀ, the transposed pseudoinverse. See
// SolveTriangular.
func SolveTriangularRows(bk blskernel.Backend, dst, r *mat.Dense, trans bool) error {
	return solveTriangular(bk, blas.Right, dst, r, trans)
}

func solveTriangular(bk blskernel.Backend, side blas.Side, dst, r *mat.Dense, trans bool) error {
	const routine = "Dtrtrs"
	n, _ := system(side, dst)
	u := r.RawMatrix()
	checkShape(u.Rows == n && u.Cols == n)
	require(!block.Overlap(dst.RawMatrix(), u), triangleAliased)
	if err := checkTriangle(routine, n, blockOf(u)); err != nil {
		return err
	}
	return solveTo(bk, routine, side, n, dst, dst, func(bk factor.Backend, side blas.Side, nrhs int, x block.Matrix) {
		factor.Trsm(bk, side, blas.Upper, block.Trans(trans), blas.NonUnit, n, nrhs, 1, blockOf(u), x)
	})
}

// InvertTriangle overwrites the upper triangle R of the n×n matrix r with R⁻¹, which is also upper
// triangular. It neither reads nor writes r below its diagonal, and takes n³/3 flops and no workspace.
// bk may be nil for the default. The left residual of the computed inverse X is small: |X R - I| <= c n
// u |X| |R| for a small c (Higham, Accuracy and Stability of Numerical Algorithms, section 14.2.1). To
// multiply R⁻¹ by another matrix, SolveTriangular takes fewer flops and is more accurate.
//
// The error matches ErrNotFinite if R holds NaN or an infinity. It is a *PivotError that matches
// ErrSingular if R has a zero on its diagonal. In both cases r is unchanged. The error matches
// ErrOverflow if the inverse overflows; see Inverses in the package comment. InvertTriangle panics with
// mat.ErrSquare if r is not square. (LAPACK: dtrtri, recursive.)
func InvertTriangle(bk blskernel.Backend, r *mat.Dense) error {
	const routine = "Dtrtri"
	n, cols := r.Dims()
	checkSquare(n, cols)
	on := announce(bk, routine, n, n, 0)
	if n == 0 {
		return nil
	}
	u := r.RawMatrix()
	if err := checkTriangle(routine, n, blockOf(u)); err != nil {
		return err
	}
	x, s := blockOf(u), 1.0
	if math.Abs(u.Data[0]) < tiny { // no element is larger than the norm
		s = upscale(factor.Lantr(n, x))
	}
	factor.Rescale(s, blas.Upper, n, n, x)
	factor.Trtri(on, blas.Upper, blas.NonUnit, n, x)
	factor.Rescale(s, blas.Upper, n, n, x)
	return checkFinite(on, routine, blas.Upper, u, ErrOverflow)
}

// RCondTriangle returns the estimated reciprocal condition number 1/(‖R‖₁ ‖R⁻¹‖₁) of the upper triangle
// R of the n×n matrix r, and 1 for n = 0; see Cholesky.RCond. It is 0 if R has a zero on its diagonal,
// or holds NaN or an infinity. It does not read r below its diagonal, and takes about 5n² flops. bk may
// be nil for the default. RCondTriangle panics with mat.ErrSquare if r is not square. (LAPACK: dtrcon.)
func RCondTriangle(bk blskernel.Backend, r *mat.Dense) float64 {
	n, cols := r.Dims()
	checkSquare(n, cols)
	return rcondTriangle(bk, n, blockOf(r.RawMatrix()))
}
