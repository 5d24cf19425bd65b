package bls

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// normalTable returns l rows of d normal numbers; the products of their first two elements, with some
// noise; and the signs of the products as labels.
func normalTable(seed, l, d int) (x, y *mat.Dense, labels []int) {
	s := rand.New(rand.NewPCG(uint64(seed), 9))
	x, y, labels = mat.NewDense(l, d, nil), mat.NewDense(l, 1, nil), make([]int, l)
	for i := range l {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = s.NormFloat64()
		}
		v := row[0] * row[min(1, d-1)]
		y.Set(i, 0, v+0.1*s.NormFloat64())
		if v > 0 {
			labels[i] = 1
		}
	}
	return x, y, labels
}

// The zero value learns what no linear model can, and measures its score on rows that it did not learn.
func TestZeroValueLearns(t *testing.T) {
	pureWithoutRace(t)
	x, y, labels := normalTable(1, 1200, 4)
	var c Classifier
	must(t, c.Fit(rowsOf(x, 0, 800), labels[:800]))
	if s, err := c.Score(rowsOf(x, 800, 1200), labels[800:]); err != nil || !(s >= 0.88) {
		t.Errorf("accuracy %v, %v", s, err)
	}
	if got := c.Choice(); got.Rows != 800 || got.HeldOut != 800 || !(math.Abs(got.Score-0.93) <= 0.05) || !c.Calibrated() {
		t.Errorf("chosen by %+v", got)
	}
	var r Regressor
	must(t, r.Fit(rowsOf(x, 0, 800), rowsOf(y, 0, 800)))
	if s, err := r.Score(rowsOf(x, 800, 1200), rowsOf(y, 800, 1200)); err != nil || !(s >= 0.9) || !(math.Abs(s-r.Choice().Score) <= 0.1) {
		t.Errorf("R² %v, %v, chosen by %+v", s, err, r.Choice())
	}
	if o := r.FittedFeatures().Options(); o.Scaling != ScaleColumns || o.EnhancementNodes != 533 || r.Updater().Method() != blsupdate.Gram {
		t.Errorf("%+v by %v", o, r.Updater().Method())
	}
	if r.Features.EnhancementNodes != 0 || r.Update.Lambda != 0 || r.Method != 0 {
		t.Errorf("Fit changed its options: %+v", r)
	}
}

// A model predicts its own rows for every shape of table that Fit accepts: few rows, many columns, one
// class, equal rows, equal targets, labels with the period of the folds, huge and tiny targets. In the
// long form of the tests, it has the nodes of the zero value.
func TestZeroValuePredicts(t *testing.T) {
	pureWithoutRace(t)
	var f FeatureOptions
	if !testutil.Long() {
		f = FeatureOptions{Groups: 2, EnhancementNodes: 20}
	}
	for _, l := range []int{1, 8, 9, 120} {
		for _, d := range []int{1, 64} {
			x, y, labels := normalTable(l+d, l, d)
			for _, x := range []*mat.Dense{x, mat.NewDense(l, d, nil)} {
				for _, classes := range [][]int{labels, make([]int, l), cyclic(l, 4)} {
					c := Classifier{Features: f}
					must(t, c.Fit(x, classes))
					predicted(t, &c, x)
				}
				for _, scale := range []float64{0, 1e-300, 1e150} {
					var scaled mat.Dense
					scaled.Scale(scale, y)
					r := Regressor{Features: f}
					must(t, r.Fit(x, &scaled))
					predicted(t, &r, x)
				}
			}
		}
	}
}

