package blsupdate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// TestTrust holds the weights to what Condition says of them, for condition numbers from 1e2 to 1e16,
// where a column is a combination of the others but for rounding: the error is at most 10^-Digits, or
// there is an error that says that there are no digits.
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

// TestLeverage compares leverages of the rows of A with the diagonal of A (AᵀA + lambda I)⁻¹Aᵀ: that
// what is kept is the inverse, after additions, removals and forgetting.
func TestLeverage(t *testing.T) {
	const l, k = 40, 7
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, lambda := range []float64{0, 0.1} {
			r := rand.New(rand.NewPCG(58, 0))
			a, y := testutil.WithCondition(r, l, k, 100), mat.NewDense(l, 1, nil)
			u := v.start(t, b, rowsBetween(a, 0, 30), rowsBetween(y, 0, 30), lambda)
			leverager, ok := u.(Leverager)
			if want := v.method == RidgeInverse || v.method == InverseCholesky; ok != want {
				t.Fatalf("a Leverager: %v", ok)
			} else if !want {
				return
			}
			check := func(known *mat.Dense, factor float64) {
				t.Helper()
				var hat mat.Dense
				hat.Mul(known, highPrecision(known, dense.ScaledIdentity(dense.Rows(known), 1), lambda))
				// More rows than are taken at a time, in a matrix with gaps.
				const times = 512/l + 2
				x := mat.NewDense(times*l, k+3, nil).Slice(0, times*l, 0, k).(*mat.Dense)
				for i := range times * l {
					x.SetRow(i, a.RawRowView(i%l))
				}
				report := u.Report()
				got, err := leverager.Leverage(x)
				must(t, err)
				for i, h := range got {
					j := i % l
					if j >= dense.Rows(known) {
						continue
					}
					if want := hat.At(j, j) / factor; !(math.Abs(h-want) <= v.accuracy(l, 120)/factor) {
						t.Fatalf("lambda=%g, %d rows: leverage %v of row %d, want %v", lambda, dense.Rows(known), h, i, want)
					}
				}
				if !reflect.DeepEqual(u.Report(), report) {
					t.Error("the report has changed")
				}
			}
			do(t, u, u.AddInputs(rowsBetween(a, 30, l), rowsBetween(y, 30, l)))
			check(a, 1)
			do(t, u, u.RemoveInputs(rowsBetween(a, 25, l), rowsBetween(y, 25, l)))
			check(rowsBetween(a, 0, 25), 1)
			do(t, u, u.Forget(0.25))
			check(rowsBetween(a, 0, 25), 0.25)
		}
	})
}

// TestRefine takes the error of Gram's weights from eps κ² to eps κ.
func TestRefine(t *testing.T) {
	const k, l = 12, 60
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, kappa := range []float64{1e2, 1e4, 1e6} {
			for _, lambda := range []float64{0, 1e-6} {
				r, a, y := conditioned(43, uint64(kappa), l, k, 2, kappa)
				v := variant{method: Gram}
				u := v.start(t, b, a, y, lambda)
				order := r.Perm(l)
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

// TestTrustAfterRemoval removes all rows, which are a thousand times larger than those that come after
// them: the errors of that time stay, and Condition has to know. Without samples no nodes can be
// added.
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
			if digits := u.Condition().Digits; digits == 0 {
				t.Errorf("seed %d: no digits", seed)
			} else {
				checkWeights(t, u, a, y, 1, math.Pow(10, -digits), seed)
			}
		}
	})
}

// TestGrowth measures how the error of W grows with the condition number, method by method, against
// 400-bit arithmetic: 100 samples of 40 nodes, then batches of 20, 20 and 60. It holds every error to
// the bounds of variant.accuracy. The long form takes five seeds of all rows of the table of
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
				// Every state of an update has an error, so the largest condition
				// number counts.
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

// signs returns random elements of ±1.
func signs(r *rand.Rand, rows, cols int) *mat.Dense {
	m := testutil.Random(r, rows, cols)
	m.Apply(func(_, _ int, x float64) float64 { return math.Copysign(1, x) }, m)
	return m
}
