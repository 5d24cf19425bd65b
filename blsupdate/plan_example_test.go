package blsupdate_test

import (
	"fmt"
	"math"

	"blskernel/blsupdate"
)

// A model of 1000 nodes that learns 5 batches of 500 rows, on a machine that makes 50 GFLOP/s whatever
// it does. Without Rates the times are those of this machine.
func ExamplePlan() {
	choice, err := blsupdate.Plan(500, 1000, 10_000, 10, blsupdate.Needs{
		Batches: 5,
		Rates:   blsupdate.ConstantRates(50e9, math.Inf(1)),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(choice.Method)
	fmt.Print(choice.Explain())
	// Output:
	// gram
	// Batches: 5 of 500 rows; nodes: 1000; targets: 10; samples before: 10000; lambda = 0; weights after every batch.
	// Times by constant rates.
	// The condition number is not known: no method is ruled out by its errors.
	//
	// method            form   Gflop  time     memory   error   not valid because
	// gram              -      4.32   86.3 ms  8.25 MB  eps κ²  -
	// qr                -      5.15   103 ms   8.16 MB  eps κ   -
	// inverse-cholesky  small  8.85   177 ms   8.08 MB  eps κ   -
	// ridge-inverse     small  8.91   178 ms   8.09 MB  eps κ²  -
	// inverse-cholesky  large  9.97   199 ms   20.1 MB  eps κ   -
	// ridge-inverse     large  12.7   254 ms   8.09 MB  eps κ²  -
	// improved          small  169    3.38 s   161 MB   eps κ   -
	// improved          large  178    3.57 s   168 MB   eps κ²  -
	// original          -      182    3.64 s   161 MB   eps κ   -
	//
	// gram: 86.3 ms, the fastest that does all that is needed; qr would take 1.19 times as long.
}
