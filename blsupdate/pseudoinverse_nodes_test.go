package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// TestNodesAnyRank goes through the cases of C: of full rank, zero, and neither; for tall, square and
// wide A of full and of deficient rank, more new nodes than samples, and new nodes that are zero or
// copies. Then it adds rows, outside the row space if the new nodes left A with dependent columns.
func TestNodesAnyRank(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 0))
	inside := func(a *mat.Dense, p int) *mat.Dense { return nearly(r, a, p, 0) }
	tall, square, wide, deficient := testutil.Random(r, 30, 5), testutil.Random(r, 6, 6), testutil.Random(r, 4, 7), testutil.RandomRank(r, 30, 7, 4)
	large := scaled(testutil.Random(r, 30, 2), 1e6)
	mixed := dense.Beside(dense.Beside(inside(tall, 2), testutil.Random(r, 30, 2)), dense.Beside(inside(tall, 1), testutil.Random(r, 30, 1)))
	for _, test := range []struct {
		name string
		a, h *mat.Dense
		rank int // of C
	}{
		{"new", tall, testutil.Random(r, 30, 4), 4},
		{"one node", tall, testutil.Random(r, 30, 1), 1},
		{"combinations", tall, inside(tall, 3), 0},
		{"large combinations", tall, scaled(inside(tall, 3), 1e6), 0},
		{"some of both", tall, mixed, 3},
		{"the same again", tall, gonummat.DenseCopyOf(tall), 0},
		{"one new node twice", tall, dense.Beside(large, large), 2},
		{"zero", tall, mat.NewDense(30, 2, nil), 0},
		{"zero and new", tall, dense.Beside(mat.NewDense(30, 1, nil), testutil.Random(r, 30, 1)), 1},
		{"until A is square", tall, testutil.Random(r, 30, 25), 25},
		{"until A is wide", tall, testutil.Random(r, 30, 28), 25},
		{"more nodes than samples", tall, testutil.Random(r, 30, 33), 25},
		{"square", square, testutil.Random(r, 6, 2), 0},
		{"wide", wide, testutil.Random(r, 4, 3), 0},
		{"wide, more nodes than samples", wide, testutil.Random(r, 4, 6), 0},
		{"deficient", deficient, testutil.Random(r, 30, 3), 3},
		{"deficient, combinations", deficient, inside(deficient, 3), 0},
		{"deficient, both", deficient, dense.Beside(inside(deficient, 2), testutil.Random(r, 30, 2)), 2},
		{"zero matrix", mat.NewDense(8, 3, nil), testutil.Random(r, 8, 2), 2},
		{"zero matrix, zero", mat.NewDense(8, 3, nil), mat.NewDense(8, 2, nil), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachConfiguration(t, func(t *testing.T, m Method, opt Options) {
				rt := rand.New(rand.NewPCG(72, 0))
				l, k := test.a.Dims()
				p := dense.Cols(test.h)
				y := testutil.Random(rt, l, 2)
				first := max(1, l-3) // so that P has several blocks
				h := newHistory(t, m, rowsBetween(test.a, 0, first), rowsBetween(y, 0, first), opt)
				h.add(rowsBetween(test.a, first, l), rowsBetween(y, first, l))
				rank := rankOf(h.u)

				do(t, h.u, h.u.AddNodes(test.a, test.h, y))
				h.a, h.squared = dense.Beside(test.a, test.h), true
				h.states.Add(h.a)
				if got := h.u.Report().RankC; got != test.rank || rankOf(h.u) != rank+test.rank {
					t.Errorf("the rank of C is %d, want %d; that of A %d, and %d before", got, test.rank, rankOf(h.u), rank)
				}
				if rank == min(l, k) && test.rank == min(p, l-rank) { // the case that Model takes for granted
					checkPrediction(t, h.u, Model(m, ActionNodes, opt, Shape{L: l, K: k, P: p, C: 2}))
				}
				checkKept(t, h.u, h.a)
				h.check(0)

				h.add(testutil.Random(rt, 2*(k+p), k+p), testutil.Random(rt, 2*(k+p), 2))
				h.check(0)
				checkKept(t, h.u, h.a)
				gone := []int{dense.Rows(h.a) - 1, l} // known with their new columns
				do(t, h.u, h.u.RemoveInputs(take(h.a, gone), take(h.y, gone)))
			})
		})
	}
	ones := mat.NewDense(4, 1, []float64{1, 1, 1, 1})
	u := mustNew(t, Improved, ones, ones, Options{}) // adds the second node first, and moves it with its norm
	do(t, u, u.AddNodes(ones, mat.NewDense(4, 2, []float64{1e-4, 1e4, 1e-4, -1e4, 1e-4, 1e4, 1e-4, -1e4}), ones))
	do(t, u, u.AddInputs(mat.NewDense(1, 3, []float64{1, 2e-4, 0}), mat.NewDense(1, 1, []float64{2})))
	if w := weights(t, u); !(math.Abs(w.At(1, 0)-1e4) <= 1e-8) {
		t.Errorf("the weights are %v, want 0, 1e4 and 0", w)
	}
}

// nearly returns p nodes that are combinations of the columns of A, up to noise of the given size.
func nearly(r *rand.Rand, a *mat.Dense, p int, noise float64) *mat.Dense {
	h := scaled(testutil.Random(r, dense.Rows(a), p), noise)
	var c mat.Dense
	c.Mul(a, testutil.Random(r, dense.Cols(a), p))
	h.Add(h, &c)
	return h
}

