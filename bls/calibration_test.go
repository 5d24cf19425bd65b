package bls

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// TestCalibrateLearned compares the calibration rows of learned rows with the predictions of models
// that were fitted without each row.
func TestCalibrateLearned(t *testing.T) {
	ctx := context.Background()
	const l = 40
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.RidgeInverse, blsupdate.InverseCholesky} {
		for _, balance := range []ClassWeight{Unweighted, Balanced} {
			p := newPair(t, nil, method)
			p.c.ClassWeight = balance
			in := p.given(0, l)
			in.weights = make([]float64, l)
			for i := range in.weights {
				in.weights[i] = 0.5 + float64(i%3)
			}
			must(t, errors.Join(p.c.FitContext(ctx, in.x, in.labels, in.weights), p.r.FitContext(ctx, in.x, in.y, in.weights)))
			factors := in.weights
			if balance == Balanced {
				factors = balanced(p.c.counts, in.labels, in.weights)
			}
			must(t, errors.Join(p.c.CalibrateLearnedContext(ctx, in.x, in.labels, in.weights), p.r.CalibrateLearnedContext(ctx, in.x, in.y, in.weights)))
			for i := range l {
				c, err1 := p.c.clone()
				r, err2 := p.r.Clone()
				must(t, errors.Join(err1, err2))
				one := rowsOf(in.x, i, i+1)
				c.settings.classWeight = Unweighted // a balanced model refuses to remove
				must(t, errors.Join(c.remove(ctx, sampleSet{x: one, labels: in.labels[i : i+1], weights: factors[i : i+1]}), r.RemoveContext(ctx, one, rowsOf(in.y, i, i+1), in.weights[i:i+1])))
				scores, err := c.eachScores(ctx, one, nil)
				must(t, err)
				row := p.c.calibration.rows[i]
				if row[0] != in.weights[i] || row[2] != float64(in.labels[i]) {
					t.Fatalf("%v: row %d begins with %v", method, i, row[:3])
				}
				for j := range 3 {
					if got, want := row[3+j], scores.At(0, j); !(math.Abs(got-want) <= 1e-7) {
						t.Errorf("%v, %v: row %d scores %v without itself, want %v", method, balance, i, got, want)
					}
				}
				a, _, err := r.Expand(one, rowsOf(in.y, i, i+1))
				must(t, err)
				q, err := r.Updater().Leverage(a)
				must(t, err)
				row = p.r.calibration.rows[i]
				without := predicted(t, r, one)
				if scale := math.Sqrt(1 + q[0]); !(math.Abs(row[1]/scale-1) <= 1e-7) {
					t.Errorf("%v: row %d has the scale %v, want %v", method, i, row[1], scale)
				}
				for j := range 2 {
					if got, want := row[2+j], in.y.At(i, j)-without.At(0, j); !(math.Abs(got-want) <= 1e-7) {
						t.Errorf("%v: row %d misses by %v without itself, want %v", method, i, got, want)
					}
				}
			}
		}
	}
}

