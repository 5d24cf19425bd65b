package speed

import "slices"

// Sizes returns the orders of a full comparison: small ones, at which a call's own cost
// shows, those around the sizes of caches and blocks, and large ones.
func Sizes() []int {
	return []int{8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000, 1500, 2000, 4000}
}

// A Case is an operation with its arguments for the transposition of operands, the side and the stored
// triangle. The zero value has no operation, and its methods panic: see Cases.
type Case struct {
	// Op is the name of the routine in small letters, such as "dgemm", or of a task for several
	// routines, such as "lu-solve".
	Op string
	// Args are the arguments as one letter each, in the order of the routine's parameters: sides
	// L and R, triangles U and L, transposes N and T. It is empty for routines without any.
	Args string
	// Opponents are the routines of LAPACK that compute the same, such as "dpotrf+dpotri". See
	// Cases.
	Opponents []string

	coefficient float64 // of the flops, coefficient·n^power
	power       int
	prepare     func(args string, n int, r source) *Problem
}

// Flops returns the nominal number of floating-point operations for operands of order n.
func (c Case) Flops(n int) float64 {
	flops := c.coefficient
	for range c.power {
		flops *= float64(n)
	}
	return flops
}

// String returns the operation and its arguments, such as "dgemm NN".
func (c Case) String() string {
	if c.Args == "" {
		return c.Op
	}
	return c.Op + " " + c.Args
}

var (
	transposes2 = []string{"NN", "NT", "TN", "TT"}
	oneTriangle = []string{"U", "L"}
	triangles   = []string{"UN", "UT", "LN", "LT"}
	sided       = []string{"LU", "LL", "RU", "RL"}
	sides       = []string{"LUN", "LUT", "LLN", "LLT", "RUN", "RUT", "RLN", "RLT"}
	none        = []string{""}
)

