package lapack

import "blskernel/mat"

// SolveTo computes the n×c X with A X = B for the n×c b and writes it to dst, which may be b
// but must not overlap it in part, which panics. An empty dst is given its size. It takes 2n²c flops.
//
// The error matches ErrNotFinite where b holds NaN or an infinity; dst is then unchanged. It matches
// ErrSingular where X overflows; dst then holds what was computed. SolveTo panics with mat.ErrShape
// if the shapes do not fit, and if the receiver is empty. (LAPACK: dgetrs.)
func (f *LU) SolveTo(dst, b *mat.Dense) error {
	f.mustHold()
	return solveColumns(f.Backend, "Dgetrs", f.Dim(), dst, b, f.solve)
}

// SolveRowsTo computes the m×n X with X A = B for the m×n b and writes it to dst, which may be b: every
// row of b is a right-hand side, of the system with Aᵀ. Nothing is transposed. Sizes, flops (2n²m),
// errors and panics are those of SolveTo.
func (f *LU) SolveRowsTo(dst, b *mat.Dense) error {
	f.mustHold()
	return solveRows(f.Backend, "Dgetrs", f.Dim(), dst, b, f.solveRows)
}
