package blsupdate_test

import (
	"context"
	"errors"
	"fmt"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// Two columns that differ in the seventh digit: Gram loses twice as many digits as QR, and says so.
func ExampleCondition() {
	a := mat.NewDense(3, 2, []float64{
		1, 1,
		1, 1 + 1e-6,
		1, 1 - 1e-6,
	})
	y := mat.NewDense(3, 1, []float64{1, 2, 3})
	for _, m := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		u, err := blsupdate.New(m, a, y, blsupdate.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		c := u.Condition()
		fmt.Println(m, c.Digits > 6, c.Instead)
	}
	// Output:
	// gram false qr
	// qr true qr
}

// A start with many rows can be ended by a context.
func ExampleNewContext() {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("no time"))
	_, err := blsupdate.NewContext(ctx, blsupdate.QR, mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(2, 1, []float64{2, 4}), blsupdate.Options{})
	fmt.Println(errors.Is(err, context.Cause(ctx)))
	// Output: true
}

// The methods that can forget, and whether they can start from 10 rows of 20 nodes without a ridge.
func ExampleSupports() {
	for _, m := range blsupdate.Methods() {
		if blsupdate.Supports(m, blsupdate.ActionForget) {
			fmt.Println(m, blsupdate.CheckStart(m, blsupdate.Options{}, 10, 20) == nil)
		}
	}
	// Output:
	// gram true
	// qr true
	// ridge-inverse false
	// inverse-cholesky false
	// improved true
	// original true
}

func ExampleParseMethod() {
	m, err := blsupdate.ParseMethod("QR")
	fmt.Println(m == blsupdate.QR, err)
	f, err := blsupdate.ParseForm("small")
	fmt.Println(f == blsupdate.Small, err)
	_, err = blsupdate.ParseMethod("svd")
	fmt.Println(err)
	// Output:
	// true <nil>
	// true <nil>
	// blsupdate: unknown method "svd"; known are improved, original, ridge-inverse, inverse-cholesky, gram, qr
}

// The flops of 100 more rows for 1000 nodes, by each method whose state does not grow with the rows.
func ExampleTotal() {
	s := blsupdate.Shape{L: 10000, K: 1000, Q: 100}
	for _, m := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.RidgeInverse, blsupdate.InverseCholesky} {
		fmt.Printf("%-16s %.2g\n", m, blsupdate.Total(blsupdate.Model(m, blsupdate.ActionAdd, blsupdate.Options{Lambda: 1}, s)))
	}
	// Output:
	// gram             1e+08
	// qr               2e+08
	// ridge-inverse    3.2e+08
	// inverse-cholesky 8.8e+08
}

// What a model of 60,000 samples, 5100 nodes and 10 targets keeps in memory.
func ExampleStateBytes() {
	for _, m := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.Improved} {
		fmt.Printf("%-9v%5d MB\n", m, blsupdate.StateBytes(m, 60000, 5100, 10)/1e6)
	}
	// Output:
	// gram       104 MB
	// qr         208 MB
	// improved  2448 MB
}
