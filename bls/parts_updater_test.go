package bls

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonum "gonum.org/v1/gonum/mat"
)

// A model with the output layer of any method says what it has, goes on after it was written and read
// to the bit as it would have, and leaves the model that it was made from as it was.
func TestWithUpdaterGoesOn(t *testing.T) {
	l := batches[len(batches)-1]
	x := samples(92, l, 12, 12)
	labels, y := labelsFor(l), targetsFor(x, 2)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for i, method := range allMethods {
			// The model that expands is by another method, and its fields have changed
			// since the fit.
			c, rs := expansions(t, bk, allMethods[(i+1)%len(allMethods)], x, labels, y)
			r := rs[i%2]
			wantC, wantR := *c, *r
			c.Classes, c.Features.Groups, c.Update.Lambda, c.Method = -1, -1, math.NaN(), 77
			r.NoIntercept, r.Features.Groups, r.Update.Lambda, r.Method = !r.NoIntercept, -1, math.NaN(), 77
			beforeC, beforeR := encoded(t, c), encoded(t, r)

			opt := blsupdate.Options{Lambda: 0x1p-8, Form: blsupdate.Form(i % 3), Solve: i%2 == 0, Workspace: 1 << 20, Backend: bk}
			start := func(a, y *mat.Dense, err error) blsupdate.Updater {
				t.Helper()
				must(t, err)
				u, err := blsupdate.New(method, a, y, opt)
				must(t, err)
				return u
			}
			const first = 70
			uc := start(c.Expand(rowsOf(x, 0, first), labels[:first]))
			ur := start(r.Expand(rowsOf(x, 0, first), rowsOf(y, 0, first)))
			wantC.Method, wantC.Update = method, opt
			if method == blsupdate.Gram || method == blsupdate.QR {
				must(t, uc.SetLambda(0x1p-7))
				wantC.Update.Lambda = 0x1p-7
			}
			wantR.Method, wantR.Update = method, opt
			c2, err := c.WithUpdater(uc)
			must(t, err)
			r2, err := r.WithUpdater(ur)
			must(t, err)
			if c2.Updater() != uc || r2.Updater() != ur || c2.FittedFeatures() != c.FittedFeatures() || r2.FittedFeatures() != r.FittedFeatures() {
				t.Errorf("%v: the parts are others", method)
			}
			sameFields(t, c2, &wantC)
			sameFields(t, r2, &wantR)

			c3, err := DecodeClassifier(bytes.NewReader(encoded(t, c2)), bk)
			must(t, err)
			r3, err := DecodeRegressor(bytes.NewReader(encoded(t, r2)), bk)
			must(t, err)
			wantC.Update.Backend, wantR.Update.Backend = nil, nil
			sameFields(t, c3, &wantC)
			sameFields(t, r3, &wantR)
			same := func(when string) {
				t.Helper()
				p := scoresOf(t, c2, x)
				p3 := scoresOf(t, c3, x)
				q := predicted(t, r2, x)
				q3 := predicted(t, r3, x)
				if !gonum.Equal(p, p3) || !gonum.Equal(q, q3) {
					t.Errorf("%v %s: what was read predicts something else", method, when)
				}
				if !bytes.Equal(encoded(t, c2), encoded(t, c3)) || !bytes.Equal(encoded(t, r2), encoded(t, r3)) {
					t.Errorf("%v %s: what was read is another model", method, when)
				}
			}
			same("at first")
			for _, c := range []*Classifier{c2, c3} {
				must(t, c.PartialFit(rowsOf(x, first, l), labels[first:]))
			}
			for _, r := range []*Regressor{r2, r3} {
				must(t, r.PartialFit(rowsOf(x, first, l), rowsOf(y, first, l)))
			}
			same("after more samples")
			if n := c2.Updater().Samples(); n != l {
				t.Errorf("%v: %d samples", method, n)
			}
			if !bytes.Equal(encoded(t, c), beforeC) || !bytes.Equal(encoded(t, r), beforeR) {
				t.Errorf("%v: the model that it was made from has changed", method)
			}
			must(t, c2.Fit(x, labels))
			sameFields(t, c2, &Classifier{Backend: bk, Features: plain(c2.Features), Method: method, Update: c2.Update, Classes: 3})
		}
	})
}

// sameFields compares the exported fields of two models of a kind.
func sameFields(t *testing.T, got, want any) {
	t.Helper()
	fields := func(m any) string {
		switch m := m.(type) {
		case *Classifier:
			return fmt.Sprintf("%+v %+v %v %+v %v", m.Backend, m.Features, m.Method, m.Update, m.Classes)
		case *Regressor:
			return fmt.Sprintf("%+v %+v %v %+v %v", m.Backend, m.Features, m.Method, m.Update, m.NoIntercept)
		}
		panic("no model")
	}
	if g, w := fields(got), fields(want); g != w {
		t.Errorf("the options are\n%s\nwant\n%s", g, w)
	}
}

// Options that stand for the default backend do so on their own, and where they are those of an updater
// whose backend is not that of the model they name it.
func TestWithUpdaterBackend(t *testing.T) {
	l := batches[1]
	x := samples(93, l, 12, 12)
	labels, y := labelsFor(l), targetsFor(x, 2)
	pure, err := blskernel.Lookup("pure")
	must(t, err)
	for _, test := range []struct{ model, layer, want blskernel.Backend }{
		{nil, nil, nil}, {nil, pure, pure}, {pure, pure, pure}, {pure, nil, blskernel.Default()},
	} {
		c, _ := expansions(t, test.model, blsupdate.Gram, x, labels, y)
		a, ya, err := c.Expand(x, labels)
		must(t, err)
		u, err := blsupdate.New(blsupdate.QR, a, ya, blsupdate.Options{Backend: test.layer})
		must(t, err)
		got, err := c.WithUpdater(u)
		must(t, err)
		if got.Backend != test.model || got.Update.Backend != test.want {
			t.Errorf("a model on %v with an output layer on %v has %v and %v", test.model, test.layer, got.Backend, got.Update.Backend)
		}
	}
}

