package ridge

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// plain hides the packed products of a backend.
type plain struct{ blskernel.Backend }

// TestThinProducts compares the products with few rows, of every kind, with gonum's.
func TestThinProducts(t *testing.T) {
	backends.On(t, func(t *testing.T, own blskernel.Backend) {
		for _, b := range []blskernel.Backend{own, plain{own}} {
			for _, k := range []int{1, 2, 31, 32, 33, 100} {
				for _, q := range []int{1, 2, 8, 9, 32, 33, 128, 129} {
					r := rand.New(rand.NewPCG(61, uint64(k*q)))
					base := state.Base{Counter: cost.NewCounter(b), Options: types.Options{Backend: b}, K: k}
					s := mat.NewSymPacked(k, testutil.Random(r, 1, k*(k+1)/2).RawMatrix().Data)
					x := testutil.Random(r, q, k+2).Slice(0, q, 0, k).(*mat.Dense)
					p := testutil.Random(r, q, k) // its contents do not matter

					TimesPacked(&base, -2, s, x, p)
					var want mat.Dense
					want.Mul(x, s.Dense())
					want.Scale(-2, &want)
					// Sums of k terms of about 1.
					if diff := testutil.MaxDiff(p, &want); !(diff <= 20*float64(k+3)*dense.Eps) {
						t.Errorf("%s k=%d q=%d: X S differs by %g", cost.ProductKind(b, q), k, q, diff)
					}
					if got := base.Counter.Total(); got != cost.Gemm(q, k, k) {
						t.Errorf("%s k=%d q=%d: %g flops counted", cost.ProductKind(b, q), k, q, got.Flops())
					}

					base.Counter.Reset()
					before := s.Dense()
					AddOuter(&base, -0.5, p, s)
					want.Reset()
					want.Mul(p.T(), p)
					size := gonummat.Norm(&want, math.Inf(1))
					want.Scale(-0.5, &want)
					want.Add(&want, before)
					if diff := testutil.MaxDiff(s.Dense(), &want); !(diff <= 2*float64(q+3)*dense.Eps*(size+10)) {
						t.Errorf("%s k=%d q=%d: S + TᵀT differs by %g", cost.RankKind(b, q), k, q, diff)
					}
					if got := base.Counter.Total(); got != cost.Gemm(k, k, q)/2 {
						t.Errorf("%s k=%d q=%d: %g flops counted", cost.RankKind(b, q), k, q, got.Flops())
					}
				}
			}
		}
	})
}
