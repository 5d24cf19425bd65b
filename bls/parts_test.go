package bls

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// An output layer that is given what Expand returns becomes to the bit that of PartialFit, for batches
// of one row and more, and what Expand returns is the nodes and targets as the documentation has them,
// in storage of its own. Expand changes nothing, and refuses the same deviations.
func TestExpandIsPartialFit(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range allMethods {
			p, without := newPair(t, bk, method), newPair(t, bk, method)
			without.r.NoIntercept = true
			p.learn(0, batches[1])
			without.learn(0, batches[1])
			check := func(name string, in given, expand func() (a, y *mat.Dense, err error), learn func() error, m *model, targets *mat.Dense) {
				t.Helper()
				other, err := m.updater.Clone()
				must(t, err)
				before := p.encoded()
				a, ya, err := expand()
				must(t, err)
				if !gonum.Equal(a, withOnes(mustTransform(t, m.features, in.x), m.center != nil)) || !gonum.Equal(ya, targets) {
					t.Errorf("%v %s: A or Y is another", method, name)
				}
				must(t, other.AddInputs(a, ya))
				a.Zero()
				ya.Zero()
				if !bytes.Equal(p.encoded(), before) {
					t.Errorf("%v %s: Expand has changed the model", method, name)
				}
				must(t, learn())
				var got, want bytes.Buffer
				must(t, errors.Join(blsupdate.Encode(&got, other), blsupdate.Encode(&want, m.updater)))
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Errorf("%v %s: another output layer", method, name)
				}
			}
			for i := 2; i < len(batches); i++ {
				in := p.given(batches[i-1], batches[i])
				oneHot, err := targets(in.labels, 3, true)
				must(t, err)
				check("Classifier", in,
					func() (a, y *mat.Dense, err error) { return p.c.Expand(in.x, in.labels) },
					func() error { return p.c.PartialFit(in.x, in.labels) }, p.c.model, oneHot)
				for _, r := range []*Regressor{p.r, without.r} {
					want := gonum.DenseCopyOf(in.y)
					if !r.NoIntercept {
						want = deviations(in.y, r.Center())
					}
					check("Regressor", in,
						func() (a, y *mat.Dense, err error) { return r.Expand(in.x, in.y) },
						func() error { return r.PartialFit(in.x, in.y) }, r.model, want)
				}
			}
		}
	})
	// Targets that are finite have deviations that are not.
	p := newPair(t, nil, blsupdate.Gram)
	p.y.Apply(func(_, _ int, _ float64) float64 { return math.MaxFloat64 }, p.y)
	p.learn(0, 60)
	p.y.Scale(-1, p.y)
	if err := nothing(p.r.Expand(p.x, p.y)); !errors.Is(err, blsupdate.ErrOverflow) {
		t.Errorf("deviations beyond float64: %v", err)
	}
}

