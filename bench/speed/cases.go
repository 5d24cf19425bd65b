package speed

import (
	"fmt"
	"slices"
)

// A Shape is the size of an operation's operands. Which of the three numbers matter, and for what,
// depends on the operation; see Cases.
type Shape struct{ M, N, K int }

// Square returns the shape of which all sizes are n.
func Square(n int) Shape { return Shape{n, n, n} }

// String returns "n" for a square and "mxnxk" for every other shape.
func (s Shape) String() string {
	if s == Square(s.N) {
		return fmt.Sprint(s.N)
	}
	return fmt.Sprintf("%dx%dx%d", s.M, s.N, s.K)
}

// Large reports whether all sizes are at least 1000, so that threads have enough to do.
func (s Shape) Large() bool { return min(s.M, s.N, s.K) >= 1000 }

// Sizes returns the orders of the squares of a full comparison: small ones, at which a call's own cost
// shows, those around the sizes of caches and blocks, and large ones.
func Sizes() []int {
	return []int{8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000, 1500, 2000, 4000}
}

// BLS returns the shapes that an operation has when a broad learning system is updated, or none where
// squares stand for them. With k = 1100 nodes and batches of 5000 or 10000 samples these are
//
//	dgemm            inner and outer products of updates, targets of 10 classes, features from 100
//	                 inputs, and the panels of factorizations
//	dsprk, dgemmtp   AᵀA from 10000 samples
//	dspmm            a packed inverse by 10000 rows
func BLS(op string) []Shape {
	switch op {
	case "dgemm":
		return []Shape{
			{5100, 5100, 2000}, {1100, 10000, 5000}, {1100, 10, 10000}, {10000, 5000, 100},
			{1000, 1000, 128}, {2000, 2000, 128}, {4000, 4000, 128},
		}
	case "dsprk", "dgemmtp":
		return []Shape{{1100, 1100, 10000}}
	case "dspmm":
		return []Shape{{1100, 10000, 1100}}
	}
	return nil
}

// A Case is an operation together with those of its arguments that say which operand is transposed, on
// which side it stands and which triangle of it is stored.
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

	flops   func(m, n, k, order float64) float64
	prepare func(args string, s Shape, r source) *Problem
}

// Flops returns the nominal number of floating-point operations for a shape.
func (c Case) Flops(s Shape) float64 {
	var side byte
	if c.Args != "" {
		side = c.Args[0]
	}
	return c.flops(float64(s.M), float64(s.N), float64(s.K), float64(order(side, s)))
}

// String returns the operation and its arguments, such as "dgemm NN".
func (c Case) String() string {
	if c.Args == "" {
		return c.Op
	}
	return c.Op + " " + c.Args
}

// order returns the order of the square operand that stands on the given side of an M×N matrix.
func order(side byte, s Shape) int {
	if side == 'L' {
		return s.M
	}
	return s.N
}

var (
	transposes2 = []string{"NN", "NT", "TN", "TT"}
	oneTriangle = []string{"U", "L"}
	triangles   = []string{"UN", "UT", "LN", "LT"}
	sided       = []string{"LU", "LL", "RU", "RL"}
	sides       = []string{"LUN", "LUT", "LLN", "LLT", "RUN", "RUT", "RLN", "RLT"}
	none        = []string{""}
)