// TestNodesOrder gives AddNodes the samples of a model that has learned and unlearned some: as the
// model has them, the only order that is accepted, and in other ways, which are refused. The error
// names the first wrong row, and the state is unchanged.
func TestNodesOrder(t *testing.T) {
	const k, p, l = 4, 2, 20
	_, wide, y := problem(77, 0, l, k+p, 2)
	wide.SetRow(6, wide.RawRowView(5)) // the same sample twice
	y.SetRow(6, y.RawRowView(5))
	roots, squares := make([]float64, l), make([]float64, l)
	for i := range roots {
		roots[i] = math.Sqrt(max(1, float64(i-11)))
		squares[i] = max(1, float64(i-11))
	}
	kept := slices.Delete(factor.Indices(l), 3, 5)
	n := len(kept)
	have, haveY := take(scaleRows(wide, roots), kept), take(scaleRows(y, roots), kept)
	reversed, swapped := factor.Indices(n), factor.Indices(n)
	slices.Reverse(reversed)
	swapped[7], swapped[11] = 11, 7
	eachConfiguration(t, func(t *testing.T, m Method, opt Options) {
		rows := func(from, to int) (ax, ya *mat.Dense) {
			return columnsBetween(rowsBetween(wide, from, to), 0, k), rowsBetween(y, from, to)
		}
		a, ya := rows(0, 8)
		u := mustNew(t, m, a, ya, opt)
		a, ya = rows(8, 12)
		do(t, u, u.AddInputs(a, ya))
		a, ya = rows(12, l)
		do(t, u, u.AddInputsContext(background, a, ya, squares[12:]))
		a, ya = rows(3, 5)
		do(t, u, u.RemoveInputs(a, ya))
		nodes := func(a, y *mat.Dense) error {
			return u.AddNodes(columnsBetween(a, 0, k), columnsBetween(a, k, k+p), y)
		}
		before := digest(u)
		for _, test := range []struct {
			a, y *mat.Dense
			row  int // the first that is not the model's
		}{
			{take(have, reversed), take(haveY, reversed), 0},
			{take(have, swapped), take(haveY, swapped), 7},
			{nan(have, 9, 2, math.Nextafter(have.At(9, 2), 9)), haveY, 9},
			{have, nan(haveY, n-1, 1, -haveY.At(n-1, 1)), n - 1},
			{take(wide, kept), take(y, kept), 11}, // without the weights
		} {
			refused(t, u, before, nodes(test.a, test.y), func(err error) bool {
				var unknown *UnknownRowError
				return errors.As(err, &unknown) && unknown.Row == test.row && unknown.Action == ActionNodes && strings.Contains(err.Error(), "in the order")
			})
		}
		do(t, u, nodes(have, haveY))
		// The samples are known by their new rows.
		do(t, u, u.AddNodes(have, testutil.Random(testutil.Rand(78), n, 1), haveY))
	})
}

// TestNodesRidge adds nodes twice to models with a ridge and compares with the ridge inverse of all
// columns and its weights: for nodes that are new, combinations of old ones, zero, or more than the
// samples, and after Forget, which keeps a ridge inverse.
//
// Backward errors of c sqrt(l) eps in norm of the factorizations, with κ the condition number of S =
// [A; sqrt(lambda) I], change S⁺, whose first l columns are A⁺, by κ times as much, relative to its
// norm κ/‖S‖; and W = A⁺Y by ‖Y‖ times that. c is 10.
func TestNodesRidge(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutine")
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(76, 0))
		const k = 4
		tall, wide := testutil.Random(r, 20, k), testutil.Random(r, 3, k)
		inside := func(a *mat.Dense, p int) *mat.Dense { return nearly(r, a, p, 0) }
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
				for _, root := range []float64{1, 0.8} { // of the factor of Forget
					l, p := test.h.Dims()
					a, h, y := dense.Copy(test.a), dense.Copy(test.h), testutil.Random(r, l, 2)
					opt := Options{Lambda: lambda, Backend: b}
					if l < k+p {
						// The caller asserts that dependent rows do not occur.
						opt.C = CZero
					}
					name := fmt.Sprintf("%s, lambda %g, root %g", test.name, lambda, root)
					u := mustNew(t, withA[p%2], a, y, opt)
					do(t, u, u.Forget(root*root))
					for _, m := range []*mat.Dense{a, h, y} {
						m.Scale(root, m)
					}
					for range 2 {
						do(t, u, u.AddNodes(a, h, y))
						shape := Shape{L: l, K: dense.Cols(a), P: dense.Cols(h), C: 2}
						if got := Total(Model(u.Method(), ActionNodes, opt, shape)); got != u.Report().Counted() || u.Report().RankC != 0 {
							t.Errorf("%s: %g flops by the model, %g counted, and a C of rank %d, which is none that counts", name, got, u.Report().Counted(), u.Report().RankC)
						}
						a = dense.Beside(a, h)
						checkRidge(t, name, u, a, y, root*root*lambda)
						if l <= dense.Cols(a) {
							break
						}
						h = testutil.Random(r, l, 1)
					}
				}
			}
		}
	})
}

// checkRidge compares A⁺, W and the condition number with the ridge problem's.
func checkRidge(t *testing.T, name string, u Pseudoinverter, a, y *mat.Dense, lambda float64) {
	t.Helper()
	kappa := kappaOf(a, lambda)
	unit := 10 * math.Sqrt(float64(dense.Rows(a))) * dense.Eps * kappa
	size := math.Hypot(gonummat.Norm(a, 2), math.Sqrt(lambda)) // at most sqrt(k) times the 2-norm
	tol := unit * kappa / size
	want := highPrecision(a, dense.ScaledIdentity(dense.Rows(a), 1), lambda) // (AᵀA + lambda I)⁻¹Aᵀ
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

// TestNodesRidgeError adds nodes that are combinations of the others up to a trace, which makes A
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
