package bls

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// skewedTable returns rows of three normal numbers, and targets whose logarithms depend on two of them.
func skewedTable(seed uint64, l int) (x, y *mat.Dense) {
	r := rand.New(rand.NewPCG(seed, 32))
	x, y = mat.NewDense(l, 3, nil), mat.NewDense(l, 1, nil)
	for i := range l {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
		y.Set(i, 0, math.Exp(5+2*row[0]+math.Sin(2*row[1])+0.5*r.NormFloat64()))
	}
	return x, y
}

// TestLogTargets has skewed targets, whose logarithms the zero value learns. Predictions are right by
// ratio and on average, and never beyond ten times the largest target.
func TestLogTargets(t *testing.T) {
	pureWithoutRace(t)
	x, y := skewedTable(1, 1500)
	r := Regressor{Features: FeatureOptions{EnhancementNodes: 100}}
	must(t, r.Fit(rowsOf(x, 0, 700), rowsOf(y, 0, 700)))
	factors, limits := r.Smearing()
	if factors == nil {
		t.Fatal("no logarithms")
	}
	// The mean of exp(0.5 normal) is exp(1/8); of the trimmed ones a little less.
	if !(math.Abs(factors[0]-math.Exp(0.125)) <= 0.05) || limits[0] != 10*slices.Max(columnOf(rowsOf(y, 0, 700))) {
		t.Errorf("factor %v, limit %v", factors[0], limits[0])
	}
	p := predicted(t, &r, x)
	var ratios []float64
	for i := 700; i < 1500; i++ {
		ratios = append(ratios, math.Abs(math.Log(p.At(i, 0)/y.At(i, 0))))
	}
	if slices.Sort(ratios); !(ratios[400] <= 0.4) {
		t.Errorf("the median of |log(prediction/target)| is %v", ratios[400])
	}
	a, ya, err := r.Expand(x, y)
	must(t, err)
	w := weightsOf(t, &r)
	for i := range 1500 {
		score := r.Center()[0]
		for j, v := range a.RawRowView(i) {
			score += v * w.At(j, 0)
		}
		if want := factors[0] * math.Exp(score); !(math.Abs(p.At(i, 0)-want) <= 1e-9*want) {
			t.Fatalf("prediction %d is %v, want %v", i, p.At(i, 0), want)
		}
		if got, want := ya.At(i, 0)+r.Center()[0], math.Log(y.At(i, 0)); !(math.Abs(got-want) <= 1e-12) {
			t.Fatalf("target %d is %v for the output layer, want %v", i, got, want)
		}
	}
	outside := mat.NewDense(1, 3, []float64{1e3, 0, 0})
	lower, upper, err := r.PredictInterval(outside, 0.9)
	if far := predicted(t, &r, outside).At(0, 0); err != nil || !(lower.At(0, 0) <= far && far <= upper.At(0, 0) && upper.At(0, 0) <= limits[0]) {
		t.Errorf("a far row is predicted as %v from %v to %v, where the limit is %v: %v", far, lower, upper, limits[0], err)
	}

	// A file keeps all of it.
	var file bytes.Buffer
	must(t, r.Encode(&file))
	again, err := DecodeRegressor(&file, nil)
	must(t, err)
	if maxDiff(p, predicted(t, again, x)) != 0 {
		t.Error("decoded, the model has other predictions")
	}

	// Another batch moves the limit, not the factor. Targets without a logarithm change nothing.
	before := encoded(t, &r)
	bad := mat.NewDense(3, 1, []float64{1, 0, -1})
	var target *TargetError
	for name, err := range map[string]error{
		"PartialFit": r.PartialFit(rowsOf(x, 0, 3), bad), "Remove": r.Remove(rowsOf(x, 0, 3), bad), "Refit": r.Refit(rowsOf(x, 0, 3), bad),
		"Fit": (&Regressor{LogTargets: 1}).Fit(rowsOf(x, 0, 3), bad), "Calibrate": r.Calibrate(rowsOf(x, 0, 3), bad),
	} {
		if !errors.As(err, &target) || target.Row != 1 || target.Value != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	many, ym := skewedTable(2, CalibrationRows+1)
	many.Set(1, 0, math.MaxFloat64)
	if err := r.Calibrate(many, ym); err == nil || !bytes.Equal(before, encoded(t, &r)) {
		t.Error("an error changed the model")
	}
	clone, err := r.Clone()
	must(t, err)
	must(t, r.PartialFitContext(background, rowsOf(x, 0, 1), mat.NewDense(1, 1, []float64{2 * limits[0]}), []float64{0}))
	must(t, r.PartialFit(rowsOf(x, 0, 1), mat.NewDense(1, 1, []float64{limits[0]})))
	if f, l := r.Smearing(); f[0] != factors[0] || l[0] != 10*limits[0] {
		t.Errorf("after a larger target: factor %v, limit %v", f[0], l[0])
	}
	if _, _, err := r.PredictInterval(outside, 0.9); err != nil || r.weights == nil {
		t.Errorf("an interval solves for weights that the model does not keep (%v)", err)
	}
	if _, l := clone.Smearing(); l[0] != limits[0] {
		t.Errorf("the clone has the limit %v", l[0])
	}
	must(t, clone.Merge(&r))
	if _, l := clone.Smearing(); l[0] != 10*limits[0] {
		t.Errorf("merged: the limit %v", l[0])
	}
	var doubled mat.Dense
	doubled.Scale(2, rowsOf(y, 700, 1500))
	must(t, again.Calibrate(rowsOf(x, 700, 1500), &doubled))
	f, _ := again.Smearing()
	if !(math.Abs(f[0]/factors[0]-2) <= 0.2) {
		t.Errorf("by doubled targets the factor is %v, before %v", f[0], factors[0])
	}
	must(t, errors.Join(again.Calibrate(rowsOf(x, 700, 800), rowsOf(&doubled, 0, 100)), again.PartialCalibrate(rowsOf(x, 800, 1500), rowsOf(&doubled, 100, 800))))
	if parts, _ := again.Smearing(); parts[0] != f[0] {
		t.Errorf("in two batches the factor is %v, in one %v", parts[0], f[0])
	}
	for _, like := range []*Regressor{{LogTargets: None}, {LogTargets: 1, Features: FeatureOptions{Shrink: 1}, Update: blsupdate.Options{Lambda: 1}}} {
		log := like.LogTargets > 0
		like.Features.EnhancementNodes = 20
		must(t, like.Fit(rowsOf(x, 0, 300), rowsOf(y, 0, 300)))
		if f, _ := like.Smearing(); (f != nil) != log {
			t.Errorf("LogTargets %d: factors %v", like.LogTargets, f)
		}
	}
	weights, last := append(slices.Repeat([]float64{1}, 300), 0), copyOf(rowsOf(y, 0, 301))
	last.Set(300, 0, -1) // the row has no part in the choice, and needs no logarithm
	for _, r.LogTargets = range []int{1, 0} {
		must(t, r.FitContext(background, rowsOf(x, 0, 301), last, weights))
		if f, _ := r.Smearing(); f == nil || r.Choice().Rows != 300 {
			t.Errorf("with -1 in a row of weight 0: %v, %+v", f, r.Choice())
		}
	}
	_, even, _ := normalTable(3, 700, 3)
	must(t, r.Fit(rowsOf(x, 0, 700), even))
	if f, _ := r.Smearing(); f != nil {
		t.Error("logarithms of targets that are not positive")
	}
	even.Apply(func(i, _ int, _ float64) float64 { return math.Exp(x.At(i, 0)) }, even)
	even.Set(100, 0, 1e160) // whose square overflows
	must(t, r.Fit(rowsOf(x, 0, 700), even))
	if f, _ := r.Smearing(); f == nil || !(math.Abs(r.Choice().Score) <= 0.1) { // of that one target
		t.Errorf("logarithms %v by %+v", f, r.Choice())
	}
	must(t, r.Encode(&file))
}

func columnOf(y *mat.Dense) []float64 {
	var out []float64
	for i := range y.RawMatrix().Rows {
		out = append(out, y.At(i, 0))
	}
	return out
}
