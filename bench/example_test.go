package bench_test

import (
	"context"
	"fmt"

	"blskernel/bench"
	"blskernel/blsupdate"
)

// This example compares the flops of the paper's Table 1, at one choice of l, k and q, with counts.
func ExamplePaperFlops() {
	c, err := bench.PaperFlops(context.Background(), 100, 20, 10, blsupdate.Options{Form: blsupdate.Paper}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range c.Steps {
		row := func(f bench.FlopsCount) string { return fmt.Sprintf("%s %v %v", f.Formula, f.Paper, f.Counted) }
		fmt.Printf("%s: %s, %s\n", s.Step, row(s.Original), row(s.Improved))
	}
	// Output:
	// Dbar = A+ D: 2qkl 40000 40000, 2qkl 40000 40000
	// inner product: q²l 10000 10000, q²k 2000 2000
	// inverse: q³ 1000 1000, q³ 1000 1000
	// B: 2q²k 4000 4000, 2q²k 4000 4000
}
