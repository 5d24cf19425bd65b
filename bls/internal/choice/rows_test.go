package choice

import (
	"math"
	"testing"
)

// TestTakeRows has a class of 1.5% among many rows: a balanced choice takes all of its rows, and as
// many of the others as there is room for.
func TestTakeRows(t *testing.T) {
	labels := make([]int, 20000)
	for i := range labels {
		switch {
		case i%67 == 66:
			labels[i] = 2
		case i%2 == 1:
			labels[i] = 3 // 1 has none
		}
	}
	rows, factors := takeRows(labels, true, len(labels))
	taken, counts := make([]float64, 4), make([]float64, 4)
	last := -1
	for _, row := range rows {
		if row <= last {
			t.Fatalf("row %d after row %d", row, last)
		}
		last = row
		taken[labels[row]]++
	}
	for _, label := range labels {
		counts[label]++
	}
	if n := len(rows); n < MaxRows-3 || n > MaxRows || taken[2] != counts[2] || taken[0] != taken[3] {
		t.Errorf("%d rows, of the classes %v of %v", n, taken, counts)
	}
	for class, n := range taken {
		// The share of the weight of a class is that of its rows among all.
		if got, want := n*factors[class]/float64(len(rows)), counts[class]/20000; !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("class %d has %v of the weight; want %v", class, got, want)
		}
	}
	for _, of := range []struct {
		balanced bool
		l        int
	}{{false, 20000}, {true, MaxRows}, {true, 100}} {
		rows, factors := takeRows(labels[:of.l], of.balanced, of.l)
		if factors != nil || len(rows) != min(of.l, MaxRows) || rows[len(rows)-1] != len(rows)-1 {
			t.Errorf("%d rows of %d, factors %v", len(rows), of.l, factors)
		}
	}
	if f := (&Folds{weights: []float64{3, 1, 1, 1}}); f.effectiveRows() != 3 {
		t.Errorf("weights 3, 1, 1, 1 are like %v rows", f.effectiveRows())
	}
}

// TestTakeRowsOfManyClasses has labels beyond those that Fit infers, and then more classes than rows.
func TestTakeRowsOfManyClasses(t *testing.T) {
	labels := make([]int, 6000)
	for i := range labels {
		labels[i] = i % 2
	}
	labels[5990] = 4500
	rows, factors := takeRows(labels, true, len(labels))
	if n := len(rows); n < MaxRows-2 || n > MaxRows || rows[n-1] != 5990 || len(factors) != 4501 {
		t.Errorf("%d rows, the last is %d, %d factors", n, rows[n-1], len(factors))
	}
	ascending := make([]int, 5000)
	for i := range ascending {
		ascending[i] = i
	}
	rows, factors = takeRows(ascending, true, 5000)
	if n := len(rows); n != MaxRows || rows[n-1] != n-1 || factors[n-1] != MaxRows/5000. || factors[n] != 0 {
		t.Errorf("%d rows of 5000 classes", n)
	}
}