// table has the operations, their arguments, of which most callers use the first, their flops, and
// their opponents.
var table = []struct {
	name        string
	args        []string
	coefficient float64
	power       int
	prepare     func(args string, n int, r source) *Problem
	opponents   []string
}{
	{"dgemm", transposes2, 2, 3, dgemm, nil},
	{"dsyrk", triangles, 1, 3, dsyrk, nil},
	{"dsyr2k", triangles, 2, 3, dsyr2k, nil},
	{"dsymm", sided, 2, 3, dsymm, nil},
	{"dtrmm", sides, 1, 3, dtrmm, nil},
	{"dtrsm", sides, 1, 3, dtrsm, nil},
	{"dgemmt", []string{"UNN", "UNT", "UTN", "LNN"}, 1, 3, dgemmt, nil},
	{"dgemmtp", transposes2, 1, 3, dgemmtp, nil},
	{"dgemmdiag", transposes2, 2, 3, dgemmDiag, nil},
	{"dgemmtanh", none, 2, 3, dgemmTanh, nil},
	{"dsprk", []string{"N", "T"}, 1, 3, dsprk, nil},
	{"dsprkdiag", []string{"N", "T"}, 1, 3, dsprkDiag, nil},
	{"dspmm", []string{"L", "R"}, 2, 3, dspmm, nil},
	{"dgemv", []string{"N", "T"}, 2, 2, dgemv, nil},
	{"dger", none, 2, 2, dger, nil},
	{"dsymv", oneTriangle, 2, 2, dsymv, nil},
	{"dspmv", oneTriangle, 2, 2, dspmv, nil},
	{"dsyr", oneTriangle, 1, 2, dsyr, nil},
	{"dspr", oneTriangle, 1, 2, dspr, nil},
	{"dtrsv", triangles, 1, 2, dtrsv, nil},
	{"ddot", none, 2, 1, ddot, nil},
	{"daxpy", none, 2, 1, daxpy, nil},
	{"dscal", none, 1, 1, dscal, nil},
	{"dpotrf", none, 1. / 3, 3, dpotrf, nil},
	{"dpotri", none, 2. / 3, 3, dpotri, nil},
	{"dpotrs", none, 2, 3, dpotrs, nil},
	{"dgetrf", none, 2. / 3, 3, dgetrf, nil},
	{"dgetri", none, 4. / 3, 3, dgetri, nil},
	{"dgetrs", none, 2, 3, dgetrs, nil},
	{"dtrtri", none, 1. / 3, 3, dtrtri, nil},
	{"dtrtrs", none, 1, 3, dtrtrs, nil},
	{"dorgqr", none, 4. / 3, 3, dorgqr, nil},
	{"cholesky-inverse", none, 1, 3, choleskyInverse, []string{"dpotrf+dpotri"}},
	{"ldlt-inverse", none, 1, 3, ldltInverse, []string{dsptri, "dsytrf+dsytri2"}},
	{"lu-inverse", none, 2, 3, luInverse, []string{"dgetrf+dgetri"}},
	{"lu-solve", none, 2, 3, luSolve, []string{"dgetrs"}},
	{"qr", none, 4.0 / 3, 3, qr.prepare, []string{"dgeqrf"}},
	{"eigensym", none, 9, 3, eigenSym.prepare, []string{"dsyevd"}},
	{"svd", none, 22, 3, svd.prepare, []string{"dgesdd"}},
	{"eigen", none, 25, 3, eigen.prepare, []string{"dgeev"}},
	{"mat.Mul", none, 2, 3, matMul.prepare, ofGonum},
	{"mat.Cholesky", none, 1. / 3, 3, matCholesky.prepare, ofGonum},
	{"mat.LU", none, 2. / 3, 3, matLU.prepare, ofGonum},
	{"mat.QR", none, 4. / 3, 3, matQR.prepare, ofGonum},
	{"mat.QR-Q", none, 8. / 3, 3, matQRQ.prepare, ofGonum},
	{"mat.LQ", none, 8. / 3, 3, matLQ.prepare, ofGonum},
	{"mat.SVD", none, 22, 3, matSVD.prepare, ofGonum},
	{"mat.SVD-values", none, 8. / 3, 3, matSVDValues.prepare, ofGonum},
	{"mat.Eigen", none, 25, 3, matEigen.prepare, ofGonum},
	{"mat.EigenSym", none, 9, 3, matEigenSym.prepare, ofGonum},
	{"mat.GSVD", none, 22, 3, matGSVD.prepare, ofGonum},
	{"mat.Solve", none, 8. / 3, 3, matSolve.prepare, ofGonum},
	{"mat.Solve-tall", none, 10. / 3, 3, matSolveTall.prepare, ofGonum},
	{"mat.Inverse", none, 2, 3, matInverse.prepare, ofGonum},
	{"mat.Det", none, 2. / 3, 3, matDet.prepare, ofGonum},
	{"mat.Exp", none, 44. / 3, 3, matExp.prepare, ofGonum},
	{"mat.Pow", none, 8, 3, matPow.prepare, ofGonum},
}

