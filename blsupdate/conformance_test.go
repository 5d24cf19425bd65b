package blsupdate

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// A variant is a method in one of its forms.
type variant struct {
	method Method
	form   Form
	solve  bool
}

func (v variant) String() string {
	s := fmt.Sprintf("method=%v/form=%v", v.method, v.form)
	if v.solve {
		s += "/solve"
	}
	return s
}

// ridgeSolver tells whether the method solves the ridge problem for lambda > 0.
func (v variant) ridgeSolver() bool { return v.method != Original && v.method != Improved }

// variants are all methods in all forms.
var variants = []variant{
	{Gram, Auto, false}, {QR, Auto, false},
	{RidgeInverse, Auto, false}, {RidgeInverse, Small, false}, {RidgeInverse, Large, false},
	{InverseCholesky, Auto, false}, {InverseCholesky, Small, false}, {InverseCholesky, Large, false},
	{Original, Auto, false},
	{Improved, Auto, false}, {Improved, Paper, false}, {Improved, Small, false}, {Improved, Large, false}, {Improved, Compressed, false},
	{Improved, Small, true}, {Improved, Large, true}, {Improved, Compressed, true},
}

// eachVariant runs f for every variant on every backend.
func eachVariant(t *testing.T, f func(t *testing.T, v variant, b blskernel.Backend)) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, v := range variants {
			t.Run(v.String(), func(t *testing.T) { f(t, v, b) })
		}
	})
}

func (v variant) start(t *testing.T, b blskernel.Backend, a, y *mat.Dense, lambda float64) Updater {
	t.Helper()
	u, err := New(v.method, a, y, Options{Lambda: lambda, Form: v.form, Solve: v.solve, Backend: b})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	checkReport(t, u)
	return u
}

// do fails the test where an action failed or its flops are not those of the model.
func do(t *testing.T, u Updater, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	checkReport(t, u)
}

// accuracy is the bound of algorithms on the relative error of W after l rows at the condition number κ.
func (v variant) accuracy(l int, kappa float64) float64 {
	unit := math.Sqrt(float64(l)) * dense.Eps * kappa
	switch {
	case v.method == Gram, v.method == RidgeInverse:
		return 10 * unit * kappa
	case v.method == Improved && (v.form == Large || v.form == Paper):
		return 50 * unit * kappa
	case !v.ridgeSolver():
		return 50 * unit
	default:
		return 10 * unit
	}
}

// checkWeights compares the weights of u with the ridge solution for the rows.
func checkWeights(t *testing.T, u Updater, a, y *mat.Dense, lambda, bound float64) {
	t.Helper()
	want := reference(a, y, lambda)
	if got := relative(weights(t, u), want); !(got <= bound) {
		t.Errorf("after %d rows W has error %.2g, bound %.2g", dense.Rows(a), got, bound)
	}
	checkReport(t, u)
}

// reference is highPrecision, which takes its time, for problems that many variants are given.
func reference(a, y *mat.Dense, lambda float64) *mat.Dense {
	h := fnv.New64a()
	for _, m := range []*mat.Dense{a, y} {
		walk(h, reflect.ValueOf(dense.Compact(m)), nil)
	}
	walk(h, reflect.ValueOf(lambda), nil)
	key := h.Sum64()
	if references[key] == nil {
		references[key] = highPrecision(a, y, lambda)
	}
	return references[key]
}

var references = map[uint64]*mat.Dense{}

// kappaOf is the condition number of [A; sqrt(lambda) I].
func kappaOf(a *mat.Dense, lambda float64) float64 {
	_, k := a.Dims()
	stacked := gonummat.DenseCopyOf(a)
	if lambda > 0 {
		root := mat.NewDense(k, k, nil)
		for i := range k {
			root.Set(i, i, math.Sqrt(lambda))
		}
		stacked = stack(stacked, root)
	}
	var svd gonummat.SVD
	if !svd.Factorize(stacked, gonummat.SVDNone) {
		panic("singular value decomposition failed")
	}
	return condition(svd.Values(nil))
}

func rowsBetween(m *mat.Dense, from, to int) *mat.Dense {
	_, cols := m.Dims()
	return gonummat.DenseCopyOf(m.Slice(from, to, 0, cols))
}

