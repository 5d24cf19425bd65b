package blsupdate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// A spread is the largest singular value of any state so far over the smallest one that is not zero: κ
// of the accuracy bounds. It is larger than each state's own condition number if rows of another size
// are added, since A⁺ - B Dᵀ then cancels by their ratio.
type spread struct{ largest, smallest float64 }

func (s *spread) Add(a *mat.Dense) {
	if _, values := pinvOf(a); len(values) > 0 {
		s.largest = max(s.largest, values[0])
		s.smallest = min(cmp.Or(s.smallest, math.Inf(1)), values[len(values)-1])
	}
}

func (s *spread) kappa() float64 {
	return cmp.Or(s.largest, 1) / cmp.Or(s.smallest, 1)
}

// checkState compares A⁺ and W with the brute-force pseudoinverse of all rows so far. The bound for A⁺
// is 10 sqrt(l) eps κ plus more. W = A⁺Y may err by ‖Y‖ times the error of A⁺, and in
// any case by 5 times the bound.
func checkState(t *testing.T, u Pseudoinverter, a, y *mat.Dense, kappa, more float64) {
	t.Helper()
	want, _ := pinvOf(a)
	tol := 10*math.Sqrt(float64(dense.Rows(a)))*dense.Eps*kappa + more
	if r := relative(u.Pseudoinverse(), want); !(r <= tol) {
		t.Errorf("l=%d: A+ has error %g, bound %g", dense.Rows(a), r, tol)
	}
	var w mat.Dense
	w.Mul(want, y)
	if norm := w.Norm(2); norm > 0 {
		tol *= max(5, want.Norm(2)*y.Norm(2)/norm)
	}
	if r := relative(weights(t, u), &w); !(r <= tol) {
		t.Errorf("l=%d: W has error %g, bound %g", dense.Rows(a), r, tol)
	}
	checkReport(t, u)
}

// A history is a model of Original or Improved, with all its rows and the singular values on the way.
type history struct {
	t      *testing.T
	u      Pseudoinverter
	a, y   *mat.Dense
	states spread
	// The error grows with κ², since the form was Large, or the rank was not full at the start.
	squared bool
}

func newHistory(t *testing.T, m Method, a, y *mat.Dense, opt Options) *history {
	t.Helper()
	h := &history{t: t, u: mustNew(t, m, a, y, opt), a: a, y: y}
	h.states.Add(a)
	h.squared = rankOf(h.u) < h.u.Nodes()
	checkReport(t, h.u)
	return h
}

func (h *history) add(ax, ya *mat.Dense) {
	h.t.Helper()
	do(h.t, h.u, h.u.AddInputs(ax, ya))
	h.a, h.y = stack(h.a, ax), stack(h.y, ya)
	h.states.Add(h.a)
	h.squared = h.squared || h.u.Report().Form == Large
}

// kappa returns the κ of the bound on errors.
func (h *history) kappa() float64 {
	if h.squared {
		return h.states.kappa() * h.states.kappa()
	}
	return h.states.kappa()
}

// check is checkState for all rows so far.
func (h *history) check(more float64) {
	h.t.Helper()
	checkState(h.t, h.u, h.a, h.y, h.kappa(), more)
}

// error returns the relative error of A⁺, the bound 10 sqrt(l) eps κ, and the norm of the correct A⁺.
func (h *history) error() (got, bound, norm float64) {
	want, _ := pinvOf(h.a)
	bound = 10 * math.Sqrt(float64(dense.Rows(h.a))) * dense.Eps * h.kappa()
	return relative(h.u.Pseudoinverse(), want), bound, want.Norm(2)
}

// eachConfiguration runs f for all ways to the same A⁺ on every backend, as eachVariant does.
func eachConfiguration(t *testing.T, f func(t *testing.T, m Method, opt Options)) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, v := range configurations {
			t.Run(v.String(), func(t *testing.T) { f(t, v.method, Options{Form: v.form, Solve: v.solve, Backend: b}) })
		}
	})
}

