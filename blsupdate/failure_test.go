package blsupdate

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

func nan(m *mat.Dense, i, j int, v float64) *mat.Dense {
	c := gonummat.DenseCopyOf(m)
	c.Set(i, j, v)
	return c
}

func TestBadStart(t *testing.T) {
	r, a, y := problem(9, 0, 6, 3, 1)
	for _, test := range []struct {
		name   string
		method Method
		a, y   *mat.Dense
		opt    Options
		as     any
		says   string
	}{
		{"no A", Original, nil, y, Options{}, new(*ShapeError), "A is 0×0"},
		{"no Y", Original, a, &mat.Dense{}, Options{}, new(*ShapeError), "Y is 0×0"},
		{"rows", Original, a, testutil.Random(r, 5, 1), Options{}, new(*ShapeError), "Y is 5×1; want 6 rows"},
		{"NaN in A", Original, nan(a, 1, 2, math.NaN()), y, Options{}, new(*NotFiniteError), "element (1,2) of A is NaN"},
		{"Inf in Y", Original, a, nan(y, 5, 0, math.Inf(1)), Options{}, new(*NotFiniteError), "element (5,0) of Y is +Inf"},
		{"negative lambda", Improved, a, y, Options{Lambda: -1}, new(*OptionError), "Lambda is -1"},
		{"lambda NaN", Improved, a, y, Options{Lambda: math.NaN()}, new(*OptionError), "Lambda is NaN"},
		{"lambda Inf", Improved, a, y, Options{Lambda: math.Inf(1)}, new(*OptionError), "Lambda is +Inf"},
		{"form", Improved, a, y, Options{Form: 17}, new(*OptionError), "Form is Form(17)"},
		{"method", Method(-1), a, y, Options{}, new(*OptionError), "Method is Method(-1)"},
		{"no method", 0, a, y, Options{}, new(*OptionError), "Method is Method(0); want improved, original, ridge-inverse, inverse-cholesky, gram, qr"},
		{"a method too far", QR + 1, a, y, Options{}, new(*OptionError), "Method is Method(7)"},
		{"C", Improved, a, y, Options{C: 9}, new(*OptionError), "C is CMode(9)"},
		{"C with a ridge", Improved, a, y, Options{C: CCheck, Lambda: 1}, new(*OptionError), "Lambda = 0"},
		{"wide with a ridge", Improved, testutil.Random(r, 2, 3), testutil.Random(r, 2, 1), Options{Lambda: 1}, new(*RankError), "2 samples for 3 nodes"},
	} {
		u, err := New(test.method, test.a, test.y, test.opt)
		if u != nil || err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		if !errors.As(err, test.as) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v (%T) does not say %q", test.name, err, err, test.says)
		}
	}
}

func TestNames(t *testing.T) {
	for _, m := range Methods() {
		if got, err := ParseMethod(strings.ToUpper(m.String())); got != m || err != nil {
			t.Errorf("ParseMethod(%v) = %v, %v", m, got, err)
		}
	}
	for _, f := range []Form{Auto, Paper, Small, Large, Compressed} {
		if got, err := ParseForm(f.String()); got != f || err != nil {
			t.Errorf("ParseForm(%v) = %v, %v", f, got, err)
		}
	}
	if _, err := ParseMethod("best"); err == nil || !strings.Contains(err.Error(), "improved, original") {
		t.Errorf("ParseMethod(best) = %v", err)
	}
	if _, err := ParseForm(""); err == nil {
		t.Error("ParseForm of nothing succeeds")
	}
}

// A panicky is a backend that panics in a call, after left others: before it does anything, or when it
// has written its result.
type panicky struct {
	blskernel.Backend
	left  int
	after bool
}

const brokenBackend = "the backend is broken"

func (b *panicky) call(do func()) {
	b.left--
	if b.left == -1 && !b.after {
		panic(brokenBackend)
	}
	do()
	if b.left == -1 {
		panic(brokenBackend)
	}
}

func (b *panicky) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, x []float64, ldx int, beta float64, c []float64, ldc int) {
	b.call(func() { b.Backend.Dgemm(tA, tB, m, n, k, alpha, a, lda, x, ldx, beta, c, ldc) })
}

func (b *panicky) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	b.call(func() { b.Backend.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc) })
}

func (b *panicky) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, x []float64, ldx int) {
	b.call(func() { b.Backend.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, x, ldx) })
}

func (b *panicky) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, x []float64, ldx int) {
	b.call(func() { b.Backend.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, x, ldx) })
}

// panicsByBackend tells whether f panics, which must be by the backend.
func panicsByBackend(t *testing.T, f func()) (did bool) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			if did = true; v != brokenBackend {
				t.Errorf("panics with %v", v)
			}
		}
	}()
	f()
	return false
}

