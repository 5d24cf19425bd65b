package lapack_test

import (
	"errors"
	"fmt"
	"math"

	"blskernel/lapack"
	"blskernel/mat"
)

// The factor of a QR factorization, used by itself: solved with, inverted, and judged.
func ExampleSolveTriangular() {
	r := mat.NewDense(2, 2, []float64{
		2, 1,
		0, 4,
	})
	x := mat.NewDense(2, 1, []float64{4, 8})
	if err := lapack.SolveTriangular(nil, x, r, false); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("x =", x.At(0, 0), x.At(1, 0))
	fmt.Println("1/κ =", lapack.RCondTriangle(nil, r))

	if err := lapack.InvertTriangle(nil, r); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("R⁻¹ =", r.RawRowView(0), r.RawRowView(1))
	// Output:
	// x = 1 2
	// 1/κ = 0.4
	// R⁻¹ = [0.5 -0.125] [0 0.25]
}

// Two halves of the data, factorized apart, and the fit to all of them: y = 1 + 2x through (0, 1), (1,
// 3), (2, 5), (3, 7).
func ExampleMergeTriangles() {
	half := func(x0, x1 float64) (r, z *mat.Dense) {
		r, z = mat.NewDense(2, 2, nil), mat.NewDense(2, 1, nil)
		rows := mat.NewDense(2, 2, []float64{1, x0, 1, x1})
		targets := mat.NewDense(2, 1, []float64{1 + 2*x0, 1 + 2*x1})
		if err := lapack.AppendRows(nil, r, z, rows, targets); err != nil {
			fmt.Println(err)
		}
		return r, z
	}
	r, z := half(0, 1)
	r2, z2 := half(2, 3)
	if err := lapack.MergeTriangles(nil, r, z, r2, z2); err != nil {
		fmt.Println(err)
		return
	}
	if err := lapack.SolveTriangular(nil, z, r, false); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("y = %.4f + %.4f x\n", z.At(0, 0), z.At(1, 0))
	// Output: y = 1.0000 + 2.0000 x
}

// What data can cause is an error with the place.
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

// A solution in general storage, and how far it can be trusted.
func ExampleLU_Refine() {
	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	b := mat.NewDense(2, 1, []float64{5, 11})
	var f lapack.LU
	if err := f.Factorize(a); err != nil {
		fmt.Println(err)
		return
	}
	var x mat.Dense
	if err := f.SolveTo(&x, b); err != nil {
		fmt.Println(err)
		return
	}
	bounds, err := f.Refine(&x, a, b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("x = %.0f, %.0f; right to 13 digits: %v\n", x.At(0, 0), x.At(1, 0), bounds.Forward[0] < 1e-13)
	// Output: x = 1, 2; right to 13 digits: true
}
