package bls

import (
	"errors"
	"math"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// TestRelevance compares the weights of columns with differences of the predictions, for maps whose
// columns are already weighted.
func TestRelevance(t *testing.T) {
	x, y, _ := normalTable(13, 120, 3)
	s := settings{backend: blskernel.Default(), intercept: true,
		features: FeatureOptions{Scaling: ScaleColumns, Groups: 2, EnhancementNodes: 30, Direct: 1, Shrink: 1}}
	trials := newTrials(s, x, y, nil, nil)
	columns := []float64{0.5, 2, 1}
	maps, err := trials.fit(t.Context(), s.features, [][]float64{columns, columns, columns, columns, columns})
	must(t, err)
	e, err := trials.grid(0, 0).Equations(t.Context(), maps, 1.5)
	must(t, err)
	weights, err := e.At(1e-3).Weights(5)
	must(t, err)
	const last = 4 // of all rows
	rows := trials.folds.Training(last, 10)
	got, err := trials.relevance(maps[last], 1.5, weights[last], rows)
	must(t, err)
	f := maps[last].features.withShrink(1.5)
	predict := func(x *mat.Dense) *mat.Dense {
		a := mustTransform(t, f, x)
		k := f.Nodes()
		return product(a, rowsOf(weights[last], 0, k))
	}
	want, sum := make([]float64, 3), 0.0
	for j := range want {
		deviation := f.deviations[j] * columns[j] // of the unweighted column
		for _, row := range rows {
			const h = 1e-5
			up, down := mat.NewDense(1, 3, nil), mat.NewDense(1, 3, nil)
			up.SetRow(0, trials.x.RawRowView(row))
			down.SetRow(0, trials.x.RawRowView(row))
			up.Set(0, j, up.At(0, j)+h*deviation)
			down.Set(0, j, down.At(0, j)-h*deviation)
			v := (predict(up).At(0, 0) - predict(down).At(0, 0)) / (2 * h)
			want[j] += v * v
		}
		sum += want[j]
	}
	for j, v := range want {
		if v /= sum; !(math.Abs(got[j]-v) <= 1e-6*v) {
			t.Errorf("column %d has the share %v, want %v", j, got[j], v)
		}
	}
}

// TestRelevanceOfTargets exchanges the targets of a linear model, which have different relevances, and
// then changes the unit of the second of two targets, also with fewer nodes than columns and no S in A.
func TestRelevanceOfTargets(t *testing.T) {
	x, y, _ := normalTable(13, 120, 3)
	s := settings{backend: blskernel.Default(), features: FeatureOptions{Scaling: ScaleColumns, Groups: 1, GroupNodes: 3, Shrink: 1}}
	trials := newTrials(s, x, y, nil, nil)
	maps, err := trials.fit(t.Context(), s.features, nil)
	must(t, err)
	trials.targets = []int{0, 1}
	one, err1 := trials.relevance(maps[0], 1, mat.NewDense(3, 2, []float64{1, 0, 0, 2, 0, 0}), ascending(9))
	two, err2 := trials.relevance(maps[0], 1, mat.NewDense(3, 2, []float64{0, 1, 2, 0, 0, 0}), ascending(9))
	must(t, errors.Join(err1, err2))
	if !(maxDiff(mat.NewDense(1, 3, one), mat.NewDense(1, 3, two)) <= 1e-14) {
		t.Errorf("the shares are %v, and %v with the targets exchanged", one, two)
	}
	unit := func(_, j int, v float64) float64 { return math.Ldexp(v, -10*j) }
	for _, direct := range []int{1, None} {
		r := Regressor{Features: FeatureOptions{Groups: 1, GroupNodes: 2, EnhancementNodes: 20, Direct: direct, Relevance: 1}}
		var both mat.Dense
		both.Augment(y, x.Slice(0, 120, 2, 3))
		must(t, r.Fit(x, &both))
		want := predicted(t, &r, x)
		want.Apply(unit, want)
		both.Apply(unit, &both)
		if must(t, r.Fit(x, &both)); maxDiff(predicted(t, &r, x), want) != 0 {
			t.Errorf("Direct %d: the unit of a target changes the relevances", direct)
		}
	}
}

// TestRelevanceFinds has 30 columns, of which three matter, one by its square. The zero value predicts
// nearly as well as from the three alone, which it could not do without weights of the columns.
func TestRelevanceFinds(t *testing.T) {
	pureWithoutRace(t)
	x, _, _ := normalTable(14, 900, 30)
	y := mat.NewDense(900, 1, nil)
	for i := range 900 {
		row := x.RawRowView(i)
		y.Set(i, 0, row[3]*row[7]+row[11]*row[11])
	}
	score := func(relevance int) float64 {
		r := Regressor{Features: FeatureOptions{EnhancementNodes: 300, Relevance: relevance}}
		must(t, r.Fit(rowsOf(x, 0, 700), rowsOf(y, 0, 700)))
		s, err := r.Score(rowsOf(x, 700, 900), rowsOf(y, 700, 900))
		must(t, err)
		if fitted := r.FittedFeatures().Options(); (fitted.Relevance > 0) != (relevance == 0) || fitted.Direct != 1 {
			t.Errorf("Relevance %d: fitted with %+v", relevance, fitted)
		}
		return s
	}
	if with, without := score(0), score(None); !(with >= 0.95 && without <= 0.6) {
		t.Errorf("R² %v, and %v without weights", with, without)
	}
}

// TestDirect has a linear function of more columns than feature nodes. A model without enhancement
// nodes learns it exactly, by way of the direct columns.
func TestDirect(t *testing.T) {
	x, _, _ := normalTable(15, 300, 40)
	y := mat.NewDense(300, 1, nil)
	for i := range 300 {
		for j, v := range x.RawRowView(i) {
			y.Set(i, 0, y.At(i, 0)+float64(j%7)*v)
		}
	}
	r := Regressor{Features: FeatureOptions{Scaling: ScaleColumns, Groups: 1, Direct: 1, EnhancementNodes: None}, Update: blsupdate.Options{Lambda: 1e-9}}
	must(t, r.Fit(x, y))
	if s, err := r.Score(x, y); err != nil || !(s >= 1-1e-9) || r.FittedFeatures().Nodes() != 50 {
		t.Errorf("R² %v, %v, %d nodes", s, err, r.FittedFeatures().Nodes())
	}
	if _, err := FitFeatures(x, FeatureOptions{Scaling: ScaleColumns, Relevance: 1}); !isA(err, new(*OptionError)) {
		t.Errorf("FitFeatures weighs columns without targets: %v", err)
	}
}