// Fit keeps the settings that are given.
func TestGivenIsKept(t *testing.T) {
	pureWithoutRace(t)
	x, y, labels := normalTable(2, 200, 5)
	r := Regressor{Features: FeatureOptions{Scaling: ScaleNone, EnhancementNodes: 30, Shrink: 0.7}, Method: blsupdate.QR, Update: blsupdate.Options{Lambda: 0.3}}
	must(t, r.Fit(x, y))
	if o, u := r.FittedFeatures().Options(), r.Updater(); o.Scaling != ScaleNone || o.EnhancementNodes != 30 || o.Shrink != 0.7 || u.Method() != blsupdate.QR || u.Lambda() != 0.3 {
		t.Errorf("%+v by %v with %v", o, u.Method(), u.Lambda())
	}
	if r.Choice() != (Choice{}) {
		t.Errorf("nothing was left to choose, and it was by %+v", r.Choice())
	}
	before := predicted(t, &r, x)
	r.Validate = true
	must(t, r.Fit(x, y))
	if got := r.Choice(); got.HeldOut != 200 || !(got.Score < 1) || maxDiff(before, predicted(t, &r, x)) != 0 {
		t.Errorf("Validate: %+v, or other predictions", got)
	}
	positive := mat.NewDense(200, 1, nil)
	positive.Apply(func(_, _ int, v float64) float64 { return math.Exp(3 * v) }, y)
	for i, f := range []FeatureOptions{{EnhancementNodes: None}, {EnhancementNodes: 50, Unscaled: true, Direct: 1}, {EnhancementNodes: 50, Shrink: 1}} {
		for _, y := range []*mat.Dense{y, positive} {
			r := Regressor{Features: f, Update: blsupdate.Options{Lambda: 1e-2}}
			must(t, r.Fit(x, y))
			before := predicted(t, &r, x)
			r.Validate = true
			if must(t, r.Fit(x, y)); r.Choice().Rows != 200 || maxDiff(before, predicted(t, &r, x)) != 0 {
				t.Errorf("%d: Validate has chosen %+v", i, r.features.opt)
			}
		}
	}
	few := FeatureOptions{Groups: 2, EnhancementNodes: 50}
	one := Classifier{Features: few, Update: blsupdate.Options{Lambda: 0.5}}
	must(t, one.Fit(x, labels))
	if one.Updater().Lambda() != 0.5 || one.Choice().HeldOut != 200 {
		t.Errorf("lambda %v by %+v", one.Updater().Lambda(), one.Choice())
	}
	none := Classifier{Features: FeatureOptions{EnhancementNodes: None, Groups: 1, GroupNodes: 3}, Update: blsupdate.Options{Lambda: None}}
	must(t, none.Fit(x, labels))
	if u := none.Updater(); none.FittedFeatures().Nodes() != 3 || u.Lambda() != 0 || u.Method() != blsupdate.QR {
		t.Errorf("%d nodes by %v with %v", none.FittedFeatures().Nodes(), u.Method(), u.Lambda())
	}
	for _, m := range []blsupdate.Method{blsupdate.Improved, blsupdate.Original} {
		c := Classifier{Features: few, Method: m}
		must(t, c.Fit(x, labels))
		if l := c.Updater().Lambda(); l != 0 {
			t.Errorf("%v has lambda %v", m, l)
		}
	}
	for _, f := range []FeatureOptions{{EnhancementNodes: None}, {EnhancementNodes: 1}, {EnhancementNodes: 20, Scaling: ScaleNone, Direct: 1}} {
		f.Steps = 1
		c := Classifier{Features: f}
		if must(t, c.Fit(x, labels)); decodedAgain(t, &c).FittedFeatures().Options().Steps != 1 {
			t.Errorf("without Steps: %+v", c.FittedFeatures().Options())
		}
	}
	more := Regressor{ExpectedRows: 450}
	must(t, more.Fit(x, y))
	if n := more.FittedFeatures().EnhancementNodes(); n != 300 || more.Choice().HeldOut != 200 {
		t.Errorf("%d nodes by %+v for 450 rows", n, more.Choice())
	}
}

