package bls

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/blsupdate"

	gonum "gonum.org/v1/gonum/mat"
)

// Refit is a fit with the maps as they are: of the rows of the first fit, the model to the last bit,
// and of others what an output layer that learned only those has. It keeps the slope and the choice,
// and a copy keeps the old model.
func TestRefit(t *testing.T) {
	ctx := context.Background()
	x := samples(31, 130, 12, 12)
	labels, y := cyclic(130, 3), targetsFor(x, 2)
	for _, method := range allMethods {
		c, r := fitted(t, method, x, labels, y)
		c.slope, c.choice = 3, Choice{Rows: 8, HeldOut: 2, Score: 0.5}
		want, wantR := encoded(t, c), encoded(t, r)
		kept, keptR := *c, *r
		must(t, c.PartialFit(rowsOf(x, 60, 130), labels[60:]))
		must(t, r.PartialFit(rowsOf(x, 60, 130), rowsOf(y, 60, 130)))
		more, moreR := encoded(t, c), encoded(t, r)
		if !bytes.Equal(more, encoded(t, &kept)) {
			t.Errorf("%v: a copy does not share the model", method)
		}
		must(t, c.Refit(ctx, rowsOf(x, 0, 60), labels[:60], nil))
		must(t, r.Refit(ctx, rowsOf(x, 0, 60), rowsOf(y, 0, 60), nil))
		if !bytes.Equal(encoded(t, c), want) || !bytes.Equal(encoded(t, r), wantR) {
			t.Errorf("%v: Refit with the rows of Fit is another model", method)
		}
		if !bytes.Equal(encoded(t, &kept), more) || !bytes.Equal(encoded(t, &keptR), moreR) {
			t.Errorf("%v: Refit has changed a copy", method)
		}
		must(t, c.Refit(ctx, rowsOf(x, 60, 130), cyclic(70, 4), nil))
		a := mustTransform(t, c.features, rowsOf(x, 60, 130))
		targets, err := targets(cyclic(70, 4), 4, true)
		must(t, err)
		u, err := blsupdate.New(method, a, targets, c.updater.Options())
		must(t, err)
		w := weightsOf(t, u)
		if !gonum.Equal(weightsOf(t, c), w.Slice(0, 16, 1, 5)) || !gonum.Equal(gonum.NewDense(1, 4, c.ClassCounts()), gonum.NewDense(1, 4, []float64{18, 18, 17, 17})) {
			t.Errorf("%v: W of other rows is another, or counts %v", method, c.ClassCounts())
		}
	}
}

// Regressors forget, unlearn, merge and take another ridge as their output layers do, and say which
// methods can.
func TestLifeOfARegressor(t *testing.T) {
	ctx := context.Background()
	x := samples(32, 130, 12, 12)
	y := targetsFor(x, 2)
	for _, method := range allMethods {
		_, r := fitted(t, method, x, cyclic(130, 3), y)
		u, err := r.copied()
		must(t, err)
		alike := func(name string, err1, err2 error) {
			t.Helper()
			if (err1 == nil) != (err2 == nil) || err1 != nil && err1.Error() != err2.Error() {
				t.Fatalf("%v, %s: %v, and the output layer %v", method, name, err1, err2)
			}
			var e *blsupdate.UnsupportedError
			if err1 != nil && !errors.As(err1, &e) {
				t.Errorf("%v, %s: %v", method, name, err1)
			}
			if !gonum.Equal(weightsOf(t, r), weightsOf(t, u)) {
				t.Errorf("%v, %s: other weights than of the output layer", method, name)
			}
		}
		part, partY := rowsOf(x, 60, 130), rowsOf(y, 60, 130)
		a, ya, err := r.Expand(part, partY)
		must(t, err)
		alike("PartialFit", r.PartialFit(part, partY), u.AddInputs(a, ya))
		alike("Remove", r.Remove(ctx, part, partY, nil), u.RemoveInputs(a, ya))
		alike("SetLambda", r.SetLambda(0.25), u.SetLambda(0.25))
		alike("Forget", r.Forget(0.5), u.Forget(0.5))
		other := *r
		must(t, other.Refit(ctx, part, partY, nil))
		alike("Merge", r.Merge(&other), u.Merge(other.Updater()))
		again, err := DecodeRegressor(bytes.NewReader(encoded(t, r)), nil)
		must(t, err)
		if want := r.settings.update.Lambda; again.Update.Lambda != want || blsupdate.Supports(method, blsupdate.ActionRidge) != (want == 0.25) {
			t.Errorf("%v: lambda %g is decoded as %g", method, want, again.Update.Lambda)
		}
	}
}

