// Command gonum shows the gain of a gonum program from blskernel: analysis.go is the program, and
// kernels.go has the two lines that switch.
//
//	go run . -n 1000
//
// It runs the analysis with gonum's own routines and with ours, and prints by how much the results
// differ and how long each took. Operations one by one are measured by 'blskernel bench --op mat.SVD'
// and the like.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"blskernel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 300, "the number of columns of the samples, which are twice as many")
	name := flag.String("backend", "", "pure or openblas (default the backend of blskernel.Default)")
	flag.Parse()
	if err := run(os.Stdout, *n, *name); err != nil {
		log.Fatal(err)
	}
}

// run compares the analysis with both implementations.
func run(w io.Writer, n int, name string) error {
	b, err := blskernel.Lookup(name)
	if err != nil {
		return err
	}
	if n < 1 || n > 20000 {
		return fmt.Errorf("-n is %d; want 1 to 20000", n)
	}
	defer useGonum()
	x, y := samples(n)
	var all [2][]float64
	var took [2]time.Duration
	for i, use := range []func(){useGonum, func() { useKernels(b) }} {
		use()
		start := time.Now()
		f, err := analyse(x, y, 1)
		if err != nil {
			return err
		}
		took[i], all[i] = time.Since(start), f.numbers()
	}
	difference := floats.Distance(all[0], all[1], 2) / floats.Norm(all[0], 2)
	_, err = fmt.Fprintf(w, "gonum %v, %s %v: %.3g times as fast; the results differ by %.1g of their norm\n",
		took[0].Round(time.Microsecond), b.Name(), took[1].Round(time.Microsecond), took[0].Seconds()/took[1].Seconds(), difference)
	if !(difference <= 1e-9) || math.IsInf(difference, 0) {
		return fmt.Errorf("the results differ by more than rounding")
	}
	return err
}

// samples returns 2n random samples of n columns, and a target.
func samples(n int) (x *mat.Dense, y *mat.VecDense) {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	normal := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		return v
	}
	return mat.NewDense(2*n, n, normal(2*n*n)), mat.NewVecDense(2*n, normal(2*n))
}

func (f *findings) numbers() []float64 {
	return slices.Concat(f.ridge.RawVector().Data, f.spread, f.minSqr.RawVector().Data, f.explained, f.distances)
}
