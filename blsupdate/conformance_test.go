package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// TestBatches adds batches of many sizes, from one row on, and compares with the solution from all
// rows at once, for one and for many targets.
func TestBatches(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, k := range []int{1, 2, 7, 23} {
			for _, c := range []int{1, 3, 100} {
				if c == 100 && k > 7 {
					continue
				}
				for _, lambda := range v.ridges(0, 1e-3) {
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
						if c < 100 || i == len(cuts)-1 {
							checkWeights(t, u, rowsBetween(a, 0, cuts[i]), rowsBetween(y, 0, cuts[i]), lambda, v.accuracy(cuts[i], kappa))
						}
					}
				}
			}
		}
	})
}

// TestManyRows adds hundreds of single rows, or thousands in the long form.
func TestManyRows(t *testing.T) {
	k, n := 8, 300
	if testutil.Long() {
		n = 2000
	}
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		_, a, y := conditioned(33, 0, n, k, 1, 1e3)
		// The first rows alone determine less than all of them: κ is the start's.
		first := 3 * k
		start := rowsBetween(a, 0, first)
		u := v.start(t, b, start, rowsBetween(y, 0, first), 0)
		for i := first; i < n; i++ {
			must(t, u.AddInputs(rowsBetween(a, i, i+1), rowsBetween(y, i, i+1)))
		}
		// σ_max of all rows over σ_min of the start bounds the condition number of every state.
		_, values := pinvOf(start)
		checkWeights(t, u, a, y, 0, v.accuracy(n, 1/values[k-1]))
	})
}

// TestMerging merges three shards in every order and compares with one model of all rows. A model takes
// over the errors that removals left in a model that it merges.
func TestMerging(t *testing.T) {
	const k, c = 8, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		if !Supports(v.method, ActionMerge) {
			return
		}
		_, a, y := problem(38, 0, 60, k, c)
		cuts := []int{0, 3, 25, 60} // the first shard does not determine anything by itself
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}} {
			for _, lambda := range v.ridges(0, 0.5) {
				var shards []Updater
				for _, i := range order {
					shards = append(shards, v.start(t, b, rowsBetween(a, cuts[i], cuts[i+1]), rowsBetween(y, cuts[i], cuts[i+1]), lambda))
				}
				for _, other := range shards[1:] {
					before := digest(other)
					do(t, shards[0], shards[0].Merge(other))
					checkUnchanged(t, other, before)
				}
				if shards[0].Samples() != 60 || shards[0].Lambda() != lambda {
					t.Errorf("%d samples, lambda %g", shards[0].Samples(), shards[0].Lambda())
				}
				checkWeights(t, shards[0], a, y, lambda, v.accuracy(60, kappaOf(a, lambda)))
			}
		}
		far, ya := scaled(rowsBetween(a, 0, 1), 1e3), rowsBetween(y, 0, 1)
		one, other := v.start(t, b, a, y, 0), v.start(t, b, a, y, 0)
		do(t, other, other.AddInputs(far, ya))
		do(t, other, other.RemoveInputs(far, ya))
		before := one.Condition().Digits
		do(t, one, one.Merge(other))
		if got := one.Condition().Digits; !(got < before-1) {
			t.Errorf("%.1f digits, and %.1f before the errors of the other model", got, before)
		}
	})
}

