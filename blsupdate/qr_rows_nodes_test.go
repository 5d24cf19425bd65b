package blsupdate

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// exactRest returns 1-h for rows of [A; Ax; sqrt(lambda) I], from the state without them, so that it is
// accurate where it is small: 1/(1 + the largest eigenvalue of Ax (AᵀA + lambda I)⁻¹ Axᵀ).
func exactRest(a, ax *mat.Dense, lambda float64) float64 {
	_, k := a.Dims()
	inverse, _ := pinvOf(stack(a, dense.ScaledIdentity(k, math.Sqrt(lambda))))
	var v mat.Dense
	v.Mul(ax, inverse)
	var svd gonummat.SVD
	if !svd.Factorize(&v, gonummat.SVDNone) {
		panic("singular value decomposition failed")
	}
	return 1 / (1 + math.Pow(svd.Values(nil)[0], 2))
}

// Removed rows up to a million times as large as the others, by both ways.
func TestQRRemove(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, l, c = 24, 60, 2
		for _, kappa := range []float64{1, 1e4} {
			for _, size := range []float64{1, 3e3} {
				for _, q := range []int{1, 3, 4, 2 * k} {
					for _, lambda := range []float64{0, 1e-3} {
						r, a, y := conditioned(uint64(q), 11, l, k, c, kappa)
						ax, ya := testutil.WithCondition(r, max(q, k), k, kappa), testutil.Random(r, q, c)
						ax = rowsBetween(ax, 0, q)
						ax.Scale(size, ax)
						ya.Scale(size, ya)
						rest := exactRest(a, ax, lambda)
						u := startQR(t, b, stack(ax, a), stack(ya, y), lambda)
						before := digest(u)
						err := u.RemoveInputs(ax, ya)
						if rest < api.LeastRest {
							refused(t, u, before, err, is[*LeverageError])
							continue
						}
						actQR(t, u, err)
						if u.Samples() != l {
							t.Errorf("%d samples, want %d", u.Samples(), l)
						}
						// The condition of the worst state.
						both := kappaOf(stack(ax, a), lambda)
						checkQRWeights(t, u, a, y, lambda, 1e3*dense.Eps/rest+variant{method: QR}.accuracy(l+q, both))
						if t.Failed() {
							t.Fatalf("κ=%g size=%g q=%d lambda=%g 1-h=%.1g", kappa, size, q, lambda, rest)
						}
					}
				}
			}
		}
	})
}

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
							r, a, y := conditioned(uint64(k), uint64(p), l, k, c, kappa)
							h := nearly(r, a, p, near)
							u := startQR(t, b, a, y, lambda)
							actQR(t, u, u.AddNodes(a, h, y))
							wide := dense.Beside(a, h)
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
