package lapack

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/lapack"

	"gonum.org/v1/gonum/blas"
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
// They have the arguments, results and panics of gonum's, and run on Backend, whatever blas64 uses.
// Small orders run on gonum's own routines and blas64, which are faster there: below 14 for Dpotri,
// Dgetri and Dtrtri, 40 for Dpotrf of an upper triangle and for the reflections of Dorgqr, 96 for
// Dgetrf (the lesser of m and n) and 128 for Dpotrf of a lower triangle. All other routines are gonum's
// own, also those that gonum's Implementation has beyond lapack.Float64 and makes of one of those
// above.
//
// Rounding differs. Besides, Dpotrf takes an infinite pivot for one that is not positive, Dgetri asks
// for a workspace of another length, and Dgetrf and Dorgqr have one of their own, of 48(m+23) and
// 32(m+n+32) numbers at most.
//
// Methods may be called from several goroutines at once. The zero value is ready for use.
type Implementation struct {
	gonum.Implementation

	// Backend is what the routines run on; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

var _ gonumlapack.Float64 = Implementation{}

// The orders from which on the routines are ours, measured with blas64 on the same pure backend. Below,
// gonum's routines, which call its Level 1 and 2, or plain loops, are faster.
const (
	leastPotrfUpper = 40
	leastPotrfLower = 128
	leastGetrf      = 96
	leastInverse    = 14 // Dpotri, Dgetri and Dtrtri
	leastOrgqr      = 40
)

// begin announces a routine of the given number of flops and returns the backend on which it runs, and
// a function to call at its end.
func (impl Implementation) begin(name string, m, n, nrhs int, flops float64) (bk lapack.Backend, done func()) {
	b := backend.Begin(impl.Backend, backend.Routine{Name: name, M: m, N: n, NRHS: nrhs})
	return lapack.On(b), backend.Acquire(b, flops)
}

// Bad arguments go to gonum's routine, which panics: its checks stand once.

// holds reports whether x holds an m×n matrix, m positive, with rows ldx apart.
func holds(x []float64, m, n, ldx int) bool {
	return m > 0 && ldx >= max(1, n) && len(x) >= n && m-1 <= (len(x)-n)/ldx
}

func isUplo(ul blas.Uplo) bool { return ul == blas.Upper || ul == blas.Lower }

// isTranspose reports whether t is valid, and returns blas.Trans for blas.ConjTrans.
func isTranspose(t blas.Transpose) (blas.Transpose, bool) {
	if t == blas.ConjTrans {
		t = blas.Trans
	}
	return t, t == blas.NoTrans || t == blas.Trans
}

// singular reports whether the n×n triangle a has a zero on its diagonal.
func singular(diag blas.Diag, n int, a []float64, lda int) bool {
	for i := 0; diag != blas.Unit && i < n; i++ {
		if a[i*lda+i] == 0 {
			return true
		}
	}
	return false
}
