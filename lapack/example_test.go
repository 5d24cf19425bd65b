package lapack_test

import (
	"errors"
	"fmt"
	"math"

	"blskernel"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	gonumlapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	gonummat "gonum.org/v1/gonum/mat"
)

// check ends an example that fails.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleCholesky() {
	// The upper triangle of [4 2 0; 2 5 4; 0 4 20], row by row.
	a := mat.NewSymPacked(3, []float64{4, 2, 0, 5, 4, 20})
	var c lapack.Cholesky
	check(c.Factorize(a))
	var x mat.Dense
	check(c.SolveTo(&x, mat.NewDense(3, 1, []float64{8, 24, 68})))
	fmt.Printf("x = %.4v\n", gonummat.Formatted(x.T()))
	// Output: x = [1  2  3]
}

func ExampleLDLT() {
	// A saddle point matrix: [2 0 1; 0 2 1; 1 1 0].
	a := mat.NewSymPacked(3, []float64{2, 0, 1, 2, 1, 0})
	var f lapack.LDLT
	check(f.FactorizeInPlace(a))
	positive, negative, _ := f.Inertia()
	fmt.Println(positive, "positive and", negative, "negative eigenvalues")
	inverse, err := f.InverseInPlace()
	check(err)
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
	check(f.Factorize(a))
	// X A = B: each row of B is a right-hand side.
	x := mat.NewDense(3, 2, []float64{5, 14, 6, 16, 13, 38})
	check(f.SolveRowsTo(x, x))
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
	check(f.Factorize(a))
	var w mat.Dense
	check(f.SolveTo(&w, y))
	fmt.Printf("y = %.4f + %.4f x\n", w.At(0, 0), w.At(1, 0))
	// Output:
	// y = 1.0000 + 2.0000 x
}

// The columns have rank two: LeastSquares finds the solution of least norm where QR finds none.
func ExampleLeastSquares() {
	a := mat.NewDense(4, 3, []float64{
		1, 2, 3,
		2, 4, 6,
		1, 1, 1,
		3, 5, 7,
	})
	b := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	var f lapack.LeastSquares
	check(f.Factorize(a))
	var x mat.Dense
	check(f.SolveTo(&x, b))
	fmt.Printf("rank %d, x = %.4f\n", f.Rank(), x.RawMatrix().Data)
	// Output:
	// rank 2, x = [3.0952 0.8810 -1.3333]
}

// A solution for a matrix that is singular up to rounding comes with an error that gonum users know.
func ExampleConditionError() {
	var f lapack.LU
	check(f.Factorize(mat.NewDense(2, 2, []float64{1, 2, 3, 6 + 1e-15})))
	var x mat.Dense
	err := f.SolveTo(&x, mat.NewDense(2, 1, []float64{1, 2}))
	var condition gonummat.Condition
	fmt.Println(errors.As(err, &condition), condition > 1e16, x.IsEmpty())
	// Output:
	// true true false
}

// The transposed pseudoinverse Q R⁻ᵀ of a tall matrix overwrites the matrix.
func ExampleSolveTriangularRows() {
	a := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1})
	var f lapack.QR
	check(f.FactorizeInPlace(a))
	var r mat.Dense
	f.RTo(&r)
	p := f.QInPlace()
	check(lapack.SolveTriangularRows(nil, p, &r, true))
	p.Scale(3, p)
	fmt.Printf("3 A⁺ᵀ =\n%5.2f\n", gonummat.Formatted(p))
	// Output:
	// 3 A⁺ᵀ =
	// ⎡ 2.00  -1.00⎤
	// ⎢-1.00   2.00⎥
	// ⎣ 1.00   1.00⎦
}

// The factor R of a QR factorization serves by itself for a solve, an inverse and a condition number.
func ExampleSolveTriangular() {
	r := mat.NewDense(2, 2, []float64{
		2, 1,
		0, 4,
	})
	x := mat.NewDense(2, 1, []float64{4, 8})
	check(lapack.SolveTriangular(nil, x, r, false))
	fmt.Println("x =", x.At(0, 0), x.At(1, 0))
	fmt.Println("1/κ =", lapack.RCondTriangle(nil, r))

	check(lapack.InvertTriangle(nil, r))
	fmt.Println("R⁻¹ =", r.RawRowView(0), r.RawRowView(1))
	// Output:
	// x = 1 2
	// 1/κ = 0.4
	// R⁻¹ = [0.5 -0.125] [0 0.25]
}

// Two halves of the data are factored separately, then merged for the fit to all: y = 1 + 2x through
// (0, 1), (1, 3), (2, 5), (3, 7).
func ExampleMergeTriangles() {
	half := func(x0, x1 float64) (r, z *mat.Dense) {
		r, z = mat.NewDense(2, 2, nil), mat.NewDense(2, 1, nil)
		rows := mat.NewDense(2, 2, []float64{1, x0, 1, x1})
		targets := mat.NewDense(2, 1, []float64{1 + 2*x0, 1 + 2*x1})
		check(lapack.AppendRows(nil, r, z, rows, targets))
		return r, z
	}
	r, z := half(0, 1)
	r2, z2 := half(2, 3)
	check(lapack.MergeTriangles(nil, r, z, r2, z2))
	check(lapack.SolveTriangular(nil, z, r, false))
	fmt.Printf("y = %.4f + %.4f x\n", z.At(0, 0), z.At(1, 0))
	// Output: y = 1.0000 + 2.0000 x
}

// A failure caused by the data is an error that says where.
func ExamplePivotError() {
	var f lapack.LU
	err := f.Factorize(mat.NewDense(2, 2, []float64{1, 2, 2, 4}))
	var pivot *lapack.PivotError
	if errors.As(err, &pivot) {
		fmt.Println("singular:", errors.Is(err, lapack.ErrSingular), "at pivot", pivot.Index)
	}

	err = f.Factorize(mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 4}))
	var element *lapack.ElementError
	if errors.As(err, &element) {
		fmt.Println("not finite:", element.Value, "in row", element.Row, "and column", element.Col)
	}
	// Output:
	// singular: true at pivot 1
	// not finite: NaN in row 1 and column 0
}

// Refine bounds the errors of a solution. For the Hilbert matrix of order 8 and the sums of its rows,
// the solution is all ones, up to rounding errors, including those in the data.
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
	check(c.Factorize(a))
	var x mat.Dense
	check(c.SolveTo(&x, b))
	bounds, err := c.Refine(&x, a, b)
	check(err)
	fmt.Println("as good as the data are:", bounds.Backward[0] < 1e-15)
	fmt.Println("right to 4 digits:", bounds.Forward[0] < 1e-4)
	fmt.Println("right to 8 digits:", bounds.Forward[0] < 1e-8)
	// Output:
	// as good as the data are: true
	// right to 4 digits: true
	// right to 8 digits: false
}

// Two lines at the start of a program run all of gonum on our kernels.
func ExampleImplementation() {
	blas64.Use(blskernel.Default())
	lapack64.Use(lapack.Implementation{})
	// A test must undo this; a program need not:
	defer blas64.Use(gonum.Implementation{})
	defer lapack64.Use(gonumlapack.Implementation{})

	var c gonummat.Cholesky
	c.Factorize(gonummat.NewSymDense(2, []float64{4, 2, 2, 5}))
	var inverse gonummat.SymDense
	check(c.InverseTo(&inverse))
	fmt.Printf("%.4f\n", gonummat.Formatted(&inverse))
	// Output:
	// ⎡ 0.3125  -0.1250⎤
	// ⎣-0.1250   0.2500⎦
}
