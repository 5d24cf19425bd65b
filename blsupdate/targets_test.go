package blsupdate

import (
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// mapped returns Y T, or [Y, Y T].
func mapped(y, m *mat.Dense, keep bool) *mat.Dense {
	product := mat.NewDense(dense.Rows(y), dense.Cols(m), nil)
	dense.Gemm(blskernel.Default(), blas.NoTrans, blas.NoTrans, 1, y, m, 0, product)
	if keep {
		return dense.Beside(y, product)
	}
	return product
}

// TestAddTargets appends combinations of targets, before and after W is known, and compares with a
// start with all of them: the weights of earlier targets keep every bit, and the negative of a target
// has the negated bits.
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
				bits := known || !lazy || b.Name() != "openblas" // or W is solved for all columns at once
				if bits && !sameBits(columnsBetween(got, 0, c), before) {
					t.Error("the weights of the targets so far have changed")
				}
				minus.Scale(-1, before)
				do(t, u, u.MapTargets(keep))
				checkWeights(t, u, a, mapped(all, keep, false), lambda, bound)
				if w := weights(t, u); bits && (!sameBits(columnsBetween(got, c+p-1, c+p), columnsBetween(minus, 0, 1)) ||
					!sameBits(w, dense.Beside(columnsBetween(minus, 0, 1), columnsBetween(before, 1, 2)))) {
					t.Error("mapped targets have other weights")
				}
				checkSame(t, "decoded", decoded(t, encoded(t, u), b), u)
				// Original and Improved know the rows with their new targets.
				const q = 5
				now, gone, left := mapped(all, keep, false), rowsBetween(a, 0, q), rowsBetween(a, q, l)
				do(t, u, u.RemoveInputs(gone, rowsBetween(now, 0, q)))
				checkWeights(t, u, left, rowsBetween(now, q, l), lambda, bound+v.removal(gone, left))
			}
		}
	})
}

// TestTargetLeaves removes all rows with a target other than zero, one by one.
func TestTargetLeaves(t *testing.T) {
	for _, m := range Methods() {
		r, a, y := problem(65, 0, 60, 5, 1)
		y.Slice(0, 50, 0, 1).(*mat.Dense).Zero()
		u := started(t, m, a, dense.Beside(a, y), Options{})
		for _, i := range r.Perm(10) {
			x := rowsBetween(a, 50+i, 51+i)
			must(t, u.RemoveInputs(x, dense.Beside(x, rowsBetween(y, 50+i, 51+i))))
		}
		if c := u.Condition(); c.Digits > 0 || !strings.Contains(c.Advice, "Rebuild") {
			t.Errorf("%v: %+v", m, c)
		}
	}
}
