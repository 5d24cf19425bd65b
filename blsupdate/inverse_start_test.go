package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/isfinite"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
	gonummat "gonum.org/v1/gonum/mat"
)

// inverses are the methods that keep an inverse, in both forms.
var inverses = []variant{
	{RidgeInverse, Small, false}, {RidgeInverse, Large, false},
	{InverseCholesky, Small, false}, {InverseCholesky, Large, false},
}

func eachInverse(t *testing.T, f func(t *testing.T, v variant, opt Options)) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, v := range inverses {
			t.Run(v.String(), func(t *testing.T) { f(t, v, Options{Form: v.form, Backend: b}) })
		}
	})
}

// inverseBound is the bound on the relative error of W after l rows: 10 sqrt(l) eps κ for F, and with
// κ² for Q. κ belongs to the worst state, ‖[A; sqrt(lambda) I]‖ after all rows times the largest ‖F‖ on
// the way.
func (v variant) inverseBound(l int, kappa float64) float64 {
	if v.method == RidgeInverse {
		kappa *= kappa
	}
	return 10 * math.Sqrt(float64(l)) * dense.Eps * kappa
}

// worstKappa is that κ for additions, with which ‖F‖ only shrinks.
func worstKappa(start, all *mat.Dense, lambda float64) float64 {
	_, all2 := extremes(all, lambda)
	least, _ := extremes(start, lambda)
	return all2 / least
}

// extremes returns the smallest and the largest singular value of [A; sqrt(lambda) I].
func extremes(a *mat.Dense, lambda float64) (least, most float64) {
	l, k := a.Dims()
	_, values := pinvOf(a)
	if len(values) < min(l, k) || l < k {
		least = 0
	} else {
		least = values[len(values)-1]
	}
	if len(values) > 0 {
		most = values[0]
	}
	return math.Hypot(least, math.Sqrt(lambda)), math.Hypot(most, math.Sqrt(lambda))
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

func TestInverseWeights(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c = 17, 3
		for _, kappa := range []float64{10, 1e4, 1e6, 1e8} {
			if v.method == RidgeInverse && kappa > 1e6 {
				continue
			}
			for _, lambda := range []float64{0, 0x1p-30, 1e-6, 1e-3, 1} {
				opt.Lambda = lambda
				r := rand.New(rand.NewPCG(50, uint64(kappa)))
				a, y := testutil.WithCondition(r, 40, k, kappa), testutil.Random(r, 40, c)
				u, err := New(v.method, a, y, opt)
				if err != nil {
					t.Fatal(err)
				}
				checkSteps(t, u, Model(v.method, ActionStart, opt, Shape{L: 40, K: k, C: c, Start: u.Report().Start}))
				start := a
				check := func() {
					t.Helper()
					bound := v.inverseBound(dense.Rows(a), worstKappa(start, a, lambda))
					if got := relative(weights(t, u), reference(a, y, lambda)); !(got <= bound) {
						t.Errorf("κ=%g lambda=%g, %d rows: error %.2g of W, bound %.2g", kappa, lambda, dense.Rows(a), got, bound)
					}
				}
				check()
				for _, q := range []int{1, 5, 70} { // Woodbury takes 70 rows in two blocks
					ax, ya := testutil.WithCondition(r, max(q, k), k, kappa), testutil.Random(r, q, c)
					ax = dense.RowRange(ax, 0, q)
					if err := u.AddInputs(ax, ya); err != nil {
						t.Fatal(err)
					}
					model := Model(v.method, ActionAdd, opt, Shape{L: dense.Rows(a), K: k, Q: q, C: c})
					if u.Report().Steps[2].Formula == "2qk² + 4cqk" { // for rows that are large as A sees them
						model = append([]StepFlops{cost.Check(q, k, c)}, cost.CholeskyAdd(Large, q, k, c, true)...)
					}
					checkSteps(t, u, model)
					if got := u.Report().Form; got != v.form {
						t.Errorf("form %v", got)
					}
					a, y = stack(a, ax), stack(y, ya)
				}
				check()
				checkTriangles(t, u)
			}
		}
	})
}

