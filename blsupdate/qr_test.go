package blsupdate

import (
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
	must(t, err)
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

// TestQRMergeRidges merges models of different ridges, of fewer rows than nodes and of more. The ridge
// of the receiver remains. Where the other ridge is all there is, a receiver without one is refused.
func TestQRMergeRidges(t *testing.T) {
	backends.On(t, func(t *testing.T, b blskernel.Backend) {
		const k, c = 20, 2
		r, a, y := problem(22, 5, 6, k, c)
		ax, ya := testutil.Random(r, 4, k), testutil.Random(r, 4, c)
		other := startQR(t, b, ax, ya, 1e-2)
		u := startQR(t, b, a, y, 1e-3)
		actQR(t, u, u.Merge(other))
		const rest = 1e-3 / (1e-3 + 1e-2) // 1-h in directions without rows
		checkQRWeights(t, u, stack(a, ax), stack(y, ya), 1e-3, 1e3*dense.Eps/rest)
		checkQRTriangle(t, u, stack(a, ax), stack(y, ya), 1e-3, 20)
		none := startQR(t, b, a, y, 0)
		before, others := digest(none), digest(other)
		refused(t, none, before, none.Merge(other), is[*LeverageError])
		checkUnchanged(t, other, others)
		tiny := startQR(t, b, a, y, 1e-12)
		refused(t, tiny, digest(tiny), tiny.Merge(other), is[*LeverageError])

		us, all, targets := make([]*updater, 4), &mat.Dense{}, &mat.Dense{}
		for i := range us {
			ax, ya := testutil.Random(r, 3+20*i, k), testutil.Random(r, 3+20*i, c)
			all, targets = stack(all, ax), stack(targets, ya)
			lambda := 3e-5
			if i == 0 {
				lambda = 1e-2
			}
			us[i] = startQR(t, b, ax, ya, lambda)
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
