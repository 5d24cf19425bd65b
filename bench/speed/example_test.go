package speed_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"blskernel"
	"blskernel/bench/speed"
)

// A comparison of one backend with nothing: its speed and the fraction of the CPU's peak.
func ExampleComparison() {
	dgemm, _ := speed.Find("dgemm", "NN")
	c := &speed.Comparison{
		Backends: []blskernel.Backend{blskernel.Default()},
		Jobs:     []speed.Job{{Case: dgemm, N: 16}, {Case: dgemm, N: 20}},
		Threads:  []int{1},
		Rounds:   3,
		MinTime:  10 * time.Microsecond,
	}
	err := c.Run(context.Background(), func(r speed.Result) error {
		fmt.Println(r.Op, r.Cell(), r.Flops, "flops", r.Backends[0].GFLOPS > 0 && r.Backends[0].OfPeak > 0)
		return nil
	}, nil)
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// dgemm NN 16 8192 flops true
	// dgemm NN 20 16000 flops true
}

// Every operation has cases, and a case operands, on which any backend can be run.
func ExampleCase() {
	fmt.Println(slices.Contains(speed.Operations(), "dsyrk"))
	for _, c := range speed.Cases("dsyrk") {
		fmt.Println(c, c.Flops(10))
	}
	c, _ := speed.Find("dtrsm", "LUN")
	p := c.Prepare(30, 1)
	call := p.Bind(blskernel.Default())
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
	// 27000 <nil>
}
