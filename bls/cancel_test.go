package bls

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"
)

var allMethods = []blsupdate.Method{blsupdate.Improved, blsupdate.Original, blsupdate.RidgeInverse, blsupdate.InverseCholesky, blsupdate.Gram, blsupdate.QR}

// stoppedEverywhere calls f with contexts that are done after 0, 1, 2, ... checks until f returns nil,
// and returns their number. Unless every is true it skips more and more of them. Errors must wrap the
// cause of the context, and check must find nothing changed.
func stoppedEverywhere(t *testing.T, name string, every bool, f func(context.Context) error, check func()) int {
	t.Helper()
	cause := errors.New("the lights went out")
	for looks := 0; ; looks++ {
		if !every {
			looks += looks / 8
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

// TestStopped stops every operation at every check: the models keep all their bits. A first fit has
// thousands of checks, so the short form stops it everywhere in FitContext alone.
func TestStopped(t *testing.T) {
	testutil.NotUnderRace(t, "starts no goroutine")
	// Groups, autoencoders, panels and the steps of an update are looked at.
	least := map[string]int{"FitContext": 2 * admmIterations, "PartialFitContext": 3, "Refit": 3, "Tune": 2 * admmIterations}
	for _, method := range allMethods {
		for _, fitted := range []bool{false, true} {
			for _, o := range operations {
				p := newPair(t, nil, method)
				_, name, _ := strings.Cut(o.name, ".")
				want, in := max(2, least[name]), p.given(0, 60)
				p.r.Features.Shrink = 0 // Tune has something to find
				state := func() []byte { return nil }
				if fitted {
					p.learn(0, 60)
					state = p.encoded
				} else if want = least["FitContext"]; !strings.Contains(name, "FitContext") {
					continue
				}
				switch name {
				case "Remove":
					in = p.given(0, 10) // the others are enough
				case "PartialFitContext", "Refit":
					if fitted {
						in = p.given(60, 130)
						in.labels = cyclic(70, 4) // a copy learns the new class
					}
				}
				before := state()
				everywhere := method == blsupdate.Gram && name != "Tune" && (testutil.Long() || fitted != (name == "FitContext"))
				n := stoppedEverywhere(t, o.name, everywhere, func(ctx context.Context) error { return o.do(p, ctx, in) }, func() {
					if (p.c.model != nil) != fitted || (p.r.model != nil) != fitted || !bytes.Equal(state(), before) {
						t.Fatalf("%v: %s was stopped, and the models are others", method, o.name)
					}
				})
				if n < want {
					t.Errorf("%v: %s looks %d times", method, o.name, n)
				}
			}
		}
	}
}

// A nil context panics with a constant text before anything changes.
func TestNilContext(t *testing.T) {
	var none context.Context
	for _, method := range allMethods {
		p := newPair(t, nil, method).learn(0, 60)
		before := p.encoded()
		for _, o := range operations {
			testutil.MustPanic(t, interrupt.NoContext, func() { _ = o.do(p, none, p.given(0, 10)) })
		}
		testutil.MustPanic(t, interrupt.NoContext, func() {
			_ = p.c.Updater().AddInputsContext(none, mat.NewDense(1, 16, nil), mat.NewDense(1, 4, nil), nil)
		})
		if !bytes.Equal(p.encoded(), before) {
			t.Errorf("%v: a nil context changes the model", method)
		}
	}
	p := newPair(t, nil, blsupdate.Gram)
	must(t, errors.Join(p.c.PartialFit(p.x, p.labels), p.r.PartialFit(p.x, p.y))) // which keep the samples
	in, empty := p.given(0, 10), p.decoded()
	must(t, errors.Join(empty.c.Remove(p.x, p.labels), empty.r.Remove(p.x, p.y)))
	testutil.MustPanic(t, interrupt.NoContext, func() { _ = p.c.RemoveContext(none, in.x, in.labels, nil) })
	testutil.MustPanic(t, interrupt.NoContext, func() { _ = p.r.MergeContext(none, empty.r) })
}

// An operation on many rows checks the context before each panel of 4096 rows of few columns.
func TestStoppedBeforePanels(t *testing.T) {
	const l = 3*4096 + 1
	p := newPair(t, nil, blsupdate.Gram).learn(0, 60)
	p.x = samples(63, l, 12, 12)
	in := given{x: p.x, y: targetsFor(p.x, 2), labels: labelsFor(l)}
	calls := map[string]func(context.Context) error{
		"columnScales": func(ctx context.Context) error { _, _, err := columnScales(ctx, in.x); return err },
	}
	for _, o := range operations {
		if o.name == "Classifier.TransformContext" || strings.Contains(o.name, "Expand") || strings.Contains(o.name, "Predict") || strings.Contains(o.name, "Decision") {
			calls[o.name] = func(ctx context.Context) error { return o.do(p, ctx, in) }
		}
	}
	for name, f := range calls {
		if n := stoppedEverywhere(t, name, true, f, func() {}); n < 4 {
			t.Errorf("%s looks %d times", name, n)
		}
	}
}

func encoded(t testing.TB, m interface{ Encode(w io.Writer) error }) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, m.Encode(&b))
	return b.Bytes()
}

// A method with a context has the name and arguments of a method without one; weights may follow. Every
// method that processes samples or solves for the weights has both forms.
func TestContextForms(t *testing.T) {
	ctx, weights := reflect.TypeFor[context.Context](), reflect.TypeFor[[]float64]()
	both := strings.Fields("Fit PartialFit Remove Refit Merge SetLambda Tune Calibrate PartialCalibrate CalibrateLearned CalibratePartialFit Score Predict PredictInterval PredictSet PredictProba DecisionFunction Importance Outside Expand Weights " +
		"Transform AddInputs RemoveInputs Rebuild AddNodes AddTargets MapTargets Leverage LeaveOneOut Refine")
	for _, of := range []reflect.Type{
		reflect.TypeFor[*Classifier](), reflect.TypeFor[*Regressor](), reflect.TypeFor[*Features](),
		reflect.TypeFor[blsupdate.Updater](), reflect.TypeFor[blsupdate.Leverager](), reflect.TypeFor[blsupdate.Refiner](),
	} {
		first := 1 // the receiver, which methods of interfaces lack
		if of.Kind() == reflect.Interface {
			first = 0
		}
		arguments := func(m reflect.Method) (args []reflect.Type) {
			for i := first; i < m.Type.NumIn(); i++ {
				args = append(args, m.Type.In(i))
			}
			return args
		}
		for i := range of.NumMethod() {
			m := of.Method(i)
			name, isContext := strings.CutSuffix(m.Name, "Context")
			args := arguments(m)
			if takes := len(args) > 0 && args[0] == ctx; takes != isContext {
				t.Errorf("%v.%s takes a context: %v", of, m.Name, takes)
			} else if isContext {
				short, ok := of.MethodByName(name)
				want := arguments(short)
				got := args[1:]
				if len(got) == len(want)+1 && got[len(want)] == weights {
					got = got[:len(want)]
				}
				if !ok || !slices.Equal(got, want) {
					t.Errorf("%v.%s has no form without a context and weights", of, m.Name)
				}
			} else if _, ok := of.MethodByName(name + "Context"); ok != slices.Contains(both, name) {
				t.Errorf("%v.%s has a form with a context: %v", of, name, ok)
			}
		}
	}
}