func columnsBetween(m *mat.Dense, from, to int) *mat.Dense {
	return gonummat.DenseCopyOf(m.Slice(0, dense.Rows(m), from, to))
}

// TestBatches adds batches of many sizes, from one row on, and compares with the solution from all rows at
// once, for one and for many targets.
func TestBatches(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, k := range []int{1, 2, 7, 23} {
			for _, c := range []int{1, 3, 200} {
				for _, lambda := range []float64{0, 1e-3} {
					if lambda > 0 && !v.ridgeSolver() {
						continue
					}
					r := rand.New(rand.NewPCG(31, uint64(k*1000+c)))
					cuts := []int{2*k + 3, 2*k + 4, 3*k + 4, 4*k + 5, 7*k + 8}
					l := cuts[len(cuts)-1]
					a, y := testutil.Random(r, l, k), testutil.Random(r, l, c)
					u := v.start(t, b, rowsBetween(a, 0, cuts[0]), rowsBetween(y, 0, cuts[0]), lambda)
					kappa := kappaOf(rowsBetween(a, 0, cuts[0]), lambda)
					for i := 1; i < len(cuts); i++ {
						do(t, u, u.AddInputs(rowsBetween(a, cuts[i-1], cuts[i]), rowsBetween(y, cuts[i-1], cuts[i])))
						if got := u.Samples(); got != cuts[i] {
							t.Fatalf("%d samples, want %d", got, cuts[i])
						}
						kappa = max(kappa, kappaOf(rowsBetween(a, 0, cuts[i]), lambda))
						if c < 200 || i == len(cuts)-1 {
							checkWeights(t, u, rowsBetween(a, 0, cuts[i]), rowsBetween(y, 0, cuts[i]), lambda, v.accuracy(cuts[i], kappa))
						}
					}
				}
			}
		}
	})
}

// TestTrust holds the weights to what Condition says of them, for condition numbers from 1e2 to 1e12: the
// error is at most 10^-Digits, or there is an error that says that there are no digits.
func TestTrust(t *testing.T) {
	const k, l = 12, 60
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, kappa := range []float64{1e2, 1e4, 1e6, 1e8, 1e10, 1e12} {
			for _, lambda := range []float64{0, 0x1p-30, 1e-6, 1e-3} {
				if lambda > 0 && !v.ridgeSolver() {
					continue
				}
				r := rand.New(rand.NewPCG(32, uint64(kappa)))
				a, y := testutil.WithCondition(r, l, k, kappa), testutil.Random(r, l, 2)
				fail := func(err error) {
					t.Helper()
					var ill *ConditionError
					if !errors.As(err, &ill) {
						t.Errorf("kappa=%g lambda=%g: %v", kappa, lambda, err)
					} else if kappa < 1e6 {
						t.Errorf("kappa=%g lambda=%g: refused: %v", kappa, lambda, err)
					}
				}
				u, err := New(v.method, rowsBetween(a, 0, 30), rowsBetween(y, 0, 30), Options{Lambda: lambda, Form: v.form, Solve: v.solve, Backend: b})
				if err != nil {
					fail(err)
					continue
				}
				for _, batch := range [][2]int{{30, 31}, {31, 40}, {40, l}} {
					if err = u.AddInputs(rowsBetween(a, batch[0], batch[1]), rowsBetween(y, batch[0], batch[1])); err != nil {
						break
					}
				}
				if err != nil {
					fail(err)
					continue
				}
				w, err := u.Weights()
				if err != nil {
					fail(err)
					continue
				}
				c := u.Condition()
				got := relative(w, reference(a, y, lambda))
				if c.Digits > 0 && !(got <= math.Pow(10, -c.Digits)) {
					t.Errorf("kappa=%g lambda=%g: error %.2g, but %.1f digits are said to be right (1/κ = %.1g)", kappa, lambda, got, c.Digits, c.RCond)
				}
				real := kappaOf(a, lambda)
				if !(c.RCond <= 10/real) || !(c.RCond*real*k*30 >= 1) && real < 1e7 {
					t.Errorf("kappa=%g lambda=%g: 1/κ is %.2g, said to be %.2g", kappa, lambda, 1/real, c.RCond)
				}
				if v.method == Gram && c.Digits < enoughDigits && c.Instead != QR && real < 1e10 {
					t.Errorf("kappa=%g lambda=%g: with %.1f digits Gram does not give way to QR: %q", kappa, lambda, c.Digits, c.Advice)
				}
				if c.Digits < enoughDigits && c.Advice == "" {
					t.Errorf("kappa=%g lambda=%g: %.1f digits and no advice", kappa, lambda, c.Digits)
				}
			}
		}
	})
}

