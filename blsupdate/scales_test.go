package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// A powerLife takes a model through every action with rows [a h] and targets y times powers of two.
type powerLife struct {
	a, h, y *mat.Dense
	lambda  float64
	rows    int   // 2^rows multiplies a and h, and 4^rows lambda
	targets int   // 2^targets multiplies y
	cuts    []int // where the batches end, of which the last rows are removed again
}

// run starts a model, adds a row, a few, and more than there are nodes, removes two, forgets, adds
// nodes, and changes the ridge if it can. It returns the weights, times the reciprocal power, or the
// first error and the action that failed.
func (p powerLife) run(v variant, b blskernel.Backend) (w *mat.Dense, failed string, err error) {
	a, h, y := ldexp(p.a, p.rows), ldexp(p.h, p.rows), ldexp(p.y, p.targets)
	ridge := func(f float64) float64 { return math.Ldexp(f*p.lambda, 2*p.rows) }
	u, err := v.try(b, rowsBetween(a, 0, p.cuts[0]), rowsBetween(y, 0, p.cuts[0]), ridge(1))
	if err != nil {
		return nil, "New", err
	}
	l := p.cuts[len(p.cuts)-1]
	type step struct {
		name string
		do   func() error
	}
	var steps []step
	for i, to := range p.cuts[1:] {
		ax, ya := rowsBetween(a, p.cuts[i], to), rowsBetween(y, p.cuts[i], to)
		steps = append(steps, step{"AddInputs", func() error { return u.AddInputs(ax, ya) }})
	}
	steps = append(steps,
		step{"RemoveInputs", func() error { return u.RemoveInputs(rowsBetween(a, l-2, l), rowsBetween(y, l-2, l)) }},
		step{"Forget", func() error { return u.Forget(0.25) }},
		step{"AddNodes", func() error {
			return u.AddNodes(ldexp(rowsBetween(a, 0, l-2), -1), ldexp(rowsBetween(h, 0, l-2), -1), ldexp(rowsBetween(y, 0, l-2), -1))
		}})
	if Supports(v.method, ActionRidge) && p.lambda > 0 {
		steps = append(steps, step{"SetLambda", func() error { return u.SetLambda(ridge(2)) }})
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			return nil, s.name, err
		}
	}
	if w, err = u.Weights(); err != nil {
		return nil, "Weights", err
	}
	return ldexp(w, p.rows-p.targets), "", nil
}

// bound returns how much two runs may differ, each with the error of its method: κ is at most the
// start's with the norm of all rows, and is squared if the rank grows; the removal has its own bound.
func (p powerLife) bound(v variant) float64 {
	l := p.cuts[len(p.cuts)-1]
	all := dense.Beside(p.a, p.h)
	start, _ := pinvOf(rowsBetween(p.a, 0, p.cuts[0]))
	wide, _ := pinvOf(rowsBetween(all, 0, l-2))
	kappa := all.Norm(2) * max(start.Norm(2), wide.Norm(2))
	if p.cuts[0] < dense.Cols(p.a) {
		return 20 * math.Sqrt(float64(l)) * dense.Eps * kappa * kappa
	}
	return 2 * (v.accuracy(l, kappa) + v.removal(rowsBetween(p.a, l-2, l), rowsBetween(p.a, 0, l-2)))
}

// TestHostileScale multiplies A by 2^±500 and 2^±1000 and lambda by the square, in a powerLife: the
// weights are multiplied by the reciprocal, within twice the bound of the method, or the method reports
// that squares overflow or underflow. Gram, QR and RidgeInverse, which treat numbers of every size
// alike, give the same bits. Original and Improved also start with fewer rows than nodes, and with
// powers at which squares just underflow or overflow.
func TestHostileScale(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		powers := []int{-1000, -500, 500, 1000}
		for i, lambda := range []float64{0, 0x1p-10, 0} {
			r, a, y := problem(90, 1, 39, 6, 2)
			p := powerLife{a: a, h: testutil.Random(r, 39, 2), y: y, lambda: lambda, cuts: []int{20, 21, 24, 39}}
			if i == 2 {
				if v.ridgeSolver() {
					continue
				}
				p.cuts = []int{4, 7, 24, 39}
				powers = append(powers, -538, -530, -520, -514, -498, 498, 514, 665)
			}
			want, failed, err := p.run(v, b)
			if err != nil {
				t.Fatalf("%s: %v", failed, err)
			}
			// Every method is linear in the targets to the last bit, up to 2^990 or 1e298.
			for _, p.targets = range []int{-950, -500, 500, 990} {
				if got, failed, err := p.run(v, b); err != nil || !sameBits(got, want) {
					t.Errorf("targets of 2^%d: W has other bits, or %s fails: %v", p.targets, failed, err)
				}
			}
			p.targets = 0
			for _, rows := range powers {
				if lambda > 0 && (rows == 1000 || rows == -1000) {
					continue // whose lambda is no number
				}
				p.rows = rows
				name := fmt.Sprintf("2^%d, lambda=%g", rows, lambda)
				got, failed, err := p.run(v, b)
				switch {
				case rows == 1000 && v.ridgeSolver(): // the norm of a column is above 2^1000, its square beyond float64
					if failed != "New" || !errors.Is(err, ErrOverflow) {
						t.Errorf("%s: %s: %v, want ErrOverflow of New", name, failed, err)
					}
				case rows < 0 && v.method == RidgeInverse: // AᵀA underflows
					if failed != "New" || !is[*ConditionError](err) {
						t.Errorf("%s: %s: %v, want a ConditionError of New", name, failed, err)
					}
				case rows < 0 && v.method == Gram: // the same, where the factor is wanted for the first time
					if failed != "RemoveInputs" || !is[*ConditionError](err) {
						t.Errorf("%s: %s: %v, want a ConditionError of RemoveInputs", name, failed, err)
					}
				case err != nil:
					t.Errorf("%s: %s: %v", name, failed, err)
				default:
					if diff, tol := relative(got, want), p.bound(v); !(diff <= tol) {
						t.Errorf("%s: W differs by %.2g, bound %.2g", name, diff, tol)
					}
					if exact := v.method == Gram || v.method == QR || v.method == RidgeInverse; exact && !sameBits(got, want) {
						t.Errorf("%s: W has other bits", name)
					}
				}
			}
		}
	})
}

