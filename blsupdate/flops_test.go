package blsupdate

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// checkReport compares the model with the count, for each step and in total.
func checkReport(t *testing.T, u Updater) {
	t.Helper()
	report := u.Report()
	for _, s := range report.Steps {
		if s.Model != s.Counted {
			t.Errorf("q=%d form=%v rank C=%d: step %q: %.1f flops by the model (%s), %.1f counted", report.Added, report.Form, report.RankC, s.Step, s.Model, s.Formula, s.Counted)
		}
	}
	if report.Model() != report.Counted() {
		t.Errorf("q=%d: %g flops by the model, %g counted", report.Added, report.Model(), report.Counted())
	}
}

// checkSteps compares the report of the last action, step by step, with the model of it.
func checkSteps(t *testing.T, u Updater, model []StepFlops) {
	t.Helper()
	checkReport(t, u)
	steps := u.Report().Steps
	if len(steps) != len(model) {
		t.Fatalf("%d steps, %d in the model", len(steps), len(model))
	}
	for i, s := range steps {
		if s.Step != model[i].Step || s.Model != model[i].Flops() || s.Formula != model[i].Formula {
			t.Errorf("step %d is %q with %g flops, %q with %g in the model", i, s.Step, s.Model, model[i].Step, model[i].Flops())
		}
	}
}

// TestModelOfActions compares the report of every action, step by step, with the model of it, for the
// methods for which Model needs only the sizes.
func TestModelOfActions(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		const l, k, c, p = 240, 17, 3, 6
		for _, lambda := range []float64{0, 0.1} {
			for _, q := range []int{1, 2, 5, 70, 150} { // Woodbury takes 70 rows in two blocks
				if !v.ridgeSolver() {
					return
				}
				opt := Options{Lambda: lambda, Form: v.form, Backend: b}
				r, a, y := conditioned(50, 0, l, k, c, 10)
				u := v.start(t, b, a, y, lambda)
				shape := Shape{L: l, K: k, Q: q, C: c, P: p, Start: u.Report().Start}
				check := func(action Action, err error) {
					t.Helper()
					must(t, err)
					checkSteps(t, u, Model(v.method, action, opt, shape))
				}
				check(ActionStart, nil)
				ax, ya := rowsBetween(a, 0, q), rowsBetween(y, 0, q)
				check(ActionAdd, u.AddInputs(ax, ya))
				if got := u.Report().Form; v.form != Auto && got != v.form {
					t.Errorf("form %v", got)
				}
				check(ActionRemove, u.RemoveInputs(ax, ya))
				check(ActionForget, u.Forget(1))
				if v.method == QR && lambda > 0 {
					check(ActionRidge, u.SetLambda(0.5))
					continue // the model of added nodes is that without a ridge
				}
				check(ActionNodes, u.AddNodes(a, testutil.Random(r, l, p), y))
			}
		}
	})
}

// TestStarts makes each start happen and compares its model with the count.
func TestStarts(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(7, 0))
		for _, test := range []struct {
			name   string
			a      *mat.Dense
			lambda float64
			want   Start
		}{
			{"well conditioned", testutil.Random(r, 60, 8), 0, StartCholesky},
			{"ridge", testutil.Random(r, 60, 8), 0.5, StartCholesky},
			{"condition 1e6", testutil.WithCondition(r, 60, 8, 1e6), 0, StartQR},
			{"condition 1e6, small ridge", testutil.WithCondition(r, 60, 8, 1e6), 1e-10, StartQR},
			{"deficient rank, ridge", testutil.RandomRank(r, 60, 8, 5), 1e-12, StartQR},
			{"deficient rank", testutil.RandomRank(r, 60, 8, 5), 0, StartSVD},
			{"wide", testutil.Random(r, 5, 8), 0, StartSVD},
			{"zero", mat.NewDense(10, 3, nil), 0, StartSVD},
			{"squares overflow", scaled(testutil.Random(r, 60, 8), 1e200), 0, StartQR},
			{"squares underflow", scaled(testutil.Random(r, 60, 8), 1e-200), 0, StartQR},
		} {
			l, _ := test.a.Dims()
			y := testutil.Random(r, l, 2)
			u := mustNew(t, Improved, test.a, y, Options{Lambda: test.lambda, Backend: b})
			if got := u.Report().Start; got != test.want {
				t.Errorf("%s: started by %v, want %v", test.name, got, test.want)
			}
			if checkReport(t, u); t.Failed() {
				t.Fatalf("%s", test.name)
			}
			if test.lambda > 0 {
				checkRidge(t, test.name, u, test.a, y, test.lambda)
				continue
			}
			_, values := pinvOf(test.a)
			if checkState(t, u, test.a, y, condition(values), 0); t.Failed() {
				t.Fatal(test.name)
			}
		}
	})
}