// TestManyRows adds thousands of single rows, or hundreds with -short.
func TestManyRows(t *testing.T) {
	k, n := 8, 2000
	if testing.Short() {
		n = 400
	}
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(33, 0))
		a, y := testutil.WithCondition(r, n, k, 1e3), testutil.Random(r, n, 1)
		// The first rows alone determine less than all of them: κ is that of the start.
		first := 3 * k
		start := rowsBetween(a, 0, first)
		u := v.start(t, b, start, rowsBetween(y, 0, first), 0)
		for i := first; i < n; i++ {
			if err := u.AddInputs(rowsBetween(a, i, i+1), rowsBetween(y, i, i+1)); err != nil {
				t.Fatal(err)
			}
		}
		// σ_max of the whole over σ_min of the start bounds the condition number of every state.
		var svd gonummat.SVD
		svd.Factorize(start, gonummat.SVDNone)
		values := svd.Values(nil)
		checkWeights(t, u, a, y, 0, v.accuracy(n, 1/values[k-1]))
	})
}

// TestRemoval removes rows that were added, some from the start and some from batches, and compares with the
// solution for the others; then adds them again.
func TestRemoval(t *testing.T) {
	const k, l = 9, 70
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, q := range []int{1, 4, 12, 30} {
			r := rand.New(rand.NewPCG(34, uint64(q)))
			a, y := testutil.Random(r, l, k), testutil.Random(r, l, 2)
			u := v.start(t, b, rowsBetween(a, 0, 40), rowsBetween(y, 0, 40), 0)
			do(t, u, u.AddInputs(rowsBetween(a, 40, l), rowsBetween(y, 40, l)))
			order := r.Perm(l)
			gone, kept := take(a, order[:q]), take(a, order[q:])
			do(t, u, u.RemoveInputs(gone, take(y, order[:q])))
			if u.Samples() != l-q || u.Report().Added != -q {
				t.Errorf("q=%d: %d samples, %d added", q, u.Samples(), u.Report().Added)
			}
			kappa := max(kappaOf(kept, 0), kappaOf(a, 0), kappaOf(rowsBetween(a, 0, 40), 0))
			bound := v.accuracy(l, kappa) + v.removal(gone, kept)
			checkWeights(t, u, kept, take(y, order[q:]), 0, bound)
			do(t, u, u.AddInputs(gone, take(y, order[:q])))
			checkWeights(t, u, a, y, 0, bound)
		}
	})
}

// removal is the bound on what a removal adds to the error: 1e3 eps/(1-h), 1e4 for Gram, with 1/(1-h) = 1 + the
// largest eigenvalue of Ax (AᵀA)⁻¹ Axᵀ after it.
func (v variant) removal(gone, kept *mat.Dense) float64 {
	p, _ := pinvOf(kept)
	var s mat.Dense
	s.Mul(gone, p)
	factor := 1e3
	if v.method == Gram {
		factor = 1e4
	}
	norm := s.Norm(2)
	return factor * dense.Eps * (1 + norm*norm)
}

func take(m *mat.Dense, rows []int) *mat.Dense {
	_, cols := m.Dims()
	out := mat.NewDense(len(rows), cols, nil)
	for i, row := range rows {
		out.SetRow(i, m.RawRowView(row))
	}
	return out
}

// TestRemovalRefused asks for the removal of rows that are all that is known in a direction, and checks that the
// model is bit for bit what it was.
func TestRemovalRefused(t *testing.T) {
	const k, l = 6, 30
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, scale := range []float64{0, 1e-9, 1e-3} {
			r := rand.New(rand.NewPCG(35, 0))
			a, y := testutil.Random(r, l, k), testutil.Random(r, l, 1)
			for i := range l - 2 { // only the last two rows have more than a trace of the last node
				a.Set(i, k-1, a.At(i, k-1)*scale)
			}
			u := v.start(t, b, a, y, 0)
			before := digest(u)
			err := u.RemoveInputs(rowsBetween(a, l-2, l), rowsBetween(y, l-2, l))
			var leverage *LeverageError
			switch {
			case scale == 1e-3:
				if err != nil {
					t.Errorf("scale %g: %v", scale, err)
				}
			case !errors.As(err, &leverage):
				t.Errorf("scale %g: %v, want a LeverageError", scale, err)
			case digest(u) != before:
				t.Errorf("scale %g: the state has changed", scale)
			}
		}
	})
}

