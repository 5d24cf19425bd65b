package blsupdate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// check stops an example if err is not nil.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// three returns three samples of two features with their targets.
func three() (a, y *mat.Dense) {
	return mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}), mat.NewDense(3, 1, []float64{1, 2, 3})
}

// A model starts from three samples of two features, and then learns a fourth one.
func Example() {
	a, y := three()
	u, err := blsupdate.New(blsupdate.Improved, a, y, blsupdate.Options{})
	check(err)
	w, _ := u.Weights()
	fmt.Printf("l = %d: W = [%.4f %.4f]\n", u.Samples(), w.At(0, 0), w.At(1, 0))

	check(u.AddInputs(mat.NewDense(1, 2, []float64{1, -1}), mat.NewDense(1, 1, []float64{4})))
	w, _ = u.Weights()
	fmt.Printf("l = %d: W = [%.4f %.4f]\n", u.Samples(), w.At(0, 0), w.At(1, 0))
	// Output:
	// l = 3: W = [1.0000 2.0000]
	// l = 4: W = [2.6667 0.3333]
}

// The report lists every step of an update, with the flops of the model and those counted.
func ExampleReport() {
	a := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 1, 1, 2})
	y := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	u, _ := blsupdate.New(blsupdate.Improved, a, y, blsupdate.Options{Form: blsupdate.Small})
	check(u.AddInputs(mat.NewDense(2, 2, []float64{2, 1, 0, 3}), mat.NewDense(2, 1, []float64{5, 6})))
	for _, s := range u.Report().Steps {
		fmt.Printf("%-18s %-5s %3.0f %3.0f\n", s.Step, s.Formula, s.Model, s.Counted)
	}
	// Output:
	// checks             0       0   0
	// D' = Ax A+         2qkl   32  32
	// Dbar = A+ D        2qkl   32  32
	// inner product      q²k     8   8
	// inverse            q³      8   8
	// B                  2q²k   16  16
	// A+ - B D'          2qkl   32  32
	// W + B (Ya - Ax W)  4cqk   16  16
}

// A model is written to a buffer, as it could be to a file, read again, and then continues.
func ExampleEncode() {
	a, y := three()
	u, err := blsupdate.New(blsupdate.RidgeInverse, a, y, blsupdate.Options{})
	check(err)
	var kept bytes.Buffer
	check(blsupdate.Encode(&kept, u))

	again, err := blsupdate.Decode(&kept, nil)
	check(err)
	ax, ya := mat.NewDense(1, 2, []float64{1, -1}), mat.NewDense(1, 1, []float64{4})
	for _, model := range []blsupdate.Updater{u, again} {
		check(model.AddInputs(ax, ya))
	}
	w, _ := u.Weights()
	v, _ := again.Weights()
	fmt.Println(again.Method(), again.Samples(), gonummat.Equal(w, v))
	// Output: ridge-inverse 4 true
}

// A context stops a start with many rows, and a long update, which leaves the model unchanged.
func ExampleNewContext() {
	a, y := three()
	ctx, cancel := context.WithCancelCause(context.Background())
	u, err := blsupdate.NewContext(ctx, blsupdate.Gram, a, y, blsupdate.Options{})
	check(err)
	cancel(errors.New("no time"))
	err = u.AddInputsContext(ctx, a, y, nil)
	fmt.Println(errors.Is(err, context.Cause(ctx)), err)
	fmt.Println(u.Samples(), "samples")
	// Output:
	// true stopped before the end: no time
	// 3 samples
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
	// blsupdate: unknown method "svd"; must be one of improved, original, ridge-inverse, inverse-cholesky, gram, qr
}

// The flops of 100 more rows for 1000 nodes, by each method whose state does not grow with the rows.
func ExampleTotal() {
	s := blsupdate.Shape{L: 10000, K: 1000, Q: 100, C: 10}
	for _, m := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.RidgeInverse, blsupdate.InverseCholesky} {
		fmt.Printf("%-16s %.2g\n", m, blsupdate.Total(blsupdate.Model(m, blsupdate.ActionAdd, blsupdate.Options{Lambda: 1}, s)))
	}
	// Output:
	// gram             1e+08
	// qr               2e+08
	// ridge-inverse    3.2e+08
	// inverse-cholesky 8.9e+08
}

// The memory of a model of 60,000 samples, 5100 nodes and 10 targets.
func ExampleStateBytes() {
	for _, m := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.Improved} {
		fmt.Printf("%-9v%5d MB\n", m, blsupdate.StateBytes(m, 60000, 5100, 10)/1e6)
	}
	// Output:
	// gram       104 MB
	// qr         208 MB
	// improved  2453 MB
}

