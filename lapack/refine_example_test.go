package lapack_test

import (
	"fmt"

	"blskernel/lapack"
	"blskernel/mat"
)

// A solution with its error bars: the Hilbert matrix of order 8 and the sums of its rows, whose
// solution is all ones but for rounding, of the data too.
func ExampleCholesky_Refine() {
	const n = 8
	a, b := mat.NewSymPacked(n, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range n {
			v := 1 / float64(i+j+1)
			a.SetSym(i, j, v)
			b.Set(i, 0, b.At(i, 0)+v)
		}
	}
	var c lapack.Cholesky
	if err := c.Factorize(a); err != nil {
		fmt.Println(err)
		return
	}
	var x mat.Dense
	if err := c.SolveTo(&x, b); err != nil {
		fmt.Println(err)
		return
	}
	bounds, err := c.Refine(&x, a, b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("as good as the data are:", bounds.Backward[0] < 1e-15)
	fmt.Println("right to 4 digits:", bounds.Forward[0] < 1e-4)
	fmt.Println("right to 8 digits:", bounds.Forward[0] < 1e-8)
	// Output:
	// as good as the data are: true
	// right to 4 digits: true
	// right to 8 digits: false
}