// TestForgetting mixes Forget and sample weights and compares with the solution for the weighted rows.
func TestForgetting(t *testing.T) {
	const k, c = 8, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, lambda := range []float64{0, 0.01} {
			if lambda > 0 && !v.ridgeSolver() {
				continue
			}
			r := rand.New(rand.NewPCG(36, 0))
			a, y := testutil.Random(r, 20, k), testutil.Random(r, 20, c)
			u := v.start(t, b, a, y, lambda)
			ridge := lambda
			kappa := kappaOf(a, ridge)
			for _, q := range []int{1, 5, 2 * k} {
				const factor = 0.9
				do(t, u, u.Forget(factor))
				root := math.Sqrt(factor)
				a.Scale(root, a)
				y.Scale(root, y)
				ridge *= factor
				checkWeights(t, u, a, y, ridge, v.accuracy(dense.Rows(a), kappa))
				ax, ya, w := testutil.Random(r, q, k), testutil.Random(r, q, c), make([]float64, q)
				roots := make([]float64, q)
				for i := range w {
					w[i] = float64(i % 3)
					roots[i] = math.Sqrt(w[i])
				}
				do(t, u, u.AddWeightedInputs(ax, ya, w))
				a, y = stack(a, scaleRows(ax, roots)), stack(y, scaleRows(ya, roots))
				kappa = max(kappa, kappaOf(a, ridge))
				checkWeights(t, u, a, y, ridge, v.accuracy(dense.Rows(a), kappa))
			}
			if got := u.Lambda(); math.Abs(got-ridge) > 4*dense.Eps*ridge {
				t.Errorf("lambda is %g, want %g", got, ridge)
			}
		}
	})
}

// TestNodes adds columns and then rows.
func TestNodes(t *testing.T) {
	const k, l, c = 7, 50, 3
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, p := range []int{1, 5, 12} {
			for _, lambda := range []float64{0, 0.01} {
				if lambda > 0 && !v.ridgeSolver() {
					continue
				}
				r := rand.New(rand.NewPCG(37, uint64(p)))
				wide, y := testutil.Random(r, l+10, k+p), testutil.Random(r, l+10, c)
				all := rowsBetween(wide, 0, l)
				a, h := columnsBetween(all, 0, k), columnsBetween(all, k, k+p)
				u := v.start(t, b, rowsBetween(a, 0, 30), rowsBetween(y, 0, 30), lambda)
				do(t, u, u.AddInputs(rowsBetween(a, 30, l), rowsBetween(y, 30, l)))
				do(t, u, u.AddNodes(a, h, rowsBetween(y, 0, l)))
				if u.Nodes() != k+p {
					t.Fatalf("%d nodes, want %d", u.Nodes(), k+p)
				}
				kappa := max(kappaOf(all, lambda), kappaOf(rowsBetween(a, 0, 30), lambda))
				checkWeights(t, u, all, rowsBetween(y, 0, l), lambda, v.accuracy(l, kappa))
				do(t, u, u.AddInputs(rowsBetween(wide, l, l+10), rowsBetween(y, l, l+10)))
				checkWeights(t, u, wide, y, lambda, v.accuracy(l+10, kappa))
				do(t, u, u.RemoveInputs(rowsBetween(wide, l-1, l+4), rowsBetween(y, l-1, l+4)))
			}
		}
	})
}