// TestBackendPanics has a backend of a user that panics in the n-th of its calls, for every n, before
// and after it has written: a model that was being changed is refused for ever, and Weights and
// Condition, which change nothing, are what they would have been, and leave the model so. No model goes
// on with a state that was half changed.
func TestBackendPanics(t *testing.T) {
	pure, err := blskernel.Lookup("pure")
	must(t, err)
	const l, k, c, q = 40, 12, 2, 15
	a, y := memoryData(l, k, c)
	ax, ya := memoryData(q, k, c)
	h, _ := memoryData(l, 3, c)
	for i := range l {
		h.Set(i, i%3, float64(i%11)-5)
	}
	count := 0
	for _, m := range Methods() {
		for name, act := range map[string]struct {
			changes bool
			do      func(u Updater) error
		}{
			"AddInputs": {true, func(u Updater) error { return u.AddInputs(ax, ya) }},
			"RemoveInputs": {true, func(u Updater) error {
				return u.RemoveInputs(a.Slice(0, 4, 0, k).(*mat.Dense), y.Slice(0, 4, 0, c).(*mat.Dense))
			}},
			"AddNodes":   {true, func(u Updater) error { return u.AddNodes(a, h, y) }},
			"AddTargets": {true, func(u Updater) error { return u.AddTargets(mat.NewDense(c, 3, nil)) }},
			"Weights":    {false, func(u Updater) error { _, err := u.Weights(); return err }},
			"Condition":  {false, func(u Updater) error { u.Condition(); return nil }},
		} {
			for _, after := range []bool{false, true} {
				for n := 0; ; n++ {
					b := &panicky{Backend: pure, left: 1 << 30, after: after}
					u := started(t, m, a, y, Options{Lambda: 0.1, Backend: b})
					b.left = n
					if !panicsByBackend(t, func() { err = act.do(u) }) {
						if err != nil {
							t.Errorf("%v, %s: %v", m, name, err)
						}
						break
					}
					count++
					b.left = 1 << 30
					if act.changes {
						wantPoisoned(t, u, ax, ya)
						continue
					}
					other := started(t, m, a, y, Options{Lambda: 0.1, Backend: b})
					for step, do := range []func(Updater) error{act.do, func(u Updater) error { return u.AddInputs(ax, ya) }} {
						if err := errors.Join(do(u), do(other)); err != nil || !bytes.Equal(encoded(t, u), encoded(t, other)) {
							t.Errorf("%v, %s, call %d: the model has changed after step %d (%v)", m, name, n, step, err)
						}
					}
				}
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d panics", count)
	}
	t.Logf("%d panics", count)
}

// wantPoisoned checks that a model that a panic has left half changed is refused.
func wantPoisoned(t *testing.T, u Updater, ax, ya *mat.Dense) {
	t.Helper()
	other := started(t, u.Method(), ax, ya, Options{Lambda: 0.1})
	calls := map[string]error{
		"AddInputs": u.AddInputs(ax, ya), "RemoveInputs": u.RemoveInputs(ax, ya), "Forget": u.Forget(0.5), "Encode": Encode(new(bytes.Buffer), u),
	}
	_, calls["Weights"] = u.Weights()
	calls["AddTargets"] = u.AddTargets(mat.NewDense(u.Targets(), 1, nil))
	if Supports(u.Method(), ActionMerge) {
		calls["Merge"], calls["Merge of another"] = u.Merge(other), other.Merge(u)
	}
	if Supports(u.Method(), ActionRidge) {
		calls["SetLambda"] = u.SetLambda(0.2)
	}
	if l, ok := u.(Leverager); ok {
		_, calls["Leverage"] = l.Leverage(ax)
	}
	for name, err := range calls {
		if !is[*StateError](err) {
			t.Errorf("%v, %s after a panic: %v", u.Method(), name, err)
		}
	}
}

// TestCanceled cancels updates at every look at the context: the model is what it was, and then learns
// the batch as if nothing had been.
func TestCanceled(t *testing.T) {
	eachLife(t, func(t *testing.T, l *life, b blskernel.Backend) {
		_, k := l.a.Dims()
		u := started(t, l.v.method, l.a, l.y, l.opt)
		for _, q := range []int{1, 5, 4 * k, 100} {
			ax, ya := testutil.Random(l.r, q, k), testutil.Random(l.r, q, 2)
			checkCanceled(t, u, b, func(ctx context.Context, u Updater) error { return u.AddInputsContext(ctx, ax, ya) })
			weights := make([]float64, q)
			for i := range weights {
				weights[i] = l.r.Float64()
			}
			checkCanceled(t, u, b, func(ctx context.Context, u Updater) error { return u.AddWeightedInputsContext(ctx, ax, ya, weights) })
			do(t, u, u.AddInputs(ax, ya))
		}
	})
}

// checkCanceled cancels an action on copies of u at every look, and returns how many there are.
func checkCanceled(t *testing.T, u Updater, b blskernel.Backend, act func(ctx context.Context, u Updater) error) (looks int) {
	t.Helper()
	before := encoded(t, u)
	plain := decoded(t, before, b)
	must(t, act(context.Background(), plain))
	after := encoded(t, plain)
	for ; ; looks++ {
		v := decoded(t, before, b)
		report := v.Report()
		err := act(faults.CanceledAfter(looks), v)
		if err == nil {
			if !bytes.Equal(encoded(t, v), after) {
				t.Fatal("with a context it is another state")
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("look %d: %v", looks, err)
		}
		if !bytes.Equal(encoded(t, v), before) {
			t.Fatalf("look %d: another state", looks)
		}
		checkReportSame(t, v.Report(), report)
		if err := act(context.Background(), v); err != nil || !bytes.Equal(encoded(t, v), after) {
			t.Fatalf("look %d: going on after it is another state (%v)", looks, err)
		}
	}
	if looks == 0 {
		t.Fatal("nobody looks at the context")
	}
	return looks
}

// TestCanceledPanels cancels long updates of Gram and QR, and starts of all methods, between panels.
func TestCanceledPanels(t *testing.T) {
	const k, c, panels = 3, 2, 3
	const long = (panels-1)*state.PanelRows + 7
	_, a, y := problem(75, 0, long, k, c)
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		opt := Options{Form: v.form, Solve: v.solve, Backend: b}
		if v.method == Gram || v.method == QR {
			u := v.start(t, b, rowsBetween(a, 0, 9), rowsBetween(y, 0, 9), 0)
			for range 2 { // with and without weights that have been asked for
				looks := checkCanceled(t, u, b, func(ctx context.Context, u Updater) error { return u.AddInputsContext(ctx, a, y) })
				if looks != panels {
					t.Errorf("%d looks for %d panels", looks, panels)
				}
				do(t, u, u.AddInputs(a, y))
				weights(t, u)
				do(t, u, u.Forget(0.5))
			}
		}
		// The others look as often at least, for every sum over the rows.
		if v.method == InverseCholesky || v.method == RidgeInverse || v.form == Large {
			u := v.start(t, b, rowsBetween(a, 0, 9), rowsBetween(y, 0, 9), 0)
			least := panels
			if v.method == InverseCholesky && v.form == Small {
				least = long / cholesky.SweptRows(k)
			}
			ctx := faults.NeverCanceled()
			do(t, u, u.AddInputsContext(ctx, a, y))
			if looks := ctx.Looks(); looks < least {
				t.Errorf("%v looks %d times, want %d", v, looks, least)
			}
			u = v.start(t, b, rowsBetween(a, 0, 9), rowsBetween(y, 0, 9), 0)
			before := encoded(t, u)
			if err := u.AddInputsContext(faults.CanceledAfter(least-1), a, y); !errors.Is(err, context.Canceled) || !bytes.Equal(encoded(t, u), before) {
				t.Errorf("%v: canceled before its end: %v", v, err)
			}
		}
		want := v.start(t, b, a, y, 0)
		looks := 0
		for ; ; looks++ {
			u, err := NewContext(faults.CanceledAfter(looks), v.method, a, y, opt)
			if err == nil {
				checkReport(t, u)
				checkSame(t, "with a context", u, want)
				break
			}
			if u != nil || !errors.Is(err, context.Canceled) {
				t.Fatalf("look %d: %v", looks, err)
			}
		}
		if looks < panels {
			t.Errorf("%d looks for %d panels", looks, panels)
		}
	})
}

// TestCause: the error says why.
func TestCause(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for _, u := range smallModels(t) {
		k := u.Nodes()
		r := rand.New(rand.NewPCG(76, 0))
		if err := u.AddInputsContext(ctx, testutil.Random(r, 2, k), testutil.Random(r, 2, 1)); !errors.Is(err, cause) {
			t.Errorf("%v: %v", u.Method(), err)
		}
		if _, err := NewContext(ctx, u.Method(), testutil.Random(r, 5, k), testutil.Random(r, 5, 1), Options{}); !errors.Is(err, cause) {
			t.Errorf("%v: %v", u.Method(), err)
		}
		if err := u.AddInputsContext(ctx, testutil.Random(r, 2, k+1), testutil.Random(r, 2, 1)); !is[*ShapeError](err) {
			t.Errorf("%v: wrong shapes are a mistake whether or not it is canceled: %v", u.Method(), err)
		}
	}
}

// A ConditionError gives one advice, and leaves out that of the factorization, which is for callers of
// lapack.
func TestConditionErrorText(t *testing.T) {
	u, err := New(Gram, mat.NewDense(4, 3, slices.Repeat([]float64{1}, 12)), mat.NewDense(4, 1, make([]float64, 4)), Options{})
	if err == nil {
		_, err = u.Weights()
	}
	const want = "blsupdate: A'A + lambda I: singular to working precision (pivot 1 is 0); use the method qr, a larger ridge, or scale the columns"
	if err == nil || err.Error() != want || !errors.Is(err, lapack.ErrNotPositiveDefinite) {
		t.Errorf("%v; want %s", err, want)
	}
}
