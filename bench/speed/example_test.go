package speed_test

import (
	"context"
	"fmt"
	"time"

	"blskernel"
	"blskernel/bench/speed"
)

// A comparison of one backend with nothing: its speed and the fraction of the CPU's peak.
func ExampleComparison() {
	pure, err := blskernel.Lookup("pure")
	if err != nil {
		fmt.Println(err)
		return
	}
	dgemm, _ := speed.Find("dgemm", "NN")
	c := &speed.Comparison{
		Backends: []blskernel.Backend{pure},
		Jobs:     []speed.Job{{Case: dgemm, N: 16}, {Case: dgemm, N: 20}},
		Threads:  []int{1},
		Rounds:   3,
		MinTime:  10 * time.Microsecond,
	}
	err = c.Run(context.Background(), func(r speed.Result) error {
		fmt.Println(r.Op, r.Cell(), r.Flops, "flops by", r.Backends[0].Backend, r.Backends[0].GFLOPS > 0 && r.Backends[0].OfPeak > 0)
		return nil
	}, nil)
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// dgemm NN 16 8192 flops by pure true
	// dgemm NN 20 16000 flops by pure true
}
