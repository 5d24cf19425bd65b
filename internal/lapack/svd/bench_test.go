package svd

import (
	"fmt"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/lapack/rotations"
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
		run("gebrd", func() { f = gebrd(bk, n, n, block.Dense(x, n), block.Dense(u, n)) })
		run("orgbr", func() { orgRows(bk, n, n, n, block.Dense(x, n), f.tauQ) })
		run("bdsqr", func() { bdsqr(slices.Clone(f.d), slices.Clone(f.e), nil, nil) })
		run("dqds", func() { dqds(slices.Clone(f.d), f.e) })
		run("rotations", func() {
			q := rotations.New(bk, n, n, block.Dense(x, n))
			bdsqr(slices.Clone(f.d), slices.Clone(f.e), q, nil)
			q.Flush()
		})
	}
}