// checkTriangles makes sure that L is zero above its diagonal. Of Q there is one triangle only.
func checkTriangles(t *testing.T, u Updater) {
	t.Helper()
	if s, ok := driverOf(u).state.(*cholesky.State); ok {
		for i := range s.K {
			for j := i + 1; j < s.K; j++ {
				if math.Float64bits(s.L.At(i, j)) != 0 {
					t.Fatalf("element (%d,%d) of L is %v", i, j, s.L.At(i, j))
				}
			}
		}
	}
}

// TestInverseLargeRows adds fewer rows than nodes that are many times larger than those before, and
// ordinary rows after them. The errors of Woodbury and Carlson are as with ordinary rows: 100 times the
// bound at the κ = 10 that the rows have before they are scaled. That of the form Large is within the
// bound at the κ of all rows.
func TestInverseLargeRows(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		if v.method == RidgeInverse && v.form == Large {
			return
		}
		const k, c = 12, 2
		for _, size := range []float64{1e4, 1e6} {
			for _, q := range []int{1, 4} {
				r := rand.New(rand.NewPCG(51, uint64(q)))
				a, y := testutil.WithCondition(r, 40, k, 10), testutil.Random(r, 40, c)
				u, err := New(v.method, a, y, opt)
				if err != nil {
					t.Fatal(err)
				}
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
				ax.Scale(size, ax)
				bx, by := testutil.WithCondition(r, 20, k, 10), testutil.Random(r, 20, c)
				for _, batch := range [][2]*mat.Dense{{ax, ya}, {bx, by}} {
					if err := u.AddInputs(batch[0], batch[1]); err != nil {
						t.Fatal(err)
					}
					checkReport(t, u)
					a, y = stack(a, batch[0]), stack(y, batch[1])
					bound := 1000 * math.Sqrt(float64(dense.Rows(a))) * dense.Eps * 10
					if v.form == Large {
						bound = v.inverseBound(dense.Rows(a), worstKappa(dense.RowRange(a, 0, 40), a, 0))
					}
					if got := relative(weights(t, u), reference(a, y, 0)); !(got <= bound) {
						t.Errorf("rows %g times as large, q=%d: error %.2g of W, bound %.2g", size, q, got, bound)
					}
				}
			}
		}
	})
}

// TestInverseColdStart starts from fewer rows than nodes and a ridge.
func TestInverseColdStart(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c = 20, 2
		for _, lambda := range []float64{1, 1e-4, 0x1p-30} {
			opt.Lambda = lambda
			r := rand.New(rand.NewPCG(52, 0))
			a, y := testutil.Random(r, 5, k), testutil.Random(r, 5, c)
			u, err := New(v.method, a, y, opt)
			if err != nil {
				t.Fatal(err)
			}
			for range 39 {
				ax, ya := testutil.Random(r, 5, k), testutil.Random(r, 5, c)
				if err := u.AddInputs(ax, ya); err != nil {
					t.Fatal(err)
				}
				a, y = stack(a, ax), stack(y, ya)
			}
			kappa := worstKappa(mat.NewDense(1, k, nil), a, lambda)
			bound := v.inverseBound(dense.Rows(a), kappa)
			if got := relative(weights(t, u), reference(a, y, lambda)); !(got <= bound) {
				t.Errorf("lambda=%g: error %.2g of W, bound %.2g", lambda, got, bound)
			}
			// The condition has to say so, too: an estimate from below, by norms that are up to sqrt(k)
			// apart.
			if got := u.Condition().RCond; !(got <= 1.1/kappa && got >= 1/(3*math.Sqrt(k)*kappa)) {
				t.Errorf("lambda=%g: reciprocal condition %.2g, want %.2g", lambda, got, 1/kappa)
			}
		}
	})
}

