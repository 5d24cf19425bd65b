package cost

import "blskernel/internal/linalg/backend"

// Thirds counts flops in units of a third, so that n³/3, the flops of a Cholesky factorization, is a
// whole number. Sums are then exact, in any order, up to 2⁵³ thirds, which take hours to compute.
type Thirds float64

// Flops converts t to flops.
func (t Thirds) Flops() float64 { return float64(t / 3) }

// An Operation is one product, one LAPACK-level routine or one pass over memory. The flops and the
// predicted time of a step are sums over its operations.
type Operation struct {
	Kind    Kind
	M, N, K int // as the kind defines them
	Times   int // number of repetitions; 0 stands for 1
}

func op(kind Kind, m, n, k int) Operation { return Operation{Kind: kind, M: m, N: n, K: k} }

// repeat returns the operations of work, each done the given number of times instead of once.
func repeat(times int, work ...Operation) []Operation {
	for i := range work {
		work[i].Times = times
	}
	return work
}

// A Kind is the kind of an Operation. Each kind has its own rates.
type Kind uint8

// Products, named after the BLAS routine and the transposed operands.
const (
	GemmNN   Kind = iota // m×n result, sums of k terms
	GemmNT               // likewise
	GemmTN               // likewise
	Sprk                 // packed result of order n, sums of k terms, the operand k×n
	GemmtpNT             // packed result of order n, sums of k terms, two n×k operands
	SpmmL                // packed matrix of order m times an m×n matrix
	SpmmR                // m×n matrix times a packed matrix of order n
	TrmmL                // triangle of order m times an m×n matrix
	TrmmR                // m×n matrix times a triangle of order n

	// In package ridge: products of m rows with a packed S of order n, and updates of S by m rows.
	Spmv       // X S for one row
	SpmmStrips // X S
	Spr        // S + TᵀT for one row
	SprkRows   // S + TᵀT

	// LAPACK routines for an m×n matrix or a square one of order n, with k right-hand sides.
	Pptrf
	Pptri
	Pptrs
	Tptrs
	Sptrf
	Sptri
	Getrf
	Getri
	Getrs
	Geqrf
	Geqp3
	Orgqr
	Tpqrt
	Ttqrt
	Trtri
	Trtrs
	Gesvd

	Ttrsm   // a triangular solve with a triangular right-hand side, which LAPACK does not have
	Ttrmm   // a product of two triangles
	Carlson // m rows added one by one to an inverse Cholesky factor of order n, in package cholesky
	Chud    // rotations that add m rows to a triangle of order n with k right-hand sides; LINPACK's dchud adds one
	Chdd    // rotations that remove m rows

	// Condition estimates: a few solves with one right-hand side each. They count no flops.
	Gecon
	Trcon

	// Passes over n numbers. They count no flops.
	Stream // reads and writes of existing storage
	Fresh  // zeroing of new storage

	Scan // the checks of m rows of n numbers: whether they are finite, and the norms of columns

	Kinds // the number of kinds
)

// kinds has the name of each kind, under which its rates are saved, and its flops.
var kinds = [Kinds]struct {
	name  string
	flops func(m, n, k int) Thirds
}{
	GemmNN:     {"Dgemm NN", Gemm},
	GemmNT:     {"Dgemm NT", Gemm},
	GemmTN:     {"Dgemm TN", Gemm},
	Sprk:       {"Dsprk T", symmetric},
	GemmtpNT:   {"Dgemmtp NT", symmetric},
	SpmmL:      {"Dspmm left", func(m, n, _ int) Thirds { return Gemm(m, n, m) }},
	SpmmR:      {"Dspmm right", square},
	TrmmL:      {"Dtrmm left", func(m, n, _ int) Thirds { return Gemm(m, n, m) / 2 }},
	TrmmR:      {"Dtrmm right", halfSquare},
	Spmv:       {"Dspmv", square},
	SpmmStrips: {"Dspmm strips", square},
	Spr:        {"Dspr", halfSquare},
	SprkRows:   {"Dsprk rows", halfSquare},
	Pptrf:      {"Dpptrf", cube},
	Pptri:      {"Dpptri", twoCubes},
	Pptrs:      {"Dpptrs", solve},
	Tptrs:      {"Dtptrs", halfSolve},
	Sptrf:      {"Dsptrf", cube},
	Sptri:      {"Dsptri", twoCubes},
	Getrf:      {"Dgetrf", twoCubes},
	Getri:      {"Dgetri", func(_, n, _ int) Thirds { return 2 * twoCubes(0, n, 0) }},
	Getrs:      {"Dgetrs", solve},
	Geqrf:      {"Dgeqrf", householder},
	Geqp3:      {"Dgeqp3", householder},
	Orgqr:      {"Dorgqr", householder},
	Tpqrt:      {"Dtpqrt", func(m, n, k int) Thirds { return Gemm(m, n, n) + Thirds(2*Gemm(m, n, k)) }},
	Ttqrt:      {"Dttqrt", func(_, n, k int) Thirds { return twoCubes(0, n, 0) + Gemm(n, n, k) }},
	Trtri:      {"Dtrtri", cube},
	Trtrs:      {"Dtrtrs", halfSolve},
	Gesvd:      {"Dgesvd", svd},
	Ttrsm:      {"Dttrsm", cube},
	Ttrmm:      {"Dttrmm", cube},
	Carlson:    {"Carlson", func(m, n, _ int) Thirds { return 7 * Gemm(m, n, n) / 4 }},
	Chud:       {"Dchud", func(m, n, k int) Thirds { return rotations(m, n, n+2*k) }},
	Chdd:       {"Dchdd", func(m, n, k int) Thirds { return rotations(m, n, n+m+2*k) }}, // m columns of P are carried along
	Gecon:      {"Dgecon", nothing},
	Trcon:      {"Dtrcon", nothing},
	Stream:     {"stream", nothing},
	Fresh:      {"fresh", nothing},
	Scan:       {"scan", nothing},
}