// TestAnyRank goes through the cases of C: zero, of full rank, and neither; from no row space at all to
// all of it, with repeated rows and rows inside and outside the row space.
func TestAnyRank(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	basis := testutil.Random(r, 3, 9)
	inside := func(q int) *mat.Dense { // rows in a fixed three-dimensional space
		var m mat.Dense
		m.Mul(testutil.Random(r, q, 3), basis)
		return &m
	}
	repeated := testutil.Random(r, 1, 9)
	for _, test := range []struct {
		name string
		rows []*mat.Dense
		// The ranks of C for each of the batches after the first. They and the rank of the
		// first add up to 9 if A reaches full rank.
		ranks []int
	}{
		{"wide, growing to full", []*mat.Dense{testutil.Random(r, 3, 9), testutil.Random(r, 2, 9), testutil.Random(r, 7, 9), testutil.Random(r, 4, 9)}, []int{2, 4, 0}},
		{"one row at a time", []*mat.Dense{testutil.Random(r, 1, 9), testutil.Random(r, 1, 9), testutil.Random(r, 1, 9)}, []int{1, 1}},
		{"inside the row space", []*mat.Dense{inside(12), inside(4), inside(20)}, []int{0, 0}},
		{"inside, then outside", []*mat.Dense{inside(12), testutil.Random(r, 2, 9), inside(3), testutil.Random(r, 8, 9), testutil.Random(r, 3, 9)}, []int{2, 0, 4, 0}},
		{"some inside, some outside", []*mat.Dense{inside(12), stack(inside(4), testutil.Random(r, 2, 9)), testutil.Random(r, 4, 9)}, []int{2, 4}},
		{"zero matrix first", []*mat.Dense{mat.NewDense(4, 9, nil), testutil.Random(r, 3, 9), testutil.Random(r, 9, 9)}, []int{3, 6}},
		{"zero rows added", []*mat.Dense{testutil.Random(r, 3, 9), mat.NewDense(2, 9, nil), testutil.Random(r, 9, 9)}, []int{0, 6}},
		{"a repeated row", []*mat.Dense{stack(repeated, repeated), stack(repeated, testutil.Random(r, 1, 9)), repeated}, []int{1, 0}},
		{"full", []*mat.Dense{testutil.Random(r, 40, 9), testutil.Random(r, 1, 9), testutil.Random(r, 8, 9), testutil.Random(r, 9, 9), testutil.Random(r, 10, 9), testutil.Random(r, 19, 9)}, []int{0, 0, 0, 0, 0}},
		{"square", []*mat.Dense{testutil.Random(r, 9, 9), testutil.Random(r, 9, 9), testutil.Random(r, 12, 9), testutil.Random(r, 1, 9)}, []int{0, 0, 0}},
		{"tall of deficient rank", []*mat.Dense{testutil.RandomRank(r, 30, 9, 8), testutil.Random(r, 1, 9), testutil.Random(r, 2, 9)}, []int{1, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachConfiguration(t, func(t *testing.T, m Method, opt Options) {
				rt := rand.New(rand.NewPCG(3, 0))
				h := newHistory(t, m, test.rows[0], testutil.Random(rt, dense.Rows(test.rows[0]), 2), opt)
				h.check(0)
				for i, ax := range test.rows[1:] {
					h.add(ax, testutil.Random(rt, dense.Rows(ax), 2))
					if got := h.u.Report().RankC; got != test.ranks[i] {
						t.Errorf("batch %d: rank of C is %d, want %d", i, got, test.ranks[i])
					}
					h.check(0)
				}
				_, values := pinvOf(h.a)
				if rank := rankOf(h.u); rank != len(values) {
					t.Errorf("the rank is taken for %d and is %d", rank, len(values))
				}
				checkKept(t, h.u, h.a)
			})
		})
	}
}

