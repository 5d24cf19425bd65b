package blsupdate

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
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
	return variant{method: QR}.start(t, b, a, y, lambda).(*updater)
}

// actQR fails the test if an action failed, its flops differ from the model's, or the norms that the
// state keeps are not the norms of its columns.
func actQR(t *testing.T, u *updater, err error) {
	t.Helper()
	do(t, u, err)
	s := u.state.(*qr.State)
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

// checkQRTriangle compares RᵀR with AᵀA + lambda I and Rᵀz with AᵀY, with a bound on R of factor times
// sqrt(l) eps, in Frobenius norms: R and z are exact for [A Y] with errors of that size.
func checkQRTriangle(t *testing.T, u Updater, a, y *mat.Dense, lambda, factor float64) {
	t.Helper()
	s := driverOf(u).state.(*qr.State)
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

// checkQRWeights compares W with the ridge solution, by the bound of the method plus more.
func checkQRWeights(t *testing.T, u Updater, a, y *mat.Dense, lambda, more float64) {
	t.Helper()
	checkWeights(t, u, a, y, lambda, variant{method: QR}.accuracy(dense.Rows(a), kappaOf(a, lambda))+more)
}

// TestQRTriangle checks R and z after batches of all sizes, starting from fewer rows than nodes, with
// rows of zeros and repeated rows.
func TestQRTriangle(t *testing.T) {
	testutil.NotUnderRace(t, "its goroutines are those of products")
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
		// Many blocks of rotations, with an incomplete one at each end, at moderate leverages.
		for _, s := range []struct{ k, q, c int }{
			{64, 1, 1}, {64, 2, 1}, {65, 3, 600}, {65, 7, 2}, {65, 8, 2}, {70, 8, 700},
			{480, 24, 1}, {401, 49, 3}, {300, 37, 1}, {100, 13, 2}, {100, 100, 5}, {30, 77, 1000},
		} {
			r, a, y := problem(uint64(s.k), uint64(s.q), 2*s.k, s.k, s.c)
			ax, ya := testutil.Random(r, s.q, s.k), testutil.Random(r, s.q, s.c)
			u := startQR(t, b, stack(a, ax), stack(y, ya), 0.1)
			actQR(t, u, u.RemoveInputs(ax, ya))
			checkQRTriangle(t, u, a, y, 0.1, 20)
			if t.Failed() {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// TestQRScales has columns from 2^-1020 to 2^850 in one model, and new ones of other scales: R is
// accurate column by column, so that scales make no difference.
func TestQRScales(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		r := rand.New(rand.NewPCG(3, 1))
		const k, p, l, c = 12, 3, 60, 2
		a, y, ax, ya := testutil.Random(r, l, k+p), testutil.Random(r, l, c), testutil.Random(r, 3, k), testutil.Random(r, 3, c)
		run := func(exponents []int, nodes bool) *mat.Dense {
			times := func(m *mat.Dense) *mat.Dense {
				out := gonummat.DenseCopyOf(m)
				out.Apply(func(_, j int, v float64) float64 { return math.Ldexp(v, exponents[j]) }, out)
				return out
			}
			wide := times(a)
			old, x := columnsBetween(wide, 0, k), times(ax)
			u := startQR(t, b, old, y, 0)
			actQR(t, u, u.AddInputs(x, ya))
			actQR(t, u, u.AddInputs(x, ya))
			actQR(t, u, u.RemoveInputs(x, ya))
			actQR(t, u, u.RemoveInputs(x, ya))
			if nodes {
				actQR(t, u, u.AddNodes(old, columnsBetween(wide, k, k+p), y))
			}
			return times(gonummat.DenseCopyOf(weights(t, u).T()))
		}
		exponents := make([]int, k+p)
		all, some := run(exponents, true), run(exponents, false)
		for _, e := range [][3]int{{170, 0, 0}, {20, 0, 0}, {0, 0, 600}, {0, -600, 600}, {0, 980, 3}, {0, 3, 980}, {0, -600, -600}, {0, 600, -600}} {
			for j := range exponents { // those of the old columns, and that of the new ones
				exponents[j] = e[0]*(j-6) + e[1]
				if j >= k {
					exponents[j] = e[2]
				}
			}
			want, nodes := all, e[0] <= 20 // nodes want columns that powers of two to 1000 make equal
			if !nodes {
				want = some
			}
			if d := relative(run(exponents, nodes), want); !(d <= 1e-12) {
				t.Errorf("%v: W is off by %.2g", e, d)
			}
		}
	})
}

// TestQRMergeRidges merges models of different ridges, of fewer or more rows than nodes. The receiver's
// ridge remains. If only the other ridge determines the result, a receiver without one is refused.
func TestQRMergeRidges(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, c = 20, 2
		r, a, y := problem(22, 5, 6, k, c)
		ax, ya := testutil.Random(r, 4, k), testutil.Random(r, 4, c)
		other := startQR(t, b, ax, ya, 1e-2)
		others := digest(other)
		u := startQR(t, b, a, y, 1e-3)
		actQR(t, u, u.Merge(other))
		const rest = 1e-3 / (1e-3 + 1e-2) // 1-h in directions without rows
		checkQRWeights(t, u, stack(a, ax), stack(y, ya), 1e-3, 1e3*dense.Eps/rest)
		checkQRTriangle(t, u, stack(a, ax), stack(y, ya), 1e-3, 20)
		for _, lambda := range []float64{0, 1e-12} {
			u := startQR(t, b, a, y, lambda)
			refused(t, u, digest(u), u.Merge(other), is[*LeverageError])
		}
		checkUnchanged(t, other, others)

		us, all, targets := make([]*updater, 4), &mat.Dense{}, &mat.Dense{}
		for i := range us {
			ax, ya := testutil.Random(r, 3+20*i, k), testutil.Random(r, 3+20*i, c)
			all, targets = stack(all, ax), stack(targets, ya)
			us[i] = startQR(t, b, ax, ya, []float64{1e-2, 3e-5, 3e-5, 3e-5}[i])
		}
		actQR(t, us[2], us[2].Merge(us[3]))
		actQR(t, us[0], us[0].Merge(us[1]))
		actQR(t, us[0], us[0].Merge(us[2]))
		checkQRWeights(t, us[0], all, targets, 1e-2, 1e3*dense.Eps)
		checkQRTriangle(t, us[0], all, targets, 1e-2, 20)

		huge := mat.NewDense(1, k, nil)
		huge.Set(0, 3, 0.9*qr.LargestColumn)
		u, other = startQR(t, b, huge, mat.NewDense(1, c, nil), 1), startQR(t, b, huge, mat.NewDense(1, c, nil), 0)
		refused(t, u, digest(u), u.Merge(other), isAny)
	})
}

// TestQRLateNodes adds nodes that only later rows determine: zero so far, or equal to another node.
func TestQRLateNodes(t *testing.T) {
	for _, f := range []float64{0, 0.3} {
		r, a, y := problem(23, 2, 60, 3, 1)
		u := started(t, QR, a, y, Options{})
		h := scaled(dense.Copy(a.Slice(0, 60, 1, 2).(*mat.Dense)), f)
		do(t, u, errors.Join(u.AddNodes(a, h, y), u.AddInputs(testutil.Random(r, 1500, 4), testutil.Random(r, 1500, 1))))
		if c := u.Condition(); !(c.Digits > 9) {
			t.Errorf("%g: %+v", f, c)
		}
	}
}