// Several goroutines expand at once and make models of what they have, encode, and predict, the first
// of which solve for the weights. Run it with the race detector.
func TestConcurrentExpand(t *testing.T) {
	for _, method := range allMethods {
		p := newPair(t, nil, method).learn(0, 60)
		wantA, wantY, err := p.c.Expand(p.x, p.labels)
		must(t, err)
		wantB, wantZ, err := p.r.Expand(p.x, p.y)
		must(t, err)
		again := newPair(t, nil, method).learn(0, 60)
		wantClasses, wantValues, bytesOf := predicted(t, again.c, p.x), predicted(t, again.r, p.x), encoded(t, again.r)
		same := func(ok bool, err error) error {
			if err == nil && !ok {
				err = errors.New("another result")
			}
			return err
		}
		act := func(kind int) error {
			switch kind {
			case 0:
				classes, e1 := p.c.Predict(p.x)
				values, e2 := p.r.Predict(p.x)
				return same(e2 == nil && slices.Equal(classes, wantClasses) && gonum.Equal(values, wantValues), errors.Join(e1, e2))
			case 1:
				var b bytes.Buffer
				err := p.r.Encode(&b)
				return same(bytes.Equal(b.Bytes(), bytesOf), err)
			}
			a, ya, e1 := p.c.Expand(p.x, p.labels)
			b, z, e2 := p.r.Expand(p.x, p.y)
			if err := errors.Join(e1, e2); err != nil {
				return err
			}
			u, err := blsupdate.New(blsupdate.Gram, a, ya, blsupdate.Options{})
			if err == nil {
				_, err = p.c.WithUpdater(u)
			}
			return same(gonum.Equal(a, wantA) && gonum.Equal(ya, wantY) && gonum.Equal(b, wantB) && gonum.Equal(z, wantZ), err)
		}
		failures := make([]error, 12)
		var wg sync.WaitGroup
		for g := range failures {
			wg.Add(1)
			go func() {
				defer wg.Done()
				failures[g] = act(g % 3)
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
func ridgeSolution(t testing.TB, a, y *mat.Dense, lambda float64) (w *mat.Dense, kappa float64) {
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

// leastSquares returns the distance of the weights of both models of p, relative to their norms, from
// those of least-squares fits to all samples, and the largest condition number of the nodes.
func (p *pair) leastSquares(lambda float64) (off [2]float64, kappa float64) {
	p.t.Helper()
	nodes := mustTransform(p.t, p.c.FittedFeatures(), p.x)
	oneHot, err := OneHot(p.labels, 3)
	must(p.t, err)
	intercept, y := p.r.Center() != nil, p.y
	if intercept {
		y = deviations(y, columnMeans(rowsOf(y, 0, batches[1]), nil))
	}
	for i, test := range []struct {
		m interface {
			Weights() (*mat.Dense, error)
			Updater() blsupdate.Updater
		}
		a, y *mat.Dense
	}{{p.c, nodes, oneHot}, {p.r, withOnes(nodes, intercept), y}} {
		want, cond := ridgeSolution(p.t, test.a, test.y, lambda)
		kappa = max(kappa, cond, gonum.Cond(rowsOf(test.a, 0, batches[1]), 2))
		var diff mat.Dense
		diff.Sub(weightsOf(p.t, test.m), want)
		off[i] = gonum.Norm(&diff, 2) / gonum.Norm(want, 2)
		if n, l := test.m.Updater().Samples(), len(p.labels); n != l {
			p.t.Errorf("%v: %d samples, and there are %d", test.m.Updater().Method(), n, l)
		}
	}
	return off, kappa
}

// The weights after four batches are those of a least-squares fit to all samples. The bounds are those
// that were found for W in the two forms of the update, 50 sqrt(l) eps κ and for Large, Gram and the
// inverses 10 sqrt(l) eps κ², with the largest condition number κ on the way, that of the first batch
// or of all.
func TestPartialFitIsFit(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range allMethods {
			for _, without := range []bool{false, true} {
				p := newPair(t, bk, method)
				p.c.Update.Lambda, p.r.Update.Lambda, p.r.NoIntercept = None, None, without
				x, y := gonum.DenseCopyOf(p.x), gonum.DenseCopyOf(p.y)
				for i := 1; i < len(batches); i++ {
					p.learn(batches[i-1], batches[i])
					p.predictions() // fetches weights that the next batch outdates
				}
				before := p.predictions()
				if !gonum.Equal(p.x, x) || !gonum.Equal(p.y, y) {
					t.Errorf("%v: the samples or targets were modified", method)
				}
				p.x.Zero()
				p.y.Zero()
				if p.x, p.y = x, y; !gonum.Equal(p.predictions(), before) {
					t.Errorf("%v: the samples or targets were kept", method)
				}
				off, kappa := p.leastSquares(0)
				tol := 50 * math.Sqrt(130) * eps * kappa
				if method != blsupdate.Original && method != blsupdate.QR {
					tol = max(tol, 10*math.Sqrt(130)*eps*kappa*kappa)
				}
				if !(max(off[0], off[1]) <= tol && tol <= 1e-4) {
					t.Errorf("%v: W is off by %g, more than %g (κ = %g)", method, off, tol, kappa)
				}
			}
		}
	})
}

// Parts of the samples, expanded by a model that has seen the first of them, learned by output layers
// without a ridge, merged in any order and given the ridge at the end, are the model that PartialFit
// makes of all samples: both have the weights of a least-squares fit, by another routine and to the
// bounds of docs/numerics.md, 10 sqrt(l) eps κ² for Gram and 10 sqrt(l) eps κ for QR. That routine has
// an error of its own of the latter size.
func TestShardsAreOneModel(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR} {
			for _, lambda := range []float64{0, 0x1p-10} {
				p := newPair(t, bk, method)
				p.c.Update.Lambda, p.r.Update.Lambda = orNone(lambda), orNone(lambda)
				base := p.learn(0, batches[1]).decoded()
				p.learn(batches[1], len(p.labels))
				for _, order := range [][]int{nil, {0, 1, 2, 3, 4, 5}, {5, 2, 4, 0, 3, 1}} {
					sum := *p
					if order != nil { // nil is PartialFit
						var err error
						sum.c, err = base.c.WithUpdater(merged(t, method, bk, lambda, order, func(from, to int) (a, y *mat.Dense, err error) {
							return base.c.Expand(rowsOf(p.x, from, to), p.labels[from:to])
						}))
						must(t, err)
						sum.r, err = base.r.WithUpdater(merged(t, method, bk, lambda, order, func(from, to int) (a, ya *mat.Dense, err error) {
							return base.r.Expand(rowsOf(p.x, from, to), rowsOf(p.y, from, to))
						}))
						must(t, err)
					}
					off, kappa := sum.leastSquares(lambda)
					qr := 10 * math.Sqrt(float64(len(p.labels))) * eps * kappa
					tol := 2 * qr
					if method == blsupdate.Gram {
						tol = qr + qr*kappa
					}
					// A bound of no digits would prove nothing.
					if !(max(off[0], off[1]) <= tol && tol <= 1e-4) {
						t.Errorf("%v, lambda %g, order %v: W is off by %g, more than %g (κ = %g)", method, lambda, order, off, tol, kappa)
					}
					if !slices.Equal(predicted(t, sum.c, p.x), predicted(t, p.c, p.x)) || !slices.Equal(sum.r.Center(), base.r.Center()) {
						t.Errorf("%v, lambda %g, order %v: other classes or means", method, lambda, order)
					}
				}
			}
		}
	})
}
