package rates

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/vfs"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
)

// TestOperations checks that every kind of operation has a grid, or the same rate as a kind with one.
func TestOperations(t *testing.T) {
	for kind := range cost.Kinds {
		like, ok := sameRateAs[kind]
		if !ok {
			like = kind
		}
		o := operations[like]
		sorted := func(axis []int) bool { return len(axis) > 0 && axis[0] > 0 && slices.IsSorted(axis) }
		if o.prepare == nil || !sorted(o.axes[0]) || !sorted(o.axes[1]) || !sorted(o.axes[2]) || len(newTable(o.axes).cost) < 2 {
			t.Errorf("%v: the grid is %v", kind, o.axes)
		}
	}
}

// TestMeasureRates measures the shortest operation of each kind, and others for a short time.
func TestMeasureRates(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		t.Setenv(EnvCache, t.TempDir())
		m, w, done := newMeasurement(b), newWorkspace(b), map[cost.Kind]bool{}
		for i := range m.points {
			if p := &m.points[i]; !done[p.Kind] {
				if m.measure(w, p); len(p.costs) > 0 && !positive(p.costs) {
					t.Errorf("%+v", p)
				}
				done[p.Kind] = true
			}
		}
		last := 0.0
		r, err := measure(context.Background(), b, 50*time.Millisecond, func(done float64) {
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
		if r.key() != newRates(b).key() || r.Unsaved != nil || !r.Measured {
			t.Errorf("the key is %s, measured: %v, unsaved: %v", r.key(), r.Measured, r.Unsaved)
		}
		one := cost.Model(types.Gram, types.ActionAdd, types.Options{}, cost.Shape{L: 1, K: 2, Q: 3, C: 4})
		s := r.Seconds(one...)
		if !(s > 0 && s <= math.MaxFloat64) {
			t.Errorf("an update by 3 rows of 2 nodes takes %v s", s)
		}
		if sum := r.Seconds(one[0]) + r.Seconds(one[1]); !(sum > 0) || sum != r.Seconds(one[:2]...) {
			t.Errorf("two steps take %v s, and one by one %v s", r.Seconds(one[:2]...), sum)
		}
		if now := r.AtPeak(r.peak / 1e6).Seconds(one...); !(now > 1e4*s) {
			t.Errorf("an update takes %v s, and %v s where the peak is a millionth", s, now)
		}
		if again := For(b); again.peak != r.peak || !reflect.DeepEqual(again.tables, r.tables) {
			t.Error("For returns other rates than were measured")
		}
	})
}

// TestMeasureRatesInterrupted interrupts a measurement twice. Measured points are not measured again,
// and the file of the last measurement stays until the new one is complete.
func TestMeasureRatesInterrupted(t *testing.T) {
	b := pure(t)
	old, name := saved(t, b)
	for _, n := range []int{3, 40} {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(context.Background())
		calls := 0
		_, err := measure(ctx, b, time.Hour, func(float64) {
			if calls++; calls == n {
				cancel(cause)
			}
		})
		if !errors.Is(err, cause) || calls != n {
			t.Fatalf("canceled in call %d of progress: %d calls, error %v", n, calls, err)
		}
	}
	kept := func() (n int) {
		for _, p := range newMeasurement(b).points {
			n += len(p.costs)
		}
		return n
	}
	if kept() != 43 {
		t.Errorf("%d points are kept, want 43", kept())
	}
	if r, err := load(b); err != nil || r.peak != old.peak {
		t.Errorf("the complete rates are gone: %v", err)
	}
	testutil.NoError(t, os.Remove(name))
	testutil.NoError(t, os.Mkdir(name, 0o755)) // where the file should be
	if r, err := measure(context.Background(), b, 0, nil); err != nil || r.Unsaved == nil || kept() != 43 {
		t.Errorf("saved as a folder: %v, %v, %d points are kept", r, err, kept())
	}
	testutil.NoError(t, os.Remove(name))
	if r, err := measure(context.Background(), b, 0, nil); err != nil || r.Unsaved != nil || kept() != 0 {
		t.Errorf("after a complete measurement: %v, %v, %d points are kept", r, err, kept())
	}
	for _, damaged := range []part{{Spent: 19 * time.Second}, {Spent: -1}, {Key: "x"}, {Peaks: []float64{0}}, {Costs: [][]float64{{1}}}} {
		m := newMeasurement(b)
		damaged.Key = cmp.Or(damaged.Key, m.rates.key())
		if damaged.Costs == nil {
			damaged.Costs = slices.Repeat([][]float64{{1}}, len(m.points))
		}
		testutil.NoError(t, m.rates.write(vfs.OS, unfinished, damaged))
		if kept() != 0 {
			t.Errorf("%d points are taken from %+v", kept(), damaged)
		}
	}
}

