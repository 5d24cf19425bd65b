package blsupdate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/qr"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// startQR starts a model and checks its report.
func startQR(t *testing.T, b blskernel.Backend, a, y *mat.Dense, lambda float64) *updater {
	t.Helper()
	u, err := New(QR, a, y, Options{Lambda: lambda, Backend: b})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	checkReport(t, u)
	return u.(*updater)
}

// actQR fails the test where an action failed, its flops are not those of the model, or R is not a
// triangle.
func actQR(t *testing.T, u *updater, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	checkReport(t, u)
	s := u.state.(*qr.State)
	for i := range s.K {
		for j := range i {
			if s.R.At(i, j) != 0 {
				t.Fatalf("element (%d,%d) of R is %g", i, j, s.R.At(i, j))
			}
		}
	}
	for j, v := range dense.ColumnNorms(s.R) {
		if !(math.Abs(v-s.Size.A[j]) <= 1e-6*v) {
			t.Fatalf("column %d of R has the norm %g, taken for %g", j, v, s.Size.A[j])
		}
	}
	for j, v := range dense.ColumnNorms(s.Z) {
		if !(v <= s.Size.Y[j]*(1+1e-6)) {
			t.Fatalf("column %d of z has the norm %g, bound %g", j, v, s.Size.Y[j])
		}
	}
}

// checkQRTriangle compares RᵀR with AᵀA + lambda I and Rᵀz with AᵀY, by the bound on R of factor times
// sqrt(l) eps, in Frobenius norms: R and z are exact for [A Y] with errors of that size.
func checkQRTriangle(t *testing.T, u *updater, a, y *mat.Dense, lambda, factor float64) {
	t.Helper()
	s := u.state.(*qr.State)
	l, k := a.Dims()
	var gram, moment, rr, rz mat.Dense
	gram.Mul(a.T(), a)
	for j := range k {
		gram.Set(j, j, gram.At(j, j)+lambda)
	}
	moment.Mul(a.T(), y)
	rr.Mul(s.R.T(), s.R)
	rz.Mul(s.R.T(), s.Z)
	size := math.Sqrt(gonummat.Trace(&gram))
	unit := factor * math.Sqrt(float64(l+k)) * dense.Eps * size
	rr.Sub(&rr, &gram)
	rz.Sub(&rz, &moment)
	if got := rr.Norm(2); !(got <= unit*size) {
		t.Errorf("l=%d k=%d lambda=%g: R'R is off by %.2g, bound %.2g", l, k, lambda, got, unit*size)
	}
	if got := rz.Norm(2); !(got <= unit*y.Norm(2)) {
		t.Errorf("l=%d k=%d lambda=%g: R'z is off by %.2g, bound %.2g", l, k, lambda, got, unit*y.Norm(2))
	}
}

// R and z after batches of all sizes, from fewer rows than nodes on, with rows of zeros and rows that
// are there twice.
func TestQRTriangle(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		for _, k := range []int{1, 2, 9, 33, 130} {
			for _, c := range []int{1, 5} {
				for _, lambda := range []float64{0, 1e-3, 7} {
					r := rand.New(rand.NewPCG(uint64(k), uint64(c)))
					a, y := testutil.Random(r, max(1, k/3), k), testutil.Random(r, max(1, k/3), c)
					u := startQR(t, b, a, y, lambda)
					for _, q := range []int{1, 2, 3, k, 1, 2*k + 3} {
						ax, ya := testutil.Random(r, q, k), testutil.Random(r, q, c)
						if q == 2 {
							ax.SetRow(0, make([]float64, k))
							ax.SetRow(1, a.RawRowView(0))
						}
						actQR(t, u, u.AddInputs(ax, ya))
						a, y = stack(a, ax), stack(y, ya)
						checkQRTriangle(t, u, a, y, lambda, 10)
					}
				}
			}
		}
	})
}

// qrBound is the bound on the error of W.
func qrBound(l int, kappa float64) float64 { return 10 * math.Sqrt(float64(l)) * dense.Eps * kappa }