// TestInverseManyRows adds thousands of rows one by one, and forgets a little before each in the second
// round.
func TestInverseManyRows(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		if v.form == Large {
			return
		}
		const k, c, rows = 10, 2, 2000
		for _, factor := range []float64{1, 0.99} {
			opt.Lambda = 1e-3
			r := rand.New(rand.NewPCG(53, 0))
			a, y := testutil.WithCondition(r, 30, k, 1e3), testutil.Random(r, 30, c)
			u, err := New(v.method, a, y, opt)
			if err != nil {
				t.Fatal(err)
			}
			bx, by := testutil.WithCondition(r, rows, k, 30), testutil.Random(r, rows, c)
			bx.Scale(math.Sqrt(rows), bx)
			lambda := opt.Lambda
			wa, wy := gonummat.DenseCopyOf(a), gonummat.DenseCopyOf(y)
			for i := range rows {
				if factor < 1 {
					if err := u.Forget(factor); err != nil {
						t.Fatal(err)
					}
					lambda *= factor
				}
				if err := u.AddInputs(dense.RowRange(bx, i, i+1), dense.RowRange(by, i, i+1)); err != nil {
					t.Fatal(err)
				}
			}
			wa, wy = stack(wa, bx), stack(wy, by)
			for i := range dense.Rows(wa) {
				age := rows - max(0, i-29)
				weight := math.Pow(factor, float64(age)/2)
				floats.Scale(weight, wa.RawRowView(i))
				floats.Scale(weight, wy.RawRowView(i))
			}
			// The weights of old rows fall by 0.99²⁰⁰⁰, so the norm is that of the last hundred or so.
			bound := v.inverseBound(rows, 100)
			if got := relative(weights(t, u), reference(wa, wy, lambda)); !(got <= bound) {
				t.Errorf("factor %g: error %.2g of W, bound %.2g", factor, got, bound)
			}
		}
	})
}

// TestInverseForgetting multiplies the state until the gain has to go into the matrix, and on.
func TestInverseForgetting(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c = 6, 2
		opt.Lambda = 0.5
		r := rand.New(rand.NewPCG(54, 0))
		a, y := testutil.Random(r, 20, k), testutil.Random(r, 20, c)
		u, err := New(v.method, a, y, opt)
		if err != nil {
			t.Fatal(err)
		}
		for range 13 {
			w := weights(t, u)
			if err := u.Forget(0x1p-40); err != nil {
				t.Fatal(err)
			}
			if relative(weights(t, u), w) != 0 {
				t.Error("forgetting changes W")
			}
		}
		if got := u.Lambda(); got != 0.5*0x1p-520 {
			t.Errorf("lambda is %g", got)
		}
		small := 0x1p-260
		a.Scale(small, a)
		y.Scale(small, y)
		for range 2 {
			ax, ya := testutil.Random(r, 3, k), testutil.Random(r, 3, c)
			ax.Scale(small, ax)
			ya.Scale(small, ya)
			if err := u.AddInputs(ax, ya); err != nil {
				t.Fatal(err)
			}
			a, y = stack(a, ax), stack(y, ya)
		}
		want := reference(a, y, 0.5*0x1p-520)
		if got := relative(weights(t, u), want); !(got <= v.inverseBound(26, 20)) {
			t.Errorf("error %.2g of W", got)
		}

		if err := u.Forget(0.25); err != nil {
			t.Fatal(err)
		}
		h := testutil.Random(r, 26, 2)
		for _, m := range []*mat.Dense{a, y} {
			m.Scale(0.5, m)
		}
		h.Scale(small, h)
		if err := u.AddNodes(a, h, y); err != nil {
			t.Fatal(err)
		}
		ax, ya := testutil.Random(r, 3, k+2), testutil.Random(r, 3, c)
		ax.Scale(small, ax)
		ya.Scale(small, ya)
		if err := u.AddInputs(ax, ya); err != nil {
			t.Fatal(err)
		}
		wide := new(mat.Dense)
		wide.Augment(a, h)
		want = reference(stack(wide, ax), stack(y, ya), u.Lambda())
		if got := relative(weights(t, u), want); !(got <= v.inverseBound(29, 20)) {
			t.Errorf("error %.2g of W with more nodes", got)
		}

		for left := 20; ; left-- {
			before := digest(u)
			err := u.Forget(0x1p-300)
			if err == nil && left > 0 {
				continue
			}
			if !errors.Is(err, ErrOverflow) || digest(u) != before {
				t.Errorf("forgetting all there is: %v, the state has changed: %t", err, digest(u) != before)
			}
			break
		}
	})
}

