package lapack

import (
	"blskernel"
	"blskernel/mat"
)

// AppendRows brings the triangle R of a QR factorization, and z = QᵀY, up to date when rows are added
// to the matrix and to its right-hand sides: it overwrites R and z by the R' and z', and Ya by the Ya',
// of
//
//	[R ]      [R']    [z ]      [z' ]
//	[Ax] = Q' [0 ],   [Ya] = Q' [Ya'],   Q' orthogonal,
//
// so that R'ᵀR' = RᵀR + AxᵀAx and R'ᵀz' = Rᵀz + AxᵀYa. The solution of the least squares problem with
// all rows is R'⁻¹z', and its residual sum of squares has grown, column by column, by the squared norms
// of the columns of Ya'. R, z may come from QR, may be zero where there are no rows yet, or may be
// sqrt(lambda) I and zero for a ridge. R need not be regular.
//
// R is k×k, Ax is q×k, z is k×c and Ya is q×c; z and Ya may be nil or empty for c = 0, and Ax and Ya
// are empty for q = 0. What r holds below its diagonal is neither read nor written, and ax is not
// changed. No matrix may overlap another. The signs of the diagonal of R' are arbitrary, those of Ya'
// too. bk may be nil for the default.
//
// The error is an *ElementError that matches ErrNotFinite where a matrix holds NaN or an infinity, with
// the position counted in [R z; Ax Ya]; nothing has been written then. It is a *PivotError that matches
// ErrNotFinite where numbers near the largest one overflow, with the first row of [R' z'] in which that
// shows; r, z and ya are then overwritten and of no use. Elements of other sizes, however large or
// small, are safe. AppendRows panics with mat.ErrShape if the shapes do not fit.
//
// It takes 2qk² + 4cqk flops, against 2qk² + 4k³/3 for a new factorization of [R; Ax], and a workspace
// of about 2²⁰ + 32(k + c) numbers: as many rows as have room in it, 2²⁰/(k + c), are treated together,
// and fewer where there are fewer. A call with many rows is faster than many calls with few. On the
// backend pure the result does not depend on the number of threads. (LAPACK: dtpqrt with l = 0, and
// dtpmqrt; Golub and Van Loan, Matrix Computations, fourth edition, section 6.5.3.)
func AppendRows(bk blskernel.Backend, r, z, ax, ya *mat.Dense) error {
	e := newElimination("Dtpqrt", r, z, ax, ya)
	return e.run(blskernel.Begin(bk, blskernel.Routine{Name: e.routine, M: e.b.Rows, N: e.r.Cols, NRHS: e.z.Cols}))
}
