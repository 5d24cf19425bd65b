// Command gonum shows what a gonum program gains from blskernel: analysis.go is the program, and
// kernels.go has the two lines that switch.
//
//	go run . -n 100,300,1000,2000
//
// It times every operation with gonum's own routines and with ours in turn, in one process, with NumPy
// in another one where that is installed, and compares medians.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"blskernel"
)

func main() {
	log.SetFlags(0)
	var s settings
	flag.StringVar(&s.orders, "n", "100,300", "orders of the matrices, separated by commas")
	flag.StringVar(&s.operations, "op", "", "operations, separated by commas; by default all: "+strings.Join(names(), ","))
	flag.IntVar(&s.rounds, "rounds", 5, "number of timings for each median")
	flag.StringVar(&s.backend, "backend", "", "pure or openblas; by default that of blskernel.Default")
	flag.StringVar(&s.python, "python", "python3", "the Python of which NumPy is timed")
	flag.Parse()
	if err := s.run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// settings are the flags.
type settings struct {
	orders, operations, backend, python string
	rounds                              int
}

func names() (all []string) {
	for _, op := range operations {
		all = append(all, op.name)
	}
	return all
}

// chosen returns the orders and the operations of the flags.
func (s *settings) chosen() (sizes []int, ops []operation, err error) {
	for _, text := range strings.Split(s.orders, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 2 || n > 20000 {
			return nil, nil, fmt.Errorf("-n has %q; want orders from 2 to 20000", text)
		}
		sizes = append(sizes, n)
	}
	if s.rounds < 1 {
		return nil, nil, fmt.Errorf("-rounds is %d; want at least 1", s.rounds)
	}
	if s.operations == "" {
		return sizes, operations, nil
	}
	for _, name := range strings.Split(s.operations, ",") {
		i := slices.Index(names(), name)
		if i < 0 {
			return nil, nil, fmt.Errorf("-op has %q; want some of %s", name, strings.Join(names(), ","))
		}
		ops = append(ops, operations[i])
	}
	return sizes, ops, nil
}

// run measures the operations and prints a line of each as it comes.
func (s *settings) run(w io.Writer) error {
	b, err := blskernel.Lookup(s.backend)
	if err != nil {
		return err
	}
	sizes, ops, err := s.chosen()
	if err != nil {
		return err
	}
	use := [2]func(){useGonum, func() { useKernels(b) }}
	defer useGonum()

	fmt.Fprintf(w, "Milliseconds, medians of %d timings in turn, on %d threads.\n", s.rounds, runtime.GOMAXPROCS(0))
	python, err := startNumPy(s.python)
	if err != nil {
		fmt.Fprintf(w, "NumPy is not measured: %v\n", err)
	} else {
		fmt.Fprintln(w, python.version)
	}
	defer python.stop()
	fmt.Fprintf(w, "\n%5s  %-28s %9s %9s  %-9s %9s  %s\n", "n", "operation", "gonum", b.Name(), "times", "NumPy", "times")
	for _, op := range ops {
		for _, n := range sizes {
			if n > op.most {
				continue
			}
			useKernels(b) // makes the operands of both fastest
			in := newOperands(n, rand.New(rand.NewPCG(uint64(n), 1)))
			t, err := compare(op, in, use, python, s.rounds)
			if err != nil {
				return fmt.Errorf("%s, n = %d: %w", op.text, n, err)
			}
			fmt.Fprintf(w, "%5d  %-28s %9s %9s  %-9s %9s  %s\n", n, op.text, number(1000*t.seconds[ofGonum]),
				number(1000*t.seconds[ofOurs]), number(t.over[ofGonum]), number(1000*t.seconds[ofNumPy]), number(t.over[ofNumPy]))
		}
	}
	return nil
}

// number returns x with three digits, or nothing for NaN.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	if x >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
