package choice

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// TestTakeRows has a class of 1.5% among many rows: a balanced choice takes all of its rows, and as
// many of the others as fit. Other choices have one row of each part of the rows, in no period. Rows of
// weight 0 are in no choice.
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
	rows, factors := takeRows(Data{Rows: len(labels), Labels: labels, Balanced: true})
	taken, late, counts := make([]float64, 4), make([]float64, 4), make([]float64, 4)
	last := -1
	for _, row := range rows {
		if row <= last {
			t.Fatalf("row %d after row %d", row, last)
		}
		last = row
		taken[labels[row]]++
		late[labels[row]] += float64(row / 15000)
	}
	for _, label := range labels {
		counts[label]++
	}
	if n := len(rows); n < MaxRows-3 || n > MaxRows || taken[2] != counts[2] || taken[0] != taken[3] || late[0] == 0 || late[3] == 0 {
		t.Errorf("%d rows, of the classes %v of %v, late ones %v", n, taken, counts, late)
	}
	for class, n := range taken {
		// A class has the same share of the weight as its rows have of all rows.
		if got, want := n*factors[class]/float64(len(rows)), counts[class]/20000; !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("class %d has %v of the weight; want %v", class, got, want)
		}
	}
	for _, of := range []struct {
		balanced bool
		l        int
	}{{false, 20000}, {false, 2 * MaxRows}, {true, MaxRows}, {true, 100}} {
		rows, factors := takeRows(Data{Rows: of.l, Labels: labels[:of.l], Balanced: of.balanced})
		n, odd := min(of.l, MaxRows), 0
		for i, row := range rows {
			if odd += row % 2; (row+1)*n <= i*of.l || row*n >= (i+1)*of.l {
				t.Fatalf("row %d is not in part %d of %d rows", row, i, of.l)
			}
		}
		if factors != nil || len(rows) != n || odd < n/4 || odd > 3*n/4 {
			t.Errorf("%d rows of %d, %d of them odd, factors %v", len(rows), of.l, odd, factors)
		}
	}
	for positive, want := range map[int]int{5000: MaxRows, 50: 50, MinRows - 1: MinRows - 1} {
		weights := append(slices.Repeat([]float64{1}, positive), make([]float64, 20000-positive)...)
		rows, _ := takeRows(Data{Rows: 20000, Labels: labels, Weights: weights, Balanced: positive > 50})
		n := len(slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return i >= positive }))
		if len(rows) != want || n != want {
			t.Errorf("%d rows, %d of them of the %d with weight; want %d", len(rows), n, positive, want)
		}
	}
	for _, unit := range []float64{1, 0x1p-600, 0x1p600, 0x1p1020} {
		if f := (&Folds{weights: []float64{3 * unit, unit, unit, unit}}); f.effectiveRows() != 3 {
			t.Errorf("weights %g times 3, 1, 1, 1 are like %v rows", unit, f.effectiveRows())
		}
	}
}

// TestTakeRowsOfManyClasses has labels too large for Fit to infer, and then more classes than rows.
func TestTakeRowsOfManyClasses(t *testing.T) {
	labels := make([]int, 6000)
	for i := range labels {
		labels[i] = i % 2
	}
	labels[5990] = 4500
	rows, factors := takeRows(Data{Rows: len(labels), Labels: labels, Balanced: true})
	if n := len(rows); n < MaxRows-2 || n > MaxRows || !slices.Contains(rows, 5990) || len(factors) != 4501 {
		t.Errorf("%d rows, the last is %d, %d factors", n, rows[n-1], len(factors))
	}
	ascending := make([]int, 5000)
	for i := range ascending {
		ascending[i] = i
	}
	rows, factors = takeRows(Data{Rows: 5000, Labels: ascending, Balanced: true})
	if n := len(rows); n != MaxRows || rows[n-1] != n-1 || factors[n-1] != MaxRows/5000. || factors[n] != 0 {
		t.Errorf("%d rows of 5000 classes", n)
	}
}

// TestTrimmedLoss has one row whose prediction is far off: the loss ignores it, the score does not.
func TestTrimmedLoss(t *testing.T) {
	const l = 40
	y, scores := mat.NewDense(l, 1, nil), mat.NewDense(l, 1, nil)
	for i := range l {
		y.Set(i, 0, float64(i%2))
		scores.Set(i, 0, float64(i%2)+0.1)
	}
	scores.Set(7, 0, 1e6)
	f := NewFolds(Data{Rows: l})
	loss, score := f.measure(scores, y, 0)
	if want := 0.01 * (l - 1) / (l * 0.25); !(math.Abs(loss-want) <= 1e-12) || !(score < -1e10) {
		t.Errorf("loss %v, want %v; score %v", loss, want, score)
	}
	scores.Set(7, 0, math.NaN())
	if loss, _ := f.measure(scores, y, 0); !math.IsNaN(loss) {
		t.Errorf("loss %v of a NaN", loss)
	}
}

// TestTrimmedLossOfFew has one target in a hundred that is not 0: a model that predicts these has a
// smaller loss than one that predicts 0.
func TestTrimmedLossOfFew(t *testing.T) {
	const l = 1000
	y, half, none := mat.NewDense(l, 1, nil), mat.NewDense(l, 1, nil), mat.NewDense(l, 1, nil)
	for i := 0; i < l; i += 100 {
		y.Set(i, 0, float64(l+i))
		half.Set(i, 0, float64(l+i)/2)
	}
	f := NewFolds(Data{Rows: l})
	better, _ := f.measure(half, y, 0)
	if worse, _ := f.measure(none, y, 0); !(better < 0.5*worse) {
		t.Errorf("loss %v, without predictions %v", better, worse)
	}
}