// TestCoverageOfCalibration counts how many calibration rows lie in their own intervals and sets:
// ⌈(n+1) coverage⌉, including the row of the quantile.
func TestCoverageOfCalibration(t *testing.T) {
	for _, method := range allMethods {
		p := newPair(t, nil, method).learn(0, 60)
		in := p.given(60, 130)
		must(t, errors.Join(p.c.Calibrate(in.x, in.labels), p.r.Calibrate(in.x, in.y)))
		for _, coverage := range []float64{0.01, 0.5, 0.9, 70. / 71} {
			want := int(math.Ceil(71*coverage - 1e-9))
			lower, upper, err := p.r.PredictInterval(in.x, coverage)
			must(t, err)
			sets, err := p.c.PredictSet(in.x, coverage)
			must(t, err)
			held, inSet := [2]int{}, 0
			for i := range 70 {
				for j := range 2 {
					lo, hi, y := lower.At(i, j), upper.At(i, j), in.y.At(i, j)
					if rounding := 1e-9 * (hi - lo); lo-rounding <= y && y <= hi+rounding {
						held[j]++
					}
				}
				if slices.Contains(sets[i], in.labels[i]) {
					inSet++
				}
			}
			if held != [2]int{want, want} || inSet != want {
				t.Errorf("%v: a coverage of %v holds %v and %d, want %d", method, coverage, held, inSet, want)
			}
		}
		var few *CalibrationError
		if _, _, err := p.r.PredictInterval(in.x, 0.99); !errors.As(err, &few) || few.Rows != 70 || few.Want != 99 {
			t.Errorf("%v: %v", method, err)
		}
		for _, coverage := range []float64{0, 1, -1, math.NaN()} {
			_, _, err1 := p.r.PredictInterval(in.x, coverage)
			_, err2 := p.c.PredictSet(in.x, coverage)
			if !isA(err1, new(*OptionError)) || !isA(err2, new(*OptionError)) {
				t.Errorf("%v: coverage %v: %v, %v", method, coverage, err1, err2)
			}
		}
		p.r.updater = below{p.r.updater}
		if _, hi, err := p.r.PredictInterval(in.x, 0.5); err != nil || math.IsNaN(hi.At(0, 0)) || p.r.Calibrate(in.x, in.y) != nil || p.r.calibration.rows[0][1] != 1 {
			t.Errorf("%v: leverages below 0: %v, %v", method, hi, err)
		}
	}
}

type below struct{ blsupdate.Updater } // rounding has made its leverages negative

func (below) LeverageContext(_ context.Context, x *mat.Dense) ([]float64, error) {
	return slices.Repeat([]float64{-2}, x.RawMatrix().Rows), nil
}

// TestCoverage measures the share of new rows that lie in intervals and sets, for a model that Fit has
// calibrated and for one that has learned as many rows again. The noise has various distributions, and
// the rows are few compared with the nodes.
func TestCoverage(t *testing.T) {
	pureWithoutRace(t)
	const l, test = 600, 4000
	rnd := rand.New(rand.NewPCG(8, 1))
	x, y, labels := mat.NewDense(2*l+test, 4, nil), mat.NewDense(2*l+test, 1, nil), make([]int, 2*l+test)
	for i := range labels {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rnd.NormFloat64()
		}
		noise := rnd.ExpFloat64()
		y.Set(i, 0, math.Sin(2*row[0])+row[1]*row[2]+0.5*noise*noise)
		if row[0]*row[1]+0.5*row[2]+0.7*rnd.NormFloat64() > 0 {
			labels[i] = 1
		}
	}
	features := FeatureOptions{EnhancementNodes: 150}
	c, r := &Classifier{Features: features}, &Regressor{Features: features}
	must(t, errors.Join(c.Fit(rowsOf(x, 0, l), labels[:l]), r.Fit(rowsOf(x, 0, l), rowsOf(y, 0, l))))
	check := func(when string) {
		from := rowsOf(x, 2*l, 2*l+test)
		lower, upper, err := r.PredictInterval(from, 0.9)
		must(t, err)
		sets, err := c.PredictSet(from, 0.9)
		must(t, err)
		held, inSet := 0.0, 0.0
		for i := range test {
			if v := y.At(2*l+i, 0); lower.At(i, 0) <= v && v <= upper.At(i, 0) {
				held++
			}
			if slices.Contains(sets[i], labels[2*l+i]) {
				inSet++
			}
		}
		if held, inSet := held/test, inSet/test; !(math.Abs(held-0.9) <= 0.03 && math.Abs(inSet-0.9) <= 0.03) {
			t.Errorf("%s: intervals hold %.3f, sets %.3f", when, held, inSet)
		}
	}
	check("after Fit")
	must(t, errors.Join(c.CalibratePartialFit(rowsOf(x, l, 2*l), labels[l:2*l]), r.CalibratePartialFit(rowsOf(x, l, 2*l), rowsOf(y, l, 2*l))))
	if n := len(r.calibration.rows); n < 2*l-5 || n > 2*l {
		t.Errorf("%d rows", n)
	}
	check("after an update")
}