// The loss of a result is the loss of a model that has learned the other folds.
func TestHeldOutLoss(t *testing.T) {
	x, _, labels := normalTable(3, 203, 6)
	y, err := targets(labels, 2, true)
	must(t, err)
	weights := make([]float64, 203)
	for i := range weights {
		weights[i] = 1 + float64(i%3)
	}
	s := settings{backend: blskernel.Default(), features: FeatureOptions{Scaling: ScaleColumns, Groups: 2, EnhancementNodes: 50}}
	trials := newTrials(s, x, y, labels, weights)
	taken := mat.NewDense(203, 3, nil)
	for i, label := range labels {
		taken.SetRow(i, []float64{weights[i], float64(label), 0})
	}
	taken = trials.folds.Take(taken)
	maps, err := trials.fit(context.Background(), s.features, nil)
	must(t, err)
	for _, shrink := range []float64{3, 0.5} {
		e, err := trials.grid(0, 0).Equations(context.Background(), maps, shrink)
		must(t, err)
		got := e.At(1e-4)
		s.features.Shrink = shrink
		a := mustTransform(t, mustFit(t, trials.x, s.features), trials.x)
		var right, total, effective float64
		var squares [][2]float64 // of each row, with its weight
		for _, fold := range [][2]int{{0, 51}, {51, 102}, {102, 153}, {153, 203}} {
			rest := slices.Concat(ascending(203)[:fold[0]], ascending(203)[fold[1]:])
			others := block.PickRows(a, rest)
			targets, err := weigh(others, block.PickRows(trials.y, rest), columnOf(block.PickRows(taken, rest)))
			must(t, err)
			u, err := blsupdate.New(blsupdate.Gram, others, targets, blsupdate.Options{Lambda: 1e-4})
			must(t, err)
			scores := product(rowsOf(a, fold[0], fold[1]), weightsOf(t, u))
			for i := range fold[1] - fold[0] {
				row, weight := scores.RawRowView(i), taken.At(fold[0]+i, 0)
				total += weight
				effective += weight * weight
				class := 0
				if row[2] > row[1] {
					class = 1
				}
				if class == int(taken.At(fold[0]+i, 1)) {
					right += weight
				}
				e, g := row[1]-trials.y.At(fold[0]+i, 1), row[2]-trials.y.At(fold[0]+i, 2)
				squares = append(squares, [2]float64{e*e + g*g, weight})
			}
		}
		slices.SortFunc(squares, func(a, b [2]float64) int { return cmp.Compare(b[0], a[0]) })
		var trimmed, sum float64
		for _, s := range squares {
			if trimmed < total/100 {
				trimmed += s[1]
			} else {
				sum += s[1] * s[0]
			}
		}
		loss := 1 - right/total + 64*sum/total/(total/effective*total)
		if !(math.Abs(got.Loss-loss) <= 1e-6*loss) || !(math.Abs(got.Score-right/total) <= 1e-12) {
			t.Errorf("shrink %v: loss %v and score %v, want %v and %v", shrink, got.Loss, got.Score, loss, right/total)
		}
	}
}

// Without noise the smallest ridge is best, and QR allows a smaller one than Gram.
func TestChoiceOfQR(t *testing.T) {
	testutil.NotUnderRace(t, "TestTune has the goroutines of a choice")
	x, y, _ := normalTable(4, 400, 3)
	for i := range 400 {
		y.Set(i, 0, x.At(i, 0)*x.At(i, 1))
	}
	var r Regressor
	must(t, r.Fit(x, y))
	if r.Updater().Method() != blsupdate.QR || !(r.Choice().Score >= 0.999) || r.Choice().HeldOut != 100 {
		t.Errorf("%v with lambda %v: %+v", r.Updater().Method(), r.Updater().Lambda(), r.Choice())
	}
}

