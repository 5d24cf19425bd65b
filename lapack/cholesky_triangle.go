package lapack

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// SolveUTo writes X = op(U)⁻¹B to dst in n²m flops. B is the n×m matrix b, and op(U) is Uᵀ if trans is
// set and U otherwise. SolveTo does both solves: A⁻¹B = U⁻¹(U⁻ᵀB). U⁻ᵀB gives quadratic forms without
// cancellation: bᵀA⁻¹b = ‖U⁻ᵀb‖². See Solving in the package comment. SolveUTo does not check the
// condition number. (LAPACK: dtptrs.)
func (c *Cholesky) SolveUTo(dst, b *mat.Dense, trans bool) error {
	return c.solveU(blas.Left, dst, b, trans)
}

// SolveURowsTo writes X = B op(U)⁻¹ to dst in n²m flops, with op(U) as in SolveUTo. B is the m×n matrix
// b, with a right-hand side in each row. SolveUTo with Bᵀ and the opposite value of trans gives Xᵀ. See
// Solving in the package comment.
func (c *Cholesky) SolveURowsTo(dst, b *mat.Dense, trans bool) error {
	return c.solveU(blas.Right, dst, b, trans)
}

func (c *Cholesky) solveU(side blas.Side, dst, b *mat.Dense, trans bool) error {
	c.mustHold()
	solve := func(bk factor.Backend, side blas.Side, nrhs int, x block.Matrix) {
		factor.Trtrs(bk, side, blas.Upper, block.Trans(trans), blas.NonUnit, c.n, nrhs, c.upper(), x)
	}
	return solveTo(c.backend, "Dtptrs", side, c.n, dst, b, solve)
}

// SolveUTriangle overwrites the lower triangle L of the n×n matrix l with U⁻ᵀL, which is also lower
// triangular. It neither reads nor writes l above its diagonal. It takes n³/3 flops, a third as many as
// SolveUTo with n right-hand sides. The workspace is about 128n numbers and the buffers of the backend;
// a backend without products of packed blocks takes 400n more.
//
// The error is an *ElementError that matches ErrNotFinite if the triangle holds NaN or an infinity; l
// is then unchanged. The error matches ErrOverflow if the result overflows; the triangle then holds the
// computed values. SolveUTriangle panics with mat.ErrShape if l is not n×n. (LAPACK has no such
// routine; a blsupdate.Counter records it as "Dttrsm": a dtrsm with a triangular B.)
func (c *Cholesky) SolveUTriangle(l *mat.Dense) error {
	return c.onTriangle("Dttrsm", blas.Lower, l, factor.Ttrsm)
}

// MulUTriangle overwrites the upper triangle R of the n×n matrix r with U R, which is also upper
// triangular. It neither reads nor writes r below its diagonal. Flops, workspace and panics are as for
// SolveUTriangle.
//
// The error is an *ElementError that matches ErrNotFinite if the triangle holds NaN or an infinity; r
// is then unchanged. The error matches ErrOverflow if the product overflows; the triangle then holds
// the computed values. (LAPACK has no such routine; a blsupdate.Counter records it as "Dttrmm": a dtrmm
// with a triangular B.)
func (c *Cholesky) MulUTriangle(r *mat.Dense) error {
	return c.onTriangle("Dttrmm", blas.Upper, r, factor.Ttrmm)
}

// onTriangle implements SolveUTriangle and MulUTriangle: it reports the routine to the backend, checks
// the triangle ul of x, calls do to overwrite that triangle, and checks the result.
func (c *Cholesky) onTriangle(routine string, ul blas.Uplo, x *mat.Dense, do func(bk factor.Backend, base, n int, u, x block.Matrix)) error {
	c.mustHold()
	raw := x.RawMatrix()
	checkShape(raw.Rows == c.n && raw.Cols == c.n)
	bk := announce(c.backend, routine, c.n, c.n, 0)
	if c.n == 0 {
		return nil
	}
	if err := checkFinite(bk, routine, ul, raw, ErrNotFinite); err != nil {
		return err
	}
	do(bk, c.base(), c.n, c.upper(), blockOf(raw))
	return checkFinite(bk, routine, ul, raw, ErrOverflow)
}
