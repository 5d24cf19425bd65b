package bls

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonum "gonum.org/v1/gonum/mat"
)

// shards are the rows of the parts in which TestShardsAreOneModel learns the samples: of one row, of
// fewer than k and of more.
var shards = []int{0, 1, 30, 31, 61, 69, 130}

// merged returns the output layer that has learned all shards without a ridge, merged in the given
// order of shards two by two, which then gets one. Every other shard is learned a row at a time.
func merged(t *testing.T, method blsupdate.Method, bk blskernel.Backend, lambda float64, order []int, expand func(from, to int) (a, y *mat.Dense, err error)) blsupdate.Updater {
	t.Helper()
	var level []blsupdate.Updater
	for _, shard := range order {
		from, to := shards[shard], shards[shard+1]
		first := to
		if shard%2 == 1 {
			first = from + 1
		}
		a, y, err := expand(from, first)
		must(t, err)
		u, err := blsupdate.New(method, a, y, blsupdate.Options{Backend: bk})
		must(t, err)
		for i := first; i < to; i++ {
			a, y, err := expand(i, i+1)
			must(t, err)
			must(t, u.AddInputs(a, y))
		}
		level = append(level, u)
	}
	for len(level) > 1 {
		var next []blsupdate.Updater
		for i := 0; i < len(level); i += 2 {
			if i+1 < len(level) {
				must(t, level[i].Merge(level[i+1]))
			}
			next = append(next, level[i])
		}
		level = next
	}
	must(t, level[0].SetLambda(lambda))
	return level[0]
}

// ridgeSolution returns the least-squares solution of [A; sqrt(lambda) I] W = [Y; 0] by gonum's QR, and
// the condition number of that matrix.
func ridgeSolution(t *testing.T, a, y *mat.Dense, lambda float64) (w *mat.Dense, kappa float64) {
	t.Helper()
	l, k := a.Dims()
	_, c := y.Dims()
	wide, right := mat.NewDense(l+k, k, nil), mat.NewDense(l+k, c, nil)
	rowsOf(wide, 0, l).Copy(a)
	rowsOf(right, 0, l).Copy(y)
	for i := range k {
		wide.Set(l+i, i, math.Sqrt(lambda))
	}
	var qr gonum.QR
	qr.Factorize(wide)
	w = new(mat.Dense)
	must(t, qr.SolveTo(w, false, right))
	return w, gonum.Cond(wide, 2)
}

// learned is what a Classifier and a Regressor tell of what they have learned.
type learned interface {
	Weights() (*mat.Dense, error)
	Updater() blsupdate.Updater
}

