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

// Shards of all sizes, in any order and nested, with and without a ridge of their own.
func TestQRMerge(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, c, shards = 14, 2, 4
		for _, ridge := range []struct{ first, others float64 }{{0, 0}, {1e-3, 0}, {1e-3, 1e-3}, {0, 1e-3}, {1e-2, 3e-5}, {1e-5, 2}} {
			r := rand.New(rand.NewPCG(21, 5))
			as, ys := make([]*mat.Dense, shards), make([]*mat.Dense, shards)
			a, y := &mat.Dense{}, &mat.Dense{}
			for i := range shards {
				as[i], ys[i] = testutil.Random(r, 3+20*i, k), testutil.Random(r, 3+20*i, c)
				a, y = stack(a, as[i]), stack(y, ys[i])
			}
			for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}} {
				us := make([]*updater, shards)
				for i, shard := range order {
					lambda := ridge.others
					if i == 0 {
						lambda = ridge.first
					}
					us[i] = startQR(t, b, as[shard], ys[shard], lambda)
				}
				// ((0 + 1) + (2 + 3)), and so two ridges of others in the second merger
				last := bitsOfQR(us[3])
				actQR(t, us[2], us[2].Merge(us[3]))
				checkSameQR(t, us[3], last)
				before := bitsOfQR(us[0])
				err := us[0].Merge(us[1])
				if ridge.first == 0 && ridge.others > 0 && dense.Rows(as[order[0]])+dense.Rows(as[order[1]]) < k {
					refusedQR[*LeverageError](t, us[0], before, err)
					continue
				}
				actQR(t, us[0], err)
				actQR(t, us[0], us[0].Merge(us[2]))
				if us[0].Lambda() != ridge.first || us[0].Samples() != dense.Rows(a) {
					t.Errorf("lambda %g and %d samples after merging", us[0].Lambda(), us[0].Samples())
				}
				h := ridge.others / (ridge.first + ridge.others + 1) // the rows have singular values above 1
				checkQRWeights(t, us[0], a, y, ridge.first, 1e3*dense.Eps/(1-h))
				checkQRTriangle(t, us[0], a, y, ridge.first, 20)
			}
		}
	})
}

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
		before, others := bitsOfQR(none), bitsOfQR(other)
		refusedQR[*LeverageError](t, none, before, none.Merge(other))
		checkSameQR(t, other, others)
		tiny := startQR(t, b, a, y, 1e-12)
		refusedQR[*LeverageError](t, tiny, bitsOfQR(tiny), tiny.Merge(other))

		huge := mat.NewDense(1, k, nil)
		huge.Set(0, 3, 0.9*qr.LargestColumn)
		u, other = startQR(t, b, huge, mat.NewDense(1, c, nil), 1), startQR(t, b, huge, mat.NewDense(1, c, nil), 0)
		refusedQR[error](t, u, bitsOfQR(u), u.Merge(other))
	})
}

// The ridge up, down and back, against models that had it from the start.
func TestQRSetLambda(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, k := range []int{1, 8, 24} {
			r := rand.New(rand.NewPCG(uint64(k), 5))
			a, y := testutil.WithCondition(r, 3*k, k, 1e2), testutil.Random(r, 3*k, 2)
			least := 1.0
			if k > 1 {
				least = 1e-4 // the smallest eigenvalue of A'A
			}
			u := startQR(t, b, a, y, 1e-6)
			more := 0.0
			for _, lambda := range []float64{1e-6, 1e-2, 3, 3, 1e-3, 0, 0x1p-30, 0, 1e-5} {
				if old := u.Lambda(); lambda < old {
					more += 1e3 * dense.Eps * (old + least) / (lambda + least)
				}
				actQR(t, u, u.SetLambda(lambda))
				if u.Lambda() != lambda {
					t.Errorf("lambda is %g, want %g", u.Lambda(), lambda)
				}
				checkQRWeights(t, u, a, y, lambda, more)
			}
			actQR(t, u, u.AddInputs(a, y))
			checkQRTriangle(t, u, stack(a, a), stack(y, y), 1e-5, 100)
		}
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
			before := bitsOfQR(u)
			refusedQR[*LeverageError](t, u, before, u.SetLambda(0))
			refusedQR[*LeverageError](t, u, before, u.SetLambda(1e-9))
			actQR(t, u, u.SetLambda(1e-3))
			checkQRWeights(t, u, rowsBetween(a, 0, rows), rowsBetween(y, 0, rows), 1e-3, 1e6*dense.Eps)
		}
		for seed := range uint64(20) { // ridges near rounding errors
			r := rand.New(rand.NewPCG(seed, 5))
			u := startQR(t, b, testutil.Random(r, k-1, k), testutil.Random(r, k-1, 2), 1e-22)
			refusedQR[*LeverageError](t, u, bitsOfQR(u), u.SetLambda(0))
		}
		u := startQR(t, b, a, y, 1)
		refusedQR[error](t, u, bitsOfQR(u), u.SetLambda(-1))
		refusedQR[error](t, u, bitsOfQR(u), u.SetLambda(math.NaN()))
	})
}