// TestInverseRemoval removes rows without which a column of A is nearly zero. The errors are those of
// the state before, and what the removal makes of the last bit: 1e3 eps/(1-h).
func TestInverseRemoval(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c, l = 12, 2, 60
		for _, rest := range []float64{1, 1e-4, 1e-6} {
			for _, q := range []int{1, 3, 15, 150} {
				r := rand.New(rand.NewPCG(55, uint64(q)))
				a, y := testutil.Random(r, l, k), testutil.Random(r, l, c)
				for i := range l {
					a.Set(i, 0, a.At(i, 0)*math.Sqrt(rest))
				}
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
				u, err := New(v.method, stack(a, ax), stack(y, ya), opt)
				if err != nil {
					t.Fatal(err)
				}
				if err := u.RemoveInputs(ax, ya); err != nil {
					t.Fatalf("rest %g, q=%d: %v", rest, q, err)
				}
				checkSteps(t, u, Model(v.method, ActionRemove, opt, Shape{L: l + q, K: k, Q: q, C: c}))
				checkTriangles(t, u)
				// 1-h is the eigenvalue of the kept part of the column, about l rest, beside what q
				// rows add.
				left := float64(l) * rest / float64(l+q)
				bound := v.inverseBound(l+q, 20) + 1e3*dense.Eps/left
				if got := relative(weights(t, u), reference(a, y, 0)); !(got <= bound) {
					t.Errorf("rest %g, q=%d: error %.2g of W, bound %.2g", rest, q, got, bound)
				}
			}
		}
	})
}

// TestInverseRemovalRefused removes all that is known in one direction, or nearly all, in one row and
// in many, of which none alone would be too much.
func TestInverseRemovalRefused(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c, l = 12, 2, 60
		for _, rest := range []float64{0, 1e-13} {
			for _, q := range []int{1, 3, 15, 150} {
				r := rand.New(rand.NewPCG(56, uint64(q)))
				a, y := testutil.Random(r, l, k), testutil.Random(r, l, c)
				for i := range l {
					a.Set(i, 0, a.At(i, 0)*math.Sqrt(rest))
				}
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
				u, err := New(v.method, stack(a, ax), stack(y, ya), opt)
				if err != nil {
					t.Fatal(err)
				}
				before, report := digest(u), fmt.Sprint(u.Report())
				var leverage *LeverageError
				if err := u.RemoveInputs(ax, ya); !errors.As(err, &leverage) {
					t.Fatalf("rest %g, q=%d: %v", rest, q, err)
				}
				if digest(u) != before || fmt.Sprint(u.Report()) != report {
					t.Errorf("rest %g, q=%d: the state has changed", rest, q)
				}
			}
		}
	})
}

// TestInverseRemovalInParts removes rows of which each block, where they are removed in blocks or one
// by one, leaves a millionth of what is known in one direction, and all together much less.
func TestInverseRemovalInParts(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, l = 45, 60
		for _, q := range []int{3, 150} {
			r := rand.New(rand.NewPCG(63, uint64(q)))
			a, y, ax, ya := testutil.Random(r, l, k), testutil.Random(r, l, 1), testutil.Random(r, q, k), testutil.Random(r, q, 1)
			for i := range l {
				a.Set(i, 0, a.At(i, 0)*1e-6)
			}
			for i := q / 3; i < q; i++ {
				ax.Set(i, 0, ax.At(i, 0)*1e-3)
			}
			u, err := New(v.method, stack(a, ax), stack(y, ya), opt)
			if err != nil {
				t.Fatal(err)
			}
			before := digest(u)
			var leverage *LeverageError
			if err := u.RemoveInputs(ax, ya); !errors.As(err, &leverage) {
				t.Errorf("q=%d: %v", q, err)
			}
			if digest(u) != before {
				t.Errorf("q=%d: the state has changed", q)
			}
		}
	})
}