// TestRemovalLeverage removes rows up to 1e5 times as large as the others, from well-conditioned and
// ill-conditioned models, and rows without which hardly a trace of a node is left. The error is at most
// the state's before plus 1e3 eps/(1-h), 1e4 for Gram, or the rows are refused if 1-h is below 1e-8.
func TestRemovalLeverage(t *testing.T) {
	const k, l, c = 12, 60, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, test := range []struct{ kappa, size, trace float64 }{
			{1, 1, 1}, {1, 1, 1e-4}, {1, 1, 1e-6}, {1e4, 1, 1}, {1, 3e3, 1}, {1e4, 3e3, 1}, {1, 1e5, 1},
		} {
			if v.method == RidgeInverse && (test.kappa > 1 || test.size > 1) {
				continue // κ² and 1/(1-h) are multiplied
			}
			for _, q := range []int{1, 3, 15, 150} {
				if q == 150 && test.trace == 1 {
					continue
				}
				for _, lambda := range v.ridges(0, 1e-3) {
					r, a, y := conditioned(uint64(q), 11, l, k, c, test.kappa)
					for i := range l {
						a.Set(i, 0, a.At(i, 0)*math.Sqrt(test.trace))
					}
					ax, ya := testutil.WithCondition(r, max(q, k), k, test.kappa), scaled(testutil.Random(r, q, c), test.size)
					ax = scaled(rowsBetween(ax, 0, q), test.size)
					rest, all := exactRest(a, ax, lambda), stack(ax, a)
					name := fmt.Sprintf("%v q=%d lambda=%g 1-h=%.1g", test, q, lambda, rest)
					u := v.start(t, b, all, stack(ya, y), lambda)
					before := digest(u)
					err := u.RemoveInputs(ax, ya)
					if rest < types.LeastRest/2 || err != nil {
						refused(t, u, before, err, isSingular)
						var e *LeverageError
						if errors.As(err, &e) && e.Rest != 0 && !(e.Rest < 2*rest && e.Rest > rest/2 || e.Rest < e.Least) || rest > 2*types.LeastRest {
							t.Errorf("%s: %v", name, err)
						}
						continue
					}
					do(t, u, err)
					if u.Samples() != l || u.Report().Added != -q {
						t.Errorf("%s: %d samples, %d added", name, u.Samples(), u.Report().Added)
					}
					more := 1e3 * dense.Eps / rest
					if v.method == Gram {
						more *= 10
					}
					checkWeights(t, u, a, y, lambda, v.accuracy(l+q, kappaOf(all, lambda))+more, name)
				}
			}
		}
	})
}

// exactRest returns 1-h for rows of [A; Ax; sqrt(lambda) I], from the state without them, so that small
// values are accurate: 1/(1 + the largest eigenvalue of Ax (AᵀA + lambda I)⁻¹ Axᵀ).
func exactRest(a, ax *mat.Dense, lambda float64) float64 {
	inverse, _ := pinvOf(stack(a, dense.ScaledIdentity(dense.Cols(a), math.Sqrt(lambda))))
	var v mat.Dense
	v.Mul(ax, inverse)
	_, values := pinvOf(&v)
	return 1 / (1 + values[0]*values[0])
}

// TestNodesNearlyDependent adds nodes that are nearly or exactly combinations of the old ones, which
// may be ill-conditioned themselves, and then rows, which use the whole new state. The error is as
// after a start with all nodes.
func TestNodesNearlyDependent(t *testing.T) {
	const l, k, c = 24, 9, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, kappa := range []float64{10, 1e5} {
			for _, near := range []float64{1, 1e-5, 0} {
				for _, lambda := range v.ridges(0, 1e-6) {
					for _, p := range []int{1, 6, 20} {
						if lambda == 0 && (k+p > l || near == 0 && !v.ridgeSolver()) {
							continue
						}
						r, a, y := conditioned(57, uint64(p), l, k, c, kappa)
						h := nearly(r, a, p, near)
						wide := dense.Beside(a, h)
						worst := max(kappaOf(a, lambda), kappaOf(wide, lambda))
						name := fmt.Sprintf("κ=%g near=%g lambda=%g p=%d", kappa, near, lambda, p)
						u, err := v.try(b, a, y, lambda)
						if err == nil {
							err = u.AddNodes(a, h, y)
						}
						if near == 0 {
							v.answers(t, name, u, err, wide, y, lambda, lambda > 0)
							continue
						}
						if err != nil {
							if !is[*ConditionError](err) || worst < 1e6 {
								t.Errorf("%s: %v", name, err)
							}
							continue
						}
						checkWeights(t, u, wide, y, lambda, v.accuracy(l, worst), name)
						if v.method == QR { // C = H - A D has errors of eps ‖A‖‖D‖, up to κ times eps ‖H‖
							old, _ := pinvOf(stack(a, dense.ScaledIdentity(k, math.Sqrt(lambda))))
							d := new(mat.Dense)
							d.Mul(old.Slice(0, k, 0, l), h)
							checkQRTriangle(t, u, wide, y, lambda, 20*(1+a.Norm(2)*d.Norm(2)/wide.Norm(2)))
						}
						if v.method == Improved && v.form == Large {
							continue // whose errors grow with the square of the new condition number
						}
						ax, ya := testutil.Random(r, 7, k+p), testutil.Random(r, 7, c)
						if err := u.AddInputs(ax, ya); !is[*ConditionError](err) || worst < 1e6 {
							do(t, u, err)
							all := stack(wide, ax)
							checkWeights(t, u, all, stack(y, ya), lambda, v.accuracy(l+7, max(worst, worstKappa(wide, all, lambda))), name)
						}
					}
				}
			}
		}
	})
}

