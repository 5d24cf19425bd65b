package bls

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/memory"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// expansions are the models of these tests, fitted to the first samples of x.
func expansions(t *testing.T, bk blskernel.Backend, method blsupdate.Method, x *mat.Dense, labels []int, y *mat.Dense) (*Classifier, []*Regressor) {
	t.Helper()
	features := FeatureOptions{Scaling: ScaleColumns, Groups: 2, GroupNodes: 3, EnhancementNodes: 10, Seed: 4}
	update := blsupdate.Options{Lambda: 0x1p-10}
	c := &Classifier{Backend: bk, Features: plain(features), Method: method, Update: update, Classes: 3}
	must(t, c.Fit(rowsOf(x, 0, batches[1]), labels[:batches[1]]))
	var rs []*Regressor
	for _, without := range []bool{false, true} {
		r := &Regressor{Backend: bk, Features: plain(features), Method: method, Update: update, NoIntercept: without}
		must(t, r.Fit(rowsOf(x, 0, batches[1]), rowsOf(y, 0, batches[1])))
		rs = append(rs, r)
	}
	return c, rs
}

// labelsFor returns labels of three classes for l samples.
func labelsFor(l int) []int {
	labels := make([]int, l)
	for i := range labels {
		labels[i] = (i + i/7) % 3
	}
	return labels
}

// An output layer that is given what Expand returns becomes to the bit that of PartialFit, for batches
// of one row and more, and what Expand returns is the nodes and targets as the documentation has them,
// in storage of its own. Expand changes nothing.
func TestExpandIsPartialFit(t *testing.T) {
	l := batches[len(batches)-1]
	x := samples(81, l, 12, 14)
	labels, y := labelsFor(l), targetsFor(x, 2)
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range allMethods {
			c, rs := expansions(t, bk, method, x, labels, y)
			check := func(name string, from, to int, expand func() (a, y *mat.Dense, err error), learn func() error, m *model, encode func() []byte, targets *mat.Dense) {
				t.Helper()
				part := rowsOf(x, from, to)
				before := encode()
				var kept bytes.Buffer
				must(t, blsupdate.Encode(&kept, m.updater))
				other, err := blsupdate.Decode(&kept, bk)
				must(t, err)

				a, ya, err := expand()
				must(t, err)
				if !gonum.Equal(a, withOnes(mustTransform(t, m.features, part), m.center != nil)) || !gonum.Equal(ya, targets) {
					t.Errorf("%v %s: A or Y of rows %d to %d is another", method, name, from, to)
				}
				must(t, other.AddInputs(a, ya))
				a.Zero()
				ya.Zero()
				if !bytes.Equal(encode(), before) {
					t.Errorf("%v %s: Expand has changed the model", method, name)
				}
				must(t, learn())
				var got, want bytes.Buffer
				must(t, blsupdate.Encode(&got, other))
				must(t, blsupdate.Encode(&want, m.updater))
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Errorf("%v %s: another output layer after rows %d to %d", method, name, from, to)
				}
			}
			for i := 2; i < len(batches); i++ {
				from, to := batches[i-1], batches[i]
				part, given := rowsOf(x, from, to), rowsOf(y, from, to)
				oneHot, err := targets(labels[from:to], 3, true)
				must(t, err)
				check("Classifier", from, to,
					func() (a, y *mat.Dense, err error) { return c.Expand(part, labels[from:to]) },
					func() error { return c.PartialFit(part, labels[from:to]) },
					c.model, func() []byte { return encoded(t, c) }, oneHot)
				for _, r := range rs {
					want := gonum.DenseCopyOf(given)
					if !r.NoIntercept {
						want = deviations(given, r.Center())
					}
					check("Regressor", from, to,
						func() (a, y *mat.Dense, err error) { return r.Expand(part, given) },
						func() error { return r.PartialFit(part, given) },
						r.model, func() []byte { return encoded(t, r) }, want)
				}
			}
		}
	})
}

// refusedAlike checks that Expand, which returned a, y and got, refuses what PartialFit refuses, with
// the same error.
func refusedAlike(t *testing.T, name string, a, y *mat.Dense, got, want error) {
	t.Helper()
	if got == nil || want == nil || got.Error() != want.Error() || a != nil || y != nil {
		t.Errorf("%s: Expand has %v, and PartialFit %v", name, got, want)
	}
}

// with returns a copy of m with an element in row 7.
func with(m *mat.Dense, v float64) *mat.Dense {
	out := gonum.DenseCopyOf(m)
	out.Set(7, 1, v)
	return out
}