// TestMerging merges three shards in every order and compares with one model of all rows.
func TestMerging(t *testing.T) {
	const k, c = 8, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(38, 0))
		a, y := testutil.Random(r, 60, k), testutil.Random(r, 60, c)
		cuts := []int{0, 3, 25, 60} // the first shard does not determine anything by itself
		if !Supports(v.method, ActionMerge) {
			cuts = []int{0, 20, 40, 60}
		}
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}} {
			for _, lambda := range []float64{0, 0.5} {
				if lambda > 0 && !v.ridgeSolver() {
					continue
				}
				var shards []Updater
				for _, i := range order {
					shards = append(shards, v.start(t, b, rowsBetween(a, cuts[i], cuts[i+1]), rowsBetween(y, cuts[i], cuts[i+1]), lambda))
				}
				before := digest(shards[1])
				err := shards[0].Merge(shards[1])
				if !Supports(v.method, ActionMerge) {
					checkUnsupported(t, err, v.method, Gram, QR)
					return
				}
				do(t, shards[0], err)
				if digest(shards[1]) != before {
					t.Error("the other model has changed")
				}
				do(t, shards[0], shards[0].Merge(shards[2]))
				if shards[0].Samples() != 60 || shards[0].Lambda() != lambda {
					t.Errorf("%d samples, lambda %g", shards[0].Samples(), shards[0].Lambda())
				}
				checkWeights(t, shards[0], a, y, lambda, v.accuracy(60, kappaOf(a, lambda)))
			}
		}
		checkLossesMerge(t, v, b, a, y)
		one := v.start(t, b, a, y, 0)
		for _, other := range []Updater{nil, one, variant{method: Improved}.start(t, b, a, y, 0), v.start(t, b, columnsBetween(a, 0, k-1), y, 0), v.start(t, b, a, columnsBetween(y, 0, 1), 0)} {
			before := digest(one)
			if err := one.Merge(other); err == nil || digest(one) != before {
				t.Errorf("merging an unfit model: %v", err)
			}
		}
	})
}

// checkLossesMerge checks that a model takes over what removals have done to the one that it learns.
func checkLossesMerge(t *testing.T, v variant, b blskernel.Backend, a, y *mat.Dense) {
	t.Helper()
	far := scaled(rowsBetween(a, 0, 1), 1e3)
	one, other := v.start(t, b, a, y, 0), v.start(t, b, a, y, 0)
	do(t, other, other.AddInputs(far, rowsBetween(y, 0, 1)))
	do(t, other, other.RemoveInputs(far, rowsBetween(y, 0, 1)))
	lost := driverOf(other).state.Common().Lost
	do(t, one, one.Merge(other))
	if got := driverOf(one).state.Common().Lost; lost <= 1 || got != lost {
		t.Errorf("losses of %g, want %g, those of the other model", got, lost)
	}
}

func checkUnsupported(t *testing.T, err error, m Method, instead ...Method) {
	t.Helper()
	var e *UnsupportedError
	if !errors.As(err, &e) || e.Method != m || fmt.Sprint(e.Instead) != fmt.Sprint(instead) {
		t.Errorf("%v: %v, want an UnsupportedError that names %v", m, err, instead)
	}
}

// TestRidgeChange raises and lowers lambda, from and to zero too.
func TestRidgeChange(t *testing.T) {
	const k, l = 9, 40
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(39, 0))
		a, y := testutil.Random(r, l, k), testutil.Random(r, l, 2)
		u := v.start(t, b, a, y, 0)
		if !Supports(v.method, ActionRidge) {
			checkUnsupported(t, u.SetLambda(1), v.method, Gram, QR)
			return
		}
		kappa := kappaOf(a, 0)
		for _, lambda := range []float64{0.5, 20, 1e-3, 0, 0, 1e-3} {
			do(t, u, u.SetLambda(lambda))
			if u.Lambda() != lambda {
				t.Errorf("lambda is %g, want %g", u.Lambda(), lambda)
			}
			checkWeights(t, u, a, y, lambda, v.accuracy(l, kappa))
		}
		for _, lambda := range []float64{-1, math.NaN(), math.Inf(1)} {
			before := digest(u)
			var e *OptionError
			if err := u.SetLambda(lambda); !errors.As(err, &e) || digest(u) != before {
				t.Errorf("lambda %g: %v", lambda, err)
			}
		}
	})
}

