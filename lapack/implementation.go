package lapack

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/lapack"

	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// Implementation is gonum's lapack.Float64, for lapack64 and all of gonum that is built on it:
//
//	blas64.Use(blskernel.Default())
//	lapack64.Use(lapack.Implementation{})
//
// The routines that are here, and not gonum's, are
//
//	Dpotrf, Dpotri, Dpotrs          Cholesky: factor, inverse, solve
//	Dgetrf, Dgetri, Dgetrs          LU with partial pivoting: factors, inverse, solve
//	Dtrtri, Dtrtrs                  triangles: inverse, solve
//	Dorgqr                          QR: Q from its reflections
//
// They take the arguments, give the results and panic with the texts of gonum's, and run on Backend,
// whatever blas64 uses, but for small orders where gonum's own, on what blas64 uses, are faster: below
// 14 for Dpotri, Dgetri and Dtrtri, 40 for Dpotrf of an upper triangle and for the reflections of
// Dorgqr, 96 for Dgetrf (the lesser of m and n) and 128 for Dpotrf of a lower triangle. All others are
// gonum's own, and so are the routines beyond lapack.Float64 that gonum's Implementation has, also
// where they are made of one of those above.
//
// What differs is rounding, and: Dpotrf takes an infinite pivot for one that is not positive, Dgetri
// asks for a workspace of another length, and Dgetrf and Dorgqr have one of their own, of 48(m+23) and
// 32(m+n+32) numbers at most.
//
// Methods may be called from several goroutines at once. The zero value is ready for use.
type Implementation struct {
	gonum.Implementation

	// Backend is what the routines run on; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

var _ gonumlapack.Float64 = Implementation{}

// The orders from which on the routines are ours, as measured with blas64 on the same pure backend;
// below, gonum's routines, which call its Level 1 and 2, or plain loops, are faster.
const (
	leastPotrfUpper = 40
	leastPotrfLower = 128
	leastGetrf      = 96
	leastInverse    = 14 // Dpotri, Dgetri and Dtrtri
	leastOrgqr      = 40
)

// begin announces a routine of about so many flops and returns the backend on which it is to run, and
// what to call when it is done.
func (impl Implementation) begin(name string, m, n, nrhs int, flops float64) (bk lapack.Backend, done func()) {
	b := backend.Begin(impl.Backend, backend.Routine{Name: name, M: m, N: n, NRHS: nrhs})
	return lapack.On(b), backend.Acquire(b, flops)
}
