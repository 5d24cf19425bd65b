package blsupdate

import (
	"blskernel/internal/backend"
)

// thirds is a number of flops in units of a third: n³/3, the flops of a Cholesky factorization, is a
// whole number of them, so sums are exact and do not depend on their order up to 2⁵³ of them, the
// work of hours.
type thirds float64

func (t thirds) flops() float64 { return float64(t / 3) }

func cube(n int) thirds { return thirds(n) * thirds(n) * thirds(n) }

// An operation is one call of a product or of a LAPACK-level routine, or a pass over memory: what the
// flops of a step are the sum of, and what its time is predicted from.
type operation struct {
	kind    kind
	m, n, k int // as the kind has them
}

// A kind of operation has a rate of its own, which depends on the sizes.
type kind string

// Products, by the names of the BLAS and the operands that are transposed.
const (
	gemmNN kind = "Dgemm NN" // m×n result, sums of k terms
	gemmNT kind = "Dgemm NT"
	gemmTN kind = "Dgemm TN"

	sprk     kind = "Dsprk T"     // packed result of order n, sums of k terms, the operand k×n
	gemmtpNT kind = "Dgemmtp NT"  // the same, of two n×k operands
	spmmL    kind = "Dspmm left"  // packed matrix of order m times m×n
	spmmR    kind = "Dspmm right" // m×n times a packed matrix of order n
	trmmL    kind = "Dtrmm left"  // triangle of order m times m×n
	trmmR    kind = "Dtrmm right" // m×n times a triangle of order n
)

// Products of few rows with a packed symmetric matrix of order n, in ways of our own: see
// ridge_inverse_products.go.
const (
	spmv       kind = "Dspmv"        // m×n times the matrix, m = 1
	spmmStrips kind = "Dspmm strips" // m×n times the matrix
	spr        kind = "Dspr"         // the matrix plus TᵀT, T is m×n, m = 1
	sprkRows   kind = "Dsprk rows"   // the matrix plus TᵀT, T is m×n
)

// carlson is the update of a triangle of order n by m rows one after the other: see inverse_cholesky_rows.go.
const carlson kind = "Carlson"

// Routines, by LAPACK's names: a matrix of m rows and n columns, or of order n, and k right-hand sides.
const (
	pptrf kind = "Dpptrf"
	pptri kind = "Dpptri"
	pptrs kind = "Dpptrs"
	tptrs kind = "Dtptrs"
	sptrf kind = "Dsptrf"
	sptri kind = "Dsptri"
	getrf kind = "Dgetrf"
	getri kind = "Dgetri"
	getrs kind = "Dgetrs"
	geqrf kind = "Dgeqrf"
	geqp3 kind = "Dgeqp3"
	orgqr kind = "Dorgqr"
	tpqrt kind = "Dtpqrt"
	ttqrt kind = "Dttqrt"
	trtri kind = "Dtrtri"
	trtrs kind = "Dtrtrs"
	gesvd kind = "Dgesvd"

	// Products and solutions of a triangle with a triangle, which LAPACK does not have.
	ttrsm kind = "Dttrsm"
	ttrmm kind = "Dttrmm"

	// Rotations that add m rows to a triangle of order n, or remove them, with k right-hand sides. LINPACK's
	// routines of these names do so for one row.
	chud kind = "Dchud"
	chdd kind = "Dchdd"
)

// Passes over memory, which count no flops: n numbers, read or written.
const (
	stream kind = "stream" // in storage that is there
	fresh  kind = "fresh"  // zeroed in new storage
	scan   kind = "scan"   // one by one: a look for NaN, a norm
)

// Estimates of condition numbers, some solutions for one right-hand side each, which count no flops.
const (
	gecon kind = "Dgecon"
	trcon kind = "Dtrcon"
)

// flops returns what the operation counts, by the paper's convention.
func (o operation) flops() thirds {
	switch o.kind {
	case gemmNN, gemmNT, gemmTN:
		return gemm(o.m, o.n, o.k)
	case sprk, gemmtpNT:
		return gemm(o.n, o.n, o.k) / 2
	case spmmL:
		return gemm(o.m, o.n, o.m)
	case spmmR:
		return gemm(o.m, o.n, o.n)
	case trmmL:
		return gemm(o.m, o.n, o.m) / 2
	case trmmR:
		return gemm(o.m, o.n, o.n) / 2
	case stream, fresh, scan:
		return 0
	default:
		return routineFlops(backend.Routine{Name: string(o.kind), M: o.m, N: o.n, NRHS: o.k})
	}
}

// gemm is the count of an m×k with a k×n product, 2mnk.
func gemm(m, n, k int) thirds { return 6 * thirds(m) * thirds(n) * thirds(k) }

// qr is the count of the Householder QR of an m×n or n×m matrix, 2mn² - 2n³/3 for m >= n, and that of
// forming its thin Q.
func qr(m, n int) thirds { return gemm(m, n, min(m, n)) - 2*cube(min(m, n)) }

// svd is the count of a thin singular value decomposition with both sets of vectors.
func svd(m, n int) thirds {
	if m < n {
		m, n = n, m
	}
	return 42*thirds(m)*thirds(n)*thirds(n) + 24*cube(n)
}

// routineFlops returns the count of a LAPACK-level routine. Those of lower order count nothing.
func routineFlops(r backend.Routine) thirds {
	switch r.Name {
	case "Dpptrf", "Dsptrf", "Dpotrf", "Dtrtri", "Dttrsm", "Dttrmm":
		return cube(r.N)
	case "Dpptri", "Dsptri", "Dpotri", "Dgetrf":
		return 2 * cube(r.N)
	case "Dgetri":
		return 4 * cube(r.N)
	case "Dpptrs", "Dsptrs", "Dpotrs", "Dgetrs":
		return gemm(r.N, r.N, r.NRHS)
	case "Dtrtrs", "Dtptrs":
		return gemm(r.N, r.N, r.NRHS) / 2
	case "Dgeqrf", "Dorgqr", "Dgeqp3":
		return qr(r.M, r.N)
	case "Dormqr":
		return 2*gemm(r.M, r.N, r.NRHS) - gemm(r.N, r.N, r.NRHS)
	case "Dtpqrt":
		return gemm(r.M, r.N, r.N) + 2*gemm(r.M, r.N, r.NRHS)
	case "Dttqrt":
		return 2*cube(r.N) + gemm(r.N, r.N, r.NRHS)
	case "Dchud": // 3qk(k + 2c) for q rows
		return 9 * thirds(r.M) * thirds(r.N) * (thirds(r.N) + 2*thirds(r.NRHS))
	case "Dchdd": // 3qk(k + q + 2c), of which the q is for the rest of P = R⁻ᵀAxᵀ
		return 9 * thirds(r.M) * thirds(r.N) * (thirds(r.N) + thirds(r.M) + 2*thirds(r.NRHS))
	case "Dgesvd":
		return svd(r.M, r.N)
	case string(spmv), string(spmmStrips):
		return gemm(r.M, r.N, r.N)
	case string(spr), string(sprkRows):
		return gemm(r.M, r.N, r.N) / 2
	case string(carlson):
		return 7 * gemm(r.M, r.N, r.N) / 4
	default:
		return 0
	}
}

// amount returns the number of units of an operation that its rate is about: its flops, or the numbers that it
// goes through where it has none.
func (o operation) amount() float64 {
	switch o.kind {
	case stream, fresh, scan:
		return float64(o.n)
	case gecon, trcon:
		return float64(o.n) * float64(o.n)
	default:
		return o.flops().flops()
	}
}