// TestDeficient starts from rows that do not determine the weights: by rank, by number, or both.
func TestDeficient(t *testing.T) {
	const k = 8
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(40, 0))
		for _, start := range []*mat.Dense{testutil.Random(r, 3, k), testutil.RandomRank(r, 20, k, 5), mat.NewDense(10, k, nil)} {
			l := dense.Rows(start)
			y := testutil.Random(r, l, 2)
			ax, ya := testutil.Random(r, 15, k), testutil.Random(r, 15, 2)
			all, targets := stack(start, ax), stack(y, ya)
			for _, lambda := range []float64{0, 0.01} {
				if lambda > 0 && !v.ridgeSolver() {
					continue
				}
				u, err := New(v.method, start, y, Options{Lambda: lambda, Form: v.form, Solve: v.solve, Backend: b})
				var rank *RankError
				var ill *ConditionError
				if err != nil {
					if lambda > 0 || v.method != RidgeInverse && v.method != InverseCholesky || !errors.As(err, &rank) && !errors.As(err, &ill) {
						t.Errorf("lambda=%g: %v", lambda, err)
					}
					continue
				}
				if lambda == 0 && v.ridgeSolver() {
					if _, err := u.Weights(); !errors.As(err, &rank) && !errors.As(err, &ill) {
						t.Errorf("%d rows: weights that are not determined: %v", l, err)
					}
				}
				do(t, u, u.AddInputs(ax, ya))
				kappa := kappaOf(all, lambda)
				if lambda > 0 { // the largest Q or F is that of the start
					kappa = max(kappa, all.Norm(2)/math.Sqrt(lambda))
				}
				checkWeights(t, u, all, targets, lambda, v.accuracy(dense.Rows(all), kappa))
			}
		}
	})
}

// TestBadCalls gives every action what it must refuse and checks that the state stays as it is.
func TestBadCalls(t *testing.T) {
	const k, l, c = 5, 20, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(41, 0))
		a, y := testutil.Random(r, l, k), testutil.Random(r, l, c)
		with := func(m *mat.Dense, value float64) *mat.Dense {
			out := gonummat.DenseCopyOf(m)
			rows, cols := m.Dims()
			out.Set(rows-1, cols-1, value)
			return out
		}
		ax, ya := testutil.Random(r, 3, k), testutil.Random(r, 3, c)
		u := v.start(t, b, a, y, 0)
		for _, bad := range []struct {
			name string
			do   func() error
		}{
			{"no rows", func() error { return u.AddInputs(&mat.Dense{}, ya) }},
			{"nil", func() error { return u.AddInputs(nil, nil) }},
			{"nil targets", func() error { return u.AddInputs(ax, nil) }},
			{"columns", func() error { return u.AddInputs(testutil.Random(r, 3, k+1), ya) }},
			{"targets", func() error { return u.AddInputs(ax, testutil.Random(r, 3, c+1)) }},
			{"rows", func() error { return u.AddInputs(ax, testutil.Random(r, 4, c)) }},
			{"NaN", func() error { return u.AddInputs(with(ax, math.NaN()), ya) }},
			{"Inf", func() error { return u.AddInputs(ax, with(ya, math.Inf(-1))) }},
			{"overflow", func() error { return u.AddInputs(with(ax, 1e308), with(ya, 1e308)) }},
			{"weights", func() error { return u.AddWeightedInputs(ax, ya, []float64{1, 1}) }},
			{"negative weight", func() error { return u.AddWeightedInputs(ax, ya, []float64{1, -1, 1}) }},
			{"NaN weight", func() error { return u.AddWeightedInputs(ax, ya, []float64{1, math.NaN(), 1}) }},
			{"weight overflow", func() error { return u.AddWeightedInputs(with(ax, 1e200), ya, []float64{1, 1, 1e300}) }},
			{"removal of NaN", func() error { return u.RemoveInputs(with(ax, math.NaN()), ya) }},
			{"removal of too many", func() error { return u.RemoveInputs(testutil.Random(r, l+1, k), testutil.Random(r, l+1, c)) }},
			{"removal of strangers", func() error { return u.RemoveInputs(scaled(testutil.Random(r, 3, k), 100), ya) }},
			{"factor 0", func() error { return u.Forget(0) }},
			{"factor 2", func() error { return u.Forget(2) }},
			{"factor NaN", func() error { return u.Forget(math.NaN()) }},
			{"nodes, rows of A", func() error { return u.AddNodes(ax, testutil.Random(r, 3, 2), ya) }},
			{"nodes, rows of H", func() error { return u.AddNodes(a, testutil.Random(r, l-1, 2), y) }},
			{"nodes, columns of A", func() error { return u.AddNodes(testutil.Random(r, l, k-1), testutil.Random(r, l, 2), y) }},
			{"nodes, targets", func() error { return u.AddNodes(a, testutil.Random(r, l, 2), testutil.Random(r, l, c+1)) }},
			{"nodes, NaN", func() error { return u.AddNodes(a, with(testutil.Random(r, l, 2), math.NaN()), y) }},
			{"nodes, overflow", func() error { return u.AddNodes(a, scaled(testutil.Random(r, l, 2), 1e308), y) }},
		} {
			before := digest(u)
			err := bad.do()
			if err == nil {
				t.Errorf("%s: no error", bad.name)
			}
			if digest(u) != before {
				t.Fatalf("%s: the state has changed (%v)", bad.name, err)
			}
		}
		do(t, u, u.AddInputs(ax, ya))
		checkWeights(t, u, stack(a, ax), stack(y, ya), 0, v.accuracy(l+3, kappaOf(a, 0)))
	})
}

