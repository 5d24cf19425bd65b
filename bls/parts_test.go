package bls

import (
	"bytes"
	"errors"
	"fmt"
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

// An output layer that learns what Expand returns equals the output layer after PartialFit to the last
// bit, for batches of one row or more. Expand returns the nodes and targets as documented, in new
// storage. It changes nothing, and refuses the same deviations.
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
	// Finite targets can have deviations that are not.
	p := newPair(t, nil, blsupdate.Gram)
	p.y.Apply(func(_, _ int, _ float64) float64 { return math.MaxFloat64 }, p.y)
	p.learn(0, 60)
	p.y.Scale(-1, p.y)
	if err := nothing(p.r.Expand(p.x, p.y)); !errors.Is(err, blsupdate.ErrOverflow) {
		t.Errorf("deviations beyond float64: %v", err)
	}
}

// Several goroutines predict (the first call solves for the weights), encode, expand, and make new
// models, all at once. Run it with the race detector.
func TestConcurrentUse(t *testing.T) {
	for i, method := range slices.Concat(allMethods, allMethods) {
		p, alone := newPair(t, nil, method), newPair(t, nil, method)
		for _, of := range []*pair{p, alone} {
			for n := 0; i < len(allMethods) && n < 60; n += 30 { // keeps its samples
				must(t, errors.Join(of.c.PartialFit(rowsOf(of.x, n, n+30), of.labels[n:n+30]), of.r.PartialFit(rowsOf(of.x, n, n+30), rowsOf(of.y, n, n+30))))
			}
			of.learn(60, 120)
		}
		// use returns what the models of p give, or the errors.
		use := func(p *pair) string {
			outside, err0 := p.r.Outside(p.x)
			values, err1 := p.r.Predict(p.x)
			a, ya, err2 := p.c.Expand(p.x, p.labels)
			b, yb, err3 := p.r.Expand(p.x, p.y)
			var kept bytes.Buffer
			err := errors.Join(err0, err1, err2, err3, p.c.Encode(&kept), p.r.Encode(&kept))
			if err != nil {
				return err.Error()
			}
			u, err := blsupdate.New(blsupdate.Gram, a, ya, blsupdate.Options{})
			if err == nil {
				_, err = p.c.WithUpdater(u)
			}
			return fmt.Sprintf("%x %x %x %x %x %x %x %v", outside, values, a, ya, b, yb, kept.Bytes(), err)
		}
		got := make([]string, 8)
		var wg sync.WaitGroup
		for g := range got {
			wg.Add(1)
			go func() {
				defer wg.Done()
				got[g] = use(p)
			}()
		}
		wg.Wait()
		if len(slices.Compact(append(got, use(alone)))) != 1 {
			t.Errorf("%v: another result beside others", method)
		}
	}
}

// PartialFit neither modifies samples and targets nor keeps them.
func TestPartialFitCopies(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, method := range allMethods {
			for _, without := range []bool{false, true} {
				p := newPair(t, bk, method)
				p.r.NoIntercept = without
				x, y := gonum.DenseCopyOf(p.x), gonum.DenseCopyOf(p.y)
				for i := 1; i < len(batches); i++ {
					p.learn(batches[i-1], batches[i])
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
			}
		}
	})
}