// checkQRWeights compares W with the ridge solution, by qrBound and what is to come to it.
func checkQRWeights(t *testing.T, u *updater, a, y *mat.Dense, lambda, more float64) {
	t.Helper()
	kappa := ridgeCondition(a, lambda)
	bound := qrBound(dense.Rows(a), kappa) + more
	if got := relative(weights(t, u), highPrecision(a, y, lambda)); !(got <= bound) {
		t.Errorf("l=%d lambda=%.2g κ=%.1g: W is off by %.2g, bound %.2g", dense.Rows(a), lambda, kappa, got, bound)
	}
	checkReport(t, u)
}

// ridgeCondition returns the condition number of [A; sqrt(lambda) I].
func ridgeCondition(a *mat.Dense, lambda float64) float64 {
	_, k := a.Dims()
	var svd gonummat.SVD
	if !svd.Factorize(stack(a, dense.ScaledIdentity(k, math.Sqrt(lambda))), gonummat.SVDNone) {
		panic("singular value decomposition failed")
	}
	return condition(svd.Values(nil))
}

func TestQRWeights(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, l, c = 20, 110, 2
		for _, kappa := range []float64{1, 1e2, 1e4, 1e6, 1e8, 1e10} {
			for _, lambda := range []float64{0, 0x1p-30, 1e-6, 1e-3} {
				r := rand.New(rand.NewPCG(uint64(math.Log10(kappa)), 7))
				a, y := testutil.WithCondition(r, l, k, kappa), testutil.Random(r, l, c)
				u := startQR(t, b, rowsBetween(a, 0, 30), rowsBetween(y, 0, 30), lambda)
				for _, end := range []int{31, 40, l} {
					from := u.Samples()
					actQR(t, u, u.AddInputs(rowsBetween(a, from, end), rowsBetween(y, from, end)))
				}
				checkQRWeights(t, u, a, y, lambda, 0)
				got := u.Condition()
				if exact := 1 / ridgeCondition(a, lambda); !(got.RCond >= exact/(3*k) && got.RCond <= 3*exact) {
					t.Errorf("κ=%g lambda=%g: reciprocal condition %g, want about %g", kappa, lambda, got.RCond, exact)
				}
			}
		}
	})
}

// qrBits are every bit of a state.
type qrBits struct {
	r, z, a, y []float64
	ridge      float64
	count, k   int
}

func bitsOfQR(u *updater) qrBits {
	s := u.state.(*qr.State)
	return qrBits{dense.Compact(s.R), dense.Compact(s.Z), slices.Clone(s.Size.A), slices.Clone(s.Size.Y), s.Lambda, s.Count, s.K}
}

// checkSameQR fails the test unless the state is the same bit for bit.
func checkSameQR(t *testing.T, u *updater, before qrBits) {
	t.Helper()
	now := bitsOfQR(u)
	same := now.ridge == before.ridge && now.count == before.count && now.k == before.k && u.Samples() == before.count
	for _, pair := range [][2][]float64{{now.r, before.r}, {now.z, before.z}, {now.a, before.a}, {now.y, before.y}} {
		same = same && slices.EqualFunc(pair[0], pair[1], func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
	}
	if !same {
		t.Errorf("a failed action changed the state")
	}
}

// refusedQR fails the test unless the error is of the type E and the state what it was.
func refusedQR[E error](t *testing.T, u *updater, before qrBits, err error) {
	t.Helper()
	if !errors.As(err, new(E)) {
		t.Errorf("error %T: %v, want %T", err, err, *new(E))
	}
	checkSameQR(t, u, before)
}

// Columns from 1e-280 to 1e280 in one model: R has the accuracy of each column for itself.
func TestQRScales(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(3, 1))
		const k, l, c = 12, 60, 2
		scaled := func(rows int) (plain, scaled, y *mat.Dense) {
			plain, y = testutil.Random(r, rows, k), testutil.Random(r, rows, c)
			scaled = gonummat.DenseCopyOf(plain)
			for i := range rows {
				for j := range k {
					scaled.Set(i, j, math.Ldexp(scaled.At(i, j), 170*(j-6)))
				}
			}
			return plain, scaled, y
		}
		a, as, y := scaled(l)
		ax, axs, ya := scaled(3)
		u, v := startQR(t, b, a, y, 0), startQR(t, b, as, y, 0)
		for _, w := range []*updater{u, v} {
			x := ax
			if w == v {
				x = axs
			}
			actQR(t, w, w.AddInputs(x, ya))
			actQR(t, w, w.AddInputs(x, ya))
			actQR(t, w, w.RemoveInputs(x, ya))
		}
		w, ws := weights(t, u), weights(t, v)
		for j := range k {
			for i := range c {
				if got, want := math.Ldexp(ws.At(j, i), 170*(j-6)), w.At(j, i); !(math.Abs(got-want) <= 1e-12*math.Abs(w.Norm(2))) {
					t.Errorf("weight (%d,%d) is %g, scaled back, and %g without scales", j, i, got, want)
				}
			}
		}
	})
}