func scaled(m *mat.Dense, f float64) *mat.Dense {
	m.Scale(f, m)
	return m
}

// TestCounter calls every product and routine that a Counter counts, and one Counter through another.
func TestCounter(t *testing.T) {
	const m, n, k, no, tr, up, left, right = 4, 3, 5, blas.NoTrans, blas.Trans, blas.Upper, blas.Left, blas.Right
	x := slices.Repeat([]float64{1}, 64)
	routine := func(name string, rhs int) func(c *Counter, _ []float64) {
		return func(c *Counter, _ []float64) { c.Begin(backend.Routine{Name: name, M: 6 - rhs%2*3, N: 3, NRHS: rhs}) }
	}
	for name, test := range map[string]struct {
		want float64
		call func(c *Counter, dst []float64)
	}{
		"Dgemm":       {2 * m * n * k, func(c *Counter, dst []float64) { c.Dgemm(no, no, m, n, k, 1, x, k, x, n, 0, dst, n) }},
		"Dsymm left":  {2 * m * m * n, func(c *Counter, dst []float64) { c.Dsymm(left, up, m, n, 1, x, m, x, n, 0, dst, n) }},
		"Dsymm right": {2 * m * n * n, func(c *Counter, dst []float64) { c.Dsymm(right, up, m, n, 1, x, n, x, n, 0, dst, n) }},
		"Dsyrk":       {n * n * k, func(c *Counter, dst []float64) { c.Dsyrk(up, no, n, k, 1, x, k, 0, dst, n) }},
		"Dsyr2k":      {2 * n * n * k, func(c *Counter, dst []float64) { c.Dsyr2k(up, no, n, k, 1, x, k, x, k, 0, dst, n) }},
		"Dtrmm":       {m * m * n, func(c *Counter, dst []float64) { c.Dtrmm(left, up, no, blas.NonUnit, m, n, 1, x, m, dst, n) }},
		"Dtrsm":       {m * n * n, func(c *Counter, dst []float64) { c.Dtrsm(right, up, no, blas.NonUnit, m, n, 1, x, n, dst, n) }},
		"Dgemmt":      {n * n * k, func(c *Counter, dst []float64) { c.Dgemmt(up, no, tr, n, k, 1, x, k, x, k, 0, dst, n) }},
		"Dgemmtp":     {n * n * k, func(c *Counter, dst []float64) { c.Dgemmtp(no, tr, n, k, 1, x, k, x, k, 0, dst) }},
		"Dsprk":       {n * n * k, func(c *Counter, dst []float64) { c.Dsprk(no, n, k, 1, x, k, 0, dst) }},
		"Dspmm left":  {2 * m * m * n, func(c *Counter, dst []float64) { c.Dspmm(left, m, n, 1, x, x, n, 0, dst, n) }},
		"Dspmm right": {2 * m * n * n, func(c *Counter, dst []float64) { c.Dspmm(right, m, n, 1, x, x, n, 0, dst, n) }},
		"Dpptrf":      {9, routine("Dpptrf", 1)},
		"Dgetri":      {36, routine("Dgetri", 1)},
		"Dgetrs":      {90, routine("Dgetrs", 5)},
		"Dormqr":      {4*6*3*4 - 2*9*4, routine("Dormqr", 4)},
		"Dgecon":      {0, routine("Dgecon", 1)},
	} {
		outer := NewCounter(nil)
		inner := NewCounter(outer)
		inner.Enter("B")
		test.call(inner, make([]float64, 64))
		inner.Leave()
		if got, _ := inner.Step("B"); got != test.want || inner.Flops() != test.want || outer.Flops() != test.want {
			t.Errorf("%s: %v flops in the step, %v in all, %v in the outer counter; want %v", name, got, inner.Flops(), outer.Flops(), test.want)
		}
	}
	c := NewCounter(nil)
	before := time.Now()
	c.Enter("D")
	for began := time.Now(); time.Since(began) == 0; { // until the clock has moved
		runtime.Gosched()
	}
	c.Leave()
	if _, elapsed := c.Step("D"); !(elapsed > 0 && elapsed <= time.Since(before)) {
		t.Errorf("a step took %v", elapsed)
	}
	if c.Reset(); c.Flops() != 0 {
		t.Error("flops are left after Reset")
	}
}

