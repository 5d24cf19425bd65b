package bls

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

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
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
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
