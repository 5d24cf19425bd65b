package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

// DgemmTanh is Dgemm, an addition and the kernel's tanh, bit for bit.
func TestDgemmTanhIsDgemm(t *testing.T) {
	use(t, active)
	rnd := rand.New(rand.NewPCG(61, 1))
	for _, e := range everyEngine(t) {
		active = e
		for range 100 {
			m, n, k := rnd.IntN(60), rnd.IntN(60), rnd.IntN(60)
			a, _ := operand(rnd, blas.NoTrans, m, k)
			b, _ := operand(rnd, blas.NoTrans, k, n)
			bias := values(rnd, n)
			alpha := []float64{0, 1, -0.6}[rnd.IntN(3)]
			got, want := make([]float64, m*n), make([]float64, m*n)
			for i := range got {
				got[i], want[i] = math.NaN(), math.NaN()
			}
			e.DgemmTanh(blas.NoTrans, blas.NoTrans, m, n, k, alpha, a.x, a.ld, b.x, b.ld, bias, got, max(1, n))
			e.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, alpha, a.x, a.ld, b.x, b.ld, 0, want, max(1, n))
			for i := range want {
				want[i] += bias[i%n]
			}
			e.kernel.Tanh(want, want)
			if !identical(got, want) {
				t.Fatalf("kernel %s, blocks %+v, m=%d n=%d k=%d alpha=%v: not tanh of Dgemm", e.kernel.Name, e.blocks, m, n, k, alpha)
			}
		}
	}
}

// Without a product, C = tanh(bias) in every row, whatever was in C, and A and B are not read.
func TestDgemmTanhReadsNothing(t *testing.T) {
	k, err := kernel.Lookup("generic")
	if err != nil {
		t.Fatal(err)
	}
	e := New(k)
	bias := []float64{0, 0.5, math.Inf(-1)}
	row := make([]float64, 3)
	k.Tanh(row, bias)
	for _, test := range []struct {
		k     int
		alpha float64
	}{{0, 1}, {5, 0}} {
		c := slices.Repeat([]float64{math.NaN()}, 6)
		e.DgemmTanh(blas.NoTrans, blas.NoTrans, 2, 3, test.k, test.alpha, nil, 5, nil, 3, bias, c, 3)
		if !identical(c, slices.Concat(row, row)) {
			t.Errorf("k=%d alpha=%v: %v, want rows of %v", test.k, test.alpha, c, row)
		}
	}
}
