package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// TestRemoveAnyRank removes rows of matrices of every rank, so that the rank stays, and then adds rows
// that raise it. Samples that are there twice, with the same or with other targets, are removed once.
func TestRemoveAnyRank(t *testing.T) {
	const k, l = 8, 40
	for rank := 1; rank <= k; rank++ {
		eachConfiguration(t, func(t *testing.T, m Method, opt Options) {
			r := rand.New(rand.NewPCG(61, uint64(rank)))
			a, y := testutil.RandomRank(r, l, k, rank), testutil.Random(r, l, 2)
			a.SetRow(7, a.RawRowView(3))
			y.SetRow(7, y.RawRowView(3))
			a.SetRow(25, a.RawRowView(3))
			h := begin(t, m, rowsBetween(a, 0, 25), rowsBetween(y, 0, 25), opt)
			h.squared = false // the rank stays
			h.add(rowsBetween(a, 25, 26), rowsBetween(y, 25, 26))
			h.add(rowsBetween(a, 26, l), rowsBetween(y, 26, l))
			left, more := upTo(l), 0.0
			// The first of 3 and 7 is taken, whichever is asked for.
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

// TestRemoveRefused asks for samples that are not there, or that cannot be spared, and compares the
// state bit by bit.
func TestRemoveRefused(t *testing.T) {
	const k, l = 5, 20
	r, a, y := problem(62, 0, l, k, 2)
	wide, wideY := testutil.Random(r, 3, k), testutil.Random(r, 3, 2)
	moved := gonummat.DenseCopyOf(a)
	moved.Set(4, 2, math.Nextafter(a.At(4, 2), 9))
	other := gonummat.DenseCopyOf(y)
	other.Set(2, 1, -other.At(2, 1))
	eachConfiguration(t, func(t *testing.T, m Method, opt Options) {
		for _, test := range []struct {
			name   string
			a, y   *mat.Dense
			ax, ya *mat.Dense
			lambda float64
			unlike int // the row that is not known, or -1
			as     any
		}{
			{name: "one bit", a: a, y: y, ax: rowsBetween(moved, 3, 6), ya: rowsBetween(y, 3, 6), unlike: 1, as: new(*UnknownRowError)},
			{name: "other targets", a: a, y: y, ax: rowsBetween(a, 0, 4), ya: rowsBetween(other, 0, 4), unlike: 2, as: new(*UnknownRowError)},
			{name: "twice", a: a, y: y, ax: take(a, []int{5, 6, 5}), ya: take(y, []int{5, 6, 5}), unlike: 2, as: new(*UnknownRowError)},
			{name: "all", a: a, y: y, ax: a, ya: y, as: new(*LeverageError)},
			{name: "too many", a: a, y: y, ax: rowsBetween(a, 3, l), ya: rowsBetween(y, 3, l), as: new(*LeverageError)},
			{name: "independent", a: wide, y: wideY, ax: rowsBetween(wide, 1, 2), ya: rowsBetween(wideY, 1, 2), as: new(*LeverageError)},
			{name: "too many for a ridge", a: a, y: y, lambda: 0.1, ax: rowsBetween(a, 3, l), ya: rowsBetween(y, 3, l), as: new(*RankError)},
		} {
			opt.Lambda = test.lambda
			u := mustNew(t, m, test.a, test.y, opt)
			before := digest(u)
			err := u.RemoveInputs(test.ax, test.ya)
			if !errors.As(err, test.as) {
				t.Errorf("%s: error %v, want a %T", test.name, err, test.as)
			}
			if unknown := new(UnknownRowError); errors.As(err, &unknown) && (unknown.Row != test.unlike || unknown.Action != ActionRemove) {
				t.Errorf("%s: row %d of %v is named, want %d", test.name, unknown.Row, unknown.Action, test.unlike)
			}
			checkUnchanged(t, u, before)
		}
	})
}

// TestRemoveLeverage removes the two rows that alone have more than a trace of the last node: as long
// as 1 - h is above 1e-8 that works, and below it is refused with the right value, to a factor 2.
func TestRemoveLeverage(t *testing.T) {
	const k, l = 6, 40
	for _, trace := range []float64{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7} {
		_, a, y := problem(67, 0, l, k, 1)
		for i := range l - 2 {
			a.Set(i, k-1, a.At(i, k-1)*trace)
		}
		gone, kept := rowsBetween(a, l-2, l), rowsBetween(a, 0, l-2)
		plus, _ := pinvOf(kept)
		var s, e mat.Dense
		s.Mul(gone, plus)
		e.Mul(&s, s.T())
		rest := 1 / (1 + gonummat.Norm(&e, 2)) // which is 1/(1 + the largest eigenvalue), to a factor below 2
		u := mustNew(t, Improved, a, y, Options{})
		err := u.RemoveInputs(gone, rowsBetween(y, l-2, l))
		if rest > 2*api.LeastRest {
			if err != nil {
				t.Errorf("trace %g: 1 - h is %g: %v", trace, rest, err)
			} else {
				_, values := pinvOf(kept)
				checkState(t, u, kept, rowsBetween(y, 0, l-2), condition(values), 1e3*dense.Eps/rest)
			}
			continue
		}
		var leverage *LeverageError
		if !errors.As(err, &leverage) {
			t.Errorf("trace %g: 1 - h is %g, and the error %v", trace, rest, err)
		} else if leverage.Rest != 0 && !(leverage.Rest < 2*rest && leverage.Rest > rest/2) {
			t.Errorf("trace %g: 1 - h is %g, said to be %g", trace, rest, leverage.Rest)
		}
	}
}

// TestRemoveWhatWasRemoved removes samples once more, and weighted samples as the model has them.
func TestRemoveWhatWasRemoved(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 0))
	a, y, ax, ya := testutil.Random(r, 20, 4), testutil.Random(r, 20, 1), testutil.Random(r, 3, 4), testutil.Random(r, 3, 1)
	u := mustNew(t, Improved, a, y, Options{})
	w := weights(t, u)
	do(t, u, u.AddWeightedInputs(ax, ya, []float64{4, 0.25, 0}))
	var unknown *UnknownRowError
	if err := u.RemoveInputs(ax, ya); !errors.As(err, &unknown) {
		t.Errorf("without the weights: %v", err)
	}
	roots := []float64{2, 0.5, 0}
	sx, sy := scaleRows(ax, roots), scaleRows(ya, roots)
	do(t, u, u.RemoveInputs(sx, sy))
	if e := relative(weights(t, u), w); !(e <= 1e3*dense.Eps) {
		t.Errorf("a round trip changes W by %g", e)
	}
	if err := u.RemoveInputs(rowsBetween(sx, 1, 2), rowsBetween(sy, 1, 2)); !errors.As(err, &unknown) || unknown.Row != 0 {
		t.Errorf("for the second time: %v", err)
	}
}

// TestRemoveAfterForget checks that rows are not known after Forget, until AddNodes is given them anew.
func TestRemoveAfterForget(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 0))
	const factor = 0.81
	wide, y := testutil.Random(r, 20, 5), testutil.Random(r, 20, 1)
	a := columnsBetween(wide, 0, 4)
	for _, method := range []Method{Original, Improved} {
		u := mustNew(t, method, a, y, Options{})
		do(t, u, u.Forget(factor))
		before := digest(u)
		err := u.RemoveInputs(rowsBetween(a, 2, 3), rowsBetween(y, 2, 3))
		var e *ForgottenRowsError
		if !errors.As(err, &e) || e.Method != method || fmt.Sprint(e.Instead) != "[gram qr ridge-inverse inverse-cholesky]" || digest(u) != before {
			t.Errorf("%v: error %v", method, err)
		}
		if says := fmt.Sprint(err); !strings.Contains(says, "after Forget") || !strings.Contains(says, "AddNodes") || !strings.Contains(says, "gram or qr") {
			t.Errorf("the error says only %q", says)
		}
		root := math.Sqrt(factor)
		full, target := scaled(dense.Copy(wide), root), scaled(dense.Copy(y), root)
		do(t, u, u.AddNodes(columnsBetween(full, 0, 4), columnsBetween(full, 4, 5), target))
		do(t, u, u.RemoveInputs(rowsBetween(full, 0, 2), rowsBetween(target, 0, 2)))
		kept := rowsBetween(full, 2, 20)
		_, values := pinvOf(kept)
		checkState(t, u, kept, rowsBetween(target, 2, 20), 2*condition(values), variant{method: Improved}.removal(rowsBetween(full, 0, 2), kept))
	}
}

// TestWindow lets a window of rows slide, one row in and one or, at random, another one out, a thousand
// times.
func TestWindow(t *testing.T) {
	const k, l, steps = 6, 60, 1000
	for _, oldest := range []bool{true, false} {
		r, a, y := problem(65, 0, l+steps, k, 1)
		u := mustNew(t, Improved, rowsBetween(a, 0, l), rowsBetween(y, 0, l), Options{})
		window := upTo(l)
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
		// Every step adds an error of the order eps κ, in random directions.
		kept := take(a, window)
		checkState(t, u, kept, take(y, window), states.kappa()*math.Sqrt(steps), 0)
		if blocks := len(blocksOf(u, "p")); blocks > 3 {
			t.Errorf("oldest first %v: %d rows are in %d blocks", oldest, l, blocks)
		}
	}
}
