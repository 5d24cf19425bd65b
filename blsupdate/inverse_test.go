package blsupdate

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cholesky"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/linalg/floats"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonumfloats "gonum.org/v1/gonum/floats"
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

// worstKappa is the condition number of the bounds for additions, of [A; sqrt(lambda) I] after all
// rows over the start, since ‖F‖ only shrinks.
func worstKappa(start, all *mat.Dense, lambda float64) float64 {
	var states spread
	for _, m := range []*mat.Dense{start, all} {
		states.Add(stack(m, dense.ScaledIdentity(dense.Cols(m), math.Sqrt(lambda))))
	}
	return states.kappa()
}

// TestInverseLargeRows adds rows that are many times larger than those before, in one case each with
// its negative, and ordinary rows after them. The errors of Woodbury and Carlson for fewer rows than
// nodes are as with ordinary rows: 100 times the bound at the κ = 10 that the rows have before they are
// scaled. The error of the form Large is within the bound at the κ of all rows: InverseCholesky takes a
// QR factorization, as its report shows, if I + SᵀS would have no digits.
func TestInverseLargeRows(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c = 12, 2
		for _, size := range []float64{1, 1e4, 1e6} {
			for _, q := range []int{1, 2, 4, k, 2 * k} {
				if v.method == RidgeInverse && (v.form == Large || q >= k) {
					continue
				}
				r, a, y := conditioned(51, uint64(q), 40, k, c, 10)
				start := a
				u := started(t, v.method, a, y, opt)
				ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
				if q == 2 {
					ax.SetRow(1, scaled(rowsBetween(ax, 0, 1), -1).RawRowView(0))
				}
				ax.Scale(size/dense.Norm(ax.RawMatrix().Data), ax)
				for i, batch := range [][2]*mat.Dense{{ax, ya}, {testutil.WithCondition(r, 20, k, 10), testutil.Random(r, 20, c)}} {
					must(t, u.AddInputs(batch[0], batch[1]))
					checkReport(t, u)
					if v.method == InverseCholesky && v.form == Large && i == 0 {
						checkSteps(t, u, stepFlops(append([]cost.StepFlops{cost.Check(q, k, c)}, cost.CholeskyAdd(types.Large, q, k, c, size > 1)...)))
					}
					a, y = stack(a, batch[0]), stack(y, batch[1])
					bound := 1000 * math.Sqrt(float64(dense.Rows(a))) * dense.Eps * 10
					if v.form == Large || q >= k {
						bound = v.accuracy(dense.Rows(a), worstKappa(start, a, 0))
					}
					if q == 2 {
						bound = max(bound, 1e3*dense.Eps*size)
					}
					checkWeights(t, u, a, y, 0, bound, size, q)
				}
			}
		}
	})
}

// TestInverseOverflow adds rows of which only intermediate products overflow, during a change in place.
func TestInverseOverflow(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c = 5, 2
		r, a, y := problem(60, 0, 20, k, c)
		a.Scale(1e-100, a)
		if v.method == RidgeInverse {
			opt.Lambda = 1e-205
		}
		for _, q := range []int{1, 3, 200} {
			for _, size := range [][2]float64{{1e60, 1}, {1e120, 1e150}, {1e100, 1e200}, {1e-80, 1e300}} {
				// The last row, so that others have been added when it comes.
				ax, ya := scaled(testutil.Random(r, q, k), 1e-100), testutil.Random(r, q, c)
				gonumfloats.Scale(size[0]*1e100, ax.RawRowView(q-1))
				gonumfloats.Scale(size[1], ya.RawRowView(q-1))
				u := started(t, v.method, a, y, opt)
				before := digest(u)
				if err := u.AddInputs(ax, ya); err != nil {
					refused(t, u, before, err, isRefusal)
				}
				_, err := u.Leverage(dense.RowRange(a, 0, 1))
				if floats.FirstNonFinite(weights(t, u).RawMatrix().Data) >= 0 || err != nil {
					t.Fatalf("q=%d, %v: W or the state is not finite: %v", q, size, err)
				}
			}
		}
	})
}