// TestTrust compares the weights with what Condition promises, for condition numbers from 1e2 to 1e16,
// where a column is a combination of the others up to rounding. The error is at most 10^-Digits, or an
// error says that there are no digits.
func TestTrust(t *testing.T) {
	const k, l = 12, 60
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, kappa := range []float64{1e2, 1e4, 1e6, 1e8, 1e10, 1e12, 1e13, 1e14, 1e15, 1e16} {
			for _, lambda := range v.ridges(0, 1e-25, 1e-12, 0x1p-30, 1e-6, 1e-3) {
				_, a, y := conditioned(32, uint64(kappa), l, k, 2, kappa)
				u, w, err := v.learn(b, a, y, lambda, 30, 31, 40, l)
				if kappa > 1e12 || lambda > 0 && lambda < 0x1p-30 {
					checkTrusted(t, fmt.Sprintf("kappa=%g lambda=%g", kappa, lambda), u, err, a, y, lambda)
					continue
				}
				if err != nil {
					if !is[*ConditionError](err) || kappa < 1e6 {
						t.Errorf("kappa=%g lambda=%g: refused: %v", kappa, lambda, err)
					}
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
				if v.method == Gram && c.Digits < enoughDigits && (c.Instead != QR || !strings.Contains(c.Advice, "grows with the square")) && real < 1e10 {
					t.Errorf("kappa=%g lambda=%g: with %.1f digits Gram does not give way to QR: %q", kappa, lambda, c.Digits, c.Advice)
				}
				if c.Digits < enoughDigits && c.Advice == "" {
					t.Errorf("kappa=%g lambda=%g: %.1f digits and no advice", kappa, lambda, c.Digits)
				}
			}
		}
	})
}

// TestRefine checks that Refine reduces the error of Gram's weights from eps κ² to eps κ.
func TestRefine(t *testing.T) {
	const k, l = 12, 60
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, kappa := range []float64{1e2, 1e4, 1e6} {
			for _, lambda := range []float64{0, 1e-6} {
				r, a, y := conditioned(43, uint64(kappa), l, k, 2, kappa)
				v := variant{method: Gram}
				u := v.start(t, b, a, y, lambda)
				order := r.Perm(l)
				huge := scaled(dense.Copy(a), 1e300)
				refused(t, u, digest(u), u.(Refiner).Refine(huge, huge.Slice(0, l, 0, 2).(*mat.Dense)), isOverflow)
				do(t, u, u.(Refiner).Refine(take(a, order), take(y, order)))
				checkWeights(t, u, a, y, lambda, variant{method: QR}.accuracy(l, kappaOf(a, lambda)))
				do(t, u, u.Forget(0.25)) // W stays while the factor of Gram is of another matrix
				a.Scale(0.5, a)
				y.Scale(0.5, y)
				do(t, u, u.(Refiner).Refine(a, y))
				checkWeights(t, u, a, y, lambda/4, variant{method: QR}.accuracy(l, kappaOf(a, lambda/4)))
			}
		}
	})
}

// TestUndetermined asks for weights that the rows do not determine. Too few rows are an error, and so
// are dependent nodes, unless rounding errors hide them: then Condition says that there are no digits.
func TestUndetermined(t *testing.T) {
	const k = 8
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		if v.method != Gram && v.method != QR {
			return
		}
		count := 0
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(44, seed))
			for _, a := range []*mat.Dense{testutil.Random(r, 6, k), testutil.RandomRank(r, 30, k, 7), testutil.RandomRank(r, 300, k, 5), mat.NewDense(9, k, nil)} {
				u := v.start(t, b, a, testutil.Random(r, dense.Rows(a), 1), 0)
				_, err := u.Weights()
				checkNoDigits(t, fmt.Sprintf("seed %d, %d rows", seed, dense.Rows(a)), u, err)
				if is[*ConditionError](err) {
					count++
				} else if dense.Rows(a) < k && !is[*RankError](err) || u.Condition().Digits >= 1 {
					t.Errorf("seed %d, %d rows: %v, %+v", seed, dense.Rows(a), err, u.Condition())
				}
			}
		}
		if count < 250 {
			t.Errorf("%d of 300 models with dependent nodes refused", count)
		}
	})
}

