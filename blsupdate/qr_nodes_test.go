package blsupdate

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// besideEach returns [A H].
func besideEach(a, h *mat.Dense) *mat.Dense {
	var wide mat.Dense
	wide.Augment(a, h)
	return &wide
}

// New nodes in general position, and nearly dependent on the old ones, against high precision and the
// exact triangle.
func TestQRNodes(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, k := range []int{1, 12} {
			for _, kappa := range []float64{1, 1e5} {
				for _, near := range []float64{1, 1e-4} {
					for _, lambda := range []float64{0, 1e-6, 0.3} {
						for _, p := range []int{1, 14} {
							const l, c = 50, 2
							r := rand.New(rand.NewPCG(uint64(k), uint64(p)))
							a, y := testutil.WithCondition(r, l, k, kappa), testutil.Random(r, l, c)
							h, combination := testutil.Random(r, l, p), new(mat.Dense)
							combination.Mul(a, testutil.Random(r, k, p))
							h.Scale(near, h)
							h.Add(h, combination)
							u := startQR(t, b, a, y, lambda)
							actQR(t, u, u.AddNodes(a, h, y))
							wide := besideEach(a, h)
							// C = H - A D has errors of eps ‖A‖‖D‖, up to κ
							// times eps ‖H‖.
							old, _ := pinvOf(stack(a, dense.ScaledIdentity(k, math.Sqrt(lambda))))
							d := new(mat.Dense)
							d.Mul(old.Slice(0, k, 0, l), h)
							factor := 20 * (1 + a.Norm(2)*d.Norm(2)/wide.Norm(2))
							checkQRTriangle(t, u, wide, y, lambda, factor)
							checkQRWeights(t, u, wide, y, lambda, 0)
							ax, ya := testutil.Random(r, 3, k+p), testutil.Random(r, 3, c)
							actQR(t, u, u.AddInputs(ax, ya))
							checkQRTriangle(t, u, stack(wide, ax), stack(y, ya), lambda, factor)
							if t.Failed() {
								t.Fatalf("k=%d κ=%g near=%g lambda=%g p=%d", k, kappa, near, lambda, p)
							}
						}
					}
				}
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
			as, hs := gonummat.DenseCopyOf(a), gonummat.DenseCopyOf(h)
			as.Scale(math.Ldexp(1, e[0]), as)
			hs.Scale(math.Ldexp(1, e[1]), hs)
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

// Nodes that are there already, an ill-conditioned model, and numbers that are too large.
func TestQRNodesRefused(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, l, c = 10, 40, 2
		r := rand.New(rand.NewPCG(42, 5))
		a, y := testutil.WithCondition(r, l, k, 10), testutil.Random(r, l, c)
		u := startQR(t, b, a, y, 0)
		actQR(t, u, u.AddNodes(a, gonummat.DenseCopyOf(a), y))
		before := digest(u)
		_, err := u.Weights()
		refused[*ConditionError](t, u, before, err)

		const lambda = 1e-4 // the sum of the weights of a node and its twin is what both had
		u = startQR(t, b, a, y, lambda)
		actQR(t, u, u.AddNodes(a, a, y))
		checkQRWeights(t, u, besideEach(a, a), y, lambda, 0)

		ill := testutil.WithCondition(r, l, k, 1e9)
		u = startQR(t, b, ill, y, 0)
		refused[*ConditionError](t, u, digest(u), u.AddNodes(ill, testutil.Random(r, l, 2), y))

		u = startQR(t, b, a, y, 0)
		h := testutil.Random(r, l, 2)
		h.Set(3, 1, math.MaxFloat64)
		refused[error](t, u, digest(u), u.AddNodes(a, h, y))
	})
}