// TestSweep compares the sweep of many rows at once with one row after the other, bit by bit, and with
// the solution, also where two of them are removed again. Columns of F of 64 elements and more are
// combined by vector operations.
func TestSweep(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, q = 200, 5
		r, a, y := problem(71, 0, k+100, k, 1)
		ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, 1)
		opt := Options{Form: Small, Backend: b}
		once, each := started(t, InverseCholesky, a, y, opt), started(t, InverseCholesky, a, y, opt)
		must(t, once.AddInputs(ax, ya))
		for i := range q {
			must(t, each.AddInputs(dense.RowRange(ax, i, i+1), dense.RowRange(ya, i, i+1)))
		}
		s, other := driverOf(once).state.(*cholesky.State), driverOf(each).state.(*cholesky.State)
		if !sameBits(s.L, other.L) || !sameBits(s.W, other.W) {
			t.Error("rows at once give another result than one by one")
		}
		checkLeastNorm(t, once, stack(a, ax), stack(y, ya), 1e-11, "added")
		must(t, once.RemoveInputs(dense.RowRange(ax, 0, 2), dense.RowRange(ya, 0, 2)))
		checkLeastNorm(t, once, stack(a, dense.RowRange(ax, 2, q)), stack(y, dense.RowRange(ya, 2, q)), 1e-11, "removed")
	})
}

// TestInverseForms checks where the forms cross: Auto takes Large for InverseCholesky above one row
// and k/14, and for RidgeInverse where it has fewer flops, which for blocks of k/4 rows is where 2qk²
// + qk²/2 = 2k³. Paper takes Small for q <= k.
func TestInverseForms(t *testing.T) {
	for _, k := range []int{1, 13, 14, 100, 400, 1400} {
		for q := 1; q <= 2*k; q++ {
			if got := cost.CholeskyForm(types.Auto, q, k); (got == types.Small) != (q == 1 || 14*q <= k) {
				t.Fatalf("InverseCholesky, k=%d q=%d: %v", k, q, got)
			}
			steps := func(form Form) float64 {
				return Total(Model(InverseCholesky, ActionAdd, Options{Form: form}, Shape{K: k, Q: q, C: 1}))
			}
			if k >= 100 && !(steps(Auto) <= 3.3*min(steps(Small), steps(Large))) {
				t.Fatalf("InverseCholesky, k=%d q=%d: %v flops, and %v by the other form", k, q, steps(Auto), steps(Small))
			}
			small, large := cost.Sum(cost.RidgeAdd(types.Options{}, types.Small, q, k, 1)), cost.Sum(cost.RidgeAdd(types.Options{}, types.Large, q, k, 1))
			got := cost.RidgeForm(types.Auto, q, k, 1)
			if (got == types.Large) != (large < small) || k == 400 && (q < 280 && got == types.Large || q > 360 && got == types.Small) {
				t.Fatalf("RidgeInverse, k=%d q=%d: %v", k, q, got)
			}
			if paper := cost.RidgeForm(types.Paper, q, k, 1); (paper == types.Small) != (q <= k) || cost.CholeskyForm(types.Paper, q, k) != paper {
				t.Fatalf("Paper, k=%d q=%d: %v", k, q, paper)
			}
		}
	}
}

// TestInverseCholeskyBounds adds rows as large as 1e36 to a model with a small ridge, where nothing is
// left of the I in I + SᵀS: the computed F is then wrong, and may be larger than the old one, as after
// no exact addition. Either that is an error and the state is unchanged, or the bound that is kept on F
// holds; the state can then be written and read.
func TestInverseCholeskyBounds(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		count := 0
		for _, form := range []Form{Small, Large, Auto} {
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 91))
				k, q, lambda := 30, 20, 0x1p-30
				if seed%4 == 3 {
					k, lambda = 10, 1.0
				}
				u := started(t, InverseCholesky, testutil.Random(r, 60, k), testutil.Random(r, 60, 2), Options{Lambda: lambda, Form: form, Backend: b})
				start := driverOf(u).state.(*cholesky.State).BoundX * 1.05
				for range 4 {
					ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, 2)
					if seed%4 == 3 {
						ax.Scale(1e17, ax)
					} else {
						for range 5 {
							ax.Set(r.IntN(q), r.IntN(k), math.Pow(10, 24+12*r.Float64()))
						}
					}
					before := digest(u)
					err := u.AddInputs(ax, ya)
					if err != nil {
						refused(t, u, before, err, isRefusal)
						count++
					}
					s := driverOf(u).state.(*cholesky.State)
					if got, bound := dense.Norm(s.L.RawMatrix().Data), s.BoundX; !(got <= bound*(1+1e-14) && bound <= start) {
						t.Errorf("%v, seed %d: the norm of F is %g, its bound %g, and at the start it was %g", form, seed, got, bound, start)
					}
					data := encoded(t, u)
					if !bytes.Equal(encoded(t, decoded(t, data, b)), data) {
						t.Fatalf("%v, seed %d: read as something else", form, seed)
					}
				}
			}
		}
		if count == 0 {
			t.Error("nothing was refused")
		}
	})
}

