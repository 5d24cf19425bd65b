// Command gonum shows how a gonum program gets the kernels of blskernel: analysis.go is the program,
// and useKernels has the two lines that switch to the kernels.
//
//	go run . -n 1000
//
// It runs the analysis with gonum's own routines and with blskernel's, and prints by how much the
// results differ. To measure the gain, run 'blskernel bench --op mat.SVD', for example.
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

	"blskernel"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas/blas64"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/floats"
	gonumlapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 300, "number of columns; there are twice as many samples")
	name := flag.String("backend", "", "pure or openblas (default the backend of blskernel.Default)")
	flag.Parse()
	if err := run(os.Stdout, *n, *name); err != nil {
		log.Fatal(err)
	}
}

// useKernels makes all of gonum's float64 packages run on the backend b. A program needs only these two
// lines, in an init function or at the start of main:
//
//	blas64.Use(blskernel.Default())
//	lapack64.Use(lapack.Implementation{})
func useKernels(b blskernel.Backend) {
	blas64.Use(b)
	lapack64.Use(lapack.Implementation{Backend: b})
}

// useGonum restores gonum's own routines, for a comparison.
func useGonum() {
	blas64.Use(gonumblas.Implementation{})
	lapack64.Use(gonumlapack.Implementation{})
}

func run(w io.Writer, n int, name string) error {
	b, err := blskernel.Lookup(name)
	if err != nil {
		return err
	}
	if n < 1 || n > 20000 {
		return fmt.Errorf("-n is %d; want 1 to 20000", n)
	}
	x, y := samples(n)
	gonum, err := analyse(x, y, 1)
	if err != nil {
		return err
	}
	useKernels(b)
	defer useGonum()
	ours, err := analyse(x, y, 1)
	if err != nil {
		return err
	}
	difference := floats.Distance(gonum.numbers(), ours.numbers(), 2) / floats.Norm(gonum.numbers(), 2)
	if !(difference <= 1e-9) || math.IsInf(difference, 0) {
		return fmt.Errorf("the results differ by %g, more than rounding can explain", difference)
	}
	_, err = fmt.Fprintf(w, "the results of gonum and %s differ by %.1g of their norm\n", b.Name(), difference)
	return err
}

// samples returns 2n random samples of n columns, and their targets.
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
