package blas12

import (
	"testing"

	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas/testblas"
)

// available runs a test for the routines on each kernel that this machine can run.
func available(t *testing.T, test func(*testing.T, *Routines)) {
	for _, name := range kernel.Names() {
		k, err := kernel.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("kernel="+name, func(t *testing.T) { test(t, New(k, inPieces)) })
	}
}

// gonum's own tests.
func TestGonum(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		t.Run("Ddot", func(t *testing.T) { testblas.DdotTest(t, r) })
		t.Run("Daxpy", func(t *testing.T) { testblas.DaxpyTest(t, r) })
		t.Run("Dscal", func(t *testing.T) { testblas.DscalTest(t, r) })
		t.Run("Dgemv", func(t *testing.T) { testblas.DgemvTest(t, r) })
		t.Run("Dger", func(t *testing.T) { testblas.DgerTest(t, r) })
		t.Run("Dsymv", func(t *testing.T) { testblas.DsymvTest(t, r) })
		t.Run("Dspmv", func(t *testing.T) { testblas.DspmvTest(t, r) })
		t.Run("Dsyr", func(t *testing.T) { testblas.DsyrTest(t, r) })
		t.Run("Dspr", func(t *testing.T) { testblas.DsprTest(t, r) })
		t.Run("Dtrsv", func(t *testing.T) { testblas.DtrsvTest(t, r) })
	})
}
