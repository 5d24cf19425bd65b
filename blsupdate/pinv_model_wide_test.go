package blsupdate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
)

// TestModelWide compares Model with what updates count as long as there are fewer samples than nodes,
// for batches that leave A wide, that make it square, and that go beyond in all forms: below, at and
// above k - l rows and k rows. Model is given nothing but the sizes.
//
// The rows are in general position. To keep the others from being large as the first k see them, which
// would be another way to B, the rows of A and k - l of the batch are orthogonal, and these longer than
// the others.
func TestModelWide(t *testing.T) {
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

// checkPrediction compares a model with what the last action of u counted, step by step and in sum;
// steps without flops are left aside.
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

// TestModelWideCompressed has random rows: 20 samples of 50 nodes, and a batch of 60 of which R has the
// 50 that count, 30 of them outside of the row space.
func TestModelWideCompressed(t *testing.T) {
	const l, k, q, c = 20, 50, 60, 1
	r := rand.New(rand.NewPCG(79, 0))
	u := mustNew(t, Improved, testutil.Random(r, l, k), testutil.Random(r, l, c), Options{Form: Compressed})
	do(t, u, u.AddInputs(testutil.Random(r, q, k), testutil.Random(r, q, c)))
	checkPrediction(t, u, Model(Improved, ActionAdd, Options{Form: Compressed}, Shape{L: l, K: k, Q: q, C: c}))
}
