package blas12

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blskernel/internal/kernel"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// calls are calls of every routine on a matrix of order n and two vectors. They leave numbers of about
// the same size, however often they are made.
var calls = []struct {
	name string
	do   func(f blas.Float64, n int, a, x, y []float64)
}{
	{"Ddot", func(f blas.Float64, n int, _, x, y []float64) { y[0] = f.Ddot(n, x, 1, y, 1) / float64(2*n) }},
	{"Daxpy", func(f blas.Float64, n int, _, x, y []float64) { f.Daxpy(n, 1e-9, x, 1, y, 1) }},
	{"Dscal", func(f blas.Float64, n int, _, x, _ []float64) { f.Dscal(n, -1, x, 1) }},
	{"DgemvN", func(f blas.Float64, n int, a, x, y []float64) { f.Dgemv('N', n, n, 1, a, n, x, 1, 0.7, y, 1) }},
	{"DgemvT", func(f blas.Float64, n int, a, x, y []float64) { f.Dgemv('T', n, n, 1, a, n, x, 1, 0.7, y, 1) }},
	{"Dger", func(f blas.Float64, n int, a, x, y []float64) { f.Dger(n, n, 1e-9, x, 1, y, 1, a, n) }},
	{"Dsymv", func(f blas.Float64, n int, a, x, y []float64) { f.Dsymv('U', n, 1, a, n, x, 1, 0.7, y, 1) }},
	{"Dspmv", func(f blas.Float64, n int, a, x, y []float64) { f.Dspmv('L', n, 1, a, x, 1, 0.7, y, 1) }},
	{"Dsyr", func(f blas.Float64, n int, a, x, _ []float64) { f.Dsyr('L', n, 1e-9, x, 1, a, n) }},
	{"Dspr", func(f blas.Float64, n int, a, x, _ []float64) { f.Dspr('U', n, 1e-9, x, 1, a) }},
	{"Dtrsv", func(f blas.Float64, n int, a, x, y []float64) {
		copy(y, x[:n])
		f.Dtrsv('U', 'T', 'U', n, a, n, y, 1)
	}},
}

// random returns n numbers, with room behind them.
func random(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n, n+64)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	return x
}

// available runs a test for the routines on each kernel that this machine can run.
func available(t *testing.T, test func(*testing.T, *Routines)) {
	for _, k := range everyKernel(t) {
		t.Run("kernel="+k.Name, func(t *testing.T) { test(t, New(k, inPieces)) })
	}
}

func everyKernel(t testing.TB) (all []kernel.Kernel) {
	for _, name := range kernel.Names() {
		k, err := kernel.Lookup(name)
		testutil.NoError(t, err)
		all = append(all, k)
	}
	return all
}

// BenchmarkRoutines measures each routine on each kernel, and gonum's.
func BenchmarkRoutines(b *testing.B) {
	for _, c := range calls {
		for _, n := range []int{8, 64, 256, 1000, 4000} {
			rnd := rand.New(rand.NewPCG(1, uint64(n)))
			a, x, y := random(rnd, n*n), random(rnd, n), random(rnd, n)
			for i := range a {
				a[i] /= float64(n) // a triangle of such numbers is well conditioned
			}
			run := func(name string, f blas.Float64) {
				b.Run(fmt.Sprintf("%s/%s/n=%d", c.name, name, n), func(b *testing.B) {
					for b.Loop() {
						c.do(f, n, a, x, y)
					}
				})
			}
			run("impl=gonum", gonum.Implementation{})
			for _, k := range everyKernel(b) {
				run("impl="+k.Name, New(k, nil))
			}
		}
	}
}