// Too few rows for weights are no error before they are wanted, are written and read, and more rows
// make up for them.
func TestWithUpdaterOfFewRows(t *testing.T) {
	l := batches[len(batches)-1]
	x := samples(94, l, 12, 12)
	labels, y := labelsFor(l), targetsFor(x, 2)
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		c, _ := expansions(t, nil, method, x, labels, y)
		a, ya, err := c.Expand(rowsOf(x, 0, 3), labels[:3])
		must(t, err)
		u, err := blsupdate.New(method, a, ya, blsupdate.Options{})
		must(t, err)
		few, err := c.WithUpdater(u)
		must(t, err)
		again, err := DecodeClassifier(bytes.NewReader(encoded(t, few)), nil)
		must(t, err)
		for _, c := range []*Classifier{few, again} {
			var e *blsupdate.RankError
			if _, err := c.Predict(x); !errors.As(err, &e) || e.Samples != 3 {
				t.Errorf("%v: weights of 3 rows: %v", method, err)
			}
			must(t, c.PartialFit(rowsOf(x, 3, l), labels[3:]))
		}
		p := scoresOf(t, few, x)
		q := scoresOf(t, again, x)
		if !gonum.Equal(p, q) {
			t.Errorf("%v: other predictions", method)
		}
	}
}

// A foreign updater is what another package makes of one of blsupdate.
type foreign struct{ blsupdate.Updater }

func TestWithUpdaterErrors(t *testing.T) {
	l := batches[1]
	x := samples(95, l, 12, 12)
	labels, y := labelsFor(l), targetsFor(x, 2)
	for _, method := range allMethods {
		c, rs := expansions(t, nil, method, x, labels, y)
		before := encoded(t, c)
		a, ya, err := c.Expand(x, labels)
		must(t, err)
		start := func(a, y *mat.Dense) blsupdate.Updater {
			t.Helper()
			u, err := blsupdate.New(method, a, y, blsupdate.Options{Lambda: 0.5})
			must(t, err)
			return u
		}
		_, k := a.Dims()
		good := start(a, ya)
		for _, test := range []struct {
			name string
			u    blsupdate.Updater
			want any
		}{
			{"nothing", nil, new(*OptionError)},
			{"foreign", foreign{good}, new(*OptionError)},
			{"its own", c.Updater(), new(*OptionError)},
			{"a node less", start(a.Slice(0, l, 0, k-1).(*mat.Dense), ya), new(*ShapeError)},
			{"a column of ones", start(withOnes(a, true), ya), new(*ShapeError)},
			{"a class less", start(a, ya.Slice(0, l, 0, 3).(*mat.Dense)), new(*ShapeError)},
		} {
			got, err := c.WithUpdater(test.u)
			if got != nil || !errors.As(err, test.want) {
				t.Errorf("%v, %s: %v", method, test.name, err)
			}
		}
		var shape *ShapeError
		if _, err := rs[0].WithUpdater(good); !errors.As(err, &shape) || shape.Rows != k || shape.Cols != 4 || shape.Want != fmt.Sprintf("%d×2, as that of the fit", k+1) {
			t.Errorf("%v: a layer of three classes for a Regressor: %v", method, err)
		}
		var option *OptionError
		if _, err := rs[1].WithUpdater(nil); !errors.As(err, &option) {
			t.Errorf("%v: nothing for a Regressor: %v", method, err)
		}
		var zc Classifier
		var zr Regressor
		if got, err := zc.WithUpdater(good); !errors.Is(err, ErrNotFitted) || got != nil {
			t.Errorf("a Classifier that is not fitted: %v", err)
		}
		if got, err := zr.WithUpdater(good); !errors.Is(err, ErrNotFitted) || got != nil {
			t.Errorf("a Regressor that is not fitted: %v", err)
		}
		if !bytes.Equal(encoded(t, c), before) {
			t.Errorf("%v: the model has changed", method)
		}
		// What was refused is as good as before.
		if _, err := c.WithUpdater(good); err != nil {
			t.Errorf("%v: %v", method, err)
		}
	}
}

// An unfit backend panics in every Dgemm once it is broken.
type unfit struct {
	blskernel.Backend
	broken bool
}

func (b *unfit) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, bb []float64, ldb int, beta float64, c []float64, ldc int) {
	if b.broken {
		panic("broken")
	}
	b.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, bb, ldb, beta, c, ldc)
}

// WithUpdater refuses an output layer that a panic has poisoned.
func TestWithUpdaterPoisoned(t *testing.T) {
	l := batches[1]
	x := samples(96, l, 12, 12)
	labels, y := labelsFor(l), targetsFor(x, 2)
	c, _ := expansions(t, nil, blsupdate.Gram, x, labels, y)
	a, ya, err := c.Expand(x, labels)
	must(t, err)
	b := &unfit{Backend: blskernel.Default()}
	u, err := blsupdate.New(blsupdate.Gram, a, ya, blsupdate.Options{Backend: b})
	must(t, err)
	b.broken = true
	testutil.MustPanic(t, "broken", func() { _ = u.AddInputs(a, ya) })
	var e *blsupdate.StateError
	if got, err := c.WithUpdater(u); got != nil || !errors.As(err, &e) {
		t.Error(err)
	}
}
