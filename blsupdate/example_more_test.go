package blsupdate_test

import (
	"fmt"
	"math"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Points on a line through 0 and 1: where new ones are like those that were learned, their leverage is
// small.
func ExampleLeverager() {
	a := mat.NewDense(4, 2, []float64{1, 0, 1, 1, 1, 2, 1, 3})
	y := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	u, err := blsupdate.New(blsupdate.RidgeInverse, a, y, blsupdate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := u.(blsupdate.Leverager).Leverage(mat.NewDense(2, 2, []float64{1, 1.5, 1, 10}))
	fmt.Printf("%.2f %v\n", h, err)
	fmt.Println("started by", u.Report().Start == blsupdate.StartCholesky)
	// Output:
	// [0.25 14.70] <nil>
	// started by true
}

// Two nearly equal columns: Gram loses digits, and finds them again with the data at hand.
func ExampleRefiner() {
	const d = 1e-4
	a := mat.NewDense(3, 2, []float64{1, 1, 1, 1 + d, 1, 1 - d})
	y := mat.NewDense(3, 1, []float64{3, 3 + 2*d, 3 - 2*d}) // W = (1, 2)
	u, err := blsupdate.New(blsupdate.Gram, a, y, blsupdate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	before, _ := u.Weights()
	if err := u.(blsupdate.Refiner).Refine(a, y); err != nil {
		fmt.Println(err)
		return
	}
	after, _ := u.Weights()
	fmt.Println(math.Abs(after.At(0, 0)-1) <= math.Abs(before.At(0, 0)-1))
	fmt.Printf("%.8f\n", after.RawMatrix().Data)
	// Output:
	// true
	// [1.00000000 2.00000000]
}

// A⁺ itself, which the methods of the paper keep.
func ExamplePseudoinverter() {
	a := mat.NewDense(2, 1, []float64{3, 4})
	u, err := blsupdate.New(blsupdate.Improved, a, mat.NewDense(2, 1, []float64{1, 1}), blsupdate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", u.(blsupdate.Pseudoinverter).Pseudoinverse().RawMatrix().Data)
	// Output: [0.12 0.16]
}

// The flops that a backend is asked for, by step.
func ExampleCounter() {
	c := blsupdate.NewCounter(blskernel.Default())
	x := []float64{1, 2, 3, 4}
	out := make([]float64, 4)
	c.Enter("product")
	c.Dgemm(blas.NoTrans, blas.NoTrans, 2, 2, 2, 1, x, 2, x, 2, 0, out, 2)
	c.Leave()
	flops, _ := c.Step("product")
	fmt.Println(flops, c.Flops(), out)
	// Output: 16 16 [7 10 15 22]
}