// checkKept checks that A is kept, row for row, while its rank is below k.
func checkKept(t *testing.T, u Updater, a *mat.Dense) {
	t.Helper()
	rank, kept := rankOf(u), slices.Concat(blocksOf(u, "a")...)
	if len(kept) > 0 != (rank < u.Nodes()) {
		t.Errorf("rank %d of %d: %d numbers of A are kept", rank, u.Nodes(), len(kept))
	} else if len(kept) > 0 && !slices.Equal(kept, dense.Compact(a)) {
		t.Error("what is kept is not A")
	}
}

// TestRandomShapes draws shapes from 1 up, ranks and batches at random.
func TestRandomShapes(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for trial := range 120 {
			r := rand.New(rand.NewPCG(4, uint64(trial)))
			l, k, c := 1+r.IntN(14), 1+r.IntN(10), 1+r.IntN(3)
			cfg := configurations[r.IntN(len(configurations))]
			opt := Options{Form: cfg.form, Solve: cfg.solve, Backend: b, C: []CMode{CAuto, CCheck}[r.IntN(2)], Workspace: int64(r.IntN(400) - 1)}
			h := newHistory(t, cfg.method, testutil.RandomRank(r, l, k, r.IntN(min(l, k)+1)), testutil.Random(r, l, c), opt)
			first := h.a
			for range 1 + r.IntN(4) {
				q := 1 + r.IntN(2*k)
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
				if r.IntN(3) == 0 && l > 1 { // combinations of rows that are there
					ax.Mul(testutil.Random(r, q, 2), first.Slice(0, 2, 0, k))
				}
				h.add(ax, ya)
			}
			h.squared = true // for rows that are there nearly twice
			h.check(0)
			if opt.C == CAuto {
				checkKept(t, h.u, h.a)
			}
			if t.Failed() {
				t.Fatalf("trial %d: %v, l=%d k=%d c=%d", trial, cfg.String(), l, k, c)
			}
		}
	})
}

// TestRidgeStart checks that from the ridge inverse of the first rows both methods reach the solution
// that the paper's formulas imply, with the prior AᵀA + 2 lambda I + lambda² (AᵀA)⁻¹, which is BᵀB for
// B = A + lambda A⁺ᵀ, and BᵀY = AᵀY + lambda A⁺Y.
func TestRidgeStart(t *testing.T) {
	const l, k, q, lambda = 20, 6, 9, 0.03
	eachConfiguration(t, func(t *testing.T, m Method, opt Options) {
		r, a, y := problem(6, 0, l, k, 2)
		ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, 2)
		opt.Lambda = lambda
		u := mustNew(t, m, a, y, opt)
		plus, values := pinvOf(a)
		// By the normal equations.
		tol := 10 * math.Sqrt(l+q) * dense.Eps * condition(values) * condition(values)
		checkWeights(t, u, a, y, lambda, tol)
		do(t, u, u.AddInputs(ax, ya))
		prior := gonummat.DenseCopyOf(plus.T())
		prior.Scale(lambda, prior)
		prior.Add(prior, a)
		checkWeights(t, u, stack(prior, ax), stack(y, ya), 0, tol)
	})
}

// stable are the configurations whose error grows like eps κ.
var stable = []variant{{Original, Auto, false}, {Improved, Small, false}, {Improved, Small, true}, {Improved, Compressed, false}}