// TestInverseWorst removes the row that makes a problem well-conditioned and adds it again: the errors
// of the state in between stay, and the condition has to be that of it, without having been asked for
// at the time.
func TestInverseWorst(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, l = 8, 60
		r := rand.New(rand.NewPCG(64, 0))
		a, y := testutil.Random(r, l, k), testutil.Random(r, l, 1)
		for i := range l {
			a.Set(i, 0, a.At(i, 0)*1e-3)
		}
		ax, ya := testutil.Random(r, 1, k), testutil.Random(r, 1, 1)
		ax.Set(0, 0, 5)
		u, err := New(v.method, stack(a, ax), stack(y, ya), opt)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Condition().RCond; !(got > 0.01) {
			t.Errorf("reciprocal condition %.2g at first", got)
		}
		if err := u.RemoveInputs(ax, ya); err != nil {
			t.Fatal(err)
		}
		if err := u.AddInputs(ax, ya); err != nil {
			t.Fatal(err)
		}
		if got, worst := u.Condition().RCond, 1/kappaOf(a, 0); !(got <= 1.1*worst && got >= worst/(3*k)) {
			t.Errorf("reciprocal condition %.2g at last, want %.2g", got, worst)
		}
	})
}

// TestInverseNodes adds columns that are nearly combinations of those before, up to d, and compares
// with the reference at the bound for a model that starts with all columns.
func TestInverseNodes(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const l, k, c = 24, 9, 2
		for _, kappa := range []float64{10, 1e5} {
			for _, d := range []float64{1, 1e-5} {
				for _, lambda := range []float64{0, 1e-6, 0.1} {
					for _, p := range []int{1, 6, 20} {
						if lambda == 0 && k+p > l {
							continue
						}
						opt.Lambda = lambda
						r := rand.New(rand.NewPCG(57, uint64(p)))
						a, y := testutil.WithCondition(r, l, k, kappa), testutil.Random(r, l, c)
						h, noise := new(mat.Dense), testutil.Random(r, l, p)
						h.Mul(a, testutil.Random(r, k, p))
						noise.Scale(d, noise)
						h.Add(h, noise)
						u, err := New(v.method, a, y, opt)
						if err != nil {
							t.Fatal(err)
						}
						wide := new(mat.Dense)
						wide.Augment(a, h)
						worst := kappaOf(wide, lambda)
						name := fmt.Sprintf("κ=%g d=%g lambda=%g p=%d", kappa, d, lambda, p)
						if err := u.AddNodes(a, h, y); err != nil {
							var ill *ConditionError
							if !errors.As(err, &ill) || worst < 1e6 {
								t.Errorf("%s: %v", name, err)
							}
							continue
						}
						checkSteps(t, u, Model(v.method, ActionNodes, opt, Shape{L: l, K: k, P: p, C: c}))
						checkTriangles(t, u)
						if got, bound := relative(weights(t, u), reference(wide, y, lambda)), v.inverseBound(l, worst); !(got <= bound) {
							t.Errorf("%s: error %.2g of W, bound %.2g", name, got, bound)
						}
						// What comes after uses the whole new state.
						ax, ya := testutil.Random(r, 7, k+p), testutil.Random(r, 7, c)
						if err := u.AddInputs(ax, ya); err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						all := stack(wide, ax)
						bound := v.inverseBound(l+7, worstKappa(wide, all, lambda))
						if k+p > l {
							bound = v.inverseBound(l+7, worstKappa(mat.NewDense(1, k+p, nil), all, lambda))
						}
						if got := relative(weights(t, u), reference(all, stack(y, ya), lambda)); !(got <= bound) {
							t.Errorf("%s: error %.2g of W after more rows, bound %.2g", name, got, bound)
						}
					}
				}
			}
		}
	})
}

// TestInverseLeverage compares leverages of the rows of A with the diagonal of the hat matrix, A (AᵀA +
// lambda I)⁻¹Aᵀ.
func TestInverseLeverage(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const l, k = 40, 7
		for _, lambda := range []float64{0, 0.1} {
			opt.Lambda = lambda
			r := rand.New(rand.NewPCG(58, 0))
			a := testutil.WithCondition(r, l, k, 100)
			identity := mat.NewDense(l, l, nil)
			for i := range l {
				identity.Set(i, i, 1)
			}
			hat := new(mat.Dense)
			hat.Mul(a, reference(a, identity, lambda))
			u, err := New(v.method, dense.RowRange(a, 0, 30), testutil.Random(r, 30, 1), opt)
			if err != nil {
				t.Fatal(err)
			}
			if err := u.AddInputs(dense.RowRange(a, 30, l), testutil.Random(r, 10, 1)); err != nil {
				t.Fatal(err)
			}
			// More rows than are taken at a time, in a matrix with gaps.
			const times = 512/l + 2
			x := mat.NewDense(times*l, k+3, nil).Slice(0, times*l, 0, k).(*mat.Dense)
			for i := range times * l {
				x.SetRow(i, a.RawRowView(i%l))
			}
			got, err := leveragesOf(u, x)
			if err != nil {
				t.Fatal(err)
			}
			bound := v.inverseBound(l, 120)
			for i, h := range got {
				if want := hat.At(i%l, i%l); !(math.Abs(h-want) <= bound) {
					t.Fatalf("lambda=%g: leverage %v of row %d, want %v", lambda, h, i, want)
				}
			}
		}
	})
}