// table has the operations, their arguments, of which most callers use the first, their flops by m, n,
// k and the order of the square operand, and their opponents.
var table = []struct {
	name      string
	args      []string
	flops     func(m, n, k, order float64) float64
	prepare   func(args string, s Shape, r source) *Problem
	opponents []string
}{
	{"dgemm", transposes2, func(m, n, k, _ float64) float64 { return 2 * m * n * k }, dgemm, nil},
	{"dsyrk", triangles, func(_, n, k, _ float64) float64 { return n * n * k }, dsyrk, nil},
	{"dsyr2k", triangles, func(_, n, k, _ float64) float64 { return 2 * n * n * k }, dsyr2k, nil},
	{"dsymm", sided, func(m, n, _, order float64) float64 { return 2 * m * n * order }, dsymm, nil},
	{"dtrmm", sides, func(m, n, _, order float64) float64 { return m * n * order }, dtrmm, nil},
	{"dtrsm", sides, func(m, n, _, order float64) float64 { return m * n * order }, dtrsm, nil},
	{"dgemmtp", transposes2, func(_, n, k, _ float64) float64 { return n * n * k }, dgemmtp, nil},
	{"dsprk", []string{"N", "T"}, func(_, n, k, _ float64) float64 { return n * n * k }, dsprk, nil},
	{"dspmm", []string{"L", "R"}, func(m, n, _, order float64) float64 { return 2 * m * n * order }, dspmm, nil},
	{"dgemv", []string{"N", "T"}, func(m, n, _, _ float64) float64 { return 2 * m * n }, dgemv, nil},
	{"dger", none, func(m, n, _, _ float64) float64 { return 2 * m * n }, dger, nil},
	{"dsymv", oneTriangle, func(_, n, _, _ float64) float64 { return 2 * n * n }, dsymv, nil},
	{"dspmv", oneTriangle, func(_, n, _, _ float64) float64 { return 2 * n * n }, dspmv, nil},
	{"dsyr", oneTriangle, func(_, n, _, _ float64) float64 { return n * n }, dsyr, nil},
	{"dspr", oneTriangle, func(_, n, _, _ float64) float64 { return n * n }, dspr, nil},
	{"ddot", none, func(_, n, _, _ float64) float64 { return 2 * n }, ddot, nil},
	{"daxpy", none, func(_, n, _, _ float64) float64 { return 2 * n }, daxpy, nil},
	{"cholesky-inverse", none, func(_, n, _, _ float64) float64 { return n * n * n }, choleskyInverse,
		[]string{"dpotrf+dpotri"}},
	{"ldlt-inverse", none, func(_, n, _, _ float64) float64 { return n * n * n }, ldltInverse,
		[]string{"dsptrf+dsptri", "dsytrf+dsytri2"}},
	{"lu-inverse", none, func(_, n, _, _ float64) float64 { return 2 * n * n * n }, luInverse, []string{"dgetrf+dgetri"}},
	{"lu-solve", none, func(m, n, _, _ float64) float64 { return 2 * m * m * n }, luSolve, []string{"dgetrs"}},
}

// Cases returns all cases of an operation, the one that most callers use first, or none if there is no
// such operation. What they compute, and the flops:
//
//	dgemm    C = op(A)·op(B), C m×n, sums of k terms      2mnk
//	dsyrk    C = A·Aᵀ or Aᵀ·A, one triangle, C n×n        n²k
//	dsyr2k   C = A·Bᵀ + B·Aᵀ or the like, C n×n           2n²k
//	dsymm    C = S·B or B·S, B m×n, S symmetric           2m²n or 2mn²
//	dtrmm    B = op(T)·B or B·op(T), B m×n                m²n or mn²
//	dtrsm    B = op(T)⁻¹·B or B·op(T)⁻¹, B m×n            m²n or mn²
//	dgemmtp  AP = op(A)·op(B), packed, of order n         n²k
//	dsprk    AP = A·Aᵀ or Aᵀ·A, packed, of order n        n²k
//	dspmm    C = S·B or B·S, S packed, B m×n              2m²n or 2mn²
//	dgemv    y = op(A)·x, A m×n                           2mn
//	dger     A = A + x·yᵀ, A m×n                          2mn
//	dsymv    y = S·x, S symmetric, of order n             2n²
//	dspmv    the same, S packed                           2n²
//	dsyr     S = S + x·xᵀ, one triangle, of order n       n²
//	dspr     the same, S packed                           n²
//	ddot     xᵀ·y of n elements                           2n
//	daxpy    y = y + x of n elements                      2n
//
//	cholesky-inverse  A⁻¹ of order n, packed, A = n·I + S              n³
//	ldlt-inverse      A⁻¹ of order n, packed, A = S, indefinite        n³
//	lu-inverse        A⁻¹ of order n                                   2n³
//	lu-solve          X = A⁻¹·B, A m×m with its factors given, B m×n   2m²n
//
// dgemmtp, dsprk and dspmm are those of blskernel.Packed. T has no unit diagonal. The inverses are
// FactorizeInPlace and InverseInPlace of Cholesky, LDLT and LU of package lapack, lu-solve is
// LU.SolveTo. Their opponents are
//
//	cholesky-inverse  dpotrf+dpotri     on full storage
//	ldlt-inverse      dsptrf+dsptri     on the same packed storage
//	                  dsytrf+dsytri2    on full storage
//	lu-inverse        dgetrf+dgetri     of Aᵀ, which is A by columns
//	lu-solve          dgetrs            of AᵀX = B, with Aᵀ, X and B by columns
func Cases(op string) []Case {
	var cases []Case
	for _, o := range table {
		for _, args := range o.args {
			if o.name == op {
				cases = append(cases, Case{op, args, slices.Clone(o.opponents), o.flops, o.prepare})
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