// TestInverseForgetting forgets until the gain has to be multiplied into the matrix, and beyond.
func TestInverseForgetting(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, c, small = 6, 2, 0x1p-260
		opt.Lambda = 0.5
		r, a, y := problem(54, 0, 20, k, c)
		u := started(t, v.method, a, y, opt)
		for range 13 {
			w := weights(t, u)
			must(t, u.Forget(0x1p-40))
			if !sameBits(weights(t, u), w) {
				t.Error("forgetting changes W")
			}
		}
		a.Scale(small, a)
		y.Scale(small, y)
		add := func() {
			ax, ya := scaled(testutil.Random(r, 3, u.Nodes()), small), scaled(testutil.Random(r, 3, c), small)
			must(t, u.AddInputs(ax, ya))
			a, y = stack(a, ax), stack(y, ya)
		}
		add()
		add()
		checkWeights(t, u, a, y, 0.5*small*small, v.accuracy(26, 20))
		must(t, u.Forget(0.25))
		h := scaled(testutil.Random(r, 26, 2), small)
		a.Scale(0.5, a)
		y.Scale(0.5, y)
		must(t, u.AddNodes(a, h, y))
		a = dense.Beside(a, h)
		add()
		if got, want := u.Lambda(), 0.125*small*small; got != want {
			t.Errorf("lambda is %g, want %g", got, want)
		}
		checkWeights(t, u, a, y, u.Lambda(), v.accuracy(29, 20), "more nodes")

		for range 2100 { // rows make up for what is forgotten
			must(t, u.Forget(0.5))
			add()
		}
		n := dense.Rows(a)
		must(t, u.RemoveInputs(rowsBetween(a, n-3, n), rowsBetween(y, n-3, n))) // since the worst state recedes
		if v.method == InverseCholesky {
			ill, zeros := mat.NewDense(2, 3, []float64{1, 1, 0, 1, 1 + 1e-6, 0}), mat.NewDense(2, 1, nil) // one node is never used
			u = started(t, v.method, ill, zeros, Options{Lambda: 1e-14})
			must(t, u.AddInputs(ill, zeros))
		}
		encoded(t, u)
	})
}

// TestInverseWorst removes the row that makes a problem well-conditioned and adds it again: the errors
// of the state in between stay, and lower Digits, even if Condition was not called then.
func TestInverseWorst(t *testing.T) {
	eachInverse(t, func(t *testing.T, v variant, opt Options) {
		const k, l = 8, 60
		r, a, y := problem(64, 0, l, k, 1)
		for i := range l {
			a.Set(i, 0, a.At(i, 0)*1e-3)
		}
		ax, ya := testutil.Random(r, 1, k), testutil.Random(r, 1, 1)
		ax.Set(0, 0, 5)
		u := started(t, v.method, stack(a, ax), stack(y, ya), opt)
		if got := u.Condition().RCond; !(got > 0.01) {
			t.Errorf("reciprocal condition %.2g at first", got)
		}
		first := u.Condition().Digits
		must(t, u.RemoveInputs(ax, ya))
		must(t, u.AddInputs(ax, ya))
		c := u.Condition()
		if !(c.RCond > 0.01) {
			t.Errorf("reciprocal condition %.2g at last", c.RCond)
		}
		if !(c.Digits < first-2) {
			t.Errorf("%.1f digits, %.1f at first", c.Digits, first)
		}
	})
}
