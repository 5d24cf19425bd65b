package rates

import (
	"math"
	"testing"
)

// testTable has costs that are no function of a simple kind.
func testTable() *table {
	t := newTable([3][]int{{1, 4, 9, 100}, {2, 8}, {1, 3, 10}})
	for i := range t.cost {
		t.cost[i] = 1 + math.Abs(math.Sin(float64(3*i+1)))
	}
	return t
}

func TestTableAtPoints(t *testing.T) {
	tab := testTable()
	for i, want := range tab.cost {
		at, sizes := tab.point(i)
		if tab.index(at) != i {
			t.Fatalf("index(point(%d)) = %d", i, tab.index(at))
		}
		if got := tab.at(sizes); got != want {
			t.Errorf("at%v = %v; want %v, as measured", sizes, got, want)
		}
	}
}

// TestTableBetween goes along each axis: from point to point the cost is monotone and has no jumps.
func TestTableBetween(t *testing.T) {
	tab := testTable()
	for d, axis := range tab.axes {
		for i := range tab.cost {
			at, sizes := tab.point(i)
			if at[d]+1 >= len(axis) {
				continue
			}
			next := at
			next[d]++
			from, to := tab.at(sizes), tab.cost[tab.index(next)]
			last := from
			for size := axis[at[d]]; size <= axis[next[d]]; size++ {
				sizes[d] = size
				cost := tab.at(sizes)
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
	tab := newTable([3][]int{{1, 10, 1000}, {1, 30, 2000}, {1, 7, 500}})
	for i := range tab.cost {
		_, s := tab.point(i)
		tab.cost[i] = model(float64(s[0]), float64(s[1]), float64(s[2]))
	}
	for _, s := range [][3]int{{1, 1, 1}, {2, 3, 4}, {5, 1700, 450}, {999, 31, 499}, {123, 456, 78}} {
		want := model(float64(s[0]), float64(s[1]), float64(s[2]))
		if got := tab.at(s); !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("cost%v = %v; want %v", s, got, want)
		}
	}
}

func TestTableBeyondEnds(t *testing.T) {
	tab := testTable()
	for _, tc := range []struct{ sizes, end [3]int }{
		{[3]int{1000, 8, 10}, [3]int{100, 8, 10}},
		{[3]int{4, 1, 3}, [3]int{4, 2, 3}},
		{[3]int{1e6, 1, 1e6}, [3]int{100, 2, 10}},
	} {
		if got, want := tab.at(tc.sizes), tab.at(tc.end); got != want {
			t.Errorf("cost%v = %v; want %v, as at %v", tc.sizes, got, want, tc.end)
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