// What depends on scales, memory and a fit; TestClassifierErrors and TestRegressorErrors have the rest.
func TestExpandErrors(t *testing.T) {
	l := batches[len(batches)-1]
	x := samples(82, l, 12, 12)
	labels, y := labelsFor(l), targetsFor(x, 2)
	c, rs := expansions(t, nil, blsupdate.Gram, x, labels, y)
	large := with(x, math.MaxFloat64)
	a, ya, err := c.Expand(large, labels)
	var overflow *OverflowError
	if refusedAlike(t, "overflow", a, ya, err, c.PartialFit(large, labels)); !errors.As(err, &overflow) || overflow.Row != 7 {
		t.Errorf("a sample too large: %v", err)
	}
	for _, r := range rs {
		a, ya, err := r.Expand(large, y)
		refusedAlike(t, "overflow", a, ya, err, r.PartialFit(large, y))
	}
	// Targets that are finite have deviations that are not.
	far := mat.NewDense(batches[1], 2, nil)
	far.Apply(func(_, _ int, _ float64) float64 { return math.MaxFloat64 }, far)
	r := &Regressor{Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1}}
	must(t, r.Fit(rowsOf(x, 0, batches[1]), far))
	far.Scale(-1, far)
	if _, _, err := r.Expand(rowsOf(x, 0, batches[1]), far); !errors.Is(err, blsupdate.ErrOverflow) {
		t.Errorf("deviations beyond float64: %v", err)
	}

	undo := memory.Limit(1000)
	a, ya, err = c.Expand(x, labels)
	want := c.PartialFit(x, labels)
	undo()
	var e *MemoryError
	if refusedAlike(t, "memory", a, ya, err, want); !errors.As(err, &e) {
		t.Error(err)
	}

	var zc Classifier
	var zr Regressor
	if a, ya, err := zc.Expand(x, labels); !errors.Is(err, ErrNotFitted) || a != nil || ya != nil {
		t.Errorf("a Classifier that is not fitted: %v", err)
	}
	if a, ya, err := zr.Expand(x, y); !errors.Is(err, ErrNotFitted) || a != nil || ya != nil {
		t.Errorf("a Regressor that is not fitted: %v", err)
	}
}

// A context stops it before each panel.
func TestExpandStopped(t *testing.T) {
	const l = 3*4096 + 1 // panels of rows with few columns have 4096
	x := samples(83, l, 2, 2)
	labels, y := labelsFor(l), targetsFor(x, 1)
	features := FeatureOptions{Scaling: ScaleColumns, Groups: 1, GroupNodes: 2, EnhancementNodes: 3}
	c := &Classifier{Features: plain(features), Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1}}
	must(t, c.Fit(rowsOf(x, 0, 100), labels[:100]))
	r := &Regressor{Features: plain(features), Method: blsupdate.Gram, Update: blsupdate.Options{Lambda: 1}}
	must(t, r.Fit(rowsOf(x, 0, 100), rowsOf(y, 0, 100)))
	nothing := func(a, ya *mat.Dense, err error) error {
		if err != nil && (a != nil || ya != nil) {
			t.Error("there are rows beside an error")
		}
		return err
	}
	for name, f := range map[string]func(ctx context.Context) error{
		"Classifier": func(ctx context.Context) error { return nothing(c.ExpandContext(ctx, x, labels)) },
		"Regressor":  func(ctx context.Context) error { return nothing(r.ExpandContext(ctx, x, y)) },
	} {
		if n := stoppedEverywhere(t, name, f, func() {}); n < 4 {
			t.Errorf("%s: ExpandContext looks %d times", name, n)
		}
	}
}

// Several goroutines expand at once and make models of what they have, and others predict, the first of
// which solve for the weights. Run it with the race detector.
func TestConcurrentExpand(t *testing.T) {
	l := batches[len(batches)-1]
	x := samples(84, l, 12, 12)
	labels, y := labelsFor(l), targetsFor(x, 2)
	for _, method := range allMethods {
		c, rs := expansions(t, nil, method, x, labels, y)
		wantA, wantY, err := c.Expand(x, labels)
		must(t, err)
		wantB, wantZ, err := rs[0].Expand(x, y)
		must(t, err)
		again, others := expansions(t, nil, method, x, labels, y)
		wantClasses := predicted(t, again, x)
		wantValues := predicted(t, others[0], x)
		failures := make([]error, 12)
		var wg sync.WaitGroup
		for g := range failures {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if g%3 == 0 {
					classes, e1 := c.Predict(x)
					values, e2 := rs[0].Predict(x)
					if failures[g] = errors.Join(e1, e2); failures[g] == nil && !(slices.Equal(classes, wantClasses) && gonum.Equal(values, wantValues)) {
						failures[g] = errors.New("other predictions")
					}
					return
				}
				a, ya, e1 := c.Expand(x, labels)
				b, z, e2 := rs[0].Expand(x, y)
				if failures[g] = errors.Join(e1, e2); failures[g] != nil {
					return
				}
				u, err := blsupdate.New(blsupdate.Gram, a, ya, blsupdate.Options{})
				if err == nil {
					_, err = c.WithUpdater(u)
				}
				if failures[g] = err; err == nil &&
					!(gonum.Equal(a, wantA) && gonum.Equal(ya, wantY) && gonum.Equal(b, wantB) && gonum.Equal(z, wantZ)) {
					failures[g] = errors.New("other rows")
				}
			}()
		}
		wg.Wait()
		if err := errors.Join(failures...); err != nil {
			t.Errorf("%v: %v", method, err)
		}
	}
}

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
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
			for _, lambda := range []float64{0, 0x1p-10} {
				features := FeatureOptions{Scaling: ScaleColumns, Groups: 2, GroupNodes: 3, EnhancementNodes: 10, Seed: 4}
				update := blsupdate.Options{Lambda: orNone(lambda)}
				c := &Classifier{Backend: bk, Features: plain(features), Method: method, Update: update, Classes: 3}
				r := &Regressor{Backend: bk, Features: plain(features), Method: method, Update: update}
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
							got := weightsOf(t, m)
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
					want := predicted(t, c, x)
					got := predicted(t, c2, x)
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