// What would overflow is refused before R is touched, and what is just below is not.
func TestQROverflow(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := testutil.Rand(3)
		for _, k := range []int{1, 5, 70} {
			u := startQR(t, b, testutil.Random(r, 2*k, k), testutil.Random(r, 2*k, 2), 0)
			before := bitsOfQR(u)
			for _, large := range []float64{qr.LargestColumn, math.MaxFloat64} {
				ax, ya := testutil.Random(r, 3, k), testutil.Random(r, 3, 2)
				ax.Set(1, k-1, large)
				refusedQR[error](t, u, before, u.AddInputs(ax, ya))
				ax.Set(1, k-1, 1)
				ya.Set(2, 1, -large)
				if err := u.AddInputs(ax, ya); !errors.Is(err, ErrOverflow) {
					t.Errorf("error %v, want %v", err, ErrOverflow)
				}
				checkSameQR(t, u, before)
			}
			ax, ya := mat.NewDense(2000, k, nil), mat.NewDense(2000, 2, nil)
			for i := range 2000 {
				for j := range k {
					ax.Set(i, j, math.Copysign(qr.LargestColumn/64, r.NormFloat64()))
				}
				ya.Set(i, 1, qr.LargestColumn/64)
			}
			actQR(t, u, u.AddInputs(ax, ya))
			for _, v := range append(dense.Compact(u.state.(*qr.State).R), dense.Compact(u.state.(*qr.State).Z)...) {
				if math.IsInf(v, 0) || math.IsNaN(v) {
					t.Fatalf("k=%d: R or z has %v", k, v)
				}
			}
		}
	})
}

// Rows that do not determine the weights are an error of Weights only, and more rows put an end to it.
func TestQRRank(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(3, 4))
		const k, c = 8, 2
		a, y := testutil.Random(r, 5, k), testutil.Random(r, 5, c)
		u := startQR(t, b, a, y, 0)
		before := bitsOfQR(u)
		_, err := u.Weights()
		refusedQR[*RankError](t, u, before, err)
		refusedQR[*LeverageError](t, u, before, u.RemoveInputs(rowsBetween(a, 0, 1), rowsBetween(y, 0, 1)))
		refusedQR[*RankError](t, u, before, u.AddNodes(a, testutil.Random(r, 5, 2), y))
		if got := u.Condition(); got.RCond != 0 || got.Digits != 0 {
			t.Errorf("condition %+v of a state without full rank", got)
		}
		actQR(t, u, u.AddInputs(a, y)) // no news
		before = bitsOfQR(u)
		_, err = u.Weights()
		refusedQR[*ConditionError](t, u, before, err)
		refusedQR[*ConditionError](t, u, before, u.RemoveInputs(rowsBetween(a, 0, 1), rowsBetween(y, 0, 1)))
		refusedQR[*ConditionError](t, u, before, u.AddNodes(stack(a, a), testutil.Random(r, 10, 2), stack(y, y)))

		ax, ya := testutil.Random(r, 4, k), testutil.Random(r, 4, c)
		actQR(t, u, u.AddInputs(ax, ya))
		checkQRWeights(t, u, stack(stack(a, a), ax), stack(stack(y, y), ya), 0, 0)

		u = startQR(t, b, mat.NewDense(9, k, nil), mat.NewDense(9, c, nil), 0) // columns of zeros
		_, err = u.Weights()
		refusedQR[*ConditionError](t, u, bitsOfQR(u), err)
	})
}

