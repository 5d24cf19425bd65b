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

// A model with the output layer of any method reports what it has and, after it was written and read,
// continues as it would have, to the last bit. The model that it was made from does not change.
func TestWithUpdaterGoesOn(t *testing.T) {
	const first, l = 70, 130
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for i, method := range allMethods {
			// The expanding model has another method and fields changed since the fit.
			p := newPair(t, bk, allMethods[(i+1)%len(allMethods)])
			p.r.NoIntercept = i%2 == 1
			p.learn(0, 60)
			want := *p
			wantC, wantR := *p.c, *p.r
			want.c, want.r = &wantC, &wantR
			before := p.encoded()
			p.c.Classes, p.c.Features.Groups, p.c.Update.Lambda, p.c.Method = -1, -1, math.NaN(), 77
			p.r.NoIntercept, p.r.Features.Groups, p.r.Update.Lambda, p.r.Method = !p.r.NoIntercept, -1, math.NaN(), 77

			opt := blsupdate.Options{Lambda: 0x1p-8, Form: blsupdate.Form(i % 3), Solve: i%2 == 0, Workspace: 1 << 20, Backend: bk}
			start := func(a, y *mat.Dense, err error) blsupdate.Updater {
				t.Helper()
				must(t, err)
				u, err := blsupdate.New(method, a, y, opt)
				must(t, err)
				return u
			}
			in := p.given(0, first)
			uc, ur := start(p.c.Expand(in.x, in.labels)), start(p.r.Expand(in.x, in.y))
			wantC.Method, wantC.Update, wantR.Method, wantR.Update = method, opt, method, opt
			if blsupdate.Supports(method, blsupdate.ActionRidge) {
				must(t, uc.SetLambda(0x1p-7))
				wantC.Update.Lambda = 0x1p-7
			}
			q := *p
			var err error
			q.c, err = p.c.WithUpdater(uc)
			must(t, err)
			q.r, err = p.r.WithUpdater(ur)
			must(t, err)
			if q.c.Updater() != uc || q.r.Updater() != ur || q.c.FittedFeatures() != p.c.FittedFeatures() || q.r.FittedFeatures() != p.r.FittedFeatures() {
				t.Errorf("%v: the parts are others", method)
			}
			sameFields(t, &q, &want)
			again := q.decoded()
			wantC.Update.Backend, wantR.Update.Backend = nil, nil
			sameFields(t, again, &want)
			for _, to := range []int{first, l} {
				if to == l {
					q.learn(first, l)
					again.learn(first, l)
				}
				if !gonum.Equal(q.predictions(), again.predictions()) || !bytes.Equal(q.encoded(), again.encoded()) || q.c.Updater().Samples() != to {
					t.Errorf("%v, %d samples: what was read is another model", method, q.c.Updater().Samples())
				}
			}
			if !bytes.Equal(p.encoded(), before) {
				t.Errorf("%v: the model that it was made from has changed", method)
			}
			must(t, errors.Join(q.c.Refit(q.x, q.labels), again.c.Refit(q.x, q.labels)))
			if !bytes.Equal(q.encoded(), again.encoded()) {
				t.Errorf("%v: refitted, what was read is another model", method)
			}
			must(t, q.c.Fit(q.x, q.labels))
			wantC.Update.Backend, wantR.Update.Backend = bk, bk
			sameFields(t, &q, &want)
		}
	})
}

// sameFields compares the exported fields of two pairs.
func sameFields(t *testing.T, got, want *pair) {
	t.Helper()
	fields := func(p *pair) string {
		c, r := *p.c, *p.r
		c.model, r.model = nil, nil
		return fmt.Sprintf("%+v\n%+v", c, r)
	}
	if g, w := fields(got), fields(want); g != w {
		t.Errorf("the options are\n%s\nwant\n%s", g, w)
	}
}

