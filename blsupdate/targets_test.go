package blsupdate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// oneTermMap returns a T of one or two columns, each with one element, a power of two of either sign.
// Y T has then no rounding errors.
func oneTermMap(r *rand.Rand, c int) *mat.Dense {
	m := mat.NewDense(c, 1+r.IntN(2), nil)
	for j := range dense.Cols(m) {
		m.Set(r.IntN(c), j, math.Ldexp(float64(1-2*r.IntN(2)), r.IntN(3)-1))
	}
	return m
}

// mapped returns Y T, or [Y, Y T].
func mapped(y, m *mat.Dense, keep bool) *mat.Dense {
	var product mat.Dense
	product.Mul(y, m)
	if keep {
		return dense.Beside(y, &product)
	}
	return &product
}

// TestAddTargets appends combinations of targets, before and after W is known, and compares with a
// start with all of them: the targets so far keep every bit, and the negative of one has its bits.
func TestAddTargets(t *testing.T) {
	const k, l, c, p = 9, 40, 3, 4
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, lambda := range v.ridges(0, 0.1) {
			for _, known := range []bool{false, true} {
				r, a, y := problem(61, 0, l, k, c)
				m, keep := testutil.Random(r, c, p), mat.NewDense(c+p, 2, nil)
				for i := range c { // the last column is the negative of the first target
					m.Set(i, p-1, -float64(1-min(i, 1)))
				}
				keep.Set(c+p-1, 0, 1) // that, and the second target
				keep.Set(1, 1, 1)
				u, before := v.start(t, b, a, y, lambda), weights(t, v.start(t, b, a, y, lambda))
				steps, lazy := 1.0, slices.Contains(withRidge, v.method)
				if known {
					weights(t, u)
					if lazy {
						steps = 2
					}
				}
				do(t, u, u.AddTargets(m))
				model := Total(Model(v.method, ActionTargets, Options{}, Shape{L: l, K: k, C: c, P: p}))
				if got := u.Report(); got.Model() != model*steps || model == 0 || got.Added != 0 || u.Targets() != c+p || u.Samples() != l {
					t.Errorf("%g flops, want %g times %g; %d targets, %d samples", got.Model(), steps, model, u.Targets(), u.Samples())
				}
				all, bound := mapped(y, m, true), v.accuracy(l, kappaOf(a, lambda))
				checkWeights(t, u, a, all, lambda, bound)
				got, minus := weights(t, u), gonummat.DenseCopyOf(before)
				solved := !known && lazy // for all columns at once
				if !sameBits(columnsBetween(got, 0, c), before) && !(solved && b.Name() == "openblas") {
					t.Error("the weights of the targets so far have changed")
				}
				minus.Scale(-1, before)
				do(t, u, u.MapTargets(keep))
				checkWeights(t, u, a, mapped(all, keep, false), lambda, bound)
				if w := weights(t, u); !sameBits(columnsBetween(got, c+p-1, c+p), columnsBetween(minus, 0, 1)) ||
					!sameBits(w, dense.Beside(columnsBetween(minus, 0, 1), columnsBetween(before, 1, 2))) {
					t.Error("mapped targets have other weights")
				}
				checkSame(t, "decoded", decoded(t, encoded(t, u), b), u)
			}
		}
	})
}

// TestTargetsInAnyOrder has a model learn targets at some point of a life, and another know them from
// its start. They refuse the same actions and have the same weights, to the bit where no form depends
// on the number of targets.
func TestTargetsInAnyOrder(t *testing.T) {
	lives, compared := 0, 0
	eachLife(t, func(t *testing.T, l *life, b blskernel.Backend) {
		lives++
		m := mat.NewDense(2, 2, []float64{-1, 0, 0, 0.5})
		l.also = m
		late, early := started(t, l.v.method, l.a, l.y, l.opt), started(t, l.v.method, l.a, mapped(l.y, m, true), l.opt)
		at := l.r.IntN(8)
		for step := 0; step < 12 && !l.a.IsEmpty(); step++ {
			if step == at {
				must(t, late.AddTargets(m))
			}
			act := l.next()
			err := act.do(late)
			if other := act.do(early); fmt.Sprintf("%T", other) != fmt.Sprintf("%T", err) {
				t.Fatalf("step %d: %v, and with all targets from the start %v", step, err, other)
			}
			if err == nil {
				act.then()
			}
		}
		if late.Targets() < 4 {
			must(t, late.AddTargets(m))
		}
		got, err := late.Weights()
		want, other := early.Weights()
		if fmt.Sprintf("%T", other) != fmt.Sprintf("%T", err) {
			t.Fatalf("%v, and with all targets from the start %v", err, other)
		}
		if err != nil {
			return
		}
		compared++
		exact := b.Name() != "openblas" && (l.v.method != RidgeInverse || l.v.form != Auto)
		if !(relative(got, want) <= math.Pow(10, -late.Condition().Digits)) || exact && !sameBits(got, want) {
			t.Errorf("W has error %g, of %g digits", relative(got, want), late.Condition().Digits)
		}
	})
	if 2*compared < lives {
		t.Errorf("only %d of %d lives compared", compared, lives)
	}
}