// One row at a time, three thousand of them, and with a window of a hundred that slides over them.
func TestQRStream(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, l, window, c, lambda = 12, 3000, 100, 2, 1e-3
		r := rand.New(rand.NewPCG(5, 5))
		a, y := testutil.WithCondition(r, l, k, 1e3), testutil.Random(r, l, c)
		a.Scale(math.Sqrt(l), a)
		all := startQR(t, b, rowsBetween(a, 0, 1), rowsBetween(y, 0, 1), lambda)
		last := startQR(t, b, rowsBetween(a, 0, window), rowsBetween(y, 0, window), lambda)
		for i := 1; i < l; i++ {
			actQR(t, all, all.AddInputs(rowsBetween(a, i, i+1), rowsBetween(y, i, i+1)))
			if i >= window {
				actQR(t, last, last.AddInputs(rowsBetween(a, i, i+1), rowsBetween(y, i, i+1)))
				actQR(t, last, last.RemoveInputs(rowsBetween(a, i-window, i-window+1), rowsBetween(y, i-window, i-window+1)))
			}
		}
		checkQRTriangle(t, all, a, y, lambda, 10)
		wa, wy := rowsBetween(a, l-window, l), rowsBetween(y, l-window, l)
		checkQRWeights(t, last, wa, wy, lambda, 100*qrBound(l, ridgeCondition(wa, lambda)))
	})
}

// Forgetting multiplies the weights of the rows, and lambda.
func TestQRForget(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(6, 5))
		const k, c = 6, 2
		a, y := testutil.Random(r, 10, k), testutil.Random(r, 10, c)
		u := startQR(t, b, a, y, 0.5)
		before := weights(t, u)
		actQR(t, u, u.Forget(0.7))
		if after := weights(t, u); !gonummat.Equal(before, after) || u.Lambda() != 0.7*0.5 {
			t.Errorf("forgetting changes W, or makes lambda %g", u.Lambda())
		}
		ax, ya := testutil.Random(r, 3, k), testutil.Random(r, 3, c)
		actQR(t, u, u.AddInputs(ax, ya))
		a.Scale(math.Sqrt(0.7), a)
		y.Scale(math.Sqrt(0.7), y)
		checkQRTriangle(t, u, stack(a, ax), stack(y, ya), 0.35, 10)
	})
}

// The flops of every action by a formula of its own.
func TestQRFlops(t *testing.T) {
	for _, s := range []Shape{{L: 500, K: 70, Q: 8, C: 3, P: 5}, {L: 400, K: 70, Q: 17, C: 1, P: 70}, {L: 10, K: 1, Q: 2, C: 1, P: 1}} {
		l, k, q, c, p := float64(s.L), float64(s.K), float64(s.Q), float64(s.C), float64(s.P)
		removal := 2*q*k*k + 2*k*k*k/3 + 2*c*q*k + c*k*k
		if cost.RemovesByRows(s.Q, s.K) {
			removal = 4*q*k*k + 4*q*q*k + 2*q*q*q/3 + 8*c*q*k + c*q*q
		}
		rows := func(q float64) float64 {
			if q <= 2+1000/k {
				return 3*q*k*k + 6*c*q*k
			}
			return 2*q*k*k + 4*c*q*k
		}
		for action, want := range map[Action]float64{
			ActionStart:   rows(l),
			ActionAdd:     rows(q),
			ActionWeights: c * k * k,
			ActionRemove:  removal,
			ActionNodes:   8*k*l*p + 5*k*k*p + 2*l*p*p + 4*c*l*p,
			ActionMerge:   2*k*k*k/3 + 2*c*k*k,
			ActionRidge:   2*k*k*k/3 + 2*c*k*k,
			ActionForget:  0,
		} {
			if got := Total(Model(QR, action, Options{}, s)); !(math.Abs(got-want) <= 1e-12*want) {
				t.Errorf("%v %+v: %.0f flops, want %.0f", action, s, got, want)
			}
		}
	}
}

func ExampleQR() {
	a, y := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}), mat.NewDense(3, 1, []float64{1, 2, 3})
	u, err := New(QR, a, y, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := u.AddInputs(mat.NewDense(1, 2, []float64{1, -1}), mat.NewDense(1, 1, []float64{4})); err != nil {
		fmt.Println(err)
		return
	}
	w, err := u.Weights()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f\n", gonummat.Formatted(w))
	// Output:
	// ⎡2.666667⎤
	// ⎣0.333333⎦
}
