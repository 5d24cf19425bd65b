package lapack_test

import (
	"fmt"

	"blskernel"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	gonumlapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// All of gonum on our kernels, with two lines at the start of a program.
func ExampleImplementation() {
	blas64.Use(blskernel.Default())
	lapack64.Use(lapack.Implementation{})
	// What a test has to do, and a program has not:
	defer blas64.Use(gonum.Implementation{})
	defer lapack64.Use(gonumlapack.Implementation{})

	var c mat.Cholesky
	c.Factorize(mat.NewSymDense(2, []float64{4, 2, 2, 5}))
	var inverse mat.SymDense
	if err := c.InverseTo(&inverse); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.4f\n", mat.Formatted(&inverse))
	// Output:
	// ⎡ 0.3125  -0.1250⎤
	// ⎣-0.1250   0.2500⎦
}
