package rates

import (
	"math"
	"testing"
)

// testTable has costs that are no function of a simple kind.
func testTable() *table {
	t := &table{Axes: [3][]int{{1, 4, 9, 100}, {2, 8}, {1, 3, 10}}}
	for i := range t.points() {
		t.Cost = append(t.Cost, 1+math.Abs(math.Sin(float64(3*i+1))))
	}
	return t
}

func TestTableAtPoints(t *testing.T) {
	tab := testTable()
	for i := range tab.points() {
		at := tab.cell(i)
		if tab.index(at) != i {
			t.Fatalf("index(cell(%d)) = %d", i, tab.index(at))
		}
		if got := tab.cost(tab.sizes(at)); got != tab.Cost[i] {
			t.Errorf("cost%v = %v; want %v, as measured", tab.sizes(at), got, tab.Cost[i])
		}
	}
}

// TestTableBetween goes along each axis: from point to point the cost is monotone and has no jumps.
func TestTableBetween(t *testing.T) {
	tab := testTable()
	for d, axis := range tab.Axes {
		for i := range tab.points() {
			at := tab.cell(i)
			if at[d]+1 >= len(axis) {
				continue
			}
			sizes, next := tab.sizes(at), at
			next[d]++
			from, to := tab.cost(sizes), tab.Cost[tab.index(next)]
			last := from
			for size := axis[at[d]]; size <= axis[next[d]]; size++ {
				sizes[d] = size
				cost := tab.cost(sizes)
				if !((cost-last)*(to-from) >= -1e-14) || !(cost <= max(from, to)+1e-14) || !(cost >= min(from, to)-1e-14) {
					t.Fatalf("cost%v = %v between %v and %v, after %v", sizes, cost, from, to, last)
				}
				last = cost
			}
			if last != to {
				t.Errorf("cost%v = %v; want %v", sizes, last, to)
			}
		}
	}
}

// TestTableModel has costs that are as the comment on table says, which the interpolation meets
// anywhere.
func TestTableModel(t *testing.T) {
	model := func(m, n, k float64) float64 {
		return 1e-11 + 3e-9/m + 1e-9/n + 2e-9/k + 5e-8/(m*n) + 1e-7/(m*n*k)
	}
	tab := &table{Axes: [3][]int{{1, 10, 1000}, {1, 30, 2000}, {1, 7, 500}}}
	for i := range tab.points() {
		s := tab.sizes(tab.cell(i))
		tab.Cost = append(tab.Cost, model(float64(s[0]), float64(s[1]), float64(s[2])))
	}
	for _, s := range [][3]int{{1, 1, 1}, {2, 3, 4}, {5, 1700, 450}, {999, 31, 499}, {123, 456, 78}} {
		want := model(float64(s[0]), float64(s[1]), float64(s[2]))
		if got := tab.cost(s); !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("cost%v = %v; want %v", s, got, want)
		}
	}
}

func TestTableBeyondEnds(t *testing.T) {
	tab := testTable()
	for _, tc := range []struct{ Norms, end [3]int }{
		{[3]int{1000, 8, 10}, [3]int{100, 8, 10}},
		{[3]int{4, 1, 3}, [3]int{4, 2, 3}},
		{[3]int{1e6, 1, 1e6}, [3]int{100, 2, 10}},
	} {
		if got, want := tab.cost(tc.Norms), tab.cost(tc.end); got != want {
			t.Errorf("cost%v = %v; want %v, as at %v", tc.Norms, got, want, tc.end)
		}
	}
}

func TestTableFill(t *testing.T) {
	tab := &table{Axes: [3][]int{{1, 10, 100}, {1, 20, 50}, one}, Cost: []float64{1, 2, 3, 4, 5, 6, 7, 0, 0}}
	tab.fill()
	// (100, 20) has the cost of (10, 20), and so (100, 50) that of (10, 50).
	for i, want := range []float64{1, 2, 3, 4, 5, 6, 7, 5, 6} {
		if tab.Cost[i] != want {
			t.Errorf("after fill cost%v = %v; want %v", tab.sizes(tab.cell(i)), tab.Cost[i], want)
		}
	}
	if !tab.valid() {
		t.Error("the table is not valid")
	}
}

func TestTableInvalid(t *testing.T) {
	for name, tab := range map[string]*table{
		"empty axis":    {Axes: [3][]int{one, {}, one}},
		"size 0":        {Axes: [3][]int{one, {0, 1}, one}, Cost: []float64{1, 1}},
		"descending":    {Axes: [3][]int{one, {2, 1}, one}, Cost: []float64{1, 1}},
		"short":         {Axes: [3][]int{one, {1, 2}, one}, Cost: []float64{1}},
		"zero cost":     {Axes: [3][]int{one, {1, 2}, one}, Cost: []float64{1, 0}},
		"NaN":           {Axes: [3][]int{one, {1, 2}, one}, Cost: []float64{1, math.NaN()}},
		"infinite cost": {Axes: [3][]int{one, {1, 2}, one}, Cost: []float64{1, math.Inf(1)}},
	} {
		if tab.valid() {
			t.Errorf("%s: the table is valid", name)
		}
	}
}
