package svd

import (
	"fmt"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
)

// BenchmarkGesvd measures all of it, with vectors and without, and its parts for square matrices.
func BenchmarkGesvd(b *testing.B) {
	bk := lapack.On(blskernel.Default())
	for _, n := range []int{300, 1000, 2000} {
		a := testutil.Random(testutil.Rand(1), n, n).RawMatrix().Data
		x, u, vt, s := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n), make([]float64, n)
		thin := func(x []float64) Vectors { return Vectors{n, block.Dense(x, n)} }
		run := func(op string, f func()) {
			b.Run(fmt.Sprintf("op=%s/n=%d/threads=%d", op, n, blskernel.Threads()), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					copy(x, a)
					b.StartTimer()
					f()
				}
			})
		}
		run("thin", func() { Gesvd(bk, n, n, block.Dense(x, n), s, thin(u), thin(vt)) })
		run("values", func() { Gesvd(bk, n, n, block.Dense(x, n), s, Vectors{}, Vectors{}) })
		var f bidiagonal
		run("gebrd", func() {
			w := lapack.Acquire()
			defer w.Release()
			f = gebrd(bk, w, n, n, block.Dense(x, n), block.Dense(u, n))
			f.d, f.e = slices.Clone(f.d), slices.Clone(f.e)
		})
		run("dqds", func() { dqds(slices.Clone(f.d), f.e) })
		run("bdsdc", func() { bdsdc(bk, slices.Clone(f.d), slices.Clone(f.e), block.Dense(u, n), block.Dense(vt, n)) })
	}
}