// Options that stand for the default backend keep doing so. If the updater has another backend than the
// model, the options of the result name it.
func TestWithUpdaterBackend(t *testing.T) {
	pure, err := blskernel.Lookup("pure")
	must(t, err)
	for _, test := range []struct{ model, layer, want blskernel.Backend }{
		{nil, nil, nil}, {nil, pure, pure}, {pure, pure, pure}, {pure, nil, blskernel.Default()},
	} {
		p := newPair(t, test.model, blsupdate.Gram).learn(0, 60)
		a, ya, err := p.c.Expand(p.x, p.labels)
		must(t, err)
		u, err := blsupdate.New(blsupdate.QR, a, ya, blsupdate.Options{Backend: test.layer})
		must(t, err)
		got, err := p.c.WithUpdater(u)
		must(t, err)
		if got.Backend != test.model || got.Update.Backend != test.want {
			t.Errorf("a model on %v with an output layer on %v has %v and %v", test.model, test.layer, got.Backend, got.Update.Backend)
		}
	}
}

// Too few rows for weights are an error only when the weights are needed. The model can be written and
// read, and more rows cure the error.
func TestWithUpdaterOfFewRows(t *testing.T) {
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
		p := newPair(t, nil, method).learn(0, 60)
		in := p.given(0, 3)
		a, ya, err := p.c.Expand(in.x, in.labels)
		must(t, err)
		u, err := blsupdate.New(method, a, ya, blsupdate.Options{})
		must(t, err)
		p.c, err = p.c.WithUpdater(u)
		must(t, err)
		again := p.decoded()
		for _, p := range []*pair{p, again} {
			var e *blsupdate.RankError
			if _, err := p.c.Predict(p.x); !errors.As(err, &e) || e.Samples != 3 {
				t.Errorf("%v: weights of 3 rows: %v", method, err)
			}
			p.learn(3, 130)
		}
		if !gonum.Equal(p.predictions(), again.predictions()) {
			t.Errorf("%v: other predictions", method)
		}
	}
}

// A foreign updater is an updater of blsupdate that another package has wrapped.
type foreign struct{ blsupdate.Updater }

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

// refusedUpdaters are refusals of WithUpdater by the models of p, which use the given method.
func (p *pair) refusedUpdaters(method blsupdate.Method) []refusal {
	p.t.Helper()
	start := func(method blsupdate.Method, a, y *mat.Dense, bk blskernel.Backend) blsupdate.Updater {
		p.t.Helper()
		u, err := blsupdate.New(method, a, y, blsupdate.Options{Lambda: 0.5, Backend: bk})
		must(p.t, err)
		return u
	}
	a, y, err := p.c.Expand(p.x, p.labels)
	must(p.t, err)
	l, k := a.Dims()
	good := start(method, a, y, nil)
	breaks := &unfit{Backend: blskernel.Default()}
	poisoned := start(blsupdate.Gram, a, y, breaks)
	breaks.broken = true
	testutil.MustPanic(p.t, "broken", func() { _ = poisoned.AddInputs(a, y) })
	refused := func(u blsupdate.Updater) error {
		got, err := p.c.WithUpdater(u)
		if got != nil {
			p.t.Error("there is a model beside an error")
		}
		return err
	}
	_, classes := p.r.WithUpdater(good)
	_, none := p.r.WithUpdater(nil)
	refusals := []refusal{
		{"", refused(nil), new(*blsupdate.OptionError)},
		{"", refused(foreign{good}), new(*blsupdate.OptionError)},
		{"the model's own", refused(p.c.Updater()), new(*OptionError)},
		{"want 16×4", refused(start(method, a.Slice(0, l, 0, k-1).(*mat.Dense), y, nil)), new(*ShapeError)}, // a node less
		{"want 16×4", refused(start(method, withOnes(a, true), y, nil)), new(*ShapeError)},
		{"want 16×4", refused(start(method, a, y.Slice(0, l, 0, 3).(*mat.Dense), nil)), new(*ShapeError)},
		{"16×4; want 17×2, as in the fit", classes, new(*ShapeError)},
		{"", none, new(*blsupdate.OptionError)},
		{"", refused(poisoned), new(*blsupdate.StateError)},
	}
	// A refused updater is as good as before.
	_, err = p.c.WithUpdater(good)
	must(p.t, err)
	return refusals
}
