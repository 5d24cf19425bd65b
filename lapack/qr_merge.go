package lapack

import (
	"blskernel"
	"blskernel/mat"
)

// MergeTriangles makes one QR factorization of two, those of a matrix and of more rows of it that were
// treated apart: it overwrites R1 and z1 by the R and z, and z2 by the rest, of
//
//	[R1]     [R]    [z1]     [z   ]
//	[R2] = Q [0],   [z2] = Q [rest],   Q orthogonal,
//
// so that RᵀR = R1ᵀR1 + R2ᵀR2 and Rᵀz = R1ᵀz1 + R2ᵀz2. The residual sums of squares of the two add up,
// and the squared norms of the columns of the rest come to them. Where the problem has a ridge, only
// one of the two may carry it.
//
// R1 and R2 are k×k upper triangular, z1 and z2 are k×c; both may be nil or empty for c = 0. What r1
// and r2 hold below their diagonals is neither read nor written, and r2 is not changed. Overlap, signs,
// errors (positions are counted in [R1 z1; R2 z2]), panics and workspace are as in AppendRows.
//
// Row i of R2 begins with i zeros, which it keeps until its turn comes, so that 2k³/3 + 2ck² flops are
// enough, a third of what AppendRows would take for R2 as k rows. (PLASMA: dttqrt, dttmqr; LAPACK:
// dtpqrt with l = n; the step of TSQR in Demmel, Grigori, Hoemmen and Langou, SIAM J. Sci. Comput. 34,
// 2012.)
func MergeTriangles(bk blskernel.Backend, r1, z1, r2, z2 *mat.Dense) error {
	k, _ := r1.Dims()
	rows, _ := r2.Dims()
	checkShape(rows == k)
	e := newElimination("Dttqrt", r1, z1, r2, z2)
	e.triangle = true
	return e.run(blskernel.Begin(bk, blskernel.Routine{Name: e.routine, M: k, N: k, NRHS: e.z.Cols}))
}