// TestResolve checks what the forms stand for. Auto takes Compressed where 6k²l + 6qk² + 2k³ < 6qkl +
// 3q²k + q³: from q = 1.1187 k on for l = 5k, and from 1.3553 k for l = k, without the weights. Then it
// gives Model sizes of 0.
func TestResolve(t *testing.T) {
	for _, test := range []struct {
		opt     Options
		l, q, k int
		want    Form
	}{
		{Options{}, 5000, 1118, 1000, Small}, {Options{}, 5000, 1119, 1000, Compressed},
		{Options{}, 1, 1, 1, Small}, {Options{}, 2, 2, 1, Compressed},
		{Options{}, 1000, 1355, 1000, Small}, {Options{}, 1000, 1357, 1000, Compressed},
		{Options{Form: Paper}, 5000, 1000, 1000, Small}, {Options{Form: Paper}, 5000, 1001, 1000, Large},
		{Options{Form: Small}, 9, 5000, 10, Small}, {Options{Form: Large}, 9, 1, 10, Large},
		{Options{Form: Compressed}, 9, 10, 10, Small}, {Options{Form: Compressed}, 9, 11, 10, Compressed},
		{Options{}, 1000, 1_500_000, 2, Compressed}, {Options{}, 1 << 30, 80_000_000, 80_000_000, Small},
	} {
		if got := Form(cost.Resolve(test.opt, Shape{L: test.l, K: test.k, Q: test.q, C: 1})); got != test.want {
			t.Errorf("%v with l=%d, q=%d, k=%d stands for %v, want %v", test.opt.Form, test.l, test.q, test.k, got, test.want)
		}
	}
	for _, m := range Methods() {
		for action := range ActionMap + 1 {
			Model(m, action, Options{}, Shape{L: 1, Q: 1}) // K is 0
			Model(m, action, Options{}, Shape{})
			if Supports(m, action+ActionMap+1) {
				t.Errorf("%v supports an action that does not exist", m)
			}
		}
	}
}

// TestModelWide compares Model with what updates count while there are fewer samples than nodes, for
// batches that leave A wide, make it square, or make it tall, in all forms: below, at and above k - l
// rows and k rows. Model is given only the sizes.
//
// The rows are in general position. To keep the others from being large as the first k see them, which
// would be another way to B, the rows of A and k - l of the batch are orthogonal, and these longer
// than the others.
func TestModelWide(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	all := append(slices.Clone(configurations), variant{Improved, Compressed, true}, variant{Improved, Paper, true}, variant{Improved, Auto, true})
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, k := range []int{2, 5, 13} {
			for _, l := range []int{1, k / 2, k - 1} {
				for _, q := range []int{1, k - l - 1, k - l, k - l + 1, k - 1, k, k + 1, k + k/2, 3*k + 1} {
					for _, cfg := range all {
						for _, opt := range []Options{{}, {C: CCheck}, {C: CZero}, {Workspace: -1}, {Workspace: 8 * 5 * int64(q)}} {
							opt.Form, opt.Solve, opt.Backend = cfg.form, cfg.solve, b
							if q < 1 {
								continue
							}
							const c = 3
							r := rand.New(rand.NewPCG(78, uint64(k*k+l)))
							basis := testutil.Orthonormal(r, k, k)
							ax := scaled(testutil.Random(r, q, k), 0.5)
							for i, place := range r.Perm(q)[:min(q, k-l)] {
								for j := range k {
									ax.Set(place, j, 8*basis.At(l+i, j))
								}
							}
							u := mustNew(t, cfg.method, rowsBetween(basis, 0, l), testutil.Random(r, l, c), opt)
							do(t, u, u.AddInputs(ax, testutil.Random(r, q, c)))
							checkPrediction(t, u, Model(cfg.method, ActionAdd, opt, Shape{L: l, K: k, Q: q, C: c}))
							if t.Failed() {
								t.Fatalf("l=%d k=%d q=%d %v %+v", l, k, q, cfg, opt)
							}
						}
					}
				}
			}
		}
	})
}

// checkPrediction compares a model with what the last action of u counted, for each step and in total;
// steps without flops are ignored.
func checkPrediction(t *testing.T, u Updater, model []StepFlops) {
	t.Helper()
	report := u.Report()
	if got := Total(model); got != report.Counted() {
		t.Errorf("%g flops by the model, %g counted", got, report.Counted())
	}
	want, got := map[Step]float64{}, map[Step]float64{}
	for _, s := range report.Steps {
		want[s.Step] += s.Counted
	}
	for _, s := range model {
		got[s.Step] += s.Flops()
	}
	for step := range want {
		if got[step] != want[step] {
			t.Errorf("step %q has %g flops by the model, %g counted", step, got[step], want[step])
		}
	}
}
