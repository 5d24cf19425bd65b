package blskernel_test

import (
	"errors"
	"fmt"

	"blskernel"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// After Use, all of gonum's products run on the backend.
func Example() {
	blas64.Use(blskernel.Default())
	defer blas64.Use(gonum.Implementation{})

	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	var c mat.Dense
	c.Mul(a, a)
	fmt.Println(mat.Formatted(&c))
	// Output:
	// ⎡ 7  10⎤
	// ⎣15  22⎦
}

func ExampleLookup() {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Name())

	_, err = blskernel.Lookup("mkl")
	fmt.Println(err)

	// The error for a known backend that cannot be used here says why and what to do.
	_, err = blskernel.Lookup("openblas")
	var missing *blskernel.UnavailableError
	if errors.As(err, &missing) {
		_ = missing.Remedy
	}
	// Output:
	// pure
	// blskernel: unknown backend "mkl"; the backends are openblas, pure
}
