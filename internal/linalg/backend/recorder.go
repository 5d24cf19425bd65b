package backend

import "blskernel"

// A Routine describes one call of a LAPACK-level routine, which makes many BLAS calls.
type Routine struct {
	Name string // LAPACK's name, such as "Dsptrf"
	M, N int    // rows and columns of the matrix
	NRHS int    // number of right-hand sides, for solves
}

// A Recorder is a Backend that records its work. A LAPACK-level routine calls Begin first, so that a
// factorization counts as one operation, not as its many products.
type Recorder interface {
	blskernel.Backend
	// Begin records that r starts and returns the Backend for r's own calls, which are not
	// recorded.
	Begin(r Routine) blskernel.Backend
}

// Begin returns the Backend for the calls that routine r makes. If b is a Recorder, Begin records r and
// returns the result of b.Begin; otherwise it returns b. A nil b stands for blskernel.Default().
func Begin(b blskernel.Backend, r Routine) blskernel.Backend {
	b = Or(b)
	if rec, ok := b.(Recorder); ok {
		return rec.Begin(r)
	}
	return b
}