// Fit returns an error if the weights cannot be computed, unless more rows can change that.
func TestFitSaysSingular(t *testing.T) {
	x, y, _ := normalTable(5, 300, 3)
	r := Regressor{Method: blsupdate.Gram, Features: FeatureOptions{EnhancementNodes: None}, Update: blsupdate.Options{Lambda: None}}
	var singular *blsupdate.ConditionError
	if err := r.Fit(x, y); !errors.As(err, &singular) || r.Updater() != nil {
		t.Errorf("100 nodes of 3 columns: %v", err)
	}
	must(t, r.Fit(rowsOf(x, 0, 10), rowsOf(y, 0, 10)))
	var rank *blsupdate.RankError
	if _, err := r.Predict(x); !errors.As(err, &rank) {
		t.Errorf("10 rows: %v", err)
	}
}

// TestFitOfUnscaledColumns has large unscaled columns, one a sum of others. The ridge is then too small
// for Gram, which would refuse the fit.
func TestFitOfUnscaledColumns(t *testing.T) {
	x, y, _ := normalTable(3, 300, 5)
	x.Scale(1000, x)
	for i := range 300 {
		x.Set(i, 4, x.At(i, 3)+2*x.At(i, 2))
	}
	f := FeatureOptions{Scaling: ScaleNone, Direct: 1, Groups: 2, GroupNodes: 3, EnhancementNodes: 20}
	r := &Regressor{Features: f}
	if must(t, r.Fit(x, y)); r.Updater().Method() != blsupdate.QR {
		t.Errorf("the method is %v", r.Updater().Method())
	}
	r = &Regressor{Features: f}
	if _, err := r.Tune(x, y, TuneOptions{Flops: 1e9}); err != nil || r.Method != blsupdate.QR {
		t.Errorf("Tune chooses the method %v, %v", r.Method, err)
	}
}

// TestLowestLambda checks that the smallest ridge is at least 8 units in the last place of the trace.
func TestLowestLambda(t *testing.T) {
	x, _, _ := normalTable(3, 100, 20)
	x.Scale(1000, x)
	for _, o := range []FeatureOptions{{Groups: 1, GroupNodes: 1, Direct: 1}, {EnhancementNodes: 5, Direct: 1}, {EnhancementNodes: 50}} {
		for _, o.Scaling = range []Scaling{ScaleSamples, ScaleColumns, ScaleRanks, ScaleNone} {
			f, trace := mustFit(t, x, o), 0.0
			for _, v := range mustTransform(t, f, x).RawMatrix().Data {
				trace += v * v
			}
			if least := (settings{}).lowestLambda(100, o.Scaling.meanSquare(x, nil), f.opt); !(0x1p-49*trace <= least) {
				t.Errorf("%+v: %g for the trace %g", o, least, trace)
			}
		}
	}
}

// TestRepeatedRows learns noise, each row six times. A copy of a held-out row would predict it exactly,
// and Fit would choose the model that memorizes best. No model predicts noise that it has not seen.
func TestRepeatedRows(t *testing.T) {
	pureWithoutRace(t)
	const samples, l = 100, 600
	r := rand.New(rand.NewPCG(3, 9))
	once, noise := testutil.Random(r, samples, 3), testutil.Random(r, samples, 1)
	x, y, labels := mat.NewDense(l, 3, nil), mat.NewDense(l, 1, nil), make([]int, l)
	for i := range l {
		x.SetRow(i, once.RawRowView(i%samples))
		if y.SetRow(i, noise.RawRowView(i%samples)); y.At(i, 0) > 0 {
			labels[i] = 1
		}
	}
	var of Regressor
	must(t, of.Fit(x, y))
	// With 100 rows the R² of noise has a standard deviation of about 0.1, and an accuracy 0.05.
	if got := of.Choice(); !(got.Score < 0.5) || got.Rows != l {
		t.Errorf("chosen by %+v", got)
	}
	var c Classifier
	must(t, c.Fit(x, labels))
	if got := c.Choice(); !(got.Score < 0.75) || got.Rows != l {
		t.Errorf("chosen by %+v", got)
	}
}