// What cannot be done is a typed error, by which nothing changes.
func TestLifeErrors(t *testing.T) {
	ctx := context.Background()
	x := samples(33, 130, 12, 12)
	labels, y := cyclic(130, 3), targetsFor(x, 2)
	var c Classifier
	var r Regressor
	for name, err := range map[string]error{
		"Remove": c.Remove(ctx, x, labels, nil), "Forget": c.Forget(0.5), "Merge": c.Merge(&c), "SetLambda": c.SetLambda(1),
		"Relabel": c.Relabel(nil, 1), "Refit": c.Refit(ctx, x, labels, nil), "Calibrate": c.Calibrate(ctx, x, labels), "Merge nil": c.Merge(nil),
		"Regressor.Remove": r.Remove(ctx, x, y, nil), "Regressor.Forget": r.Forget(0.5), "Regressor.Merge": r.Merge(&r),
		"Regressor.SetLambda": r.SetLambda(1), "Regressor.Refit": r.Refit(ctx, x, y, nil), "Regressor.Merge nil": r.Merge(nil),
	} {
		if !errors.Is(err, ErrNotFitted) {
			t.Errorf("%s before a fit: %v", name, err)
		}
	}
	if c.NumClasses() != 0 || c.ClassCounts() != nil || c.Choice() != (Choice{}) {
		t.Error("a model that is not fitted has classes")
	}
	one, rone := fitted(t, blsupdate.Gram, x, labels, y)
	two, rtwo := fitted(t, blsupdate.Gram, samples(34, 130, 12, 12), labels, targetsFor(samples(34, 130, 12, 12), 2))
	before, beforeR := encoded(t, one), encoded(t, rone)
	more := *one
	must(t, more.Refit(ctx, x, cyclic(130, 4), nil))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	var option *OptionError
	var shape *ShapeError
	var label *LabelError
	for name, test := range map[string]struct {
		err  error
		want any
	}{
		"other maps":               {one.Merge(two), &option},
		"other maps, Regressor":    {rone.Merge(rtwo), &option},
		"the model itself":         {one.Merge(one), &option},
		"more classes":             {one.Merge(&more), &shape},
		"Forget(0)":                {one.Forget(0), &option},
		"SetLambda(-1)":            {one.SetLambda(-1), &option},
		"SetLambda(NaN)":           {rone.SetLambda(math.NaN()), &option},
		"a label that is none":     {one.Remove(ctx, x, cyclic(130, 4), nil), &label},
		"rows of another width":    {one.Remove(ctx, firstColumn(x), labels, nil), &shape},
		"more rows than it has":    {one.Remove(ctx, x, labels, nil), &shape},
		"Refit with a NaN":         {one.Refit(ctx, with(x, math.NaN()), labels, nil), new(*NotFiniteError)},
		"Refit with a label of -1": {one.Refit(ctx, x, append([]int{-1}, labels[1:]...), nil), &label},
	} {
		if !errors.As(test.err, test.want) {
			t.Errorf("%s: %v", name, test.err)
		}
	}
	for name, err := range map[string]error{
		"Remove": one.Remove(cancelled, rowsOf(x, 0, 2), labels[:2], nil), "Refit": one.Refit(cancelled, x, labels, nil),
		"Regressor.Remove": rone.Remove(cancelled, rowsOf(x, 0, 2), rowsOf(y, 0, 2), nil), "Regressor.Refit": rone.Refit(cancelled, x, y, nil),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a context that is done: %v", name, err)
		}
	}
	if !bytes.Equal(encoded(t, one), before) || !bytes.Equal(encoded(t, rone), beforeR) {
		t.Error("errors have changed a model")
	}
	// Counts are not known of an output layer from elsewhere.
	u, err := one.copied()
	must(t, err)
	foreign, err := one.WithUpdater(u)
	must(t, err)
	foreign.settings.classWeight = Balanced
	if err := foreign.PartialFit(x, labels); !errors.As(err, &option) || foreign.ClassCounts() != nil {
		t.Errorf("Balanced without counts: %v", err)
	}
}

