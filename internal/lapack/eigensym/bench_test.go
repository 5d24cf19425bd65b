package eigensym

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/lapack"

	"gonum.org/v1/gonum/blas"
)

// BenchmarkSyev has the eigenvectors of random matrices as a whole and by parts, and the values alone.
func BenchmarkSyev(b *testing.B) {
	bk := lapack.On(blskernel.Default())
	for _, n := range []int{3, 10, 30, 100, 300, 1000, 2000} {
		rng := rand.New(rand.NewPCG(26, uint64(n)))
		a, w := block.Dense(make([]float64, n*lapack.Stride(n)), lapack.Stride(n)), make([]float64, n)
		for i := range a.X {
			a.X[i] = rng.NormFloat64()
		}
		work, e, tau := block.Dense(slices.Clone(a.X), a.Ld), make([]float64, n-1), make([]float64, n-1)
		run := func(part string, do func()) {
			b.Run(fmt.Sprintf("part=%s/n=%d", part, n), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					copy(work.X, a.X)
					b.StartTimer()
					do()
				}
			})
		}
		run("all", func() { Syev(bk, blas.Upper, true, n, work, w) })
		run("values", func() { Syev(bk, blas.Upper, false, n, work, w) })
		run("Sytrd", func() { Sytrd(bk, n, work, w, e, tau) })
		diagonal, beside := slices.Clone(w), slices.Clone(e)
		vectors := block.Dense(make([]float64, n*a.Ld), a.Ld)
		run("Stedc", func() {
			Stedc(bk, append(w[:0], diagonal...), append(e[:0], beside...), vectors)
		})
	}
}
