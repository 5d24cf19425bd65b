package lapack

import (
	"math"
	"testing"

	"blskernel/internal/block"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/mat"
)

// The norm of matrices of several strips, and of those with an element that is not finite.
func TestLange(t *testing.T) {
	bk, rng := On(nil), testutil.Rand(63)
	for _, r := range []int{1, 2, 3, 4, 5, 11} {
		for _, c := range []int{1, 2, 7, sumWidth - 1, sumWidth, sumWidth + 1, 2*sumWidth + 3} {
			d := testutil.RandomView(rng, r, c)
			a := block.Dense(d.RawMatrix().Data, d.RawMatrix().Stride)
			ref := mat.Norm(d, 1)
			if norm := Lange(bk, r, c, a); !(math.Abs(norm-ref) <= float64(r)*0x1p-53*ref) {
				t.Errorf("%d×%d: norm %v, want %v", r, c, norm, ref)
			}
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				i, j := rng.IntN(r), rng.IntN(c)
				d.Set(i, j, v)
				if norm := Lange(bk, r, c, a); isFinite(norm) {
					t.Errorf("%d×%d: %v at (%d, %d): norm %v", r, c, v, i, j, norm)
				}
				d.Set(i, j, 0)
			}
		}
	}
}
