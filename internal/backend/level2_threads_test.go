package backend_test

import (
	"blskernel"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// TestLevel2Threads compares, bit for bit, what Level 2 of the pure backend computes on several threads
// with what it does on one.
func TestLevel2Threads(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	const n = 1500 // large enough for goroutines that are started anew
	r := rand.New(rand.NewPCG(4, 4))
	a, x, y := uniformSlice(r, n*n), uniformSlice(r, n), uniformSlice(r, n)
	routines := map[string]func(a, y []float64){
		"Dgemv N": func(a, y []float64) { b.Dgemv(blas.NoTrans, n, n, 0.7, a, n, x, 1, 1.3, y, 1) },
		"Dgemv T": func(a, y []float64) { b.Dgemv(blas.Trans, n, n, 0.7, a, n, x, 1, 1.3, y, 1) },
		"Dger":    func(a, y []float64) { b.Dger(n, n, 0.7, x, 1, y, 1, a, n) },
		"Dsymv":   func(a, y []float64) { b.Dsymv(blas.Lower, n, 0.7, a, n, x, 1, 1.3, y, 1) },
		"Dspmv":   func(a, y []float64) { b.Dspmv(blas.Upper, n, 0.7, a, x, 1, 1.3, y, 1) },
		"Dsyr":    func(a, _ []float64) { b.Dsyr(blas.Upper, n, 0.7, x, 1, a, n) },
		"Dspr":    func(a, _ []float64) { b.Dspr(blas.Lower, n, 0.7, x, 1, a) },
	}
	defer blskernel.SetThreads(0)
	for name, do := range routines {
		blskernel.SetThreads(1)
		a1, y1 := slices.Clone(a), slices.Clone(y)
		do(a1, y1)
		for _, threads := range []int{2, 5, 0} {
			blskernel.SetThreads(threads)
			a2, y2 := slices.Clone(a), slices.Clone(y)
			do(a2, y2)
			if !slices.Equal(a1, a2) || !slices.Equal(y1, y2) {
				t.Errorf("%s: %d threads have another result than one", name, threads)
			}
		}
	}
}

func uniformSlice(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*r.Float64() - 1
	}
	return x
}
