package backend_test

import (
	"fmt"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/lapack"
	"blskernel/mat"
)

// A journal is a backend that records which LAPACK routines call it.
type journal struct {
	blskernel.Backend
	entries *[]backend.Routine
}

// Begin notes the routine, and lets its products run without a journal.
func (j journal) Begin(r backend.Routine) blskernel.Backend {
	*j.entries = append(*j.entries, r)
	return backend.Begin(j.Backend, r)
}

// A backend that embeds another records calls: a factorization, with all its calls, is one entry.
func ExampleRecorder() {
	var entries []backend.Routine
	recorder := journal{blskernel.Default(), &entries}

	c := lapack.Cholesky{Backend: recorder}
	if err := c.Factorize(mat.NewSymPacked(2, []float64{4, 2, 5})); err != nil {
		fmt.Println(err)
	}
	var x mat.Dense
	if err := c.SolveTo(&x, mat.NewDense(2, 1, []float64{1, 2})); err != nil {
		fmt.Println(err)
	}
	for _, r := range entries {
		fmt.Println(r.Name, r.N, r.NRHS)
	}
	// Output:
	// Dpptrf 2 0
	// Dpptrs 2 1
	// Dppcon 2 0
}
