package blsupdate

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"
)

// TestCanceled cancels updates at every check of the context: the model is unchanged, and then learns
// the batch as if nothing had happened. The error has the cause, unless shapes are wrong.
func TestCanceled(t *testing.T) {
	cause := errors.New("enough")
	canceled, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	eachSequence(t, func(t *testing.T, h *sequence, opt Options) {
		u, k := h.u, h.u.Nodes()
		for _, q := range []int{1, 5, 4 * k, 100} {
			ax, ya := testutil.Random(h.r, q, k), testutil.Random(h.r, q, 2)
			weights := make([]float64, q)
			for i := range weights {
				weights[i] = h.r.Float64()
			}
			checkCanceled(t, u, opt.Backend, func(ctx context.Context, u Updater) error {
				if q%2 == 1 {
					return u.AddInputsContext(ctx, ax, ya, nil)
				}
				return u.AddInputsContext(ctx, ax, ya, weights)
			})
			do(t, u, u.AddInputs(ax, ya))
			_, err := NewContext(canceled, u.Method(), h.a, h.y, opt)
			if other := u.AddInputsContext(canceled, ax, ya, nil); !errors.Is(err, cause) || !errors.Is(other, cause) {
				t.Errorf("%v, %v", err, other)
			}
			if err := u.AddInputsContext(canceled, testutil.Random(h.r, 2, k+1), ya, nil); !is[*ShapeError](err) {
				t.Errorf("wrong shapes are a mistake whether or not it is canceled: %v", err)
			}
		}
	})
}

// checkCanceled cancels an action on copies of u at every check, and returns how many there are.
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
				looks := checkCanceled(t, u, b, func(ctx context.Context, u Updater) error { return u.AddInputsContext(ctx, a, y, nil) })
				if looks != 1+panels { // once before all work
					t.Errorf("%d looks for %d panels", looks, panels)
				}
				do(t, u, u.AddInputs(a, y))
				weights(t, u)
				do(t, u, u.Forget(0.5))
			}
		}
		// The others check at least as often, in every sum over the rows.
		if v.method == InverseCholesky || v.method == RidgeInverse || v.form == Large {
			least := panels
			if v.method == InverseCholesky && v.form == Small {
				least = long / cholesky.SweptRows(k)
			}
			u := v.start(t, b, rowsBetween(a, 0, 9), rowsBetween(y, 0, 9), 0)
			refused(t, u, digest(u), u.AddInputsContext(faults.CanceledAfter(least-1), a, y, nil), func(err error) bool { return errors.Is(err, context.Canceled) })
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

// The QR factorizations of Improved check the context before each block of columns: of all new rows in
// the form Compressed, of D if rows are large, and of A at a start.
func TestCanceledFactorization(t *testing.T) {
	const k, blocks = 150, 5 // of 32 columns
	r, a, y := problem(76, 0, 2*k, k, 2)
	u := started(t, Improved, a, y, Options{})
	ax, ya := testutil.Random(r, 3*k, k), testutil.Random(r, 3*k, 2)
	large, few := testutil.Random(r, k, k), testutil.Random(r, k, 2)
	large.Scale(1e3, large)
	for name, rows := range map[string][2]*mat.Dense{"Compressed": {ax, ya}, "large rows": {large, few}} {
		looks := checkCanceled(t, u, nil, func(ctx context.Context, u Updater) error { return u.AddInputsContext(ctx, rows[0], rows[1], nil) })
		if looks < 2*blocks {
			t.Errorf("%s: %d looks", name, looks)
		}
	}
	ctx := faults.NeverCanceled()
	_, err := NewContext(ctx, Improved, large, few, Options{}) // too few rows for the Cholesky factor
	if looks := ctx.Looks(); err != nil || looks < 2*blocks {
		t.Errorf("a start: %d looks, %v", looks, err)
	}
}
