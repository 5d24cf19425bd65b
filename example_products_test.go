package blskernel_test

import (
	"fmt"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// AᵀA of a tall A into packed storage: half the flops and half the memory of a Dgemm. A backend that
// has no such product of its own gets one that is made of its Dgemm.
func ExamplePacked() {
	a := []float64{ // 3×2
		1, 2,
		3, 4,
		5, 6,
	}
	gram := make([]float64, 3) // the upper triangle of a 2×2 matrix, row after row
	products := blskernel.Packed(blskernel.Default())
	products.Dsprk(blas.Trans, 2, 3, 1, a, 2, 0, gram)
	fmt.Println(gram)
	// Output: [35 44 56]
}
