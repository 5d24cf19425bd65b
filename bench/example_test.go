package bench_test

import (
	"context"
	"fmt"

	"blskernel/bench"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
)

// The paper's experiment at a small size: two methods learn the same batches, and have the same
// accuracy.
func ExampleIncremental() {
	e := &bench.Incremental{
		Train: dataset.Digits(600, 1), Test: dataset.Digits(300, 2),
		Initial: 200, Batch: 200, Updates: 2,
		Features: bls.FeatureOptions{Groups: 3, GroupNodes: 10, EnhancementNodes: 50, Seed: 1},
		Variants: bench.Variants(blsupdate.Original, blsupdate.Improved),
		Update:   blsupdate.Options{Lambda: 0x1p-30},
	}
	err := e.Run(context.Background(), func(row bench.TableRow) error {
		original, improved := row.Cells[0], row.Cells[1]
		fmt.Println(row.Samples, *original.Accuracy == *improved.Accuracy, improved.FlopsModel == improved.FlopsCounted)
		return nil
	}, nil)
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 200 true true
	// 400 true true
	// 600 true true
}

// What one of the paper's tables is about, and what it prints.
func ExampleLookupPaperTable() {
	t, ok := bench.LookupPaperTable(2)
	fmt.Println(ok, t.TitleOn(t.Data))
	fmt.Println("at a tenth:", t.Scaled(0.1).TitleOn(bench.SyntheticDigits))
	printed, _ := bench.PaperFigures(2)
	fmt.Println("speed-up:", printed.Total)
	// Output:
	// true MNIST, k = 5100, l from 10000, 5 updates of q = 10000 > k
	// at a tenth: synthetic digits, k = 510, l from 1000, 5 updates of q = 1000 > k
	// speed-up: 1.35
}

// Table 1 of the paper at one choice of l, k and q: flops by its formulas and as they were counted.
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
