package blsupdate

import (
	"bytes"
	"errors"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A panicky is a backend that panics in a call, after left others: before the call does anything, or
// after it has written its result.
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

// panicsByBackend reports whether f panics. A panic must come from the backend.
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

// TestBackendPanics has a user's backend that panics in the n-th of its calls, for every n, before or
// after writing its result. A model that was being changed is refused forever. Weights and Condition,
// which change nothing, then return what they would have, and leave the model unchanged. No model
// continues with a half-changed state.
func TestBackendPanics(t *testing.T) {
	pure, err := blskernel.Lookup("pure")
	must(t, err)
	const l, k, c, q = 40, 12, 2, 15
	r, a, y := problem(95, 0, l, k, c)
	ax, ya, h := testutil.Random(r, q, k), testutil.Random(r, q, c), testutil.Random(r, l, 3)
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

// wantPoisoned checks that a model that a panic left half changed is refused.
func wantPoisoned(t *testing.T, u Updater, ax, ya *mat.Dense) {
	t.Helper()
	other := started(t, u.Method(), ax, ya, Options{Lambda: 0.1})
	_, err := u.Weights()
	calls := []error{err, u.AddInputs(ax, ya), u.RemoveInputs(ax, ya), u.Forget(0.5), Encode(new(bytes.Buffer), u), u.AddTargets(mat.NewDense(u.Targets(), 1, nil))}
	if Supports(u.Method(), ActionMerge) {
		calls = append(calls, u.Merge(other), other.Merge(u))
	}
	if Supports(u.Method(), ActionRidge) {
		calls = append(calls, u.SetLambda(0.2))
	}
	if l, ok := u.(Leverager); ok {
		_, err := l.Leverage(ax)
		calls = append(calls, err)
	}
	for i, err := range calls {
		if !is[*StateError](err) {
			t.Errorf("%v, call %d after a panic: %v", u.Method(), i, err)
		}
	}
}
