package speed

import "slices"

// A Case is an operation together with those of its arguments that say which operand is transposed, on
// which side it stands and which triangle of it is stored.
type Case struct {
	// Op is the name of the routine in small letters, such as "dgemm", or what is computed by
	// several.
	Op string
	// Args are the arguments as one letter each, in the order of the routine's parameters: sides
	// L and R, triangles U and L, transposes N and T. It is empty for routines without any.
	Args string

	flops   func(s Shape) float64
	prepare func(args string, s Shape, r *source) *Problem
}

// Flops returns the nominal number of floating-point operations for a shape.
func (c Case) Flops(s Shape) float64 { return c.flops(s) }

// String returns the operation and its arguments, such as "dgemm NN".
func (c Case) String() string {
	if c.Args == "" {
		return c.Op
	}
	return c.Op + " " + c.Args
}

// An operation is a row of the table.
type operation struct {
	name    string
	args    []string // the first one is what most callers use
	flops   func(side byte, s Shape) float64
	prepare func(args string, s Shape, r *source) *Problem
}

var (
	transposes2 = []string{"NN", "NT", "TN", "TT"}
	oneTriangle = []string{"U", "L"}
	triangles   = []string{"UN", "UT", "LN", "LT"}
	sided       = []string{"LU", "LL", "RU", "RL"}
	triangular  = []string{"LUN", "LUT", "LLN", "LLT", "RUN", "RUT", "RLN", "RLT"}
)

var table = []operation{
	{"dgemm", transposes2, product, dgemm},
	{"dsyrk", triangles, rankK, dsyrk},
	{"dsyr2k", triangles, rank2K, dsyr2k},
	{"dsymm", sided, symmetric, dsymm},
	{"dtrmm", triangular, triangle, dtrmm},
	{"dtrsm", triangular, triangle, dtrsm},
	{"dgemmtp", transposes2, rankK, dgemmtp},
	{"dsprk", []string{"N", "T"}, rankK, dsprk},
	{"dspmm", []string{"L", "R"}, symmetric, dspmm},
	{"dgemv", []string{"N", "T"}, matrixVector, dgemv},
	{"dger", []string{""}, matrixVector, dger},
	{"dsymv", oneTriangle, symmetricVector, dsymv},
	{"dspmv", oneTriangle, symmetricVector, dspmv},
	{"dsyr", oneTriangle, rankOne, dsyr},
	{"dspr", oneTriangle, rankOne, dspr},
	{"ddot", []string{""}, vector, ddot},
	{"daxpy", []string{""}, vector, daxpy},
	{"cholesky-inverse", []string{""}, cube, choleskyInverse},
	{"ldlt-inverse", []string{""}, cube, ldltInverse},
	{"lu-inverse", []string{""}, twoCubes, luInverse},
	{"lu-solve", []string{""}, solution, luSolve},
}

func product(_ byte, s Shape) float64         { return 2 * float64(s.M) * float64(s.N) * float64(s.K) }
func rankK(_ byte, s Shape) float64           { return float64(s.N) * float64(s.N) * float64(s.K) }
func rank2K(_ byte, s Shape) float64          { return 2 * rankK(0, s) }
func symmetric(side byte, s Shape) float64    { return 2 * triangle(side, s) }
func matrixVector(_ byte, s Shape) float64    { return 2 * float64(s.M) * float64(s.N) }
func symmetricVector(_ byte, s Shape) float64 { return 2 * rankOne(0, s) }
func rankOne(_ byte, s Shape) float64         { return float64(s.N) * float64(s.N) }
func vector(_ byte, s Shape) float64          { return 2 * float64(s.N) }
func cube(_ byte, s Shape) float64            { return float64(s.N) * float64(s.N) * float64(s.N) }
func twoCubes(_ byte, s Shape) float64        { return 2 * cube(0, s) }
func solution(_ byte, s Shape) float64        { return 2 * triangle('L', s) }
func triangle(side byte, s Shape) float64 {
	return float64(s.M) * float64(s.N) * float64(order(side, s))
}

// order returns the order of the square operand that stands on the given side of an M×N matrix.
func order(side byte, s Shape) int {
	if side == 'L' {
		return s.M
	}
	return s.N
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
// LU.SolveTo.
func Cases(op string) []Case {
	var cases []Case
	for _, o := range table {
		if o.name != op {
			continue
		}
		for _, args := range o.args {
			var side byte
			if args != "" {
				side = args[0]
			}
			cases = append(cases, Case{
				Op: o.name, Args: args, prepare: o.prepare,
				flops: func(s Shape) float64 { return o.flops(side, s) },
			})
		}
	}
	return cases
}

// Find returns the case of an operation with the given arguments, and whether there is one.
func Find(op, args string) (Case, bool) {
	cases := Cases(op)
	if i := slices.IndexFunc(cases, func(c Case) bool { return c.Args == args }); i >= 0 {
		return cases[i], true
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