// TestTrustAfterRemoval removes all rows, which are a thousand times larger than the rows after them:
// their errors stay, and Condition must account for them. Without samples no nodes can be added.
func TestTrustAfterRemoval(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		if !v.ridgeSolver() {
			return
		}
		for seed := range uint64(20) {
			r, large, ly := problem(47, seed, 3, 3, 1)
			a, y := testutil.Random(r, 3, 3), testutil.Random(r, 3, 1)
			u := v.start(t, b, scaled(large, 1e3), ly, 1)
			do(t, u, u.RemoveInputs(large, ly))
			refused(t, u, digest(u), u.AddNodes(testutil.Random(r, 7, 3), testutil.Random(r, 7, 2), testutil.Random(r, 7, 1)), isAny)
			do(t, u, u.AddInputs(a, y))
			digits := u.Condition().Digits
			if digits == 0 && v.method != RidgeInverse { // whose bound is eps over the square of 1-h
				t.Errorf("seed %d: no digits", seed)
			} else if digits > 0 {
				checkWeights(t, u, a, y, 1, math.Pow(10, -digits), seed)
			}
		}
	})
}

// TestGrowth measures how the error of W grows with the condition number, method by method, against
// 400-bit arithmetic: 100 samples of 40 nodes, then batches of 20, 20 and 60. Every error must be
// within the bounds of variant.accuracy. The long form takes five seeds for each row of the table in
// docs/numerics.md, which it prints with -v.
func TestGrowth(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	const k = 40
	cuts := []int{100, 120, 140, 200}
	conds, lambdas, seeds := []float64{1e4, 1e8}, []float64{0, 1e-6}, 1
	if testutil.Long() {
		conds, lambdas, seeds = []float64{1e2, 1e4, 1e6, 1e8, 1e10}, []float64{0, 0x1p-30, 1e-6, 1e-3}, 5
	}
	columns := []variant{
		{Original, Auto, false}, {Improved, Small, false}, {Improved, Large, false}, {Improved, Compressed, false},
		{RidgeInverse, Small, false}, {RidgeInverse, Large, false}, {InverseCholesky, Small, false}, {InverseCholesky, Large, false}, {Gram, Auto, false}, {QR, Auto, false},
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| cond(A) | lambda | κ | %v |\n|%s\n", columns, strings.Repeat("---|", 3+len(columns)))
	for _, cond := range conds {
		for _, lambda := range lambdas {
			kappa, largest := 0.0, make([]float64, len(columns)) // +Inf for a refusal, 0 where a method does not solve it
			for seed := range uint64(seeds) {
				r := rand.New(rand.NewPCG(50, seed))
				a, y := testutil.WithCondition(r, cuts[3], k, cond), signs(r, cuts[3], 1)
				// Every state has an error, so the largest condition number counts.
				for _, l := range cuts {
					kappa = max(kappa, kappaOf(rowsBetween(a, 0, l), lambda))
				}
				want := highPrecision(a, y, lambda)
				for i, v := range columns {
					if lambda > 0 && !v.ridgeSolver() {
						continue
					}
					got := math.Inf(1)
					if _, w, err := v.learn(nil, a, y, lambda, cuts...); err == nil {
						got = relative(w, want)
						if bound := v.accuracy(cuts[3], kappa); !(got <= bound) {
							t.Errorf("%v: cond=%g lambda=%g: error %.2g, bound %.2g", v, cond, lambda, got, bound)
						}
					} else if kappa < 1e6 {
						t.Errorf("%v: cond=%g lambda=%g: %v", v, cond, lambda, err)
					}
					largest[i] = max(largest[i], got)
				}
			}
			fmt.Fprintf(&table, "| %.0e | %.1g | %.1g | %.0e |\n", cond, lambda, kappa, largest)
		}
	}
	t.Logf("largest error of W in %d problems a row:\n%s", seeds, table.String())
}

func signs(r *rand.Rand, rows, cols int) *mat.Dense {
	m := testutil.Random(r, rows, cols)
	m.Apply(func(_, _ int, x float64) float64 { return math.Copysign(1, x) }, m)
	return m
}
