package mat_test

import (
	"fmt"

	"blskernel/mat"
)

// The Gram matrix of a tall matrix, of which only the upper triangle is computed and stored.
func ExampleSymOuterK() {
	x := mat.NewDense(3, 2, []float64{
		1, 2,
		3, 4,
		5, 6,
	})
	var gram mat.SymPacked
	mat.SymOuterK(nil, &gram, 1, x, true)
	fmt.Println(gram.RawSymPacked().Data)
	fmt.Println(gram.At(1, 0))
	// Output:
	// [35 44 56]
	// 44
}

func ExampleMulTrans() {
	a := mat.NewDense(2, 1, []float64{1, 2})
	b := mat.NewDense(2, 2, []float64{3, 4, 5, 6})
	var c mat.Dense
	mat.MulTrans(nil, &c, a, true, b, false) // aᵀ b
	fmt.Println(c.At(0, 0), c.At(0, 1))
	// Output: 13 16
}