// A classifier from a file of version 1 learns on, and cannot gain classes but by Refit. Its classes
// can be put in another order.
func TestVersion1HasItsClasses(t *testing.T) {
	ctx := context.Background()
	names, err := filepath.Glob("modelfile/testdata/v1-*.bls")
	must(t, err)
	found := 0
	for _, name := range names {
		b, err := os.ReadFile(name)
		must(t, err)
		at := bytes.Index(b, []byte("CLAS"))
		if at < 0 {
			continue // a regressor
		}
		found++
		c, err := DecodeClassifier(io.LimitReader(bytes.NewReader(b[at+12:]), int64(len(b)-at-12-4-(12+32+4))), nil)
		must(t, err)
		n := c.NumClasses()
		x := samples(35, 40, c.FittedFeatures().Inputs(), c.FittedFeatures().Inputs())
		for _, c := range []*Classifier{c, decodedAgain(t, c)} {
			c.settings.classes = 0 // as if the labels had decided
			before := encoded(t, c)
			var e *ClassesError
			if err := c.PartialFit(x, cyclic(40, n+1)); !errors.As(err, &e) || e.Have != n || e.Want != n+1 || !strings.Contains(err.Error(), "version 1") {
				t.Errorf("%s: a new class: %v", name, err)
			}
			for _, to := range [][]int{make([]int, n), ascending(n)} {
				if err := c.Relabel(to, n+1); !errors.As(err, &e) || e.Have != n || e.Want != n+1 {
					t.Errorf("%s: classes %v of %d: %v", name, to, n+1, err)
				}
			}
			if !bytes.Equal(encoded(t, c), before) || c.ClassCounts() != nil {
				t.Errorf("%s: errors have changed the model, or it has counts", name)
			}
			must(t, c.PartialFit(x, cyclic(40, n)))
			was := scoresOf(t, c, x)
			reversed := make([]int, n)
			for i := range reversed {
				reversed[i] = n - 1 - i
			}
			must(t, c.Relabel(reversed, n))
			now := scoresOf(t, c, x)
			for i := range n {
				if !gonum.Equal(was.ColView(i), now.ColView(n-1-i)) {
					t.Errorf("%s: class %d has other scores in another order", name, i)
				}
			}
			must(t, c.Refit(ctx, x, cyclic(40, n), nil))
			must(t, c.PartialFit(x, cyclic(40, n+1)))
			if c.NumClasses() != n+1 {
				t.Errorf("%s: %d classes", name, c.NumClasses())
			}
		}
	}
	if found == 0 {
		t.Fatal("no classifier of version 1")
	}
}

// Models merge where each number of their maps is the same, such as a model and what is decoded of it,
// and not where one differs.
func TestSameMaps(t *testing.T) {
	ctx := context.Background()
	x := samples(36, 130, 12, 12)
	c, _ := fitted(t, blsupdate.Gram, x, cyclic(130, 3), targetsFor(x, 1))
	must(t, c.Merge(decodedAgain(t, c)))
	if n := c.Updater().Samples(); n != 120 {
		t.Errorf("%d samples of 60 and 60", n)
	}
	for name, change := range map[string]func(f *Features){
		"an option":         func(f *Features) { f.opt.Seed++ },
		"a mean":            func(f *Features) { f.means[1]++ },
		"a deviation":       func(f *Features) { f.deviations[1]++ },
		"a weight":          func(f *Features) { f.weights.Set(2, 3, 7) },
		"a row of weights":  func(f *Features) { f.weights = rowsOf(f.weights, 0, 5) },
		"a minimum":         func(f *Features) { f.offset[0]++ },
		"a gain":            func(f *Features) { f.gain[0]++ },
		"enhancement":       func(f *Features) { f.enhancement.Set(0, 0, 7) },
		"enhancement nodes": func(f *Features) { f.enhancement = nil },
		"the scale":         func(f *Features) { f.scale++ },
	} {
		other := decodedAgain(t, c)
		change(other.features)
		var e *OptionError
		if err := c.Merge(other); !errors.As(err, &e) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
	// Refit has the ridge that was given or set, whatever has been forgotten.
	for _, test := range []struct{ set, want float64 }{{math.NaN(), 0x1p-10}, {0.5, 0.5}, {0, 0}} {
		c, r := fitted(t, blsupdate.QR, x, cyclic(130, 3), targetsFor(x, 1))
		if !math.IsNaN(test.set) {
			must(t, errors.Join(c.SetLambda(test.set), r.SetLambda(test.set)))
		}
		must(t, errors.Join(c.Forget(0.5), r.Forget(0.5)))
		must(t, errors.Join(c.Refit(ctx, x, cyclic(130, 3), nil), r.Refit(ctx, x, targetsFor(x, 1), nil)))
		if one, two := c.Updater().Lambda(), r.Updater().Lambda(); one != test.want || two != test.want {
			t.Errorf("lambda %g was set, and Refit has %g and %g", test.set, one, two)
		}
	}
}

// decodedAgain returns what is decoded from the encoding of c.
func decodedAgain(t *testing.T, c *Classifier) *Classifier {
	t.Helper()
	again, err := DecodeClassifier(bytes.NewReader(encoded(t, c)), nil)
	must(t, err)
	return again
}