// TestCalibrationEnds changes calibrated models. A change of the predictions for the same rows ends the
// calibration, with an error that says so; every other change keeps it.
func TestCalibrationEnds(t *testing.T) {
	ctx := context.Background()
	p := newPair(t, nil, blsupdate.Gram).learn(0, 60)
	in := p.given(60, 130)
	var none *CalibrationError
	if _, err := p.c.PredictSet(in.x, 0.9); !errors.As(err, &none) || none.Rows != 0 || p.c.Calibrated() {
		t.Errorf("before: %v", err)
	}
	few := newPair(t, nil, blsupdate.Gram)
	must(t, errors.Join(few.r.PartialFit(rowsOf(p.x, 0, 60), rowsOf(p.y, 0, 60)), few.r.Calibrate(in.x, in.y), few.r.Forget(0.5)))
	if _, _, err := few.r.PredictInterval(in.x, 0.9); err == nil || !strings.Contains(err.Error(), "any change while the model keeps its samples") {
		t.Errorf("a model that keeps its samples: %v", err)
	}
	must(t, errors.Join(p.c.Calibrate(in.x, in.labels), p.r.Calibrate(in.x, in.y)))
	lambda, slope := p.r.Updater().Lambda(), p.c.slope
	other := newPair(t, nil, blsupdate.Gram).learn(0, 60)
	for name, change := range map[string]struct {
		keeps bool
		do    func(c *Classifier, r *Regressor) error
	}{
		"Remove": {false, func(c *Classifier, r *Regressor) error {
			return errors.Join(c.Remove(rowsOf(p.x, 0, 5), p.labels[:5]), r.Remove(rowsOf(p.x, 0, 5), rowsOf(p.y, 0, 5)))
		}},
		"Refit": {false, func(c *Classifier, r *Regressor) error {
			return errors.Join(c.Refit(in.x, in.labels), r.Refit(in.x, in.y))
		}},
		"Merge": {false, func(c *Classifier, r *Regressor) error { return errors.Join(c.Merge(other.c), r.Merge(other.r)) }},
		"SetLambda": {false, func(c *Classifier, r *Regressor) error {
			return errors.Join(c.SetLambda(2*lambda), r.SetLambda(2*lambda))
		}},
		"the same one": {true, func(c *Classifier, r *Regressor) error { return errors.Join(c.SetLambda(lambda), r.SetLambda(lambda)) }},
		"Forget": {true, func(c *Classifier, r *Regressor) error {
			return errors.Join(c.Forget(0.5), r.Forget(0.5), c.SetLambda(lambda), r.SetLambda(lambda))
		}},
		"PartialFit": {true, func(c *Classifier, r *Regressor) error {
			return errors.Join(c.PartialFit(in.x, cyclic(70, 5)), r.PartialFit(in.x, in.y))
		}},
		"Encode": {true, func(c *Classifier, r *Regressor) error {
			q := (&pair{t: t, c: c, r: r}).decoded()
			*c, *r = *q.c, *q.r
			return nil
		}},
		"WithUpdater": {false, func(c *Classifier, r *Regressor) error {
			c2, err1 := c.WithUpdater(other.c.Updater())
			r2, err2 := r.WithUpdater(other.r.Updater())
			*c, *r = *c2, *r2
			return errors.Join(err1, err2)
		}},
	} {
		c, err1 := p.c.Clone()
		r, err2 := p.r.Clone()
		must(t, errors.Join(err1, err2, change.do(c, r)))
		if c.Calibrated() != change.keeps || r.Calibrated() != change.keeps || c.slope != slope {
			t.Errorf("%s: calibrated %v, %v, slope %v", name, c.Calibrated(), r.Calibrated(), c.slope)
		}
		_, _, err := r.PredictInterval(in.x, 0.9)
		if errors.As(err, &none) == change.keeps {
			t.Errorf("%s: %v", name, err)
		}
		must(t, errors.Join(c.PartialCalibrate(in.x, p.labels[60:130]), r.PartialCalibrateContext(ctx, in.x, in.y, nil)))
		if !c.Calibrated() || !r.Calibrated() || !change.keeps && c.slope != slope {
			t.Errorf("%s: no rows were added, or so few renew the slope: %v", name, c.slope)
		}
	}
}

