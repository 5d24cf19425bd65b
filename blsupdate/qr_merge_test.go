package blsupdate

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/qr"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// Where the ridges are all there is, the receiver's remains, unless it has none.
func TestQRMergeRidges(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, c = 20, 2
		r := rand.New(rand.NewPCG(22, 5))
		a, y := testutil.Random(r, 6, k), testutil.Random(r, 6, c)
		other := startQR(t, b, testutil.Random(r, 4, k), testutil.Random(r, 4, c), 1e-2)
		u := startQR(t, b, a, y, 1e-3)
		actQR(t, u, u.Merge(other))
		checkReport(t, u)
		none := startQR(t, b, a, y, 0)
		before, others := digest(none), digest(other)
		refused[*LeverageError](t, none, before, none.Merge(other))
		checkUnchanged(t, other, others)
		tiny := startQR(t, b, a, y, 1e-12)
		refused[*LeverageError](t, tiny, digest(tiny), tiny.Merge(other))

		huge := mat.NewDense(1, k, nil)
		huge.Set(0, 3, 0.9*qr.LargestColumn)
		u, other = startQR(t, b, huge, mat.NewDense(1, c, nil), 1), startQR(t, b, huge, mat.NewDense(1, c, nil), 0)
		refused[error](t, u, digest(u), u.Merge(other))
	})
}

// A ridge that is all there is cannot be taken away, but most of it can.
func TestQRSetLambdaRefused(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(31, 5))
		const k = 12
		a, y := testutil.RandomRank(r, 30, k, 5), testutil.Random(r, 30, 2)
		for _, rows := range []int{4, 30} {
			u := startQR(t, b, rowsBetween(a, 0, rows), rowsBetween(y, 0, rows), 1)
			before := digest(u)
			refused[*LeverageError](t, u, before, u.SetLambda(0))
			refused[*LeverageError](t, u, before, u.SetLambda(1e-9))
			actQR(t, u, u.SetLambda(1e-3))
			checkQRWeights(t, u, rowsBetween(a, 0, rows), rowsBetween(y, 0, rows), 1e-3, 1e6*dense.Eps)
		}
		for seed := range uint64(20) { // ridges near rounding errors
			r := rand.New(rand.NewPCG(seed, 5))
			u := startQR(t, b, testutil.Random(r, k-1, k), testutil.Random(r, k-1, 2), 1e-22)
			refused[*LeverageError](t, u, digest(u), u.SetLambda(0))
		}
		u := startQR(t, b, a, y, 1)
		refused[error](t, u, digest(u), u.SetLambda(-1))
		refused[error](t, u, digest(u), u.SetLambda(math.NaN()))
	})
}
