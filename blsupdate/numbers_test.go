package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// checkTrusted fails the test unless err or the error of Weights says that the method has no digits of
// this problem, or the weights have the digits that Condition promises. It returns that error.
func checkTrusted(t *testing.T, name string, u Updater, err error, a, y *mat.Dense, lambda float64) error {
	t.Helper()
	var c Condition
	if err == nil {
		c = u.Condition()
		if !(c.RCond >= 0 && c.RCond <= 1 && c.Digits >= 0 && c.Digits <= 16) {
			t.Errorf("%s: 1/κ is %v, and there are %v digits", name, c.RCond, c.Digits)
		}
		var w *mat.Dense
		if w, err = u.Weights(); err == nil {
			want := reference(a, y, lambda)
			got := relative(w, want)
			if tol := math.Pow(10, -c.Digits) * (1 + restOf(a, y, want, lambda)/c.RCond); c.Digits > 0 && !(got <= tol) {
				t.Errorf("%s: W has an error of %.2g, bound %.2g, and %.1f digits are said to be right", name, got, tol, c.Digits)
			}
			return nil
		}
		if c.Digits != 0 {
			t.Errorf("%s: no weights (%v), but %.1f digits", name, err, c.Digits)
		}
	}
	if !isRefusal(err) {
		t.Errorf("%s: %v", name, err)
	}
	return err
}

// restOf returns the norm of the residual of a ridge problem over ‖[A; sqrt(lambda) I]‖‖W‖. Times κ, it
// multiplies errors of eps κ (Higham, Accuracy and Stability, theorem 20.1).
func restOf(a, y, w *mat.Dense, lambda float64) float64 {
	var rest mat.Dense
	rest.Mul(a, w)
	rest.Sub(y, &rest)
	_, k := a.Dims()
	root := math.Sqrt(lambda)
	size := w.Norm(2) * math.Hypot(a.Norm(2), root*math.Sqrt(float64(k)))
	if size == 0 {
		return 0
	}
	return math.Hypot(rest.Norm(2), root*w.Norm(2)) / size
}

// try returns a model, or the error of New.
func (v variant) try(b blskernel.Backend, a, y *mat.Dense, lambda float64) (Updater, error) {
	return New(v.method, a, y, Options{Lambda: lambda, Form: v.form, Solve: v.solve, Backend: b})
}

// add starts from the rows before the first cut and adds those between the others.
func (v variant) add(b blskernel.Backend, a, y *mat.Dense, lambda float64, cuts ...int) (u Updater, err error) {
	u, err = v.try(b, rowsBetween(a, 0, cuts[0]), rowsBetween(y, 0, cuts[0]), lambda)
	for i := 1; err == nil && i < len(cuts); i++ {
		err = u.AddInputs(rowsBetween(a, cuts[i-1], cuts[i]), rowsBetween(y, cuts[i-1], cuts[i]))
	}
	return u, err
}

// learn is add, followed by Weights.
func (v variant) learn(b blskernel.Backend, a, y *mat.Dense, lambda float64, cuts ...int) (u Updater, w *mat.Dense, err error) {
	if u, err = v.add(b, a, y, lambda, cuts...); err == nil {
		w, err = u.Weights()
	}
	return u, w, err
}

// checkLeastNorm compares the weights of u with the minimum-norm solution.
func checkLeastNorm(t *testing.T, u Updater, a, y *mat.Dense, bound float64, name string) {
	t.Helper()
	p, _ := pinvOf(a)
	var want mat.Dense
	want.Mul(p, y)
	if got := relative(weights(t, u), &want); !(got <= bound) {
		t.Errorf("%s: after %d rows W is off by %.2g, bound %.2g", name, dense.Rows(a), got, bound)
	}
}

