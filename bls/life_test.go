package bls

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"blskernel/blsupdate"

	gonum "gonum.org/v1/gonum/mat"
)

// Refit is a fit with the present maps. On the rows of the first fit it gives the model to the last
// bit; on others, the output layer of a model that learned only these. It keeps the slope and the
// choice, and a copy keeps the old model.
func TestRefit(t *testing.T) {
	ctx := context.Background()
	for _, method := range allMethods {
		p := newPair(t, nil, method).learn(0, 60)
		p.c.slope, p.c.choice = 3, Choice{Rows: 8, HeldOut: 2, Score: 0.5}
		want := p.encoded()
		kept, c, r := *p, *p.c, *p.r
		kept.c, kept.r = &c, &r
		p.learn(60, 130)
		more := p.encoded()
		if !bytes.Equal(more, kept.encoded()) {
			t.Errorf("%v: a copy does not share the model", method)
		}
		in := p.given(0, 60)
		must(t, errors.Join(p.c.RefitContext(ctx, in.x, in.labels, nil), p.r.RefitContext(ctx, in.x, in.y, nil)))
		if !bytes.Equal(p.encoded(), want) {
			t.Errorf("%v: Refit with the rows of Fit is another model", method)
		}
		if !bytes.Equal(kept.encoded(), more) {
			t.Errorf("%v: Refit has changed a copy", method)
		}
		in = p.given(60, 130)
		must(t, p.c.RefitContext(ctx, in.x, cyclic(70, 4), nil))
		targets, err := targets(cyclic(70, 4), 4, true)
		must(t, err)
		u, err := blsupdate.New(method, mustTransform(t, p.c.features, in.x), targets, p.c.updater.Options())
		must(t, err)
		if !gonum.Equal(weightsOf(t, p.c), weightsOf(t, u).Slice(0, 16, 1, 5)) || !slices.Equal(p.c.ClassCounts(), []float64{18, 18, 17, 17}) {
			t.Errorf("%v: W of other rows is another, or counts %v", method, p.c.ClassCounts())
		}
	}
}

// A clone continues with the bits of the model, and neither sees what the other learns, even while
// others predict. An assigned copy cannot be merged with the model that it shares.
func TestClone(t *testing.T) {
	for _, method := range allMethods {
		p := newPair(t, nil, method)
		if c, err := p.c.Clone(); err != nil || c.model != nil || c.Method != method {
			t.Errorf("%v: a clone of a model that is not fitted: %v", method, err)
		}
		p.learn(0, 60)
		before, q := p.encoded(), *p
		var predicting sync.WaitGroup
		for range 3 {
			predicting.Add(1)
			go func() {
				defer predicting.Done()
				p.predictions()
			}()
		}
		var err1, err2 error
		q.c, err1 = p.c.Clone()
		q.r, err2 = p.r.Clone()
		must(t, errors.Join(err1, err2))
		q.learn(60, 130)
		must(t, errors.Join(q.c.Forget(0.5), q.r.Forget(0.5)))
		predicting.Wait()
		if !bytes.Equal(p.encoded(), before) {
			t.Errorf("%v: what a clone learns changes the model", method)
		}
		p.learn(60, 130)
		must(t, errors.Join(p.c.Forget(0.5), p.r.Forget(0.5)))
		if !bytes.Equal(p.encoded(), q.encoded()) {
			t.Errorf("%v: a clone goes on in another way", method)
		}
		c, r := *p.c, *p.r
		for _, err := range []error{c.Merge(p.c), r.Merge(p.r)} {
			if !isA(err, new(*OptionError)) || !strings.Contains(err.Error(), "Clone") {
				t.Errorf("%v: a copy of the model merged with it: %v", method, err)
			}
		}
	}
}

