package rates

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
)

// measured are the operations on the grids that the program has.
var measured = operations

// TestMain has grids of a few small sizes.
func TestMain(m *testing.M) {
	operations = map[cost.Kind]operation{}
	for kind, o := range measured {
		for d, axis := range o.axes {
			o.axes[d] = axis[:min(2, len(axis))]
		}
		operations[kind] = o
	}
	os.Exit(m.Run())
}

// TestOperations checks that every kind of operation has a grid, or is like one that has.
func TestOperations(t *testing.T) {
	for kind := range cost.Kinds {
		like, ok := alike[kind]
		if !ok {
			like = kind
		}
		o := measured[like]
		sorted := func(axis []int) bool { return len(axis) > 0 && axis[0] > 0 && slices.IsSorted(axis) }
		if o.prepare == nil || !sorted(o.axes[0]) || !sorted(o.axes[1]) || !sorted(o.axes[2]) || len(newTable(o.axes).cost) < 2 {
			t.Errorf("%v: the grid is %v", kind, o.axes)
		}
	}
}

// TestMeasureRates measures all kinds.
func TestMeasureRates(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		t.Setenv(EnvCache, t.TempDir())
		last := 0.0
		r, err := Measure(context.Background(), b, func(done float64) {
			if !(done >= last && done <= 1) {
				t.Errorf("progress %v after %v", done, last)
			}
			last = done
		})
		if err != nil || last != 1 {
			t.Fatalf("progress ended at %v, error %v", last, err)
		}
		for kind, tab := range r.tables {
			if !positive(tab.cost) {
				t.Errorf("%v: %+v", kind, tab)
			}
		}
		if r.key() != newRates(b).key() || r.Unsaved() != nil {
			t.Errorf("the key is %s, unsaved: %v", r.key(), r.Unsaved())
		}
		one := cost.Model(api.Gram, api.ActionAdd, api.Options{}, cost.Shape{L: 1, K: 2, Q: 3, C: 4})
		s := r.Seconds(one...)
		if !(s > 0 && s < 1) {
			t.Errorf("an update by 3 rows of 2 nodes takes %v s", s)
		}
		if sum := r.Seconds(one[0]) + r.Seconds(one[1]); !(sum > 0) || sum != r.Seconds(one[:2]...) {
			t.Errorf("two steps take %v s, and one by one %v s", r.Seconds(one[:2]...), sum)
		}
		slower := *r
		slower.peak *= 1e6
		if now := slower.Refresh().Seconds(one...); !(now > 1e4*s) {
			t.Errorf("an update takes %v s, and %v s where the peak is a millionth", s, now)
		}
	})
}

func TestMeasureRatesCanceled(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	calls := 0
	_, err := Measure(ctx, nil, func(float64) {
		if calls++; calls == 3 {
			cancel(cause)
		}
	})
	if !errors.Is(err, cause) || calls != 3 {
		t.Errorf("canceled in the third call of progress: %d calls, error %v", calls, err)
	}
}

func TestConstantRates(t *testing.T) {
	r := ConstantRates(1e9, 1e8)
	step := cost.Line(cost.StepG, "", cost.Operation{Kind: cost.GemmNN, M: 10, N: 20, K: 30},
		cost.Operation{Kind: cost.Stream, N: 1000}, cost.Operation{Kind: cost.Sprk, K: 5})
	if got, want := r.Seconds(step), 12000/1e9+1000/1e8; !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("Seconds = %v; want %v", got, want)
	}
	if now := r.Refresh(); now.Seconds(step) != r.Seconds(step) {
		t.Errorf("refreshed to %v; want %v", now.Seconds(step), r.Seconds(step))
	}
	for _, bad := range [][2]float64{{0, 1}, {1, 0}, {-1, 1}, {math.NaN(), 1}, {math.Inf(1), 1}} {
		testutil.MustPanic(t, "blsupdate: ConstantRates: flops must be finite and above 0, numbers above 0", func() { ConstantRates(bad[0], bad[1]) })
	}
}