// TestSmear leaves out a hundredth of the weight at either end, and averages the rest.
func TestSmear(t *testing.T) {
	const l = 200
	scores, y, weights := mat.NewDense(l, 2, nil), mat.NewDense(l, 2, nil), make([]float64, l)
	for i := range l {
		scores.SetRow(i, []float64{float64(i), -1})
		y.SetRow(i, []float64{float64(i) + math.Log(3), -1 + math.Log(float64(1+i%2))})
		weights[i] = 1 + 2*float64(i%2)
	}
	y.Set(0, 0, 1e9)
	y.Set(7, 0, -1e9)
	got := Smear(scores, y, nil)
	if want := (98.0 + 2*98) / 196; !(math.Abs(got[0]-3) <= 1e-12) || !(math.Abs(got[1]-want) <= 1e-12) {
		t.Errorf("factors %v, want 3 and %v", got, want)
	}
	// Of the weight 400 the ends have 4 each: rows of weight 1 below, of weight 3 above.
	if got, want := Smear(scores, y, weights)[1], (96.0+2*3*99)/(96+3*99); !(math.Abs(got-want) <= 0.01) {
		t.Errorf("weighted: %v, want %v", got, want)
	}
	p := mat.NewDense(1, 2, []float64{1, 1000})
	(&Smearing{Factors: []float64{2, 1}, Largest: []float64{7, 7}}).Predict(p)
	if !(math.Abs(p.At(0, 0)-2*math.E) <= 1e-14) || p.At(0, 1) != 70 {
		t.Errorf("predictions %v", p.RawRowView(0))
	}
}

type labelMaps []*mat.Dense

func (m labelMaps) Maps() int { return len(m) }

func (m labelMaps) Nodes(_ context.Context, i int, _ float64) (*mat.Dense, error) {
	return gonum.DenseCopyOf(m[i]), nil
}

// TestLeftOut compares left-out rows with models fitted without the row or, at a tiny ridge, its fold.
func TestLeftOut(t *testing.T) {
	const m, k, c = 24, 30, 2
	draw := func(seed uint64, rows, cols int) *mat.Dense {
		return testutil.Random(rand.New(rand.NewPCG(seed, 1)), rows, cols)
	}
	weights := make([]float64, m)
	for i := range weights {
		weights[i] = 0.5 + float64(i%3)
	}
	folds, maps := NewFolds(Data{Rows: m, Weights: weights}), labelMaps{}
	for i := range folds.Trainings() {
		maps = append(maps, draw(uint64(i), m, k))
	}
	y := draw(9, m, c)
	s := &Search{Folds: folds, Y: y, Backend: backend.Or(nil), Unit: 1}
	e, err := s.Equations(t.Context(), maps, 1)
	if err != nil {
		t.Fatal(err)
	}
	for lambda, whole := range map[float64]bool{0.1: false, 1e-7: true} {
		rows, of, scores, leverages, err := e.At(lambda).LeftOut()
		if err != nil || len(rows) != m || of.At(3, 1) != y.At(3, 1) {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for i := range m {
			fold := slices.IndexFunc(folds.ends[1:], func(end int) bool { return i < end })
			var gram, cross, q, w gonum.Dense
			a, b := gonum.DenseCopyOf(maps[fold]), gonum.DenseCopyOf(y)
			Weigh(folds.weights, a, b)
			for j := range m {
				if j == i || whole && folds.ends[fold] <= j && j < folds.ends[fold+1] {
					clear(a.RawRowView(j))
				}
			}
			gram.Mul(a.T(), a)
			for j := range k {
				gram.Set(j, j, gram.At(j, j)+lambda)
			}
			cross.Mul(a.T(), b)
			x := maps[fold].RowView(i)
			if q.Solve(&gram, x) != nil && !whole || w.Solve(&gram, &cross) != nil && !whole {
				t.Fatal("no solution")
			}
			const small = 1e-5 // relative: rounding is 1e-16 times a condition of up to 1e10
			h := gonum.Dot(x, q.ColView(0))
			if !(math.Abs(leverages[i]-h) <= small*h) {
				t.Errorf("lambda %v: row %d has the leverage %v, want %v", lambda, i, leverages[i], h)
			}
			for j := range c {
				want := gonum.Dot(x, w.ColView(j))
				if got := scores.At(i, j); !(math.Abs(got-want) <= small*(1+math.Abs(want))) {
					t.Errorf("lambda %v: row %d scores %v, want %v", lambda, i, got, want)
				}
			}
		}
	}
}

// TestLeftOutHeavy has a row in the last fold that leaves the model of all rows without digits.
func TestLeftOutHeavy(t *testing.T) {
	weights := slices.Repeat([]float64{1}, 24)
	folds := NewFolds(Data{Rows: 24, Weights: weights})
	folds.firstHeld, folds.weights[23] = numFolds-1, 1e200
	s := &Search{Folds: folds, Y: testutil.Random(rand.New(rand.NewPCG(1, 1)), 24, 1), Backend: backend.Or(nil), Unit: 1}
	e, err := s.Equations(t.Context(), labelMaps{testutil.Random(rand.New(rand.NewPCG(2, 1)), 24, 5)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := e.At(1)
	rows, _, scores, leverages, err := r.LeftOut()
	if err != nil || len(rows) != 6 || len(leverages) != 6 || !gonum.Equal(scores, rowsOf(r.scores, 18, 24)) {
		t.Errorf("%d rows, leverages %v, %v", len(rows), leverages, err)
	}
}
