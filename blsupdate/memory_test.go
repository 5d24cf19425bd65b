package blsupdate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/io/memory"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"
)

// refusedForMemory checks that f returns a *MemoryError with the given need, or any need if that is 0,
// and that f allocates no more than its message.
func refusedForMemory(t *testing.T, what string, need int64, f func() error) {
	t.Helper()
	var err error
	bytes := faults.Allocated(func() { err = f() })
	var e *MemoryError
	if !errors.As(err, &e) || need > 0 && e.Need != need || e.Need <= e.Have || e.Op != "blsupdate" || e.What == "" || e.Do == "" || e.Limit == "" {
		t.Errorf("%s: %v", what, err)
	}
	if bytes > 1<<16 {
		t.Errorf("%s: %d bytes were allocated", what, bytes)
	}
}

// TestMemoryStart has limits close to what a start allocates: with one byte less than StateBytes it is
// refused before anything is allocated; with StateBytes it starts and allocates all of them. Sizes
// beyond any memory are refused, and those beyond a 32-bit int are right.
func TestMemoryStart(t *testing.T) {
	const l, k, c = 300, 200, 3
	_, a, y := problem(94, 0, l, k, c)
	for _, m := range Methods() {
		if got := StateBytes(m, math.MaxInt32, math.MaxInt32, math.MaxInt32); got != math.MaxInt64 {
			t.Errorf("%v: %d", m, got)
		}
		refusedForMemory(t, m.String(), math.MaxInt64, func() error { return checkMemory(m, math.MaxInt32, math.MaxInt32, math.MaxInt32, 0) })
		need := StateBytes(m, l, k, c)
		opt := Options{Lambda: 0.1}
		undo := memory.Limit(need - 1)
		refusedForMemory(t, m.String(), need, func() error { _, err := New(m, a, y, opt); return err })
		undo()
		undo = memory.Limit(need)
		var err error
		bytes := faults.Allocated(func() { _, err = New(m, a, y, opt) })
		undo()
		if err != nil || bytes < uint64(need) {
			t.Errorf("%v: %v, %d bytes allocated, which is to be no less than %d", m, err, bytes, need)
		}
	}
	if got := StateBytes(Gram, 0, 100_000, 1); got != 4*100_000*100_001+800_000 {
		t.Errorf("%d", got)
	}
	testutil.MustPanic(t, "blsupdate: StateBytes: negative size", func() { StateBytes(Gram, 1, -1, 1) })
}

// TestMemoryWork checks that work that copies or factors the state is refused until there is as much
// memory as the error said. A refusal leaves every bit of the model; the work then allocates at least
// as much as was said.
func TestMemoryWork(t *testing.T) {
	testutil.NotUnderRace(t, "it counts bytes")
	const l, k, c = 500, 200, 3
	r, a, y := problem(94, 1, l, k, c)
	large := scaled(testutil.Random(r, 16, k), 1e10)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	add := func(q int) func(u Updater) error {
		return func(u Updater) error { return u.AddInputs(dense.RowRange(a, 0, q), dense.RowRange(y, 0, q)) }
	}
	remove := func(q int) func(u Updater) error {
		return func(u Updater) error { return u.RemoveInputs(dense.RowRange(a, 0, q), dense.RowRange(y, 0, q)) }
	}
	ridge := func(lambda float64) func(u Updater) error {
		return func(u Updater) error { return u.SetLambda(lambda) }
	}
	weights := func(u Updater) error { _, err := u.Weights(); return err }
	type work struct {
		name string
		m    Method
		opt  Options
		act  func(u Updater) error
	}
	all := []work{
		{"AddInputs in blocks", RidgeInverse, Options{Form: Small}, add(70)},
		{"AddInputs by inverses", RidgeInverse, Options{Form: Large}, add(70)},
		{"AddInputs by I + S'S", InverseCholesky, Options{Form: Large}, add(70)},
		{"AddInputs that may be canceled", InverseCholesky, Options{Form: Small}, func(u Updater) error {
			return u.AddInputsContext(ctx, dense.RowRange(a, 0, 70), dense.RowRange(y, 0, 70), nil)
		}},
		{"RemoveInputs in one block", RidgeInverse, Options{}, remove(5)},
		{"RemoveInputs by rotations", QR, Options{}, remove(5)},
		{"RemoveInputs row by row", InverseCholesky, Options{}, remove(2)},
		{"SetLambda up", QR, Options{}, ridge(0.2)},
		{"SetLambda down", QR, Options{}, ridge(0.05)},
		{"Refine", Gram, Options{}, func(u Updater) error { return u.(Refiner).Refine(a, y) }},
	}
	h := testutil.Random(r, l, 40)
	for _, m := range Methods() {
		all = append(all, work{"RemoveInputs", m, Options{}, remove(250)}, work{"Weights", m, Options{}, weights},
			work{"AddNodes", m, Options{}, func(u Updater) error { return u.AddNodes(a, h, y) }},
			work{"AddTargets", m, Options{}, func(u Updater) error { return u.AddTargets(mat.NewDense(c, 500, nil)) }},
			work{"AddInputsContext", m, Options{}, func(u Updater) error { return u.AddInputsContext(background, a, y, make([]float64, l)) }})
		if keepsInverse(m) { // the others ask for memory only where they copy something
			all = append(all, work{"AddInputs", m, Options{}, add(250)})
		}
	}
	for _, lambda := range []float64{0, 0.1} {
		other := started(t, QR, a, y, Options{Lambda: lambda})
		all = append(all, work{"Merge", QR, Options{}, func(u Updater) error { return u.Merge(other) }})
	}
	for _, w := range all {
		w.opt.Lambda = 0.1
		most := uint64(1 << 16)
		// AddInputsContext scales the rows before the method asks for more.
		if w.name == "AddInputsContext" {
			most = 1 << 20
		}
		refusedUntilThereIsMemory(t, w.m.String()+", "+w.name, most, w.m, a, y, w.opt, w.act)
	}
	// Whether a batch is added in two parts, with a copy to go back to, is known when D has been
	// computed.
	for _, m := range []Method{Improved, Original} {
		need := refusedUntilThereIsMemory(t, m.String()+" in two parts", 1<<30, m, a, y, Options{Workspace: 1, Form: Small},
			func(u Updater) error { return u.AddInputs(large, dense.RowRange(y, 0, 16)) })
		if copied := memory.Floats(l, k); need < copied {
			t.Errorf("%v in two parts is said to need %d bytes, and copies %d", m, need, copied)
		}
		u := started(t, m, a, y, Options{Workspace: 1, Form: Small})
		bytes := faults.Allocated(func() { must(t, u.AddInputs(large, dense.RowRange(y, 0, 16))) })
		if copied := memory.Floats(l, k); bytes > 8*uint64(copied) { // only the whole batch copies the state
			t.Errorf("%v in many parts allocates %d bytes, %d times the state", m, bytes, int64(bytes)/copied)
		}
		few, fewY, more, moreY := dense.RowRange(a, 0, 150), dense.RowRange(y, 0, 150), dense.RowRange(a, 150, 250), dense.RowRange(y, 150, 250)
		need = refusedUntilThereIsMemory(t, m.String()+" to full rank", 1<<30, m, few, fewY, Options{}, func(u Updater) error { return u.AddInputs(more, moreY) })
		if again := memory.Floats(2*250, k); need < again {
			t.Errorf("%v to full rank is said to need %d bytes, and allocates %d", m, need, again)
		}
	}
}

