package lapack_test

import (
	"errors"
	"fmt"

	"blskernel/lapack"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

func ExampleCholesky() {
	// The upper triangle of [4 2 0; 2 5 4; 0 4 20], row after row.
	a := mat.NewSymPacked(3, []float64{4, 2, 0, 5, 4, 20})
	var c lapack.Cholesky
	if err := c.Factorize(a); err != nil {
		fmt.Println(err)
		return
	}
	var x mat.Dense
	if err := c.SolveTo(&x, mat.NewDense(3, 1, []float64{8, 24, 68})); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("x = %.4v\n", gonummat.Formatted(x.T()))

	// Not positive definite: the error says where and what to do.
	a.SetSym(1, 1, 1)
	err := c.Factorize(a)
	fmt.Println(errors.Is(err, lapack.ErrNotPositiveDefinite))
	fmt.Println(err)
	// Output:
	// x = [1  2  3]
	// true
	// lapack: Dpptrf: pivot 1 is 0: matrix is not positive definite; use LDLT, or add a ridge to the diagonal
}

func ExampleLDLT() {
	// A saddle point matrix: [2 0 1; 0 2 1; 1 1 0].
	a := mat.NewSymPacked(3, []float64{2, 0, 1, 2, 1, 0})
	var f lapack.LDLT
	if err := f.FactorizeInPlace(a); err != nil {
		fmt.Println(err)
		return
	}
	positive, negative, _ := f.Inertia()
	fmt.Println(positive, "positive and", negative, "negative eigenvalues")
	inverse, err := f.InverseInPlace()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%5.2f\n", gonummat.Formatted(inverse))
	// Output:
	// 2 positive and 1 negative eigenvalues
	// ⎡ 0.25  -0.25   0.50⎤
	// ⎢-0.25   0.25   0.50⎥
	// ⎣ 0.50   0.50  -1.00⎦
}

func ExampleLU() {
	a := mat.NewDense(2, 2, []float64{1, 2, 4, 12})
	var f lapack.LU
	if err := f.Factorize(a); err != nil {
		fmt.Println(err)
		return
	}
	// X A = B: each row of B is a right-hand side.
	x := mat.NewDense(3, 2, []float64{5, 14, 6, 16, 13, 38})
	if err := f.SolveRowsTo(x, x); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4v\n", gonummat.Formatted(x))
	// Output:
	// ⎡1  1⎤
	// ⎢2  1⎥
	// ⎣1  3⎦
}

func ExampleQR() {
	// The line through (0, 1), (1, 3), (2, 5), (3, 7).
	a := mat.NewDense(4, 2, []float64{1, 0, 1, 1, 1, 2, 1, 3})
	y := mat.NewDense(4, 1, []float64{1, 3, 5, 7})
	var f lapack.QR
	if err := f.Factorize(a); err != nil {
		fmt.Println(err)
		return
	}
	var w mat.Dense
	if err := f.SolveTo(&w, y); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("y = %.4f + %.4f x\n", w.At(0, 0), w.At(1, 0))
	// Output:
	// y = 1.0000 + 2.0000 x
}

// The transposed pseudoinverse of a tall matrix, Q R⁻ᵀ, in the storage of the matrix.
func ExampleSolveTriangularRows() {
	a := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1})
	var f lapack.QR
	if err := f.FactorizeInPlace(a); err != nil {
		fmt.Println(err)
		return
	}
	var r mat.Dense
	f.RTo(&r)
	p := f.QInPlace()
	if err := lapack.SolveTriangularRows(nil, p, &r, true); err != nil {
		fmt.Println(err)
		return
	}
	p.Scale(3, p)
	fmt.Printf("3 A⁺ᵀ =\n%5.2f\n", gonummat.Formatted(p))
	// Output:
	// 3 A⁺ᵀ =
	// ⎡ 2.00  -1.00⎤
	// ⎢-1.00   2.00⎥
	// ⎣ 1.00   1.00⎦
}
