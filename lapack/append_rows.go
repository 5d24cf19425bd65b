package lapack

import (
	"cmp"

	"blskernel"
	"blskernel/internal/linalg/factor/qr"
	"blskernel/mat"
)

// AppendRows updates the triangle R of a QR factorization, and z = QᵀY, when rows Ax are added to the
// matrix and rows Ya to its right-hand sides Y. It overwrites R, z and Ya with R', z' and Ya', where
//
//	[R ]      [R']    [z ]      [z' ]
//	[Ax] = Q' [0 ],   [Ya] = Q' [Ya'],   Q' orthogonal,
//
// so that R'ᵀR' = RᵀR + AxᵀAx and R'ᵀz' = Rᵀz + AxᵀYa. R'⁻¹z' is the least squares solution for all
// rows. Its residual sums of squares exceed the earlier ones by the squared norms of the columns of
// Ya'. R and z may come from QR. To start without rows, set both to zero or, for a ridge, R to
// sqrt(lambda) I and z to zero. R may be singular.
//
// R is k×k, Ax is q×k, z is k×c and Ya is q×c; z and Ya may be nil or empty for c = 0, and Ax and Ya
// are empty for q = 0. AppendRows neither reads nor writes r below its diagonal, and does not change
// ax. No matrix may overlap another. The signs of the diagonal of R' and of Ya' are arbitrary. bk may
// be nil for the default.
//
// The error is an *ElementError that matches ErrNotFinite if a matrix holds NaN or an infinity. Row and
// Col then refer to the stacked matrix [R z; Ax Ya], and nothing is written. The error is a *PivotError
// that matches ErrNotFinite if the update overflows. Index is then the first row of [R' z'] that is not
// finite, or k-1 if only Ya' is not finite; the contents of r, z and ya are undefined. AppendRows
// panics with mat.ErrShape if the shapes do not match.
//
// AppendRows takes 2qk² + 4cqk flops; a new factorization of [R; Ax] takes 2qk² + 4k³/3. It works on
// m = 2²⁰/(k + c) rows at a time, or all rows if there are fewer. The workspace is about
// m(s + 2p) + p(k + c) numbers, where s is k + c rounded up to an odd multiple of 8, and p is
// min(32, k), or min(64, k) on a backend other than pure. One call with many rows is faster than many
// calls. On the pure backend the result does not depend on the number of threads. (LAPACK: dtpqrt with
// l = 0, and dtpmqrt; Golub and Van Loan, Matrix Computations, fourth edition, section 6.5.3.)
func AppendRows(bk blskernel.Backend, r, z, ax, ya *mat.Dense) error {
	return eliminate(bk, "Dtpqrt", newElimination(r, z, ax, ya))
}

// MergeTriangles combines the QR factorizations of two blocks of rows. It overwrites R1 and z1 with R
// and z, and z2 with rest, where
//
//	[R1]     [R]    [z1]     [z   ]
//	[R2] = Q [0],   [z2] = Q [rest],   Q orthogonal,
//
// so that RᵀR = R1ᵀR1 + R2ᵀR2 and Rᵀz = R1ᵀz1 + R2ᵀz2. The residual sum of squares is the sum for the
// two blocks plus the sum of squares of rest. At most one of the blocks may include a ridge.
//
// R1 and R2 are k×k upper triangular matrices. z1 and z2 are k×c, and may be nil or empty for c = 0.
// MergeTriangles neither reads nor writes r1 and r2 below their diagonals, and does not change r2.
// Overlap, signs, errors, panics and workspace are as for AppendRows; positions in errors refer to [R1
// z1; R2 z2]. The cost is 2k³/3 + 2ck² flops, a third to a half as many as AppendRows for k rows: row i
// of R2 keeps its i leading zeros until it is eliminated. (PLASMA: dttqrt, dttmqr; LAPACK: dtpqrt with
// l = n; the step of TSQR in Demmel, Grigori, Hoemmen and Langou, SIAM J. Sci. Comput. 34, 2012.)
func MergeTriangles(bk blskernel.Backend, r1, z1, r2, z2 *mat.Dense) error {
	k, _ := r1.Dims()
	rows, _ := r2.Dims()
	checkShape(rows == k)
	e := newElimination(r1, z1, r2, z2)
	e.Triangle = true
	return eliminate(bk, "Dttqrt", e)
}

// newElimination checks the shapes of [r z; b y] and returns the elimination that zeroes b.
func newElimination(r, z, b, y *mat.Dense) *qr.Tpqrt {
	e := &qr.Tpqrt{R: r.RawMatrix(), Z: rawOrNone(z), B: rawOrNone(b), Y: rawOrNone(y)}
	k, q := e.R.Rows, e.B.Rows
	checkShape(e.R.Cols == k)
	checkShape(q == 0 || e.B.Cols == k)
	checkShape(e.Z.Cols == 0 || e.Z.Rows == k)
	if k > 0 {
		checkShape(e.Y.Rows == q || e.Y.Rows == 0)
		checkShape(e.Y.Cols == e.Z.Cols || q == 0)
	}
	return e
}

func eliminate(bk blskernel.Backend, routine string, e *qr.Tpqrt) error {
	element, pivot := e.Run(announce(bk, routine, e.B.Rows, e.R.Cols, e.Z.Cols))
	return cmp.Or(elementError(routine, element, ErrNotFinite), pivotError(routine, pivot))
}
