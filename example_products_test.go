package blskernel_test

import (
	"fmt"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// AᵀA of a tall A in packed storage takes half the flops and half the memory of a Dgemm. For a backend
// without such a product, Packed supplies one that calls its Dgemm.
func ExamplePacked() {
	a := []float64{ // 3×2
		1, 2,
		3, 4,
		5, 6,
	}
	gram := make([]float64, 3) // the upper triangle of a 2×2 matrix, row by row
	products := blskernel.Packed(blskernel.Default())
	products.Dsprk(blas.Trans, 2, 3, 1, a, 2, 0, gram)
	fmt.Println(gram)
	// Output: [35 44 56]
}
