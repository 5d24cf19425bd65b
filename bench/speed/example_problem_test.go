package speed_test

import (
	"fmt"
	"slices"

	"blskernel"
	"blskernel/bench/speed"
)

// Every operation has cases, and a case operands, on which any backend can be run and checked.
func ExampleCase() {
	fmt.Println(slices.Contains(speed.Operations(), "dsyrk"))
	for _, c := range speed.Cases("dsyrk") {
		fmt.Println(c, c.Flops(speed.Square(10)))
	}
	pure, err := blskernel.Lookup("pure")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, _ := speed.Find("dtrsm", "LUN")
	p := c.Prepare(speed.Shape{M: 30, N: 20, K: 30}, 1)
	if err := p.Check(pure); err != nil { // a *speed.WrongError where the result is wrong
		fmt.Println(err)
		return
	}
	call := p.Bind(pure)
	for range 3 {
		p.Reset()
		call()
	}
	fmt.Println(p.Flops(), p.Err())
	// Output:
	// true
	// dsyrk UN 1000
	// dsyrk UT 1000
	// dsyrk LN 1000
	// dsyrk LT 1000
	// 18000 <nil>
}

// Many cells in one line: the geometric mean of the ratios and the worst of them.
func ExampleRatios() {
	var results []speed.Result
	for i, ratio := range []float64{2, 0.5, 1} {
		results = append(results, speed.Result{
			Op: "dgemm", Args: "NN", M: 10 << i, N: 10 << i, K: 10 << i, Threads: 1,
			Backends: []speed.Timing{{Backend: "pure"}, {Backend: "openblas", Ratio: ratio}},
		})
	}
	for _, r := range speed.Ratios(results) {
		fmt.Println(r.Op, r.Backend, "/", r.Against, r.Cells, r.Mean, "worst", r.Worst, "at", r.At)
	}
	// Output:
	// dgemm pure / openblas 3 1 worst 0.5 at NN 20
}
