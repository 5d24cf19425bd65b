package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestRemoveAnyRank removes rows of matrices of every rank, so that the rank does not change, and then
// adds rows that raise it. Of repeated samples, with the same or other targets, one is removed.
func TestRemoveAnyRank(t *testing.T) {
	const k, l = 8, 40
	for rank := 1; rank <= k; rank++ {
		eachConfiguration(t, func(t *testing.T, m Method, opt Options) {
			r := rand.New(rand.NewPCG(61, uint64(rank)))
			a, y := testutil.RandomRank(r, l, k, rank), testutil.Random(r, l, 2)
			a.SetRow(7, a.RawRowView(3))
			y.SetRow(7, y.RawRowView(3))
			a.SetRow(25, a.RawRowView(3))
			h := newHistory(t, m, rowsBetween(a, 0, 25), rowsBetween(y, 0, 25), opt)
			h.squared = false // the rank stays
			h.add(rowsBetween(a, 25, 26), rowsBetween(y, 25, 26))
			h.add(rowsBetween(a, 26, l), rowsBetween(y, 26, l))
			left, more := factor.Indices(l), 0.0
			// The first of 3 and 7 is removed, whichever is given.
			for _, gone := range [][]int{{3}, {25, 7, 39, 0}, {20, 12, 19, 11, 18, 10, 17, 13, 14, 16, 15, 21}} {
				ax := take(a, gone)
				do(t, h.u, h.u.RemoveInputs(ax, take(y, gone)))
				left = slices.DeleteFunc(left, func(i int) bool { return slices.Contains(gone, i) })
				h.a, h.y = take(a, left), take(y, left)
				more += variant{method: Improved}.removal(ax, h.a)
				h.states.Add(h.a)
				h.check(more)
				checkKept(t, h.u, h.a)
			}
			h.squared = h.squared || rank < k // a rank that grows loses eps κ²
			h.add(testutil.Random(r, 2*k, k), testutil.Random(r, 2*k, 2))
			h.check(more)
			if t.Failed() {
				t.Fatalf("rank %d", rank)
			}
		})
	}
}

// TestRebuild slides a window over rows with an outlier of 1e6: if it cannot leave, the error names
// Rebuild, and the model continues from the remaining rows, with the digits that it promises.
func TestRebuild(t *testing.T) {
	const k, l, steps = 5, 30, 40
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		_, a, y := problem(66, 0, l+steps, k, 2)
		dense.Scale(1e6, a.RawRowView(7))
		u := v.start(t, b, rowsBetween(a, 0, l), rowsBetween(y, 0, l), 0)
		rebuilt := 0
		for i := range steps {
			err := u.RemoveInputs(rowsBetween(a, i, i+1), rowsBetween(y, i, i+1))
			if err != nil {
				var leverage *LeverageError
				var condition *ConditionError
				if !errors.As(err, &leverage) && !errors.As(err, &condition) || leverage != nil && !strings.Contains(err.Error(), "Rebuild") {
					t.Fatalf("row %d: %v", i, err)
				}
				do(t, u, u.Rebuild(rowsBetween(a, i+1, l+i), rowsBetween(y, i+1, l+i)))
				if r := u.Report(); r.Samples != l-1 || r.Added != -1 {
					t.Errorf("the report has %d samples, and %d added", r.Samples, r.Added)
				}
				rebuilt++
			}
			do(t, u, u.AddInputs(rowsBetween(a, l+i, l+i+1), rowsBetween(y, l+i, l+i+1)))
		}
		if rebuilt != 1 {
			t.Errorf("rebuilt %d times", rebuilt)
		}
		c := u.Condition()
		if got := relative(weights(t, u), highPrecision(rowsBetween(a, steps, l+steps), rowsBetween(y, steps, l+steps), 0)); !(got <= math.Pow(10, -c.Digits)) || !(c.Digits > 8) {
			t.Errorf("W has an error of %.2g, and %.1f digits are promised", got, c.Digits)
		}
		before := digest(u)
		refused(t, u, before, u.Rebuild(rowsBetween(a, 0, l), rowsBetween(y, 0, l-1)), is[*ShapeError])
	})
}

