package blsupdate

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// ridgeInverseOf returns (AᵀA + lambda I)⁻¹Aᵀ, by 400-bit numbers.
func ridgeInverseOf(a *mat.Dense, lambda float64) *mat.Dense {
	return highPrecision(a, dense.ScaledIdentity(dense.Rows(a), 1), lambda)
}

// TestNodesRidge adds nodes twice to models with a ridge and compares with the ridge inverse of all
// columns and its weights: for nodes that are new, combinations of old ones, zero, or more than there
// are samples, and after Forget, which leaves a ridge inverse one.
//
// Backward errors of c sqrt(l) eps in norm of the factorizations, with κ the condition number of S =
// [A; sqrt(lambda) I], change S⁺, of which A⁺ is the first l columns, by κ times as much, relatively to
// its norm κ/‖S‖; and W = A⁺Y by ‖Y‖ times that. c is 10.
func TestNodesRidge(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(76, 0))
		const k = 4
		tall, wide := testutil.Random(r, 20, k), testutil.Random(r, 3, k)
		inside := func(a *mat.Dense, p int) *mat.Dense {
			var h mat.Dense
			h.Mul(a, testutil.Random(r, k, p))
			return &h
		}
		for _, test := range []struct {
			name string
			a, h *mat.Dense
		}{
			{"one node", tall, testutil.Random(r, 20, 1)},
			{"some nodes", tall, testutil.Random(r, 20, 5)},
			{"combinations", tall, inside(tall, 3)},
			{"the same again", tall, gonummat.DenseCopyOf(tall)},
			{"zero", tall, mat.NewDense(20, 2, nil)},
			{"some of each", tall, dense.Beside(dense.Beside(inside(tall, 2), testutil.Random(r, 20, 1)), mat.NewDense(20, 1, nil))},
			{"more columns than rows", tall, testutil.Random(r, 20, 18)},
			{"more nodes than samples", tall, testutil.Random(r, 20, 23)},
			{"wide", wide, testutil.Random(r, 3, 2)},
		} {
			for _, lambda := range []float64{1e-8, 1e-3, 0.3, 20} {
				for _, factor := range []float64{1, 0.7} {
					l, p := test.h.Dims()
					y := testutil.Random(r, l, 2)
					opt := Options{Lambda: lambda, Backend: b}
					if l < k+p {
						opt.C = CZero // which is to say that dependent rows are none of our business
					}
					u := mustNew(t, []Method{Original, Improved}[p%2], test.a, y, opt)
					a, h, ridge := test.a, test.h, lambda
					if factor < 1 {
						do(t, u, u.Forget(factor))
						root := math.Sqrt(factor)
						a, h, y, ridge = scaled(dense.Copy(a), root), scaled(dense.Copy(h), root), scaled(y, root), factor*lambda
					}
					for range 2 {
						do(t, u, u.AddNodes(a, h, y))
						shape := Shape{L: l, K: dense.Cols(a), P: dense.Cols(h), C: 2}
						if got := Total(Model(u.Method(), ActionNodes, opt, shape)); got != u.Report().Counted() {
							t.Errorf("%s, lambda %g: %g flops by the model, %g counted", test.name, lambda, got, u.Report().Counted())
						}
						if got := u.Report().RankC; got != 0 {
							t.Errorf("%s: the rank of C is said to be %d, and is none that counts", test.name, got)
						}
						a = dense.Beside(a, h)
						checkRidge(t, test.name, u, a, y, ridge)
						if l < dense.Cols(a)+1 {
							break
						}
						h = testutil.Random(r, l, 1)
					}
					if t.Failed() {
						t.Fatalf("%s, lambda %g, factor %g", test.name, lambda, factor)
					}
				}
			}
		}
	})
}

// checkRidge compares A⁺, W and the condition with those of the ridge problem.
func checkRidge(t *testing.T, name string, u Pseudoinverter, a, y *mat.Dense, lambda float64) {
	t.Helper()
	kappa := kappaOf(a, lambda)
	unit := 10 * math.Sqrt(float64(dense.Rows(a))) * dense.Eps * kappa
	size := math.Hypot(gonummat.Norm(a, 2), math.Sqrt(lambda)) // at most sqrt(k) times the 2-norm
	tol := unit * kappa / size
	want := ridgeInverseOf(a, lambda)
	var diff mat.Dense
	diff.Sub(u.Pseudoinverse(), want)
	if e := diff.Norm(2); !(e <= tol) {
		t.Errorf("%s: A+ has error %g, bound %g", name, e, tol)
	}
	var w mat.Dense
	w.Mul(want, y)
	w.Sub(weights(t, u), &w)
	if e := w.Norm(2); !(e <= tol*y.Norm(2)) {
		t.Errorf("%s: W has error %g, bound %g", name, e, tol*y.Norm(2))
	}
	if c := u.Condition().RCond; !(c <= 3/kappa) || !(c*kappa*float64(30*dense.Cols(a)) >= 1) {
		t.Errorf("%s: the condition is 1/%g, said to be %g", name, kappa, c)
	}
}

// TestNodesRidgeError adds nodes that are combinations of the others but for a trace, which makes A
// ill-conditioned, with a ridge below the square of its smallest singular value. With targets that the
// nodes explain the error of W grows like eps κ; by the Schur complement it would grow like eps κ².
func TestNodesRidgeError(t *testing.T) {
	const l, k, p = 40, 6, 4
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, trace := range []float64{1e-2, 1e-4, 1e-6} {
			for seed := range uint64(5) {
				r := rand.New(rand.NewPCG(80, seed))
				lambda := 0.01 * trace * trace
				a, y := testutil.WithCondition(r, l, k, 10), mat.NewDense(l, 1, nil)
				h := nearly(r, a, p, trace)
				all := dense.Beside(a, h)
				y.Mul(all, testutil.Random(r, k+p, 1))
				u := mustNew(t, Improved, a, y, Options{Lambda: lambda, Backend: b})
				do(t, u, u.AddNodes(a, h, y))
				checkWeights(t, u, all, y, lambda, variant{method: Improved}.accuracy(l, kappaOf(all, lambda)))
			}
		}
	})
}

// TestNodesRidgeAfterRows adds nodes after rows, when A⁺ is not the ridge inverse any more but only as
// near to it as lambda is small against the square of the smallest singular value of the first A: so it
// is with the nodes.
func TestNodesRidgeAfterRows(t *testing.T) {
	const l, q, k, p = 30, 20, 5, 3
	r := rand.New(rand.NewPCG(81, 0))
	all, y := testutil.Random(r, l+q, k+p), testutil.Random(r, l+q, 2)
	a := columnsBetween(all, 0, k)
	_, values := pinvOf(rowsBetween(a, 0, l))
	for _, lambda := range []float64{1e-6, 1e-4, 1e-2} {
		u := mustNew(t, Improved, rowsBetween(a, 0, l), rowsBetween(y, 0, l), Options{Lambda: lambda})
		do(t, u, u.AddInputs(rowsBetween(a, l, l+q), rowsBetween(y, l, l+q)))
		do(t, u, u.AddNodes(a, columnsBetween(all, k, k+p), y))
		ratio := lambda / (values[k-1] * values[k-1])
		if e := relative(weights(t, u), highPrecision(all, y, lambda)); !(e <= 10*ratio) {
			t.Errorf("lambda %g: W differs by %g, and lambda is %g of the square", lambda, e, ratio)
		}
	}
}