// TestCalibratePartialFit gives the bits of PartialCalibrate followed by PartialFit, even if a row has
// a new class. It keeps the last rows that count, and learns rows that cannot be predicted yet.
func TestCalibratePartialFit(t *testing.T) {
	for _, method := range allMethods {
		p, q := newPair(t, nil, method).learn(0, 60), newPair(t, nil, method).learn(0, 60)
		in := p.given(60, 130)
		must(t, errors.Join(p.c.CalibratePartialFit(in.x, in.labels), p.r.CalibratePartialFit(in.x, in.y)))
		must(t, errors.Join(q.c.PartialCalibrate(in.x, in.labels), q.r.PartialCalibrate(in.x, in.y)))
		q.learn(60, 130)
		if !bytes.Equal(p.encoded(), q.encoded()) {
			t.Errorf("%v: another model than that of PartialCalibrate and PartialFit", method)
		}
		must(t, p.c.CalibratePartialFit(in.x, cyclic(70, 4)))
		if row := p.c.calibration.rows[139]; len(row) != 7 || row[2] != float64(69%4) || row[6] != -1 || len(p.c.calibration.rows) != 140 {
			t.Errorf("%v: %v is the last of %d rows", method, row, len(p.c.calibration.rows))
		}
		p.decoded()
		must(t, p.c.Relabel([]int{1, 0, 1, 2}, 3))
		if row := p.c.calibration.rows[139]; len(row) != 6 || row[2] != 0 || row[5] != -1 {
			t.Errorf("%v: relabeled to %v", method, row)
		}
	}
	p := newPair(t, nil, blsupdate.Gram)
	p.r.Update.Lambda = None
	must(t, errors.Join(p.r.Fit(rowsOf(p.x, 0, 3), rowsOf(p.y, 0, 3)), p.r.CalibratePartialFit(rowsOf(p.x, 3, 60), rowsOf(p.y, 3, 60))))
	if p.r.Calibrated() || p.r.Updater().Samples() != 60 {
		t.Error("rows that could not be predicted calibrate the model")
	}
	p = newPair(t, nil, blsupdate.Gram).learn(0, 60)
	long := samples(5, CalibrationRows+1, 12, 14)
	y, one := targetsFor(long, 2), make([]float64, CalibrationRows+1)
	must(t, errors.Join(p.r.Calibrate(rowsOf(p.x, 60, 130), rowsOf(p.y, 60, 130)), p.r.PartialCalibrate(rowsOf(long, 0, CalibrationRows-1), rowsOf(y, 0, CalibrationRows-1))))
	if n := len(p.r.calibration.rows); n != CalibrationRows || calibrationRows(1<<20) != 100 || calibrationRows(1<<10) != 1<<10 {
		t.Errorf("%d rows count", n)
	}
	must(t, p.r.PartialCalibrateContext(background, long, y, one))
	if err := p.r.CalibrateContext(background, long, y, one); !isA(err, new(*CalibrationError)) || len(p.r.calibration.rows) != CalibrationRows {
		t.Errorf("no row counts: %v, and %d rows stay", err, len(p.r.calibration.rows))
	}
	long.Set(1, 0, math.MaxFloat64)
	one[0], one[2] = 1, 1 // rows of weight 0, even one that overflows, do not take their place
	if must(t, p.r.CalibrateContext(background, long, y, one)); len(p.r.calibration.rows) != 2 {
		t.Errorf("%d rows count", len(p.r.calibration.rows))
	}
}

