package blas12

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// A vectorBLAS is a BLAS without Level 3.
type vectorBLAS interface {
	blas.Float64Level1
	blas.Float64Level2
}

// calls are calls of every routine on a matrix of order n and two vectors. They leave numbers of about
// the same size, however often they are made.
var calls = []struct {
	name string
	do   func(f vectorBLAS, n int, a, x, y []float64)
}{
	{"Ddot", func(f vectorBLAS, n int, _, x, y []float64) { y[0] = f.Ddot(n, x, 1, y, 1) / float64(2*n) }},
	{"Daxpy", func(f vectorBLAS, n int, _, x, y []float64) { f.Daxpy(n, 1e-9, x, 1, y, 1) }},
	{"Dscal", func(f vectorBLAS, n int, _, x, _ []float64) { f.Dscal(n, -1, x, 1) }},
	{"Dnrm2", func(f vectorBLAS, n int, _, x, y []float64) { y[0] = f.Dnrm2(n, x, 1) }},
	{"Dasum", func(f vectorBLAS, n int, _, x, y []float64) { y[0] = f.Dasum(n, x, 1) }},
	{"Drot", func(f vectorBLAS, n int, _, x, y []float64) { f.Drot(n, x, 1, y, 1, 0.6, 0.8) }},
	{"Drotm", func(f vectorBLAS, n int, _, x, y []float64) {
		f.Drotm(n, x, 1, y, 1, blas.DrotmParams{Flag: blas.Rescaling, H: [4]float64{0.6, -0.8, 0.8, 0.6}})
	}},
	{"DgemvN", func(f vectorBLAS, n int, a, x, y []float64) { f.Dgemv('N', n, n, 1, a, n, x, 1, 0.7, y, 1) }},
	{"DgemvT", func(f vectorBLAS, n int, a, x, y []float64) { f.Dgemv('T', n, n, 1, a, n, x, 1, 0.7, y, 1) }},
	{"Dger", func(f vectorBLAS, n int, a, x, y []float64) { f.Dger(n, n, 1e-9, x, 1, y, 1, a, n) }},
	{"Dsymv", func(f vectorBLAS, n int, a, x, y []float64) { f.Dsymv('U', n, 1, a, n, x, 1, 0.7, y, 1) }},
	{"Dspmv", func(f vectorBLAS, n int, a, x, y []float64) { f.Dspmv('L', n, 1, a, x, 1, 0.7, y, 1) }},
	{"Dsyr", func(f vectorBLAS, n int, a, x, _ []float64) { f.Dsyr('L', n, 1e-9, x, 1, a, n) }},
	{"Dspr", func(f vectorBLAS, n int, a, x, _ []float64) { f.Dspr('U', n, 1e-9, x, 1, a) }},
	{"Dsyr2", func(f vectorBLAS, n int, a, x, y []float64) { f.Dsyr2('L', n, 1e-9, x, 1, y, 1, a, n) }},
	{"Dspr2", func(f vectorBLAS, n int, a, x, y []float64) { f.Dspr2('U', n, 1e-9, x, 1, y, 1, a) }},
	{"Dsbmv", func(f vectorBLAS, n int, a, x, y []float64) { f.Dsbmv('U', n, n/4, 1, a, n, x, 1, 0.7, y, 1) }},
	{"DgbmvN", func(f vectorBLAS, n int, a, x, y []float64) { f.Dgbmv('N', n, n, n/8, n/8, 1, a, n, x, 1, 0.7, y, 1) }},
	{"DgbmvT", func(f vectorBLAS, n int, a, x, y []float64) { f.Dgbmv('T', n, n, n/8, n/8, 1, a, n, x, 1, 0.7, y, 1) }},
	{"DtrsvT", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtrsv('U', 'T', 'U', n, a, n, y, 1) })},
	{"DtrsvN", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtrsv('L', 'N', 'U', n, a, n, y, 1) })},
	{"DtpsvN", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtpsv('U', 'N', 'U', n, a, y, 1) })},
	{"DtpsvT", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtpsv('L', 'T', 'U', n, a, y, 1) })},
	{"DtbsvN", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtbsv('U', 'N', 'U', n, n/4, a, n, y, 1) })},
	{"DtbsvT", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtbsv('L', 'T', 'U', n, n/4, a, n, y, 1) })},
	{"DtrmvN", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtrmv('L', 'N', 'N', n, a, n, y, 1) })},
	{"DtrmvT", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtrmv('U', 'T', 'N', n, a, n, y, 1) })},
	{"DtpmvN", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtpmv('U', 'N', 'N', n, a, y, 1) })},
	{"DtpmvT", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtpmv('L', 'T', 'N', n, a, y, 1) })},
	{"DtbmvN", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtbmv('U', 'N', 'N', n, n/4, a, n, y, 1) })},
	{"DtbmvT", triangularCall(func(f vectorBLAS, n int, a, y []float64) { f.Dtbmv('L', 'T', 'N', n, n/4, a, n, y, 1) })},
}

// triangularCall returns a call that overwrites y with the product or solution for x.
func triangularCall(do func(f vectorBLAS, n int, a, y []float64)) func(vectorBLAS, int, []float64, []float64, []float64) {
	return func(f vectorBLAS, n int, a, x, y []float64) {
		copy(y, x[:n])
		do(f, n, a, y)
	}
}

// random returns n numbers, with room behind them.
func random(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n, n+64)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	return x
}

// available runs a test for the routines on each of kernels.Some.
func available(t *testing.T, test func(*testing.T, *Routines)) {
	for _, k := range kernels.Some(t) {
		t.Run("kernel="+k.Name, func(t *testing.T) { test(t, New(k, inPieces)) })
	}
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
			run := func(name string, f vectorBLAS) {
				b.Run(fmt.Sprintf("%s/%s/n=%d", c.name, name, n), func(b *testing.B) {
					for b.Loop() {
						c.do(f, n, a, x, y)
					}
				})
			}
			run("impl=gonum", gonum.Implementation{})
			for _, k := range kernels.All(b) {
				run("impl="+k.Name, New(k, nil))
			}
		}
	}
}