// TestNearlyRepeatedRows adds to a wide A near copies of its rows, which makes the row space
// ill-conditioned, and then enough other rows: the error must not grow faster than eps κ.
func TestNearlyRepeatedRows(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, delta := range []float64{1e-3, 1e-5, 1e-7} {
			for _, cfg := range configurations {
				if cfg.form == Large || cfg.form == Paper {
					if delta < 1e-3 {
						continue // eps κ² is of order 1 for the Large form
					}
				}
				r, a, y := problem(12, 0, 4, 12, 1)
				h := newHistory(t, cfg.method, a, y, Options{Form: cfg.form, Solve: cfg.solve, Backend: b})
				h.squared = false
				near := scaled(testutil.Random(r, 2, 12), delta)
				near.Add(near, a.Slice(1, 3, 0, 12))
				norms := h.u.Pseudoinverse().Norm(2)
				for _, ax := range []*mat.Dense{near, testutil.Random(r, 20, 12), testutil.Random(r, 20, 12)} {
					h.add(ax, testutil.Random(r, dense.Rows(ax), 1))
					norms = max(norms, h.u.Pseudoinverse().Norm(2))
				}
				// The error is absolute in the largest A⁺ on the way; a constant of 3
				// suffices instead of 10.
				got, tol, norm := h.error()
				if tol *= 0.3 * norms / norm; !(got <= tol) {
					t.Errorf("delta=%g %s: error %g, bound %g", delta, cfg.String(), got, tol)
				}
			}
		}
	})
}

// TestLargeBatches adds batches of rows that are large in the same direction, in nearly the same one,
// with both signs, or each in its own, with and without room for D. Up to a norm of 1e3 DᵀD is formed,
// with an error of eps‖DᵀD‖, at most 32 eps κ since ‖D‖ is at most κ; above that the error is smaller.
func TestLargeBatches(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	const l, k, q = 20, 5, 7
	kinds := map[string]func(size, common, own float64, i int) float64{
		"same":      func(size, common, own float64, i int) float64 { return size * common },
		"near":      func(size, common, own float64, i int) float64 { return size*common + own },
		"some":      func(size, common, own float64, i int) float64 { return size*common*float64(i%2) + own*math.Sqrt(size) },
		"each":      func(size, common, own float64, i int) float64 { return size * own },
		"opposite":  func(size, common, own float64, i int) float64 { return size * common * float64(1-i%2*2) },
		"different": func(size, common, own float64, i int) float64 { return math.Pow(size, float64(i)/(q-1)) * own },
	}
	for name, kind := range kinds {
		for _, cfg := range stable {
			backends.On(t, func(t *testing.T, b blskernel.Backend) {
				for exponent := range 9 { // the reference takes 1e-10 for zero
					for seed := range uint64(4) {
						r := rand.New(rand.NewPCG(22, seed))
						a, ax, common := testutil.WithCondition(r, l, k, 10), testutil.Random(r, q, k), testutil.Random(r, 1, k)
						for i := range q {
							for j := range k {
								ax.Set(i, j, kind(math.Pow(10, float64(exponent)), common.At(0, j), ax.At(i, j), i))
							}
						}
						opt := Options{Form: cfg.form, Solve: cfg.solve, Workspace: -int64(seed % 2), Backend: b}
						h := newHistory(t, cfg.method, a, testutil.Random(r, l, 1), opt)
						h.add(ax, testutil.Random(r, q, 1))
						if exponent > 3 && opt.Workspace == 0 && !slices.ContainsFunc(h.u.Report().Steps, func(s StepReport) bool { return s.line.Step == cost.StepOrthogonal }) {
							t.Errorf("%s, 1e%d, %v: D was not factored", name, exponent, cfg)
						}
						if got, tol, _ := h.error(); !(got <= tol) {
							t.Errorf("%s, 1e%d, %v, workspace %d: error %g, bound %g", name, exponent, cfg, opt.Workspace, got, tol)
						}
					}
				}
			})
		}
	}
}