// TestRemoveWhatWasRemoved removes samples a second time, and weighted samples as the model has them.
func TestRemoveWhatWasRemoved(t *testing.T) {
	r, a, y := problem(63, 0, 20, 4, 1)
	ax, ya, roots := testutil.Random(r, 3, 4), testutil.Random(r, 3, 1), []float64{2, 0.5, 0}
	u := mustNew(t, Improved, a, y, Options{})
	w := weights(t, u)
	do(t, u, u.AddInputsContext(background, ax, ya, []float64{4, 0.25, 0}))
	refused(t, u, digest(u), u.RemoveInputs(ax, ya), is[*UnknownRowError]) // without the weights
	sx, sy := scaleRows(ax, roots), scaleRows(ya, roots)
	do(t, u, u.RemoveInputs(sx, sy))
	do(t, u, u.AddInputs(sx, sy))
	do(t, u, u.RemoveInputsContext(background, ax, ya, []float64{4, 0.25, 0}))
	if e := relative(weights(t, u), w); !(e <= 1e3*dense.Eps) {
		t.Errorf("a round trip changes W by %g", e)
	}
	var unknown *UnknownRowError
	if err := u.RemoveInputs(rowsBetween(sx, 1, 2), rowsBetween(sy, 1, 2)); !errors.As(err, &unknown) || unknown.Row != 0 {
		t.Errorf("for the second time: %v", err)
	}
}

// TestRemoveAfterForget checks that rows are not known after Forget until AddNodes gets them again.
func TestRemoveAfterForget(t *testing.T) {
	const factor = 0.81
	_, wide, y := problem(64, 0, 20, 5, 1)
	a, full, target := columnsBetween(wide, 0, 4), scaled(dense.Copy(wide), math.Sqrt(factor)), scaled(dense.Copy(y), math.Sqrt(factor))
	for _, method := range withA {
		u := mustNew(t, method, a, y, Options{})
		do(t, u, u.Forget(factor))
		refused(t, u, digest(u), u.RemoveInputs(rowsBetween(a, 2, 3), rowsBetween(y, 2, 3)), func(err error) bool {
			var e *ForgottenRowsError
			says := fmt.Sprint(err)
			return errors.As(err, &e) && e.Method == method && fmt.Sprint(e.Instead) == "[gram qr ridge-inverse inverse-cholesky]" &&
				strings.Contains(says, "after Forget") && strings.Contains(says, "AddNodes") && strings.Contains(says, "gram or qr")
		})
		do(t, u, u.AddNodes(columnsBetween(full, 0, 4), columnsBetween(full, 4, 5), target))
		do(t, u, u.RemoveInputs(rowsBetween(full, 0, 2), rowsBetween(target, 0, 2)))
		kept, left := rowsBetween(full, 2, 20), rowsBetween(target, 2, 20)
		_, values := pinvOf(kept)
		checkState(t, u, kept, left, 2*condition(values), variant{method: Improved}.removal(rowsBetween(full, 0, 2), kept))
		all, targets := dense.Copy(kept), dense.Copy(left)
		for range 110 { // rows make up for what is forgotten
			do(t, u, u.Forget(0x1p-20))
			do(t, u, u.AddInputs(kept, left))
			all, targets = stack(scaled(all, 0x1p-10), kept), stack(scaled(targets, 0x1p-10), left)
		}
		encoded(t, u)
		more := dense.Beside(all, testutil.Random(testutil.Rand(65), dense.Rows(all), 1))
		do(t, u, u.AddNodes(all, columnsBetween(more, 5, 6), targets))
		n := dense.Rows(all)
		do(t, u, u.RemoveInputs(rowsBetween(more, n-2, n), rowsBetween(targets, n-2, n)))
		if got := u.Condition().Digits; !(got > 4) {
			t.Errorf("%v: %.1f digits are left", method, got)
		}
	}
}

