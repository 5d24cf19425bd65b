package backend

import "blskernel"

// A Routine describes one call of a LAPACK-level routine: an operation that is many BLAS calls.
type Routine struct {
	Name string // LAPACK's name, such as "Dsptrf"
	M, N int    // rows and order of the matrix; M = N where it is square
	NRHS int    // number of right-hand sides, for solves
}

// A Recorder is a Backend that keeps account of the work it is asked for. A LAPACK-level routine
// tells it by Begin what it is about to do, so that a factorization can be accounted as one
// operation and not as the many products it happens to be made of.
type Recorder interface {
	blskernel.Backend
	// Begin notes that r starts, and returns the Backend on which its inner calls run, which
	// are not recorded again.
	Begin(r Routine) blskernel.Backend
}

// Begin announces r to b if b is a Recorder and returns the Backend on which r is to run; for
// every other Backend it returns b. A nil b stands for blskernel.Default().
func Begin(b blskernel.Backend, r Routine) blskernel.Backend {
	b = Or(b)
	if rec, ok := b.(Recorder); ok {
		return rec.Begin(r)
	}
	return b
}