// TestHostileNaN gives every matrix of every call a NaN or an infinity, of each kind and in several
// places: the error names the place, and not a bit of the model changes.
func TestHostileNaN(t *testing.T) {
	const k, l, c = 4, 14, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(80, 0))
		a, y, ax, ya, h := testutil.Random(r, l, k), testutil.Random(r, l, c), testutil.Random(r, 3, k), testutil.Random(r, 3, c), testutil.Random(r, l, 2)
		u, ones := v.start(t, b, a, y, 0), []float64{1, 1, 1}
		before := digest(u)
		// check replaces elements of each matrix of a call by a NaN or an infinity.
		check := func(names string, do func(x, y, z *mat.Dense) error, matrices ...*mat.Dense) {
			t.Helper()
			for i, name := range strings.Fields(names) {
				rows, cols := matrices[i].Dims()
				for _, at := range [][2]int{{0, 0}, {rows / 2, cols / 2}, {rows - 1, cols - 1}} {
					for _, bad := range testutil.NotNumbers {
						given := append(slices.Clone(matrices), nil, nil)
						given[i] = nan(matrices[i], at[0], at[1], bad)
						if bad != bad {
							given[i].Set(rows-1, cols-1, bad) // a later one
						}
						var e *NotFiniteError
						err := do(given[0], given[1], given[2])
						if !errors.As(err, &e) || e.Matrix != name || e.Row != at[0] || e.Col != at[1] || e.Value != bad && !(e.Value != e.Value && bad != bad) {
							t.Errorf("%v (%x) at %v of %s: %v", bad, math.Float64bits(bad), at, name, err)
						}
						checkUnchanged(t, u, before, name, at, bad)
					}
				}
			}
		}
		check("A Y", func(a, y, _ *mat.Dense) error { _, err := v.try(b, a, y, 0); return err }, a, y)
		check("Ax Ya", func(ax, ya, _ *mat.Dense) error { return u.AddInputs(ax, ya) }, ax, ya)
		check("Ax Ya", func(ax, ya, _ *mat.Dense) error { return u.AddInputsContext(background, ax, ya, ones) }, ax, ya)
		check("Ax Ya", func(ax, ya, _ *mat.Dense) error { return u.RemoveInputs(ax, ya) }, rowsBetween(a, 0, 3), rowsBetween(y, 0, 3))
		check("A H Y", u.AddNodes, a, h, y)
		if u, ok := u.(Leverager); ok {
			check("X", func(x, _, _ *mat.Dense) error { _, err := u.Leverage(x); return err }, ax)
		}
		if u, ok := u.(Refiner); ok {
			check("A Y", func(a, y, _ *mat.Dense) error { return u.Refine(a, y) }, a, y)
		}
		for _, bad := range testutil.NotNumbers {
			_, err := v.try(b, a, y, bad)
			calls := []error{err, u.Forget(bad), u.AddInputsContext(background, ax, ya, []float64{1, bad, 1})}
			if Supports(v.method, ActionRidge) {
				calls = append(calls, u.SetLambda(bad))
			}
			for i, err := range calls {
				if !is[*OptionError](err) {
					t.Errorf("%v as option %d: %v", bad, i, err)
				}
			}
			checkUnchanged(t, u, before, bad)
		}
	})
}

// TestHostileZeros has zeros of both signs: neither what a model computes nor which samples it knows
// depends on the sign.
func TestHostileZeros(t *testing.T) {
	const k, l = 4, 12
	negative := math.Copysign(0, -1)
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(81, 0))
		// Zeros here and there, and a whole row of them.
		a, y := testutil.Random(r, l, k), testutil.Random(r, l, 1)
		minus, minusY := gonummat.DenseCopyOf(a), gonummat.DenseCopyOf(y)
		for i := range l {
			for j := range k {
				if i == 5 || r.IntN(3) == 0 {
					a.Set(i, j, 0)
					minus.Set(i, j, negative)
				}
			}
			if i%4 == 1 {
				y.Set(i, 0, 0)
				minusY.Set(i, 0, negative)
			}
		}
		plain, other := v.start(t, b, rowsBetween(a, 0, 9), rowsBetween(y, 0, 9), 0), v.start(t, b, rowsBetween(minus, 0, 9), rowsBetween(minusY, 0, 9), 0)
		same := func(what string) {
			t.Helper()
			if !gonummat.Equal(weights(t, plain), weights(t, other)) {
				t.Errorf("%s: the sign of zeros makes a difference", what)
			}
		}
		same("start")
		do(t, plain, plain.AddInputs(rowsBetween(a, 9, l), rowsBetween(y, 9, l)))
		do(t, other, other.AddInputs(rowsBetween(minus, 9, l), rowsBetween(minusY, 9, l)))
		same("rows")
		// Each is given the zeros of the other model.
		do(t, plain, plain.RemoveInputs(rowsBetween(minus, 4, 6), rowsBetween(minusY, 4, 6)))
		do(t, other, other.RemoveInputs(rowsBetween(a, 4, 6), rowsBetween(y, 4, 6)))
		same("removal")
		if v.ridgeSolver() { // a ridge and a weight of -0 are 0
			do(t, plain, plain.AddInputsContext(background, rowsBetween(a, 4, 5), rowsBetween(y, 4, 5), []float64{0}))
			do(t, other, other.AddInputsContext(background, rowsBetween(a, 4, 5), rowsBetween(y, 4, 5), []float64{negative}))
			same("weights")
		}
		if _, err := v.try(b, a, y, negative); err != nil {
			t.Errorf("lambda = -0: %v", err)
		}
	})
}