// TestBuiltIn finds rates for every backend, even without measured ones. They scale with the FMA peak.
func TestBuiltIn(t *testing.T) {
	t.Setenv(EnvCache, t.TempDir())
	step := cost.Line(cost.StepG, "", cost.Operation{Kind: cost.GemmNN, M: 1000, N: 1000, K: 1000})
	for _, name := range append(blskernel.Names(), "pure/generic") {
		b, err := blskernel.Lookup(name)
		testutil.NoError(t, err)
		r := For(b)
		if s := r.Seconds(step); !(s > 0) || r.Measured || !strings.HasPrefix(r.Name, "built-in rates") {
			t.Errorf("%s: a product takes %v s by %s, measured: %v", name, s, r.Name, r.Measured)
		}
		if a, b := r.AtPeak(1e9).Seconds(step), r.AtPeak(2e9).Seconds(step); !(math.Abs(a-2*b) <= 1e-12*a) || !(a > 2) {
			t.Errorf("%s: %v s at 1 GFLOP/s, %v s at 2", name, a, b)
		}
	}
	if name := File(nil); filepath.Dir(name) != os.Getenv(EnvCache) {
		t.Errorf("the file is %q", name)
	}
}

func TestConstantRates(t *testing.T) {
	r := ConstantRates(1e9, 1e8)
	step := cost.Line(cost.StepG, "", cost.Operation{Kind: cost.GemmNN, M: 10, N: 20, K: 30},
		cost.Operation{Kind: cost.Stream, N: 1000}, cost.Operation{Kind: cost.Sprk, K: 5})
	if got, want := r.Seconds(step), 12000/1e9+1000/1e8; !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("Seconds = %v; want %v", got, want)
	}
	if now := r.AtPeak(1); now.Seconds(step) != r.Seconds(step) || r.Measured {
		t.Errorf("%v at another peak; want %v, not measured", now.Seconds(step), r.Seconds(step))
	}
	for _, bad := range [][2]float64{{0, 1}, {1, 0}, {-1, 1}, {math.NaN(), 1}, {math.Inf(1), 1}} {
		testutil.MustPanic(t, "blsupdate: ConstantRates: flops must be positive and finite, numbers positive", func() { ConstantRates(bad[0], bad[1]) })
	}
}

// TestTable has costs that are multilinear as the comment on table says: the interpolation is right at
// any sizes, exact at the points, and beyond the end of an axis it is the cost at the end.
func TestTable(t *testing.T) {
	model := func(m, n, k float64) float64 {
		return 1e-11 + 3e-9/m + 1e-9/n + 2e-9/k + 5e-8/(m*n) + 1e-7/(m*n*k)
	}
	tab := newTable([3][]int{{1, 10, 1000}, {2, 30, 2000}, {1, 7, 500}})
	for i := range tab.cost {
		_, s := tab.point(i)
		tab.cost[i] = model(float64(s[0]), float64(s[1]), float64(s[2]))
	}
	for i, want := range tab.cost {
		at, s := tab.point(i)
		if got := tab.at(s); got != want || tab.index(at) != i {
			t.Errorf("cost%v = %v; want %v, as measured", s, got, want)
		}
	}
	for _, s := range [][3]int{{1, 1, 1}, {2, 3, 4}, {5, 1700, 450}, {999, 31, 499}, {123, 456, 78}, {1e6, 1, 1e6}, {4, 2001, 3}} {
		want := model(float64(min(s[0], 1000)), float64(max(2, min(s[1], 2000))), float64(min(s[2], 500)))
		if got := tab.at(s); !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("cost%v = %v; want %v", s, got, want)
		}
	}
}

func TestTableFill(t *testing.T) {
	tab := &table{axes: [3][]int{{1, 10, 100}, {1, 20, 50}, one}, cost: []float64{1, 2, 3, 4, 5, 6, 7, 0, 0}}
	tab.fill()
	// (100, 20) has the cost of (10, 20), and so (100, 50) that of (10, 50).
	for i, want := range []float64{1, 2, 3, 4, 5, 6, 7, 5, 6} {
		if _, sizes := tab.point(i); tab.cost[i] != want {
			t.Errorf("after fill cost%v = %v; want %v", sizes, tab.cost[i], want)
		}
	}
}