// leveragesOf returns what the state says of the rows of x.
func leveragesOf(u Updater, x *mat.Dense) ([]float64, error) {
	return driverOf(u).state.(interface {
		Leverage(x *mat.Dense) ([]float64, error)
	}).Leverage(x)
}

func TestInverseRefusesStart(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		r := rand.New(rand.NewPCG(59, 0))
		var rank *RankError
		if _, err := New(v.method, testutil.Random(r, 4, 5), testutil.Random(r, 4, 1), opt); !errors.As(err, &rank) {
			t.Errorf("fewer rows than nodes: %v", err)
		}
		var ill *ConditionError
		singular := map[string]*mat.Dense{
			"rank 3": testutil.RandomRank(r, 20, 5, 3), "zeros": mat.NewDense(20, 5, nil), "κ 1e18": testutil.WithCondition(r, 20, 5, 1e18),
		}
		for name, a := range singular {
			if _, err := New(v.method, a, testutil.Random(r, 20, 1), opt); !errors.As(err, &ill) || len(ill.Instead) == 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
		large := testutil.Random(r, 20, 5)
		large.Scale(1e160, large)
		if _, err := New(v.method, large, testutil.Random(r, 20, 1), opt); !errors.Is(err, ErrOverflow) {
			t.Errorf("large numbers: %v", err)
		}
		small := testutil.Random(r, 20, 5)
		small.Scale(1e-160, small)
		y := testutil.Random(r, 20, 1)
		u, err := New(v.method, small, y, opt)
		if v.method == RidgeInverse {
			if !errors.As(err, &ill) {
				t.Errorf("small numbers: %v", err)
			}
			return
		}
		if err != nil {
			t.Fatalf("small numbers: %v", err)
		}
		if got := relative(weights(t, u), reference(small, y, 0)); !(got <= v.inverseBound(20, 10)) {
			t.Errorf("small numbers: error %.2g of W", got)
		}
	})
}

// TestInverseOverflow adds rows whose products overflow only inside, where the state would be changed
// in place.
func TestInverseOverflow(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c = 5, 2
		r := rand.New(rand.NewPCG(60, 0))
		a, y := testutil.Random(r, 20, k), testutil.Random(r, 20, c)
		a.Scale(1e-100, a)
		if v.method == RidgeInverse {
			opt.Lambda = 1e-205
		}
		u, err := New(v.method, a, y, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []int{1, 3, 200} {
			for _, size := range [][2]float64{{1e60, 1}, {1e120, 1e150}, {1e100, 1e200}, {1e-80, 1e300}} {
				// The last row, so that others have been added when it comes.
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
				ax.Scale(1e-100, ax)
				floats.Scale(size[0]*1e100, ax.RawRowView(q-1))
				floats.Scale(size[1], ya.RawRowView(q-1))
				before := digest(u)
				err := u.AddInputs(ax, ya)
				if err == nil {
					if isfinite.First(weights(t, u).RawMatrix().Data) >= 0 {
						t.Fatalf("q=%d, %v: W is not finite", q, size)
					}
					if _, err := leveragesOf(u, dense.RowRange(a, 0, 1)); err != nil {
						t.Fatalf("q=%d, %v: the state is not finite: %v", q, size, err)
					}
					u, _ = New(v.method, a, y, opt)
					continue
				}
				var ill *ConditionError
				if !errors.Is(err, ErrOverflow) && !errors.As(err, &ill) {
					t.Errorf("q=%d, %v: %v", q, size, err)
				}
				if digest(u) != before {
					t.Errorf("q=%d, %v: the state has changed", q, size)
				}
			}
		}
	})
}