// A line fitted to four points, their noise, and the error at the last of a line fitted to the others.
func ExampleStatistics() {
	a := mat.NewDense(4, 2, []float64{1, 0, 1, 1, 1, 2, 1, 3})
	y := mat.NewDense(4, 1, []float64{0.1, 0.9, 2.1, 2.9})
	u, err := blsupdate.New(blsupdate.QR, a, y, blsupdate.Options{})
	check(err)
	var s blsupdate.Statistics
	s, err = u.Statistics()
	check(err)
	errs, err := u.StandardErrors([]int{1})
	check(err)
	fmt.Printf("R² %.4f, sigma² %.3f, the slope ± %.3f\n", s.R2[0], s.Variance[0], errs.At(0, 0))
	var left blsupdate.LeaveOneOut
	left, err = u.LeaveOneOut(a.Slice(3, 4, 0, 2).(*mat.Dense), y.Slice(3, 4, 0, 1).(*mat.Dense))
	check(err)
	fmt.Printf("leverage %.2f, off by %.3f\n", left.Leverage[0], left.Residuals.At(0, 0))
	// Output:
	// R² 0.9931, sigma² 0.016, the slope ± 0.057
	// leverage 0.70, off by -0.133
}

// Points on a line: if new ones are like the ones that the model has learned, their leverage is small.
func ExampleLeverager() {
	a := mat.NewDense(4, 2, []float64{1, 0, 1, 1, 1, 2, 1, 3})
	y := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	u, err := blsupdate.New(blsupdate.RidgeInverse, a, y, blsupdate.Options{})
	check(err)
	h, err := blsupdate.Leverager(u).Leverage(mat.NewDense(2, 2, []float64{1, 1.5, 1, 10}))
	fmt.Printf("%.2f %v\n", h, err)
	fmt.Println("started by", u.Report().Start == blsupdate.StartCholesky)
	// Output:
	// [0.25 14.70] <nil>
	// started by true
}

// With two nearly equal columns Gram loses digits, and reports it. Given the data, it recovers them.
func ExampleRefiner() {
	const d = 1e-4
	a := mat.NewDense(3, 2, []float64{1, 1, 1, 1 + d, 1, 1 - d})
	y := mat.NewDense(3, 1, []float64{3, 3 + 2*d, 3 - 2*d}) // W = (1, 2)
	u, err := blsupdate.New(blsupdate.Gram, a, y, blsupdate.Options{})
	check(err)
	before, _ := u.Weights()
	c := u.Condition()
	fmt.Println(c.Digits > 10, c.Instead)
	check(u.(blsupdate.Refiner).Refine(a, y))
	after, _ := u.Weights()
	fmt.Println(math.Abs(after.At(0, 0)-1) <= math.Abs(before.At(0, 0)-1))
	fmt.Printf("%.8f\n", after.RawMatrix().Data)
	// Output:
	// false qr
	// true
	// [1.00000000 2.00000000]
}

// A⁺ itself, which the methods of the paper keep.
func ExamplePseudoinverter() {
	a := mat.NewDense(2, 1, []float64{3, 4})
	u, err := blsupdate.New(blsupdate.Improved, a, mat.NewDense(2, 1, []float64{1, 1}), blsupdate.Options{})
	check(err)
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

// A model of 1000 nodes learns 5 batches of 500 rows, on a machine that always runs at 50 GFLOP/s.
// Without Rates the times are predicted for this machine.
func ExamplePlan() {
	choice, err := blsupdate.Plan(500, 1000, 10_000, 10, blsupdate.Needs{
		Batches: 5,
		Rates:   blsupdate.ConstantRates(50e9, math.Inf(1)),
	})
	check(err)
	fmt.Println(choice.Method)
	fmt.Print(choice.Explain())
	// Output:
	// gram
	// Batches: 5 of 500 rows; nodes: 1000; targets: 10; samples before: 10000; lambda = 0; weights after every batch.
	// Rates for the predicted times: constant rates.
	// The condition number is not known, so the digits of the weights are not predicted.
	//
	// method            form   Gflop  time     memory   error   not valid because
	// gram              -      4.32   86.3 ms  8.25 MB  eps κ²  -
	// qr                -      5.15   103 ms   8.16 MB  eps κ   -
	// inverse-cholesky  small  8.85   177 ms   8.08 MB  eps κ   -
	// ridge-inverse     small  8.91   178 ms   12.6 MB  eps κ²  -
	// inverse-cholesky  large  9.97   199 ms   25.1 MB  eps κ   -
	// ridge-inverse     large  12.7   254 ms   8.09 MB  eps κ²  -
	// improved          small  169    3.38 s   162 MB   eps κ   -
	// improved          large  178    3.57 s   169 MB   eps κ²  -
	// original          -      182    3.64 s   162 MB   eps κ   -
	//
	// gram: 86.3 ms, the fastest that meets all needs; qr would take 1.19 times as long.
}