// Cases returns all cases of an operation, the one that most callers use first, or none if there is no
// such operation. What they compute with operands of order n, and the flops:
//
//	dgemm    C = op(A)·op(B)                              2n³
//	dsyrk    C = A·Aᵀ or Aᵀ·A, one triangle               n³
//	dsyr2k   C = A·Bᵀ + B·Aᵀ or the like                  2n³
//	dsymm    C = S·B or B·S, S symmetric                  2n³
//	dtrmm    B = op(T)·B or B·op(T)                       n³
//	dtrsm    B = op(T)⁻¹·B or B·op(T)⁻¹                   n³
//	dgemmt   C = op(A)·op(B), one triangle                n³
//	dgemmtp  AP = op(A)·op(B), packed                     n³
//	dgemmdiag  C = op(A)·D·op(B), D diagonal              2n³
//	dgemmtanh  C = tanh(A·B + 1·bᵀ)                       2n³
//	dsprk    AP = A·Aᵀ or Aᵀ·A, packed                    n³
//	dsprkdiag  AP = A·D·Aᵀ or Aᵀ·D·A, packed              n³
//	dspmm    C = S·B or B·S, S packed                     2n³
//	dgemv    y = op(A)·x                                  2n²
//	dger     A = A + x·yᵀ                                 2n²
//	dsymv    y = S·x, S symmetric                         2n²
//	dspmv    the same, S packed                           2n²
//	dsyr     S = S + x·xᵀ, one triangle                   n²
//	dspr     the same, S packed                           n²
//	ddot     xᵀ·y                                         2n
//	daxpy    y = y + x                                    2n
//	dscal    x = -x                                       n
//	dtrsv    x = op(T)⁻¹·x                                n²
//
//	dpotrf, dpotri, dpotrs   A = UᵀU, A⁻¹, A⁻¹·B          n³/3, 2n³/3, 2n³
//	dgetrf, dgetri, dgetrs   P·A = L·U, A⁻¹, A⁻¹·B        2n³/3, 4n³/3, 2n³
//	dtrtri, dtrtrs, dorgqr   T⁻¹, T⁻¹·B, Q                n³/3, n³, 4n³/3
//
//	cholesky-inverse  A⁻¹, packed, A = n·I + S                         n³
//	ldlt-inverse      A⁻¹, packed, A = S, indefinite                   n³
//	lu-inverse        A⁻¹                                              2n³
//	lu-solve          X = A⁻¹·B, A with its factors given              2n³
//	qr                A = Q·R, reflections of Q                        4n³/3
//	eigensym          S = V·Λ·Vᵀ                                       9n³
//	svd               A = U·Σ·Vᵀ                                       22n³
//	eigen             A·V = V·Λ                                        25n³
//
// dgemmt, dgemmtp, dsprk and dspmm are from blskernel.Packed. T has no unit diagonal. From dpotrf on
// the routines are from lapack.Implementation, after what has to come before. The inverses are
// FactorizeInPlace and InverseInPlace of Cholesky, LDLT and LU of package lapack, lu-solve is
// LU.SolveTo. The decompositions are Dgeqrf, Dsyev, Dgesvd and Dgeev of lapack.Implementation, with
// the flops of Golub and Van Loan for the QR algorithm with all vectors ("Matrix Computations", 4th
// edition, sections 5.2, 7.5, 8.3 and 8.6). The opponents are
//
//	cholesky-inverse  dpotrf+dpotri     on full storage
//	ldlt-inverse      dsptrf+dsptri     on the same packed storage
//	                  dsytrf+dsytri2    on full storage
//	lu-inverse        dgetrf+dgetri     of Aᵀ, which is A by columns
//	lu-solve          dgetrs            of AᵀX = B, with Aᵀ, X and B by columns
//	qr                dgeqrf            of A by columns, as the following
//	eigensym          dsyevd
//	svd               dgesdd
//	eigen             dgeev
//
// The operations mat.Mul to mat.Pow are methods of gonum's mat on a program's own matrices, with
// lapack.Implementation and the backend in place of gonum's routines. Their opponent is Gonum, which
// leaves gonum's routines in place. mat.LQ and mat.QR-Q make Q too, mat.Solve-tall has 2n rows and
// mat.Pow the power 10. Flops are nominal: mat.GSVD has the flops of svd, and mat.Exp those of a Padé
// approximant of degree 13 without squarings.
func Cases(op string) []Case {
	var cases []Case
	for _, o := range table {
		for _, args := range o.args {
			if o.name == op {
				cases = append(cases, Case{op, args, slices.Clone(o.opponents), o.coefficient, o.power, o.prepare})
			}
		}
	}
	return cases
}

// Find returns the case of an operation with the given arguments, and whether there is one.
func Find(op, args string) (Case, bool) {
	for _, c := range Cases(op) {
		if c.Args == args {
			return c, true
		}
	}
	return Case{}, false
}

// Operations returns the names of all operations in the order of the table at Cases.
func Operations() []string {
	var names []string
	for _, o := range table {
		names = append(names, o.name)
	}
	return names
}
