package schur

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
)

func BenchmarkHseqr(b *testing.B) {
	pure, err := blskernel.Lookup("pure")
	testutil.NoError(b, err)
	bk := lapack.On(pure)
	for _, n := range []int{75, 100, 300, 1000, 2000} {
		a := random(testutil.Rand(1), n)
		tau := make([]float64, n-1)
		lapack.Gehrd(bk, n, 0, n-1, a, tau)
		q := clone(a, n)
		lapack.Orghr(bk, n, 0, n-1, q, tau)
		clearBelow(a, 0, n-1)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				h, z := clone(a, n), clone(q, n)
				b.StartTimer()
				Hseqr(bk, true, n, 0, n-1, h, make([]complex128, n), n, z)
			}
		})
	}
}

func BenchmarkGeev(b *testing.B) {
	pure, err := blskernel.Lookup("pure")
	testutil.NoError(b, err)
	bk := lapack.On(pure)
	for _, n := range []int{100, 300, 1000, 2000} {
		a, none := random(testutil.Rand(1), n), block.Matrix{}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				h, v := clone(a, n), square0(n)
				b.StartTimer()
				Geev(bk, n, h, make([]complex128, n), false, none, true, v)
			}
		})
	}
}