// TestGoldenVectors has the exact numbers of a small example.
func TestGoldenVectors(t *testing.T) {
	a := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1})
	y := mat.NewDense(3, 1, []float64{1, 2, 3})
	ax, ya := mat.NewDense(1, 2, []float64{1, -1}), mat.NewDense(1, 1, []float64{4})
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, test := range []struct {
			lambda       float64
			first, after []float64
		}{
			{0, []float64{1, 2}, []float64{8. / 3, 1. / 3}},
			{1, []float64{7. / 8, 11. / 8}, []float64{2, 1. / 4}},
		} {
			if test.lambda > 0 && !v.ridgeSolver() {
				continue
			}
			u := v.start(t, b, a, y, test.lambda)
			check := func(want []float64) {
				t.Helper()
				if got := relative(weights(t, u), mat.NewDense(2, 1, want)); !(got <= 20*dense.Eps) {
					t.Errorf("lambda=%g: W has error %g", test.lambda, got)
				}
			}
			check(test.first)
			do(t, u, u.AddInputs(ax, ya))
			check(test.after)
			do(t, u, u.RemoveInputs(ax, ya))
			check(test.first)
		}
	})
}

// TestLeverage compares with x (AᵀA + lambda I)⁻¹ xᵀ of the rows that the model has.
func TestLeverage(t *testing.T) {
	const k = 6
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(42, 0))
		a, x := testutil.Random(r, 30, k), testutil.Random(r, 5, k)
		u := v.start(t, b, a, testutil.Random(r, 30, 1), 0)
		l, ok := u.(Leverager)
		if want := v.method == RidgeInverse || v.method == InverseCholesky; ok != want {
			t.Fatalf("a Leverager: %v", ok)
		} else if !want {
			return
		}
		report := u.Report()
		got, err := l.Leverage(x)
		if err != nil {
			t.Fatal(err)
		}
		var gram, inverse, p mat.Dense
		gram.Mul(a.T(), a)
		if err := inverse.Inverse(&gram); err != nil {
			t.Fatal(err)
		}
		p.Mul(x, &inverse)
		for i, h := range got {
			want := gonummat.Dot(p.RowView(i), x.RowView(i))
			if kappa := kappaOf(a, 0); !(math.Abs(h-want) <= 100*dense.Eps*kappa*kappa*want) {
				t.Errorf("row %d has %g, want %g", i, h, want)
			}
		}
		if !reflect.DeepEqual(u.Report(), report) {
			t.Error("the report has changed")
		}
		var shape *ShapeError
		if _, err := l.Leverage(testutil.Random(r, 2, k+1)); !errors.As(err, &shape) {
			t.Errorf("%v, want a ShapeError", err)
		}
	})
}

