package bls

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/bls/metrics"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestChoiceOf has a class of 1.5% among many rows: a balanced choice takes all of its rows, and as
// many of the others as there is room for.
func TestChoiceOf(t *testing.T) {
	labels := make([]int, 20000)
	for i := range labels {
		switch {
		case i%67 == 66:
			labels[i] = 2
		case i%2 == 1:
			labels[i] = 3 // 1 has none
		}
	}
	rows, factors := choiceOf(settings{classWeight: Balanced}, labels, len(labels))
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
	if n := len(rows); n < ChoiceRows-3 || n > ChoiceRows || taken[2] != counts[2] || taken[0] != taken[3] {
		t.Errorf("%d rows, of the classes %v of %v", n, taken, counts)
	}
	for class, n := range taken {
		// The share of the weight of a class is that of its rows among all.
		if got, want := n*factors[class]/float64(len(rows)), counts[class]/20000; !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("class %d has %v of the weight; want %v", class, got, want)
		}
	}
	for _, of := range []struct {
		s settings
		l int
	}{{settings{}, 20000}, {settings{classWeight: Balanced}, ChoiceRows}, {settings{classWeight: Balanced}, 100}} {
		rows, factors := choiceOf(of.s, labels[:of.l], of.l)
		if factors != nil || len(rows) != min(of.l, ChoiceRows) || rows[len(rows)-1] != len(rows)-1 {
			t.Errorf("%d rows of %d, factors %v", len(rows), of.l, factors)
		}
	}
	if f := (&folds{ends: []int{0, 1, 2, 3, 4}, weights: []float64{3, 1, 1, 1}}); f.alike() != 3 {
		t.Errorf("weights 3, 1, 1, 1 are like %v rows", f.alike())
	}
}

// TestChoiceOfManyClasses has labels beyond those that Fit infers, and then more classes than rows.
func TestChoiceOfManyClasses(t *testing.T) {
	balanced := settings{classWeight: Balanced}
	labels := cyclic(6000, 2)
	labels[5990] = 4500
	rows, factors := choiceOf(balanced, labels, len(labels))
	if n := len(rows); n < ChoiceRows-2 || n > ChoiceRows || rows[n-1] != 5990 || len(factors) != 4501 {
		t.Errorf("%d rows, the last is %d, %d factors", n, rows[n-1], len(factors))
	}
	rows, factors = choiceOf(balanced, ascending(5000), 5000)
	if n := len(rows); n != ChoiceRows || rows[n-1] != n-1 || factors[n-1] != ChoiceRows/5000. || factors[n] != 0 {
		t.Errorf("%d rows of 5000 classes", n)
	}
}

// TestBalancedFindsRare learns a class with 2% of the rows, which the unweighted model hardly finds.
func TestBalancedFindsRare(t *testing.T) {
	testutil.NeedsBackend(t, "pure")
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(l int) (*mat.Dense, []int) {
		x, labels := mat.NewDense(l, 4, nil), make([]int, l)
		for i := range labels {
			for j := range 4 {
				x.Set(i, j, r.NormFloat64())
			}
			if x.At(i, 0)*x.At(i, 1)+x.At(i, 2) > 3.1 {
				labels[i] = 1
			}
		}
		return x, labels
	}
	x, labels := draw(8000)
	test, known := draw(4000)
	recall := func(weight ClassWeight) float64 {
		c := Classifier{ClassWeight: weight, Features: FeatureOptions{EnhancementNodes: 150}}
		testutil.NoError(t, c.Fit(x, labels))
		if !c.Calibrated() {
			t.Error("not calibrated")
		}
		return metrics.Confuse(known, predicted(t, &c, test), 2, nil).Recall(1)
	}
	if plain, balanced := recall(Unweighted), recall(Balanced); !(balanced >= 0.95 && plain <= 0.85) {
		t.Errorf("recall %v, and %v balanced", plain, balanced)
	}
}
