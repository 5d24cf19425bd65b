// Command gonum shows what a gonum program gains from blskernel: analysis.go is the program, and
// kernels.go has the two lines that switch.
//
//	go run . -n 100,500,1000,2000
//
// It times every operation with gonum's own routines and with ours in turn, in one process, and
// compares medians.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"

	"blskernel"
)

func main() {
	log.SetFlags(0)
	orders := flag.String("n", "100,500", "orders of the matrices, separated by commas")
	rounds := flag.Int("rounds", 5, "number of timings for each median")
	backend := flag.String("backend", "", "pure or openblas; by default that of blskernel.Default")
	flag.Parse()
	if err := run(os.Stdout, *orders, *rounds, *backend); err != nil {
		log.Fatal(err)
	}
}

// run measures all operations and prints the table of gains.
func run(w io.Writer, orders string, rounds int, backend string) error {
	b, err := blskernel.Lookup(backend)
	if err != nil {
		return err
	}
	var sizes []int
	for _, s := range strings.Split(orders, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 2 || n > 20000 {
			return fmt.Errorf("-n has %q; want orders from 2 to 20000", s)
		}
		sizes = append(sizes, n)
	}
	if rounds < 1 {
		return fmt.Errorf("-rounds is %d; want at least 1", rounds)
	}
	use := [2]func(){useGonum, func() { useKernels(b) }}
	defer useGonum()

	fmt.Fprintf(w, "Milliseconds, medians of %d timings in turn, on %d threads:\n\n", rounds, runtime.GOMAXPROCS(0))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "n\toperation\tgonum\t%s\ttimes as fast\t\n", b.Name())
	for _, op := range operations {
		for _, n := range sizes {
			if n > op.most {
				continue
			}
			useKernels(b) // makes the operands of both fastest
			in := newOperands(n, rand.New(rand.NewPCG(uint64(n), 1)))
			got, err := compare(op, in, use, rounds)
			if err != nil {
				return fmt.Errorf("%s, n = %d: %w", op.name, n, err)
			}
			fmt.Fprintf(t, "%d\t%s\t%.3g\t%.3g\t%.2f\t\n", n, op.name, 1000*got.gonum, 1000*got.ours, got.gain)
		}
	}
	return t.Flush()
}
