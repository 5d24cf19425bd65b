package blsupdate

import (
	"errors"
	"fmt"
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
						before := bitsOfQR(u)
						err := u.RemoveInputs(ax, ya)
						if rest < api.LeastRest {
							refusedQR[*LeverageError](t, u, before, err)
							continue
						}
						actQR(t, u, err)
						if u.Samples() != l {
							t.Errorf("%d samples, want %d", u.Samples(), l)
						}
						both := ridgeCondition(stack(ax, a), lambda) // of the worst state
						checkQRWeights(t, u, a, y, lambda, 1e3*dense.Eps/rest+qrBound(l+q, both))
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

// Rows that are all that is known in a direction cannot be removed, alone or among others, and nothing
// is changed.
func TestQRRemoveLeverage(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, c = 40, 2
		for _, q := range []int{1, 2, 5, 6, 45} {
			for _, rest := range []float64{0, 1e-18, 1e-12, 1e-9, 1e-7} {
				t.Run(fmt.Sprintf("q=%d/rest=%g", q, rest), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(q), 3))
					a, y := testutil.Random(r, 60, k), testutil.Random(r, 60, c)
					ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
					for i := range 60 { // what the others know of the last node
						a.Set(i, k-1, 0)
					}
					a.Set(7, k-1, math.Sqrt(rest)*ax.At(q-1, k-1))
					for i := range q - 1 {
						ax.Set(i, k-1, 0)
					}
					u := startQR(t, b, stack(a, ax), stack(y, ya), 0)
					before, w := bitsOfQR(u), weights(t, u)
					err := u.RemoveInputs(ax, ya)
					if rest < 1e-8 {
						refusedQR[*LeverageError](t, u, before, err)
						if !gonummat.Equal(w, weights(t, u)) {
							t.Error("W changed")
						}
					} else {
						actQR(t, u, err)
					}
				})
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
		before := bitsOfQR(u)
		for _, size := range []float64{10, 1e100, 1e200, 1e300} {
			for _, q := range []int{1, 30} {
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
				ax.Scale(size, ax)
				refusedQR[*LeverageError](t, u, before, u.RemoveInputs(ax, ya))
			}
		}
		for _, q := range []int{1, 30} {
			ya := testutil.Random(r, q, c)
			ya.Scale(1e305, ya)
			ax := testutil.Random(r, q, k)
			ax.Scale(1e-3, ax)
			refusedQR[error](t, u, before, u.RemoveInputs(ax, ya))
		}
	})
}

// What is left when all rows are removed is the ridge, and weights of zero.
func TestQRRemoveAll(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, k := range []int{1, 20, 40} {
			r := rand.New(rand.NewPCG(9, 3))
			a, y := testutil.Random(r, 30, k), testutil.Random(r, 30, 2)
			u := startQR(t, b, a, y, 0.5)
			h := 1 - exactRest(mat.NewDense(1, k, nil), a, 0.5)
			for from, q := range []int{1, 2, 27} {
				from += from * (from - 1) / 2 // 0, 1, 3
				actQR(t, u, u.RemoveInputs(rowsBetween(a, from, from+q), rowsBetween(y, from, from+q)))
			}
			if u.Samples() != 0 {
				t.Errorf("%d samples are left", u.Samples())
			}
			if got := weights(t, u).Norm(2); !(got <= 1e3*dense.Eps/(1-h)*y.Norm(2)) {
				t.Errorf("k=%d: weights of norm %.2g are left", k, got)
			}
			ax, ya := testutil.Random(r, 2, k), testutil.Random(r, 2, 2)
			actQR(t, u, u.AddInputs(ax, ya))
			checkQRWeights(t, u, ax, ya, 0.5, 1e3*dense.Eps/(1-h)*y.Norm(2))
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
			refusedQR[*LeverageError](t, u, bitsOfQR(u), u.RemoveInputs(rowsBetween(a, 2, 6), rowsBetween(y, 2, 6)))
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
			before := digest(u)
			if err := u.RemoveInputs(rowsBetween(a, 0, q), ya); !errors.Is(err, ErrOverflow) {
				t.Errorf("q=%d: %v", q, err)
			}
			if digest(u) != before {
				t.Errorf("q=%d: the state has changed", q)
			}
		}
	})
}
