package rates

import (
	"context"
	"errors"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/testutil/backends"
)

// tinyKinds is kinds on grids of a few small sizes.
func tinyKinds() []kindRates {
	tiny := slices.Clone(kinds)
	for i := range tiny {
		for d, axis := range tiny[i].axes {
			if len(axis) > 1 {
				tiny[i].axes[d] = axis[:2]
			}
		}
	}
	return tiny
}

// TestKinds checks that every kind of operation has rates, once.
func TestKinds(t *testing.T) {
	measured := map[cost.Kind]bool{}
	for _, k := range kinds {
		if measured[k.kind] {
			t.Errorf("kind %v is in the list twice", k.kind)
		}
		measured[k.kind] = true
		if tab := (&table{Axes: k.axes}); !slices.IsSorted(k.axes[0]) || tab.points() < 2 {
			t.Errorf("kind %v: the grid is %v", k.kind, k.axes)
		}
	}
	for k := range cost.Kinds {
		if !measured[k] {
			t.Errorf("kind %v has no rates", k)
		}
	}
}

// TestMeasureRates measures all kinds on a tiny grid.
func TestMeasureRates(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		last := 0.0
		r, err := measureRates(context.Background(), b, tinyKinds(), func(done float64) {
			if !(done >= last && done <= 1) {
				t.Errorf("progress %v after %v", done, last)
			}
			last = done
		})
		if err != nil {
			t.Fatal(err)
		}
		if last != 1 {
			t.Errorf("progress ended at %v", last)
		}
		for _, k := range kinds {
			if tab := r.tables[k.kind]; !tab.valid() {
				t.Errorf("%s: %+v", k.kind, tab)
			}
		}
		if r.Key() != keyFor(b) {
			t.Errorf("the key is %+v; want %+v", r.Key(), keyFor(b))
		}
		one := cost.Model(api.Gram, api.ActionAdd, api.Options{}, cost.Shape{L: 1, K: 2, Q: 3, C: 4})
		if s := r.Seconds(one...); !(s > 0 && s < 1) {
			t.Errorf("an update by 3 rows of 2 nodes takes %v s", s)
		}
		slower := *r
		slower.probe = slower.probe.over(probe{1e6, 1e6, 1e6, 1e6})
		if now := slower.Refresh(b); !(now.Seconds(one...) > 1e4*r.Seconds(one...)) {
			t.Errorf("an update takes %v s, and %v s where everything takes a million times as long", r.Seconds(one...), now.Seconds(one...))
		}
		if sum := r.Seconds(one[0]) + r.Seconds(one[1]); !(sum > 0) || sum != r.Seconds(one[:2]...) {
			t.Errorf("two steps take %v s, and one by one %v s", r.Seconds(one[:2]...), sum)
		}
	})
}

func TestMeasureRatesCancelled(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	calls := 0
	_, err := measureRates(ctx, nil, tinyKinds(), func(float64) {
		if calls++; calls == 3 {
			cancel(cause)
		}
	})
	if !errors.Is(err, cause) || calls != 3 {
		t.Errorf("cancelled in the third call of progress: %d calls, error %v", calls, err)
	}
}

func TestQuantile(t *testing.T) {
	for _, tc := range []struct {
		x           []float64
		share, want float64
	}{{[]float64{7}, 0.25, 7}, {[]float64{3, 1, 2}, 0.5, 2}, {[]float64{5, 4, 3, 2, 1}, 0.25, 2}, {[]float64{1, 2}, 0.5, 2}} {
		if got := quantile(slices.Clone(tc.x), tc.share); got != tc.want {
			t.Errorf("quantile(%v, %v) = %v; want %v", tc.x, tc.share, got, tc.want)
		}
	}
}

func TestConstantRates(t *testing.T) {
	r := ConstantRates(1e9, 1e8)
	step := cost.Line(cost.StepG, "", cost.Operation{Kind: cost.GemmNN, M: 10, N: 20, K: 30}, cost.Operation{Kind: cost.Stream, N: 1000}, cost.Operation{Kind: cost.Sprk, K: 5})
	if got, want := r.Seconds(step), 12000/1e9+1000/1e8; !(abs(got-want) <= 1e-12*want) {
		t.Errorf("Seconds = %v; want %v", got, want)
	}
	if now := r.Refresh(nil); now.Seconds(step) != r.Seconds(step) {
		t.Errorf("refreshed to %v; want %v", now.Seconds(step), r.Seconds(step))
	}
	for _, bad := range [][2]float64{{0, 1}, {1, 0}, {-1, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("ConstantRates%v does not panic", bad)
				}
			}()
			ConstantRates(bad[0], bad[1])
		}()
	}
}

func abs(x float64) float64 { return max(x, -x) }