// TestHostileOverflow has targets of 1e300 and weights beyond float64: the call that needs them returns
// an error, and no bit of the model changes.
func TestHostileOverflow(t *testing.T) {
	const k, l = 4, 16
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r, a, y := problem(87, 0, l+2, k, 1)
		scaled(y, 1e300)
		u, err := v.add(b, a, y, 0, l, l+2)
		do(t, u, err)
		checkWeights(t, u, a, y, 0, v.accuracy(l+2, kappaOf(rowsBetween(a, 0, l), 0)))

		if u, err := v.try(b, a, constantRows(r, l+2, 1, 1.5e308), 0); err == nil { // with norms beyond float64
			do(t, u, u.MapTargets(mat.NewDense(1, 1, []float64{1.1})))
			encoded(t, u)
		}
		// The same with rows 1e-12 times as large: W is 1e312.
		scaled(a, 1e-12)
		lazy := slices.Contains(withRidge, v.method) // these keep sums that are finite
		u, err = v.try(b, rowsBetween(a, 0, l), rowsBetween(y, 0, l), 0)
		if lazy {
			must(t, err)
			_, err = u.Weights()
		}
		if !isOverflow(err) {
			t.Errorf("weights beyond float64: %v, want ErrOverflow", err)
		}
		if _, err := v.try(b, constantRows(r, l, k, math.MaxFloat64), rowsBetween(y, 0, l), 0); !isOverflow(err) {
			t.Errorf("norms beyond float64: %v", err)
		}
		u = v.start(t, b, rowsBetween(a, 0, l), scaled(testutil.Random(r, l, 1), 1e-3), 0)
		before := digest(u)
		err = u.AddInputs(rowsBetween(a, l, l+2), rowsBetween(y, l, l+2))
		if !lazy {
			refused(t, u, before, err, isOverflow)
			return
		}
		must(t, err)
		if _, err = u.Weights(); !isOverflow(err) || u.Condition().Digits != 0 {
			t.Errorf("weights beyond float64 after more rows: %v, %+v", err, u.Condition())
		}
	})
}

// TestHostileSubnormal has subnormal rows and targets, with a solution of ordinary size. No method
// finds it: the inverse of such rows is beyond float64, their squares are zero, and their sums keep
// hardly a digit. There is an error, or Condition promises no more digits than there are.
func TestHostileSubnormal(t *testing.T) {
	const k, l = 4, 16
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, power := range []int{-1015, -1022, -1040, -1060, -1070} {
			// Powers of two, so that exactly the given problem is solved.
			_, a, y := problem(88, 0, l, k, 1)
			a, y = ldexp(a, power), ldexp(y, power)
			u, err := v.try(b, a, y, 0)
			checkTrusted(t, fmt.Sprintf("2^%d", power), u, err, ldexp(a, -power), ldexp(y, -power), 0)
		}
	})
}

// TestHostileForget forgets nearly everything: the weights stay, and overflow or underflow is an error
// that leaves the model unchanged, or an error of Weights.
func TestHostileForget(t *testing.T) {
	const k, l = 4, 16
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, factor := range []float64{5e-324, 1e-300, 1e-100, 0x1p-30} {
			r, a, y := problem(89, 0, l, k, 1)
			ax, ya := testutil.Random(r, 3*k, k), testutil.Random(r, 3*k, 1)
			u := v.start(t, b, a, y, 0)
			w, forgotten := weights(t, u), false
			for range 4 {
				before := digest(u)
				if err := u.Forget(factor); err != nil {
					refused(t, u, before, err, isOverflow)
					break
				}
				if !sameBits(weights(t, u), w) && v.method != QR {
					t.Errorf("factor %g: W has changed by %.2g", factor, relative(weights(t, u), w))
				}
				forgotten = true
			}
			if !forgotten {
				continue
			}
			// The next rows are all that the model knows, up to rounding.
			if err := u.AddInputs(ax, ya); err != nil {
				if !isRefusal(err) {
					t.Errorf("factor %g: rows after it: %v", factor, err)
				}
				continue
			}
			checkTrusted(t, fmt.Sprintf("factor %g: rows after it", factor), u, nil, ax, ya, 0)
		}
	})
}