// Gemm returns the flops of the product of an m×k and a k×n matrix, 2mnk.
func Gemm(m, n, k int) Thirds { return Thirds(6 * Thirds(m) * Thirds(n) * Thirds(k)) }

func nothing(_, _, _ int) Thirds    { return 0 }
func symmetric(_, n, k int) Thirds  { return Gemm(n, n, k) / 2 }
func square(m, n, _ int) Thirds     { return Gemm(m, n, n) }
func halfSquare(m, n, _ int) Thirds { return Gemm(m, n, n) / 2 }
func cube(_, n, _ int) Thirds       { return Thirds(Thirds(n) * Thirds(n) * Thirds(n)) }
func twoCubes(_, n, _ int) Thirds   { return 2 * cube(0, n, 0) }
func solve(_, n, k int) Thirds      { return Gemm(n, n, k) }
func halfSolve(_, n, k int) Thirds  { return Gemm(n, n, k) / 2 }
func rotations(m, n, w int) Thirds  { return 9 * Thirds(m) * Thirds(n) * Thirds(w) }

// householder returns the flops of the QR factorization of an m×n or n×m matrix, 2mn² - 2n³/3 for m >=
// n. Forming its thin Q takes as many.
func householder(m, n, _ int) Thirds { return Gemm(m, n, min(m, n)) - twoCubes(0, min(m, n), 0) }

func svd(m, n, _ int) Thirds {
	m, n = max(m, n), min(m, n)
	return Thirds(42*Thirds(m)*Thirds(n)*Thirds(n)) + Thirds(24*cube(0, n, 0))
}

// kindOf maps the names of routines to kinds. Dense Cholesky routines count as packed ones.
var kindOf = map[string]Kind{"Dpotrf": Pptrf, "Dpotri": Pptri, "Dpotrs": Pptrs}

func init() {
	for k := range Kinds {
		kindOf[k.String()] = k
	}
}

func (k Kind) String() string { return kinds[k].name }

// Flops returns the flops of o by the paper's convention.
func (o Operation) Flops() Thirds {
	return Thirds(Thirds(max(1, o.Times)) * kinds[o.Kind].flops(o.M, o.N, o.K))
}

// Amount returns the work that the rate of o refers to: flops, or numbers read or written.
func (o Operation) Amount() float64 {
	times := float64(max(1, o.Times))
	switch o.Kind {
	case Stream, Fresh:
		return times * float64(o.N)
	case Scan:
		return times * float64(o.M) * float64(o.N)
	case Gecon, Trcon:
		return times * float64(o.N) * float64(o.N)
	default:
		return o.Flops().Flops()
	}
}

// Routine returns o as the backend.Routine that a Counter records.
func (o Operation) Routine() backend.Routine {
	return backend.Routine{Name: o.Kind.String(), M: o.M, N: o.N, NRHS: o.K}
}

// routineFlops returns the flops of a LAPACK-level routine, or 0 if it has no kind (lower order).
func routineFlops(r backend.Routine) Thirds {
	if r.Name == "Dormqr" {
		return Thirds(2*Gemm(r.M, r.N, r.NRHS)) - Gemm(r.N, r.N, r.NRHS)
	}
	kind, ok := kindOf[r.Name]
	if !ok {
		return 0
	}
	return kinds[kind].flops(r.M, r.N, r.NRHS)
}

// StepFlops is one line of the flop model: a step and its flops.
type StepFlops struct {
	Step    Step
	Formula string // the flops in terms of l, k, q, c, p
	Work    []Operation
}

// Line returns the line of the model for a step, with its formula and operations.
func Line(step Step, formula string, work ...Operation) StepFlops {
	return StepFlops{step, formula, work}
}

// Thirds returns the flops of all operations of the step.
func (s StepFlops) Thirds() (sum Thirds) {
	for _, o := range s.Work {
		sum += o.Flops()
	}
	return sum
}

// Sum returns the flops of all steps.
func Sum(steps []StepFlops) (sum Thirds) {
	for _, s := range steps {
		sum += s.Thirds()
	}
	return sum
}

// Check returns the step that checks q rows of k nodes and c targets.
func Check(q, k, c int) StepFlops { return Line(StepCheck, "0", op(Scan, q, k+c, 0)) }

func packedLen(k int) int { return k * (k + 1) / 2 }

// fresh zeroes n numbers in new storage; stream reads or writes n numbers in existing storage.
func fresh(n int) Operation  { return op(Fresh, 0, n, 0) }
func stream(n int) Operation { return op(Stream, 0, n, 0) }

// routine is a LAPACK routine on a square matrix of order n, without right-hand sides.
func routine(kind Kind, n int) Operation { return op(kind, n, n, 0) }