// refusedUntilThereIsMemory lets act change a model with more and more memory, each time as much as the
// last error asked for, and returns what it finally needed. No refusal allocates more than most bytes.
func refusedUntilThereIsMemory(t *testing.T, what string, most uint64, m Method, a, y *mat.Dense, opt Options, act func(u Updater) error) (need int64) {
	t.Helper()
	u := started(t, m, a, y, opt)
	var err error
	before := encoded(t, u)
	limit := int64(1)
	for range 20 {
		undo := memory.Limit(limit)
		bytes := faults.Allocated(func() { err = act(u) })
		undo()
		var e *MemoryError
		if !errors.As(err, &e) {
			if err != nil || limit == 1 || bytes < uint64(limit) {
				t.Errorf("%s: %v with a limit of %d bytes, %d allocated", what, err, limit, bytes)
			}
			return limit
		}
		if e.Need <= limit || e.Have != limit || e.Op != "blsupdate" || e.What == "" || e.Do == "" || bytes > most {
			t.Errorf("%s: %v; %d bytes allocated", what, err, bytes)
		}
		nodes, weighted := strings.HasSuffix(what, "AddNodes"), strings.HasSuffix(what, "AddInputsContext")
		if (nodes || weighted) && (strings.Contains(e.Do, "fewer rows") != weighted || strings.Contains(e.Do, "or the method gram or qr") != keepsInverse(m)) {
			t.Errorf("%s: %v", what, err)
		}
		if string(encoded(t, u)) != string(before) {
			t.Errorf("%s: the model has changed", what)
		}
		limit = max(e.Need, limit+1)
	}
	t.Errorf("%s: is refused with all that it needs: %v", what, err)
	return limit
}

// TestMemoryCondition calls Condition without memory for the solution: the advice says that, and
// nothing about the matrix. An update by many rows needs a copy of G or R only if it can be canceled.
func TestMemoryCondition(t *testing.T) {
	const k, targets = 40, 2
	_, a, y := problem(94, 2, 100, k, targets)
	_, ax, ya := problem(94, 3, state.PanelRows+1, k, targets)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, m := range withRidge {
		u := started(t, m, a, y, Options{Lambda: 0.1})
		undo := memory.Limit(1)
		c := u.Condition()
		undo()
		if c.Digits != 0 || c.Instead != m || !strings.Contains(c.Advice, " of memory, but at most ") {
			t.Errorf("%v: %+v", m, c)
		}
		if c := u.Condition(); !(c.RCond > 0 && c.Digits > enoughDigits) {
			t.Errorf("%v: %+v", m, c)
		}
		undo = memory.Limit(100)
		refusedForMemory(t, m.String(), StateBytes(m, 0, k, targets), func() error { return u.AddInputsContext(ctx, ax, ya, nil) })
		must(t, u.AddInputs(ax, ya)) // in place
		undo()
		undo = memory.Limit(1)
		_, err := u.Weights()
		if err == nil || !strings.HasPrefix(err.Error(), "blsupdate: Weights by "+m.String()) {
			t.Errorf("%v: Weights after AddInputs: %v", m, err)
		}
		undo()
	}
}