// Parts of the samples, expanded by a model that has seen the first of them, learned by output layers
// without a ridge, merged in any order and given the ridge at the end, are the model that PartialFit
// makes of all samples: both have the weights of a least-squares fit, by another routine and to the
// bounds of docs/numerics.md, 10 sqrt(l) eps κ² for Gram and 10 sqrt(l) eps κ for QR. That routine has
// an error of its own of the latter size.
func TestShardsAreOneModel(t *testing.T) {
	l := batches[len(batches)-1]
	x := samples(91, l, 12, 14)
	labels, y := labelsFor(l), targetsFor(x, 2)
	oneHot, err := OneHot(labels, 3)
	must(t, err)
	forEachBackend(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
			for _, lambda := range []float64{0, 0x1p-10} {
				features := FeatureOptions{Scaling: ScaleColumns, Groups: 2, GroupNodes: 3, EnhancementNodes: 10, Seed: 4}
				update := blsupdate.Options{Lambda: lambda}
				c := &Classifier{Backend: bk, Features: features, Method: method, Update: update, Classes: 3}
				r := &Regressor{Backend: bk, Features: features, Method: method, Update: update}
				must(t, c.Fit(rowsOf(x, 0, batches[1]), labels[:batches[1]]))
				must(t, r.Fit(rowsOf(x, 0, batches[1]), rowsOf(y, 0, batches[1])))
				baseC, err := DecodeClassifier(bytes.NewReader(encoded(t, c)), bk)
				must(t, err)
				baseR, err := DecodeRegressor(bytes.NewReader(encoded(t, r)), bk)
				must(t, err)
				for i := 2; i < len(batches); i++ {
					from, to := batches[i-1], batches[i]
					must(t, c.PartialFit(rowsOf(x, from, to), labels[from:to]))
					must(t, r.PartialFit(rowsOf(x, from, to), rowsOf(y, from, to)))
				}
				nodes := mustTransform(t, c.FittedFeatures(), x)
				for _, order := range [][]int{{0, 1, 2, 3, 4, 5}, {5, 2, 4, 0, 3, 1}} {
					sumC := merged(t, method, bk, lambda, order, func(from, to int) (a, y *mat.Dense, err error) {
						return baseC.Expand(rowsOf(x, from, to), labels[from:to])
					})
					sumR := merged(t, method, bk, lambda, order, func(from, to int) (a, ya *mat.Dense, err error) {
						return baseR.Expand(rowsOf(x, from, to), rowsOf(y, from, to))
					})
					c2, err := baseC.WithUpdater(sumC)
					must(t, err)
					r2, err := baseR.WithUpdater(sumR)
					must(t, err)
					for _, test := range []struct {
						name     string
						one, sum learned
						a, y     *mat.Dense
					}{
						{"Classifier", c, c2, nodes, oneHot},
						{"Regressor", r, r2, withOnes(nodes, true), deviations(y, r.Center())},
					} {
						want, kappa := ridgeSolution(t, test.a, test.y, lambda)
						qr := 10 * math.Sqrt(float64(l)) * eps * kappa
						tol := 2 * qr
						if method == blsupdate.Gram {
							tol = qr + qr*kappa
						}
						// A bound of no digits would prove nothing.
						if !(tol <= 1e-4) {
							t.Fatalf("%v, lambda %g: the bound is %g", method, lambda, tol)
						}
						for name, m := range map[string]learned{"one model": test.one, "shards": test.sum} {
							got, err := m.Weights()
							must(t, err)
							var diff mat.Dense
							diff.Sub(got, want)
							if e := gonum.Norm(&diff, 2) / gonum.Norm(want, 2); !(e <= tol) {
								t.Errorf("%s by %v, lambda %g, %s in order %v: W is off by %g, more than %g (κ = %g)", test.name, method, lambda, name, order, e, tol, kappa)
							}
							if n := m.Updater().Samples(); n != l {
								t.Errorf("%s: %d samples", name, n)
							}
						}
					}
					want, err := c.Predict(x)
					must(t, err)
					got, err := c2.Predict(x)
					must(t, err)
					if !slices.Equal(got, want) {
						t.Errorf("%v, lambda %g, order %v: other classes", method, lambda, order)
					}
					if !slices.Equal(r2.Center(), baseR.Center()) {
						t.Errorf("the means are %v, were %v", r2.Center(), baseR.Center())
					}
				}
			}
		}
	})
}

// A model with the output layer of any method says what it has, goes on after it was written and read
// to the bit as it would have, and leaves the model that it was made from as it was.
func TestWithUpdaterGoesOn(t *testing.T) {
	l := batches[len(batches)-1]
	x := samples(92, l, 12, 12)
	labels, y := labelsFor(l), targetsFor(x, 2)
	forEachBackend(t, func(t *testing.T, bk blskernel.Backend) {
		for i, method := range allMethods {
			// The model that expands is by another method, and its fields have changed since the fit.
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
				p, err := c2.DecisionFunction(x)
				must(t, err)
				p3, err := c3.DecisionFunction(x)
				must(t, err)
				q, err := r2.Predict(x)
				must(t, err)
				q3, err := r3.Predict(x)
				must(t, err)
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
			sameFields(t, c2, &Classifier{Backend: bk, Features: c2.Features, Method: method, Update: c2.Update, Classes: 3})
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
		p, err := few.DecisionFunction(x)
		must(t, err)
		q, err := again.DecisionFunction(x)
		must(t, err)
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
			{"a class less", start(a, ya.Slice(0, l, 0, 2).(*mat.Dense)), new(*ShapeError)},
		} {
			got, err := c.WithUpdater(test.u)
			if got != nil || !errors.As(err, test.want) {
				t.Errorf("%v, %s: %v", method, test.name, err)
			}
		}
		var shape *ShapeError
		if _, err := rs[0].WithUpdater(good); !errors.As(err, &shape) || shape.Rows != k || shape.Cols != 3 || shape.Want != fmt.Sprintf("%d×2, as that of the fit", k+1) {
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

// An output layer that a panic has left half changed is refused.
func TestWithUpdaterTorn(t *testing.T) {
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
	func() {
		defer func() {
			if v := recover(); v != "broken" {
				t.Errorf("recovered %v", v)
			}
		}()
		_ = u.AddInputs(a, ya)
	}()
	var e *blsupdate.StateError
	if got, err := c.WithUpdater(u); got != nil || !errors.As(err, &e) {
		t.Error(err)
	}
}