// Regressors forget, unlearn, merge and change ridges like output layers, and report which methods can.
func TestLifeOfARegressor(t *testing.T) {
	ctx := context.Background()
	for _, method := range allMethods {
		p := newPair(t, nil, method).learn(0, 60)
		r, in := p.r, p.given(60, 130)
		u, err := r.Updater().Clone()
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
		a, ya, err := r.Expand(in.x, in.y)
		must(t, err)
		alike("PartialFit", r.PartialFit(in.x, in.y), u.AddInputs(a, ya))
		alike("Remove", r.RemoveContext(ctx, in.x, in.y, nil), u.RemoveInputs(a, ya))
		alike("SetLambda", r.SetLambda(0.25), u.SetLambda(0.25))
		alike("Forget", r.Forget(0.5), u.Forget(0.5))
		other := *r
		must(t, other.RefitContext(ctx, in.x, in.y, nil))
		alike("Merge", r.Merge(&other), u.Merge(other.Updater()))
		again := p.decoded().r
		if want := r.settings.update.Lambda; again.Update.Lambda != want || blsupdate.Supports(method, blsupdate.ActionRidge) != (want == 0.25) {
			t.Errorf("%v: lambda %g is decoded as %g", method, want, again.Update.Lambda)
		}
	}
}

// Models merge if all numbers of their maps are equal, such as a model and a decoded copy of it, but
// not if one number differs.
func TestSameMaps(t *testing.T) {
	ctx := context.Background()
	p := newPair(t, nil, blsupdate.Gram).learn(0, 60)
	c := p.c
	must(t, c.Merge(p.decoded().c))
	if n := c.Updater().Samples(); n != 120 {
		t.Errorf("%d samples of 60 and 60", n)
	}
	for says, change := range map[string]func(f *Features){
		"Seed of the two models is ":                         func(f *Features) { f.opt.Seed++ },
		"feature maps fitted to other rows":                  func(f *Features) { f.weights.Set(2, 3, 7) },
		"the number of inputs of the two models is 12 and 4": func(f *Features) { f.weights = rowsOf(f.weights, 0, 5) },
	} {
		other := p.decoded().c
		change(other.features)
		var e *OptionError
		if err := c.Merge(other); !errors.As(err, &e) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %s", err, says)
		}
	}
	for i := range reflect.TypeFor[FeatureOptions]().NumField() {
		other := p.decoded().c
		name, v := reflect.TypeFor[FeatureOptions]().Field(i).Name, reflect.ValueOf(&other.features.opt).Elem().Field(i)
		switch {
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		case v.CanInt():
			v.SetInt(v.Int() + 1)
		case v.CanUint():
			v.SetUint(v.Uint() + 1)
		case v.CanFloat():
			v.SetFloat(2 * v.Float())
		default: // Backend
			continue
		}
		var e *OptionError
		if err := c.Merge(other); !errors.As(err, &e) || e.Option != name+" of the two models" {
			t.Errorf("%v; want %s", err, name)
		}
	}
	// Refit has the ridge that was given or set, whatever has been forgotten.
	for _, test := range []struct{ set, want float64 }{{math.NaN(), 0x1p-10}, {0.5, 0.5}, {0, 0}} {
		p := newPair(t, nil, blsupdate.QR).learn(0, 60)
		c, r := p.c, p.r
		if !math.IsNaN(test.set) {
			must(t, errors.Join(c.SetLambda(test.set), r.SetLambda(test.set)))
		}
		must(t, errors.Join(c.Forget(0.5), r.Forget(0.5)))
		must(t, errors.Join(c.RefitContext(ctx, p.x, p.labels, nil), r.RefitContext(ctx, p.x, p.y, nil)))
		if one, two := c.Updater().Lambda(), r.Updater().Lambda(); one != test.want || two != test.want {
			t.Errorf("lambda %g was set, and Refit has %g and %g", test.set, one, two)
		}
	}
}

func decodedAgain(t *testing.T, c *Classifier) *Classifier {
	t.Helper()
	again, err := DecodeClassifier(bytes.NewReader(encoded(t, c)), nil)
	must(t, err)
	return again
}