// TestFarCalibration adds rows far outside, some of a new class. They have large scores, which hardly
// change the slope.
func TestFarCalibration(t *testing.T) {
	x, labels := samples(3, 400, 12, 12), make([]int, 400)
	for i := range labels {
		if labels[i] = i % 3; i < 300 {
			labels[i] = min(1, int(2*x.At(i, 0)))
		} else {
			x.Set(i, 0, 1e3)
		}
	}
	for _, balance := range []ClassWeight{Unweighted, Balanced} {
		c, _ := small(nil, blsupdate.Gram, ScaleColumns, 1e-3)
		c.ClassWeight = balance
		must(t, errors.Join(c.Fit(rowsOf(x, 0, 200), labels[:200]), c.Calibrate(rowsOf(x, 200, 300), labels[200:300])))
		slope := c.slope
		for _, w := range []float64{0x1p1023, 1} { // the same for all rows
			must(t, c.CalibrateContext(t.Context(), rowsOf(x, 200, 300), labels[200:300], slices.Repeat([]float64{w}, 100)))
			if _, err := c.PredictSet(x, 0.9); err != nil || c.slope != slope {
				t.Errorf("%v: by rows of weight %g the slope is %v, want %v (%v)", balance, w, c.slope, slope, err)
			}
		}
		if must(t, c.CalibratePartialFit(rowsOf(x, 300, 400), labels[300:])); !(c.slope > 0.9*slope && c.slope < 1.1*slope) {
			t.Errorf("%v: far rows change the slope from %v to %v", balance, slope, c.slope)
		}
	}
}

// TestHeldCalibration has more columns than rows, and few columns matter. A model that has chosen these
// by all rows would predict a left-out row almost exactly, but not new rows.
func TestHeldCalibration(t *testing.T) {
	pureWithoutRace(t)
	const l, d, test = 160, 200, 1000
	x, labels := samples(3, l+test, d, d), make([]int, l+test)
	for i := range labels {
		if row := x.RawRowView(i); row[0]+row[1]-row[2]+0.5*row[3+i%2] > 0 {
			labels[i] = 1
		}
	}
	c := &Classifier{Features: FeatureOptions{EnhancementNodes: 100, Relevance: 2}}
	must(t, c.Fit(rowsOf(x, 0, l), labels[:l]))
	if c.features.opt.Relevance == 0 || len(c.calibration.rows) != l {
		t.Fatalf("%d rounds, %d rows", c.features.opt.Relevance, len(c.calibration.rows))
	}
	sets, err := c.PredictSet(rowsOf(x, l, l+test), 0.9)
	must(t, err)
	held := 0.0
	for i, set := range sets {
		if slices.Contains(set, labels[l+i]) {
			held++
		}
	}
	if !(held/test >= 0.86) {
		t.Errorf("sets hold %v", held/test)
	}
}

// TestHeldScales checks that the calibration of a method that only approximates leverages has s = 1 for
// all rows, as PredictInterval and PredictSet have for the rows that they predict.
func TestHeldScales(t *testing.T) {
	x, y, _ := normalTable(3, 300, 5)
	for _, lambda := range []float64{1e-3, None} {
		r := &Regressor{Method: blsupdate.Improved, Update: blsupdate.Options{Lambda: lambda},
			Features: FeatureOptions{Groups: 2, GroupNodes: 3, EnhancementNodes: 20, Relevance: 1}}
		must(t, r.Fit(x, y))
		if r.calibration.rows == nil {
			t.Fatalf("lambda %v: no calibration", lambda)
		}
		for i, row := range r.calibration.rows {
			if (row[1] == 1) != (lambda > 0) {
				t.Fatalf("lambda %v: row %d has s = %v", lambda, i, row[1])
			}
		}
	}
}
