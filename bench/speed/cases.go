package speed

import "slices"

// Sizes returns the orders of a full comparison. Small orders show the overhead of a call, and medium
// orders lie around the sizes of caches and blocks. A few orders are large.
func Sizes() []int {
	return []int{8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000, 1500, 2000, 4000}
}

// A Case is an operation with its arguments for the transposition of operands, the side and the stored
// triangle. Cases and Find return cases; the zero value has no operation, and its Prepare panics.
type Case struct {
	// Op is the name of a routine in lower case, such as "dgemm", of a task, such as "lu-solve", or
	// of an operation of gonum's mat, such as "mat.Mul".
	Op string
	// Args holds the arguments, one letter each, in the order of the routine's parameters: sides L
	// and R, triangles U and L, transposes N and T. Args is empty for routines without any.
	Args string
	// Opponents are routines of LAPACK for the same task, such as "dpotrf+dpotri", or Gonum.
	Opponents []string

	coefficient float64 // of the flops, coefficient·n^power
	power       int
	prepare     func(args string, n int, r source, opponent string) *Problem
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

// operations lists all operations, grouped by the files that prepare them. An operation has a case for
// each choice of its arguments, the most used first.
var operations = slices.Concat(routines, tasks, matOperations)

// Cases returns all cases of an operation, the most used first, or none if the operation is unknown.
//
// The operations dgemm to dscal are the routines of the BLAS on operands of order n, and dpotrf to
// dorgqr are routines of lapack.Implementation, whose inputs are computed beforehand. Case.Flops
// returns the nominal flops. dgemmt (a triangle of op(A)·op(B)), dgemmtp (the same, symmetric and
// packed), dsprk (A·Aᵀ or Aᵀ·A, packed) and dspmm (S·B or B·S, S packed) are from blskernel.Packed.
// dgemmtanh is the fused product C = tanh(A·B + 1·bᵀ) with a vector b.
//
// Triangular matrices have a non-unit diagonal, and S is symmetric. The tasks, with their flops and
// opponents, are
//
//	cholesky-inverse  A⁻¹, packed, A = n·I + S        n³     dpotrf+dpotri   on full storage
//	ldlt-inverse      A⁻¹, packed, A = S, indefinite  n³     dsptrf+dsptri   on the same storage
//	                                                         dsytrf+dsytri2  on full storage
//	lu-inverse        A⁻¹                             2n³    dgetrf+dgetri   of A by columns
//	lu-solve          X = A⁻¹·B, with the factors     2n³    dgetrs          of AᵀX = B
//	qr                A = Q·R, reflections of Q       4n³/3  dgeqrf
//	eigensym          S = V·Λ·Vᵀ                      9n³    dsyevd
//	svd               A = U·Σ·Vᵀ                      22n³   dgesdd
//	eigen             A·V = V·Λ                       25n³   dgeev
//
// The inverses are FactorizeInPlace and InverseInPlace of lapack's Cholesky, LDLT and LU, and lu-solve
// is LU.SolveTo. The decompositions are Dgeqrf, Dsyev, Dgesvd and Dgeev of lapack.Implementation, with
// the flops of Golub and Van Loan for the QR algorithm with all vectors ("Matrix Computations", 4th
// edition, sections 5.2, 7.5, 8.3 and 8.6). Their opponents store A in column-major order.
//
// The operations mat.Mul to mat.Pow are methods of gonum's mat on its own matrices, with
// lapack.Implementation and the backend in place of gonum's routines. Their opponent is Gonum, which
// keeps gonum's routines. mat.LQ and mat.QR-Q also form Q, mat.Solve-tall has 2n rows and mat.Pow the
// power 10. Flops are nominal: mat.GSVD has the flops of svd, and mat.Exp has the flops of a Padé
// approximant of degree 13 without squarings.
func Cases(op string) (cases []Case) {
	for _, c := range operations {
		if c.Op == op {
			cases = append(cases, c)
		}
	}
	return cases
}

// Find returns the case of an operation with the given arguments and reports whether it exists.
func Find(op, args string) (Case, bool) {
	i := slices.IndexFunc(operations, func(c Case) bool { return c.Op == op && c.Args == args })
	if i < 0 {
		return Case{}, false
	}
	return operations[i], true
}

// Operations returns the names of all operations, in the order in which Cases describes them.
func Operations() []string {
	var names []string
	for _, c := range operations {
		names = append(names, c.Op)
	}
	return slices.Compact(names)
}
