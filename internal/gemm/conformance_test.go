package gemm

import (
	"testing"

	"gonum.org/v1/gonum/blas/testblas"
)

// gonum's own tests, on every kernel. Those of argument checks are for the layer that checks arguments.
func TestGonum(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		t.Run("Dgemm", func(t *testing.T) { testblas.TestDgemm(t, active) })
		t.Run("Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, active) })
		t.Run("Dsyr2k", func(t *testing.T) { testblas.Dsyr2kTest(t, active) })
		t.Run("Dsymm", func(t *testing.T) { testblas.DsymmTest(t, active) })
		t.Run("Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, active) })
		t.Run("Dtrmm", func(t *testing.T) { testblas.DtrmmTest(t, active) })
	})
}
