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
						r := rand.New(rand.NewPCG(uint64(q), 11))
						a, y := testutil.WithCondition(r, l, k, kappa), testutil.Random(r, l, c)
						ax, ya := testutil.WithCondition(r, max(q, k), k, kappa), testutil.Random(r, q, c)
						ax = rowsBetween(ax, 0, q)
						ax.Scale(size, ax)
						ya.Scale(size, ya)
						rest := exactRest(a, ax, lambda)
						u := startQR(t, b, stack(ax, a), stack(ya, y), lambda)
						before := digest(u)
						err := u.RemoveInputs(ax, ya)
						if rest < api.LeastRest {
							refused[*LeverageError](t, u, before, err)
							continue
						}
						actQR(t, u, err)
						if u.Samples() != l {
							t.Errorf("%d samples, want %d", u.Samples(), l)
						}
						both := kappaOf(stack(ax, a), lambda) // of the worst state
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
			r := rand.New(rand.NewPCG(uint64(s.k), uint64(s.q)))
			a, y := testutil.Random(r, 2*s.k, s.k), testutil.Random(r, 2*s.k, s.c)
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

// Rows that were never added have a leverage above 1, or much above.
func TestQRRemoveStrangers(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, c = 40, 2
		r := rand.New(rand.NewPCG(8, 3))
		u := startQR(t, b, testutil.Random(r, 60, k), testutil.Random(r, 60, c), 0)
		before := digest(u)
		for _, size := range []float64{10, 1e100, 1e200, 1e300} {
			for _, q := range []int{1, 30} {
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
				ax.Scale(size, ax)
				refused[*LeverageError](t, u, before, u.RemoveInputs(ax, ya))
			}
		}
		for _, q := range []int{1, 30} {
			ya := testutil.Random(r, q, c)
			ya.Scale(1e305, ya)
			ax := testutil.Random(r, q, k)
			ax.Scale(1e-3, ax)
			refused[error](t, u, before, u.RemoveInputs(ax, ya))
		}
	})
}

// Without a ridge as many samples as nodes have to stay, also where rounding hides the leverage of 1.
func TestQRRemoveTooMany(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k = 16
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 3))
			a, y := testutil.WithCondition(r, k+3, k, 1e11), testutil.Random(r, k+3, 2)
			u := startQR(t, b, a, y, 0)
			refused[*LeverageError](t, u, digest(u), u.RemoveInputs(rowsBetween(a, 2, 6), rowsBetween(y, 2, 6)))
		}
	})
}

// TestQRRemoveOverflow removes rows by either way with targets that overflow, which is only seen after
// the leverage of the rows has been accepted.
func TestQRRemoveOverflow(t *testing.T) {
	const k, l = 16, 60
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(45, 0))
		a, y := testutil.Random(r, l, k), testutil.Random(r, l, 2)
		u := startQR(t, b, a, y, 0)
		for _, q := range []int{1, 2, 3, 20} {
			ya := gonummat.DenseCopyOf(rowsBetween(y, 0, q))
			for i := range q {
				ya.Set(i, 1, math.MaxFloat64)
			}
			overflows(t, u, digest(u), u.RemoveInputs(rowsBetween(a, 0, q), ya))
		}
	})
}
