package bls

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

var allMethods = []blsupdate.Method{blsupdate.Improved, blsupdate.Original, blsupdate.RidgeInverse, blsupdate.InverseCholesky, blsupdate.Gram, blsupdate.QR}

// stoppedEverywhere calls f with contexts that are done after 0, 1, 2, ... looks, until it returns nil,
// and returns how many there were; without testutil.Long it leaves more and more out. Every error has
// to wrap the cause of the context, and check has to find nothing changed.
func stoppedEverywhere(t *testing.T, name string, f func(context.Context) error, check func()) int {
	t.Helper()
	cause := errors.New("the lights went out")
	for looks := 0; ; looks++ {
		if !testutil.Long() {
			looks += looks / 4
		}
		ctx, release := faults.StoppedAfter(looks, cause)
		err := f(ctx)
		release()
		if err == nil {
			return looks
		}
		if !errors.Is(err, cause) {
			t.Fatalf("%s, stopped after %d looks: %v", name, looks, err)
		}
		check()
		if looks > 50000 {
			t.Fatalf("%s never comes to an end", name)
		}
	}
}

// TestStopped stops every operation at any place: the models are to the bit what they were.
func TestStopped(t *testing.T) {
	testutil.NotUnderRace(t, "starts no goroutine")
	// Groups, autoencoders, panels and the steps of an update are looked at.
	least := map[string]int{"FitWeighted": 2 * admmIterations, "PartialFitWeighted": 3, "Refit": 3, "Tune": 2 * admmIterations}
	for _, method := range allMethods {
		for _, fitted := range []bool{false, true} {
			for _, o := range operations {
				p := newPair(t, nil, method)
				name := strings.TrimPrefix(strings.TrimPrefix(o.name, "Classifier."), "Regressor.")
				want, in := max(2, least[name]), p.given(0, 60)
				if name == "Remove" {
					in = p.given(0, 10) // the others are enough
				}
				p.c.Features.EnhancementNodes, p.r.Features.Shrink = 11, 0 // Tune has something to find
				check := func() {
					if p.c.model != nil || p.r.model != nil {
						t.Fatalf("%v: %s was stopped, and there is a model", method, o.name)
					}
				}
				switch {
				case o.has(contextless), !fitted && !strings.Contains(o.name, "FitWeighted"):
					continue
				case !fitted:
					want = least["FitWeighted"]
				default:
					p.learn(0, 60)
					before := p.encoded()
					check = func() {
						if !bytes.Equal(p.encoded(), before) {
							t.Fatalf("%v: %s was stopped, and the models are others", method, o.name)
						}
					}
					if name == "PartialFitWeighted" || name == "Refit" {
						in = p.given(60, 130)
						in.labels = cyclic(70, 4) // a copy learns the new class
					}
				}
				n := stoppedEverywhere(t, o.name, func(ctx context.Context) error { return o.do(p, ctx, in) }, check)
				if n < want {
					t.Errorf("%v: %s looks %d times", method, o.name, n)
				}
			}
		}
	}
}

// Many rows are stopped before each panel, of 4096 where there are few columns.
func TestStoppedBeforePanels(t *testing.T) {
	const l = 3*4096 + 1
	p := newPair(t, nil, blsupdate.Gram).learn(0, 60)
	p.x = samples(63, l, 12, 12)
	in := given{x: p.x, y: targetsFor(p.x, 2), labels: labelsFor(l)}
	calls := map[string]func(context.Context) error{
		"columnScales": func(ctx context.Context) error { _, _, err := columnScales(ctx, in.x); return err },
		"TransformContext": func(ctx context.Context) error {
			_, err := p.c.FittedFeatures().TransformContext(ctx, in.x)
			return err
		},
	}
	for _, o := range operations {
		if strings.Contains(o.name, "Expand") || strings.Contains(o.name, "Predict") || strings.Contains(o.name, "Decision") {
			calls[o.name] = func(ctx context.Context) error { return o.do(p, ctx, in) }
		}
	}
	for name, f := range calls {
		if n := stoppedEverywhere(t, name, f, func() {}); n < 4 {
			t.Errorf("%s looks %d times", name, n)
		}
	}
}

// encoded returns what a model is encoded as.
func encoded(t testing.TB, m interface{ Encode(w io.Writer) error }) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, m.Encode(&b))
	return b.Bytes()
}