// TestHostileLambda has ridges from 0 and the smallest number to the largest. If the samples determine
// the weights, the weights have the promised digits, with Original and Improved at the start. If only
// the ridge does, a ridge that is negligible relative to A gives no weights.
func TestHostileLambda(t *testing.T) {
	const k, l, c = 5, 20, 2
	eachVariant(t, func(t *testing.T, v variant, b blskernel.Backend) {
		for _, lambda := range []float64{0, 5e-324, 0x1p-1022, 1e-300, 1e-100, 1e-25, 0x1p-30, 1, 1e20, 1e100, 1e300, math.MaxFloat64} {
			_, a, y := problem(82, 0, l+3, k, c)
			name := fmt.Sprintf("lambda=%g", lambda)
			first, its := rowsBetween(a, 0, l), rowsBetween(y, 0, l)
			u, err := v.try(b, first, its, lambda)
			if !v.answers(t, name, u, err, first, its, lambda, true) {
				continue
			}
			// The bound counts lambda as rows of A: too much if nothing else counts.
			if c := u.Condition(); !(c.Digits > 10) && lambda <= 1 {
				t.Errorf("%s: %.1f digits", name, c.Digits)
			}
			do(t, u, u.AddInputs(rowsBetween(a, l, l+3), rowsBetween(y, l, l+3)))
			if v.ridgeSolver() {
				v.answers(t, name+" and more rows", u, nil, a, y, lambda, true)
			}

			// Fewer samples than nodes, and dependent columns.
			for _, start := range []*mat.Dense{rowsBetween(a, 0, 2), dependent(a)} {
				targets := rowsBetween(y, 0, dense.Rows(start))
				u, err := v.try(b, start, targets, lambda)
				if lambda == 0 && !v.ridgeSolver() { // the pseudoinverse
					do(t, u, err)
					checkLeastNorm(t, u, start, targets, 1e-12, "rank 2")
					continue
				}
				name := fmt.Sprintf("%s, %d rows of rank 2", name, dense.Rows(start))
				if lambda < 1e-40 { // with a root that is nothing beside eps‖A‖
					checkNoDigits(t, name, u, err)
					if !v.ridgeSolver() && dense.Rows(start) >= k && !is[*ConditionError](err) {
						t.Errorf("%s: %v, want a ConditionError of New", name, err)
					}
				} else if v.ridgeSolver() || dense.Rows(start) >= k {
					err := checkTrusted(t, name, u, err, start, targets, lambda)
					if lambda >= 0x1p-30 && err != nil {
						t.Errorf("%s: refused: %v", name, err)
					}
					if v.ridgeSolver() && err == nil { // the largest Q or F is that of the start
						do(t, u, u.AddInputs(a, y))
						checkTrusted(t, name+" and more rows", u, nil, stack(start, a), stack(targets, y), lambda)
					}
				}
			}
		}
	})
}

// TestNumericsPage checks that the tests that docs/numerics.md names with their package exist.
func TestNumericsPage(t *testing.T) {
	text, err := os.ReadFile("../docs/numerics.md")
	must(t, err)
	named := regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 30 {
		t.Errorf("%d tests are named", len(named))
	}
	for _, m := range named {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(m[1]), "*_test.go"))
		must(t, err)
		if !slices.ContainsFunc(files, func(f string) bool {
			source, err := os.ReadFile(f)
			must(t, err)
			return strings.Contains(string(source), "\nfunc "+m[2]+"(")
		}) {
			t.Errorf("there is no %s.%s", m[1], m[2])
		}
	}
}