// TestViews passes matrices that are parts of larger ones, which hold NaN elsewhere: the results are
// the same, and the matrices are neither changed nor kept.
func TestViews(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r, a, y := problem(16, 0, 12, 5, 2)
		given := []*mat.Dense{a, y, testutil.Random(r, 8, 5), testutil.Random(r, 8, 2)}
		var views []*mat.Dense
		for _, m := range given {
			rows, cols := m.Dims()
			big := mat.NewDense(rows+2, cols+3, slices.Repeat([]float64{math.NaN()}, (rows+2)*(cols+3)))
			view := big.Slice(1, rows+1, 2, cols+2).(*mat.Dense)
			view.Copy(m)
			views = append(views, view)
		}
		plain, parts := v.start(t, b, a, y, 0), v.start(t, b, views[0], views[1], 0)
		do(t, plain, plain.AddInputs(given[2], given[3]))
		do(t, parts, parts.AddInputs(views[2], views[3]))
		w := weights(t, parts)
		weights(t, plain)
		checkSame(t, "views", parts, plain)
		before := digest(parts)
		for i, m := range views {
			if !gonummat.Equal(m, given[i]) {
				t.Errorf("matrix %d was changed", i)
			}
			m.Zero()
		}
		w.Zero()
		checkUnchanged(t, parts, before)
	})
}

// TestRankDecisions has singular values on both sides of the tolerances, at the start and in C.
func TestRankDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 0))
	for kappa, want := range map[float64]int{1e12: 9, 1e17: 8} {
		a := testutil.WithCondition(r, 30, 9, kappa)
		if kappa > 1e16 { // one singular value of rounding noise and no others near it
			a = testutil.RandomRank(r, 30, 9, 8)
		}
		u := mustNew(t, Improved, a, testutil.Random(r, 30, 1), Options{})
		if got := rankOf(u); got != want {
			t.Errorf("condition %g: rank %d, want %d", kappa, got, want)
		}
	}
	for distance, want := range map[float64]int{1e-11: 1, 1e-16: 0} {
		a := testutil.Random(r, 5, 8)
		var inside mat.Dense
		inside.Mul(testutil.Random(r, 1, 5), a)
		away := scaled(testutil.Random(r, 1, 8), distance)
		inside.Add(&inside, away)
		u := mustNew(t, Improved, a, testutil.Random(r, 5, 1), Options{})
		must(t, u.AddInputs(&inside, testutil.Random(r, 1, 1)))
		if got := u.Report().RankC; got != want {
			t.Errorf("a row %g away from the row space: rank of C is %d, want %d", distance, got, want)
		}
	}
	for e := range 20 { // the rank reaches k, but a QR factorization may not see it
		d := float64(e) * dense.Eps / 5
		u := mustNew(t, Improved, mat.NewDense(1, 2, []float64{0.6, 0.8}), mat.NewDense(1, 1, []float64{1}), Options{})
		do(t, u, u.AddInputs(mat.NewDense(1, 2, []float64{0.6 - float64(4*d), 0.8 + float64(3*d)}), mat.NewDense(1, 1, []float64{2})))
	}
}

// TestNoDigits has models below full rank that have lost a target or may have mistaken a rank.
func TestNoDigits(t *testing.T) {
	column := func(x ...float64) *mat.Dense { return mat.NewDense(len(x), 1, x) }
	dead := func(x ...float64) *mat.Dense { return dense.Beside(column(x...), mat.NewDense(len(x), 1, nil)) }
	_, twins, y := problem(23, 0, 1000, 2, 1)
	for i := range 1000 {
		twins.Set(i, 1, twins.At(i, 0)+1e-13)
	}
	ones, other := mat.NewDense(64, 1, slices.Repeat([]float64{1}, 64)), mat.NewDense(64, 1, slices.Repeat([]float64{1 + 0x1p-48, 1 - 0x1p-48}, 32))
	models := map[string]Pseudoinverter{
		"a nearly equal node":  mustNew(t, Improved, ones, rowsBetween(y, 0, 64), Options{}),
		"a small target":       mustNew(t, Improved, dead(1, 1), column(1e-9, 1e9), Options{}),
		"a target of zeros":    mustNew(t, Improved, dead(1, 1, 1), column(0.3, 0, 0), Options{}),
		"a small row":          mustNew(t, Improved, mat.NewDense(2, 2, []float64{1, 1, 0, 0x1p-54}), column(1, 1), Options{}),
		"nearly equal columns": mustNew(t, Improved, twins, y, Options{}),
	}
	do(t, models["a small target"], models["a small target"].RemoveInputs(dead(1), column(1e9)))
	do(t, models["a target of zeros"], models["a target of zeros"].RemoveInputs(dead(1), column(0.3)))
	do(t, models["a nearly equal node"], models["a nearly equal node"].AddNodes(ones, other, rowsBetween(y, 0, 64)))
	for name, u := range models {
		if c := u.Condition(); c.Digits != 0 || rankOf(u) != 1 {
			t.Errorf("%s: rank %d, %.1f digits", name, rankOf(u), c.Digits)
		}
	}
}