// TestRefine takes the error of Gram's weights from eps κ² to eps κ.
func TestRefine(t *testing.T) {
	const k, l = 12, 60
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, kappa := range []float64{1e2, 1e4, 1e6} {
			for _, lambda := range []float64{0, 1e-6} {
				r := rand.New(rand.NewPCG(43, uint64(kappa)))
				a, y := testutil.WithCondition(r, l, k, kappa), testutil.Random(r, l, 2)
				v := variant{method: Gram}
				u := v.start(t, b, a, y, lambda)
				before := digest(u)
				var shape *ShapeError
				if err := u.(Refiner).Refine(rowsBetween(a, 1, l), rowsBetween(y, 1, l)); !errors.As(err, &shape) || digest(u) != before {
					t.Errorf("too few rows: %v", err)
				}
				order := r.Perm(l)
				do(t, u, u.(Refiner).Refine(take(a, order), take(y, order)))
				checkWeights(t, u, a, y, lambda, variant{method: QR}.accuracy(l, kappaOf(a, lambda)))
			}
		}
	})
}

// TestUndetermined asks for weights that the rows do not determine. Too few rows are an error, and so are
// dependent nodes, unless rounding errors hide them: then Condition says that there are no digits.
func TestUndetermined(t *testing.T) {
	const k = 8
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		if v.method != Gram && v.method != QR {
			return
		}
		refused := 0
		defer func() {
			if refused < 500 {
				t.Errorf("%d of 600 models with dependent nodes refused", refused)
			}
		}()
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(44, seed))
			for _, a := range []*mat.Dense{testutil.Random(r, 6, k), testutil.RandomRank(r, 30, k, 7), testutil.RandomRank(r, 300, k, 5), mat.NewDense(9, k, nil)} {
				u := v.start(t, b, a, testutil.Random(r, dense.Rows(a), 1), 0)
				var rank *RankError
				var ill *ConditionError
				_, err := u.Weights()
				switch {
				case errors.As(err, &rank):
				case dense.Rows(a) < k:
					t.Fatalf("seed %d, %d rows: %v", seed, dense.Rows(a), err)
				case errors.As(err, &ill):
					refused++
				case err != nil:
					t.Fatal(err)
				}
				if c := u.Condition(); c.Digits >= 1 || c.Advice == "" {
					t.Fatalf("seed %d, %d rows: %+v", seed, dense.Rows(a), c)
				}
			}
		}
	})
}

// TestWithoutSamples removes all that a model has learned and goes on from there.
func TestWithoutSamples(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(45, 0))
		a, y := testutil.Random(r, 10, 3), testutil.Random(r, 10, 1)
		if !v.ridgeSolver() {
			return
		}
		u := v.start(t, b, a, y, 1)
		do(t, u, u.RemoveInputs(a, y))
		before := digest(u)
		if err := u.AddNodes(testutil.Random(r, 7, 3), testutil.Random(r, 7, 2), testutil.Random(r, 7, 1)); err == nil || digest(u) != before {
			t.Errorf("nodes of samples that the model does not have: %v", err)
		}
		do(t, u, u.AddInputs(a, y))
		checkWeights(t, u, a, y, 1, v.accuracy(10, a.Norm(2)))
	})
}

// TestRefineAfterForget: W stays while the factor of Gram is of another matrix.
func TestRefineAfterForget(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(46, 0))
		a, y := testutil.Random(r, 20, 4), testutil.Random(r, 20, 2)
		u := variant{method: Gram}.start(t, b, a, y, 0.1)
		weights(t, u)
		do(t, u, u.Forget(0.25))
		a.Scale(0.5, a)
		y.Scale(0.5, y)
		do(t, u, u.(Refiner).Refine(a, y))
		checkWeights(t, u, a, y, 0.025, variant{method: QR}.accuracy(20, kappaOf(a, 0.025)))
	})
}

// TestTrustAfterRemoval removes rows that are a thousand times larger than those that come after them: the errors of
// that time stay, and Condition has to know.
func TestTrustAfterRemoval(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		if !v.ridgeSolver() {
			return
		}
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(47, seed))
			large, ly := scaled(testutil.Random(r, 3, 3), 1e3), testutil.Random(r, 3, 1)
			a, y := testutil.Random(r, 3, 3), testutil.Random(r, 3, 1)
			u := v.start(t, b, large, ly, 1)
			do(t, u, u.RemoveInputs(large, ly))
			do(t, u, u.AddInputs(a, y))
			got := relative(weights(t, u), reference(a, y, 1))
			if c := u.Condition(); !(got <= math.Pow(10, -c.Digits)) {
				t.Errorf("seed %d: error %.2g, but %.1f digits are said to be right", seed, got, c.Digits)
			}
		}
	})
}
