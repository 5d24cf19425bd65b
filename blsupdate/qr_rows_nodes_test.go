package blsupdate

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	gonummat "gonum.org/v1/gonum/mat"
)

// Many blocks of rotations, with an incomplete one at each end, against AᵀA of what is left. The
// leverages are moderate.
func TestQRRemoveBlocks(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, s := range []struct{ k, q, c int }{
			{64, 1, 1}, {64, 2, 1}, {65, 3, 600}, {65, 7, 2}, {65, 8, 2}, {70, 8, 700},
			{480, 24, 1}, {401, 49, 3}, {300, 37, 1}, {100, 13, 2}, {100, 100, 5}, {30, 77, 1000},
		} {
			r, a, y := problem(uint64(s.k), uint64(s.q), 2*s.k, s.k, s.c)
			ax, ya := testutil.Random(r, s.q, s.k), testutil.Random(r, s.q, s.c)
			u := startQR(t, b, stack(a, ax), stack(y, ya), 0.1)
			actQR(t, u, u.RemoveInputs(ax, ya))
			checkQRTriangle(t, u, a, y, 0.1, 20)
			if t.Failed() {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// Scales of old and new nodes from 1e-180 to 1e180 make no difference.
func TestQRNodesScales(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, l, p, c = 6, 40, 3, 2
		r := rand.New(rand.NewPCG(41, 5))
		a, h, y := testutil.Random(r, l, k), testutil.Random(r, l, p), testutil.Random(r, l, c)
		u := startQR(t, b, a, y, 0)
		actQR(t, u, u.AddNodes(a, h, y))
		want := weights(t, u)
		for _, e := range [][2]int{{-600, -600}, {600, -600}, {600, 600}, {-600, 600}, {980, 3}, {3, 980}} {
			as, hs := scaled(gonummat.DenseCopyOf(a), math.Ldexp(1, e[0])), scaled(gonummat.DenseCopyOf(h), math.Ldexp(1, e[1]))
			v := startQR(t, b, as, y, 0)
			actQR(t, v, v.AddNodes(as, hs, y))
			got := weights(t, v)
			for i := range k + p {
				for j := range c {
					exp := e[0]
					if i >= k {
						exp = e[1]
					}
					got.Set(i, j, math.Ldexp(got.At(i, j), exp))
				}
			}
			if d := relative(got, want); !(d <= 1e-13) {
				t.Errorf("scales 2^%d and 2^%d: W is off by %.2g", e[0], e[1], d)
			}
		}
	})
}

// Nodes that are there already: without a ridge W is refused, and with one it is shared.
func TestQRNodesTwice(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, l, c, lambda = 10, 40, 2, 1e-4
		_, a, y := conditioned(42, 5, l, k, c, 10)
		u := startQR(t, b, a, y, 0)
		actQR(t, u, u.AddNodes(a, gonummat.DenseCopyOf(a), y))
		before := digest(u)
		_, err := u.Weights()
		refused(t, u, before, err, is[*ConditionError])
		u = startQR(t, b, a, y, lambda)
		actQR(t, u, u.AddNodes(a, a, y))
		checkQRWeights(t, u, dense.Beside(a, a), y, lambda, 0)
	})
}
