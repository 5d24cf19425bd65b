package mat_test

import (
	"fmt"

	"blskernel"
	"blskernel/mat"
)

// Only the upper triangle of the Gram matrix of a tall matrix is computed and stored.
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

// The product runs on a chosen backend; nil would stand for the default.
func ExampleMul() {
	pure, err := blskernel.Lookup("pure")
	if err != nil {
		fmt.Println(err)
		return
	}
	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	mat.Mul(pure, a, a, a) // the result may be an operand, which is then copied
	fmt.Println(a.RawRowView(0), a.RawRowView(1))
	// Output: [7 10] [15 22]
}

// A symmetric matrix in half the storage multiplies a dense matrix from the left and from the right.
func ExampleSymPacked() {
	s := mat.NewSymPacked(2, []float64{1, 2, 3}) // [1 2; 2 3]
	b := mat.NewDense(2, 1, []float64{10, 1})
	var left mat.Dense
	mat.SymMul(nil, &left, s, b)
	fmt.Println(left.At(0, 0), left.At(1, 0))

	row := mat.NewDense(1, 2, []float64{10, 1})
	var right mat.Dense
	mat.MulSym(nil, &right, row, s)
	fmt.Println(right.RawRowView(0))

	s.AddDiagonal(0.5)
	fmt.Println(s.RawSymPacked().Data, s.At(1, 0))
	// Output:
	// 12 23
	// [12 23]
	// [1.5 2 3.5] 2
}