// TestWindow slides a window of rows a thousand times: one row in, and the oldest or a random one out.
func TestWindow(t *testing.T) {
	const k, l, steps = 6, 60, 1000
	for _, oldest := range []bool{true, false} {
		r, a, y := problem(65, 0, l+steps, k, 1)
		u := mustNew(t, Improved, rowsBetween(a, 0, l), rowsBetween(y, 0, l), Options{})
		window := factor.Indices(l)
		var states spread
		for i := l; i < l+steps; i++ {
			do(t, u, u.AddInputs(rowsBetween(a, i, i+1), rowsBetween(y, i, i+1)))
			window = append(window, i)
			out := 0
			if !oldest {
				out = r.IntN(len(window))
			}
			gone := []int{window[out]}
			do(t, u, u.RemoveInputs(take(a, gone), take(y, gone)))
			window = slices.Delete(window, out, out+1)
			states.Add(take(a, window))
		}
		// Every step adds an error of order eps κ, in random directions.
		kept := take(a, window)
		checkState(t, u, kept, take(y, window), states.kappa()*math.Sqrt(steps), 0)
		if blocks := len(blocksOf(u, "p")); blocks > 3 {
			t.Errorf("oldest first %v: %d rows are in %d blocks", oldest, l, blocks)
		}
	}
}

// TestRemovalOfAllThatIsKnown removes the only rows with a component, delta, in one direction: 1-h is
// exactly 0, and its computed value is rounding noise that grows with the condition of the model. The
// direction is the last node's, or any.
func TestRemovalOfAllThatIsKnown(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		const l, k = 30, 6
		for _, delta := range []float64{1, 1e-2, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10} {
			for _, q := range []int{1, 2, 5, 14} {
				for seed := range uint64(4) {
					r, a, y := problem(seed, 82, l, k, 1)
					for i := range l {
						a.Set(i, k-1, a.At(i, k-2)+0.5*a.At(i, k-3))
						if i < q {
							a.Set(i, k-1, a.At(i, k-1)+delta)
						}
					}
					if seed%2 == 1 {
						var turned mat.Dense
						turned.Mul(a, testutil.Orthonormal(r, k, k))
						a = &turned
					}
					u, err := v.try(b, a, y, 0)
					if is[*ConditionError](err) && v.method == RidgeInverse {
						continue // too ill-conditioned to start from
					}
					must(t, err)
					refused(t, u, digest(u), u.RemoveInputs(rowsBetween(a, 0, q), rowsBetween(y, 0, q)), isSingular)
					if t.Failed() {
						t.Fatalf("delta %g, q=%d, seed %d", delta, q, seed)
					}
				}
			}
		}
	})
}

// TestHarmlessRemovals removes rows like the others from ill-conditioned models.
func TestHarmlessRemovals(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		const l = 120
		for _, kappa := range []float64{1, 1e3, 1e6} {
			for _, k := range []int{1, 6, 20} {
				for _, q := range []int{1, 4, 30} {
					_, a, y := conditioned(uint64(k+q), 83, l, k, 1, kappa)
					u := v.start(t, b, a, y, 0)
					do(t, u, u.RemoveInputs(rowsBetween(a, 0, q), rowsBetween(y, 0, q)))
				}
			}
		}
	})
}

// TestLeverageErrorSays checks that the error for a ridge does not speak of rows.
func TestLeverageErrorSays(t *testing.T) {
	_, a, y := problem(86, 0, 2, 3, 1)
	square := columnsBetween(a, 0, 2)
	for _, test := range []struct {
		err  error
		says string
	}{
		{started(t, RidgeInverse, square, y, Options{}).RemoveInputs(rowsBetween(square, 0, 1), rowsBetween(y, 0, 1)), "keep some samples (without a ridge, only improved and original work with fewer than nodes)"},
		{started(t, Gram, square, y, Options{}).RemoveInputs(rowsBetween(square, 0, 1), rowsBetween(y, 0, 1)), "only improved and original work with fewer than nodes"},
		{&LeverageError{Rest: 1e-5, Least: 2e-3, Action: ActionRemove}, "below 0.002 it may be only rounding"},
		{started(t, QR, a, y, Options{Lambda: 1}).SetLambda(0), "part of the ridge to be removed"},
		{started(t, QR, a, y, Options{}).Merge(started(t, QR, a, y, Options{Lambda: 1})), "give the receiver a ridge"},
	} {
		if !is[*LeverageError](test.err) || !strings.Contains(test.err.Error(), test.says) {
			t.Errorf("%v does not say %q", test.err, test.says)
		}
	}
}
