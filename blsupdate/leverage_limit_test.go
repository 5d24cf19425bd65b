package blsupdate

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// refusedRemoval fails the test unless rows are refused, for their leverage or the condition of the
// model, and the state is bit for bit what it was.
func refusedRemoval(t *testing.T, u Updater, ax, ya *mat.Dense) {
	t.Helper()
	before := digest(u)
	err := u.RemoveInputs(ax, ya)
	var leverage *LeverageError
	if !errors.As(err, &leverage) && !is[*ConditionError](err) {
		t.Errorf("the error is %v", err)
	}
	if leverage != nil && leverage.Action != ActionRemove {
		t.Errorf("the action is %v", leverage.Action)
	}
	checkUnchanged(t, u, before)
}

// TestRemovalOfAllThatIsKnown removes the rows that alone have something of one direction, delta of it:
// 1-h is exactly 0, and what is computed of it is rounding noise that grows with the condition of the
// model. The direction is that of the last node, or any.
func TestRemovalOfAllThatIsKnown(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		const l, k = 30, 6
		for _, delta := range []float64{1, 1e-2, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10} {
			for _, q := range []int{1, 2, 5, 14} {
				for seed := range uint64(10) {
					r, a, y := problem(seed, 82, l, k, 1)
					if seed%2 == 0 {
						for i := range l {
							a.Set(i, k-1, a.At(i, k-2)+0.5*a.At(i, k-3))
						}
						for i := range q {
							a.Set(i, k-1, a.At(i, k-1)+delta)
						}
					} else {
						// The last column of w is the direction.
						w := testutil.Orthonormal(r, k, k)
						var c, turned mat.Dense
						c.Mul(a, w)
						for i := range l {
							if i < q {
								c.Set(i, k-1, c.At(i, k-1)*delta)
							} else {
								c.Set(i, k-1, 0)
							}
						}
						turned.Mul(&c, w.T())
						a = &turned
					}
					u, err := v.try(b, a, y, 0)
					if is[*ConditionError](err) && v.method == RidgeInverse {
						continue // too ill-conditioned to start from
					}
					must(t, err)
					refusedRemoval(t, u, rowsBetween(a, 0, q), rowsBetween(y, 0, q))
					if t.Failed() {
						t.Fatalf("delta %g, q=%d, seed %d", delta, q, seed)
					}
				}
			}
		}
	})
}

// TestHarmlessRemovals removes rows that are like the others from ill-conditioned models.
func TestHarmlessRemovals(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		const l = 120
		for _, kappa := range []float64{1, 1e3, 1e6} {
			for _, k := range []int{1, 6, 20} {
				for _, q := range []int{1, 4, 30} {
					_, a, y := conditioned(uint64(k+q), 83, l, k, 1, kappa)
					u := v.start(t, b, a, y, 0)
					do(t, u, u.RemoveInputs(rowsBetween(a, 0, q), rowsBetween(y, 0, q)))
				}
			}
		}
	})
}

// TestRemovalOfBothSigns removes rows of both signs, and those whose dominant direction has elements of
// both signs, which a start without negative elements is orthogonal to. 1-h is e² to a factor.
func TestRemovalOfBothSigns(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, test := range []struct {
			e    float64
			rows []float64
		}{
			{0x1p-20, []float64{1, -1}},
			{0x1p-20, []float64{1, 1}},
			{0x1p-17, []float64{1, 0.5, -1, -0.5}},
			{0x1p-17, []float64{1, -0.5, -1, 0.5}},
			{0x1p-17, []float64{1, -1, -1, 1, 1, -1, -1, 1}},
			{0x1p-17, []float64{1, -1, 1, -1}},
		} {
			e, q := test.e, len(test.rows)/2
			a := mat.NewDense(2+q, 2, append([]float64{e, 0, 0, e}, test.rows...))
			y := mat.NewDense(2+q, 1, nil)
			y.Set(0, 0, e)
			y.Set(1, 0, 2*e)
			y.Set(2, 0, 5)
			u := v.start(t, b, a, y, 0)
			refusedRemoval(t, u, rowsBetween(a, 2, 2+q), rowsBetween(y, 2, 2+q))
			if t.Failed() {
				t.Fatalf("%v", test)
			}
		}
	})
}

// TestAdditionOfBothSigns adds large rows with both signs in one batch.
func TestAdditionOfBothSigns(t *testing.T) {
	const l, k = 12, 4
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		if v.form == Large && v.method != InverseCholesky || v.form == Paper || v.form == Compressed {
			return // the errors of these grow with the square of the new condition number
		}
		if v.method == Original || v.method == Gram {
			return
		}
		for _, size := range []float64{1, 1e3, 1e6} {
			r := rand.New(rand.NewPCG(7, 84))
			a, y, big := testutil.Random(r, l, k), testutil.Random(r, l, 1), testutil.Random(r, 1, k)
			ax, ya := mat.NewDense(2, k, nil), testutil.Random(r, 2, 1)
			for j := range k {
				ax.Set(0, j, size*big.At(0, j))
				ax.Set(1, j, -size*big.At(0, j))
			}
			u := v.start(t, b, a, y, 0)
			do(t, u, u.AddInputs(ax, ya))
			all, targets := stack(a, ax), stack(y, ya)
			if got := relative(weights(t, u), highPrecision(all, targets, 0)); !(got <= 1e3*dense.Eps*max(1, size)) {
				t.Errorf("size %g: error %g", size, got)
			}
		}
	})
}

// TestConditionScales: the condition does not depend on the scale of A, up to squares that underflow or
// overflow.
func TestConditionScales(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		_, a, y := problem(85, 0, 10, 3, 1)
		var want float64
		for _, size := range []float64{1, 1e-158, 1e-150, 1e150} {
			u := started(t, InverseCholesky, scaled(gonummat.DenseCopyOf(a), size), scaled(gonummat.DenseCopyOf(y), size), Options{Backend: b})
			got := u.Condition().RCond
			if size == 1 {
				want = got
			}
			if !(math.Abs(got-want) <= 1e-6*want) {
				t.Errorf("size %g: %g, want %g", size, got, want)
			}
		}
	})
}

// TestLeverageErrorSays: a ridge is not called rows.
func TestLeverageErrorSays(t *testing.T) {
	for _, test := range []struct {
		err  LeverageError
		says string
	}{
		{LeverageError{Action: ActionRemove}, "rows to be removed"},
		{LeverageError{Rest: 1e-5, Least: 2e-3, Action: ActionRemove}, "below 0.002 it may be rounding"},
		{LeverageError{Action: ActionRidge}, "ridge to be taken off"},
		{LeverageError{Action: ActionMerge}, "give the receiver a ridge"},
	} {
		if got := test.err.Error(); !strings.Contains(got, test.says) {
			t.Errorf("%q does not say %q", got, test.says)
		}
	}
	_, a, y := problem(86, 0, 2, 3, 1)
	u := started(t, QR, a, y, Options{Lambda: 1})
	v := started(t, QR, a, y, Options{})
	var leverage *LeverageError
	if err := u.SetLambda(0); !errors.As(err, &leverage) || leverage.Action != ActionRidge {
		t.Errorf("SetLambda: %v", err)
	}
	if err := v.Merge(u); !errors.As(err, &leverage) || leverage.Action != ActionMerge {
		t.Errorf("Merge: %v", err)
	}
}