// TestCondition compares Condition with the norms of the rows of A⁺ times those of the columns of A.
func TestCondition(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 0))
	squared := mustNew(t, Improved, testutil.Random(r, 9, 6), testutil.Random(r, 9, 1), Options{Form: Large})
	do(t, squared, squared.AddInputs(testutil.Random(r, 1, 6), testutil.Random(r, 1, 1)))
	if power := driverOf(squared).state.Condition().Power; power != 2 {
		t.Errorf("power %d after the form Large", power)
	}
	squared.Report().Steps[0].Model = -1
	if squared.Report().Steps[0].Model == -1 {
		t.Error("a caller can write to the report of an updater")
	}
	wide := mustNew(t, Improved, mat.NewDense(1, 3, []float64{1, 1, 0}), mat.NewDense(1, 1, []float64{1}), Options{})
	do(t, wide, wide.AddInputs(mat.NewDense(1, 3, []float64{1, 1 + 1e-5, 0}), mat.NewDense(1, 1, []float64{2})))
	if c := wide.Condition(); !(c.Digits < enoughDigits) || c.Instead != Improved || !strings.Contains(c.Advice, "rank of A: drop nodes") {
		t.Errorf("2 rows of 3 nodes: %+v", c)
	}
	for _, l := range []int{3, 20} {
		a := testutil.Random(r, l, 6)
		u := mustNew(t, Improved, a, testutil.Random(r, l, 1), Options{})
		for range 3 {
			// All rows are new in the first update of a wide start.
			ax := testutil.Random(r, 3, 6)
			must(t, u.AddInputs(ax, testutil.Random(r, 3, 1)))
			a = stack(a, ax)
		}
		plus, _ := pinvOf(a)
		rows := dense.ColumnNorms(dense.Transposed(plus))
		dense.Multiply(rows, dense.ColumnNorms(a))
		if power := driverOf(u).state.Condition().Power; power != 1 {
			t.Errorf("l=%d: power %d without the form Large", l, power)
		}
		if got, want := u.Condition().RCond, 1/dense.Norm(rows); !(math.Abs(got-want) <= 1e-10*want) {
			t.Errorf("l=%d: reciprocal condition %v, want %v", l, got, want)
		}
	}
}

// TestHiddenDirections adds rows whose part outside the row space counts as zero: rows that repeat
// others, or that leave the row space by far less than the tolerance. W is right for the former and
// determined by the latter, and only a second projection of C tells them apart.
func TestHiddenDirections(t *testing.T) {
	for _, m := range []Method{Original, Improved} {
		for _, near := range []float64{1e-6, 1e-8} {
			for _, far := range []float64{0, 1e-13} {
				a := mat.NewDense(2, 3, []float64{1, 1, 1, 1 + near, 1 - near, 1})
				u := started(t, m, a, mat.NewDense(2, 1, []float64{1, 2}), Options{})
				ax := mat.NewDense(1, 3, []float64{1 + far, 1 + far, 1 - 2*far})
				do(t, u, u.AddInputs(ax, mat.NewDense(1, 1, []float64{1})))
				if d, rank := u.Condition().Digits, rankOf(u); rank != 2 || (d > 0) != (far == 0) {
					t.Errorf("%v, rows %g apart, a row %g away: %.1f digits, rank %d", m, near, far, d, rank)
				}
			}
		}
	}
}
