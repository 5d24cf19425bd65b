// Command gonum is a program that computes with gonum, and measures what it gains from blskernel:
// analysis.go is the program, kernels.go the two lines that switch.
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
	"time"

	"blskernel"

	"gonum.org/v1/gonum/mat"
)

func main() {
	log.SetFlags(0)
	orders := flag.String("n", "100,500", "orders of the matrices, separated by commas")
	rounds := flag.Int("rounds", 5, "timings of which the median is taken")
	backend := flag.String("backend", "", "pure or openblas; by default as blskernel.Default chooses")
	all := flag.Bool("all", false, "measure SVD, eigenvalues and QR at large orders as well, which takes gonum minutes")
	flag.Parse()
	if err := run(os.Stdout, *orders, *rounds, *backend, *all); err != nil {
		log.Fatal(err)
	}
}

// run does the analysis with both implementations and prints the table of gains.
func run(w io.Writer, orders string, rounds int, backend string, all bool) error {
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

	if err := printAnalysis(w, use, b.Name()); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nMilliseconds, medians of %d timings in turn, on %d threads:\n\n", rounds, runtime.GOMAXPROCS(0))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "n\toperation\tgonum\t%s\ttimes as fast\t\n", b.Name())
	for _, op := range operations {
		for _, n := range sizes {
			if n > op.most && !all {
				continue
			}
			useKernels(b) // makes the operands of both fastest
			in := newOperands(n, rand.New(rand.NewPCG(uint64(n), 1)))
			got, err := compare(func() (mat.Matrix, error) { return op.run(in) }, use, rounds)
			if err != nil {
				return fmt.Errorf("%s, n = %d: %w", op.name, n, err)
			}
			fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%.2f\t\n", n, op.name, milliseconds(got.gonum), milliseconds(got.ours), got.gain)
		}
	}
	return t.Flush()
}

// printAnalysis runs the program of analysis.go on both and prints the time of each.
func printAnalysis(w io.Writer, use [2]func(), name string) error {
	const l, d = 2000, 200
	r := rand.New(rand.NewPCG(1, 2))
	x, noise := random(l, d, r), random(l, 1, r)
	truth, y := mat.NewVecDense(d, nil), mat.NewVecDense(l, nil)
	for j := range d {
		truth.SetVec(j, float64(j%5)-2)
	}
	y.MulVec(x, truth)
	y.AddScaledVec(y, 0.1, noise.ColView(0))
	var found [2]*findings
	for i, switchTo := range use {
		switchTo()
		start := time.Now()
		var err error
		if found[i], err = analyse(x, y, 1); err != nil {
			return err
		}
		fmt.Fprintf(w, "%8s: analysis of %d samples of %d quantities in %s ms\n", []string{"gonum", name}[i], l, d, milliseconds(time.Since(start)))
	}
	if err := sameFindings(found[0], found[1]); err != nil {
		return err
	}
	fmt.Fprintln(w, "   both: the same findings up to rounding")
	return nil
}

// sameFindings returns an error unless two analyses agree up to rounding.
func sameFindings(a, b *findings) error {
	column := func(x []float64) mat.Matrix { return mat.NewVecDense(len(x), x) }
	for _, pair := range []struct {
		name string
		a, b mat.Matrix
	}{
		{"ridge regression", a.ridge, b.ridge},
		{"spread of the weights", column(a.spread), column(b.spread)},
		{"least squares", a.leastSqr, b.leastSqr},
		{"variances", column(a.explained), column(b.explained)},
		{"distances", column(a.distances), column(b.distances)},
	} {
		if err := same(pair.a, pair.b); err != nil {
			return fmt.Errorf("%s: %w", pair.name, err)
		}
	}
	return nil
}

// milliseconds prints a duration with three digits.
func milliseconds(d time.Duration) string {
	ms := d.Seconds() * 1000
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.0f", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f", ms)
	default:
		return fmt.Sprintf("%.3g", ms)
	}
}
