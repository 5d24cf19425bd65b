package lapack

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"

	gonumlapack "gonum.org/v1/gonum/lapack"
)

// triplets are what Dgesvd returns for a matrix: u and vt are empty if they were not asked for.
type triplets struct {
	u, vt  *full
	values []float64
	ok     bool
}

// svdOf calls Dgesvd on a copy of a with gaps between rows, which stay as they are.
func svdOf(t *testing.T, bk blskernel.Backend, a *full, jobU, jobVT gonumlapack.SVDJob) triplets {
	t.Helper()
	k := min(a.R, a.C)
	impl := Implementation{Backend: bk}
	if k == 0 {
		ok := impl.Dgesvd(jobU, jobVT, a.R, a.C, nil, a.C+2, nil, nil, a.R+3, nil, a.C+5, []float64{0}, 1)
		return triplets{testmat.New(a.R, 0), testmat.New(0, a.C), nil, ok}
	}
	x, u, vt := hold(a, a.C+2, whole), hold(testmat.New(a.R, a.R), a.R+3, whole), hold(testmat.New(a.C, a.C), a.C+5, whole)
	s, work := make([]float64, k), []float64{0}
	impl.Dgesvd(jobU, jobVT, a.R, a.C, x.X, x.Ld, s, u.X, u.Ld, vt.X, vt.Ld, work, -1)
	work = make([]float64, int(work[0]))
	ok := impl.Dgesvd(jobU, jobVT, a.R, a.C, x.X, x.Ld, s, u.X, u.Ld, vt.X, vt.Ld, work, len(work))
	x.Check(t, "A")
	if work[0] != float64(len(work)) {
		t.Errorf("%d×%d: work[0] = %v after a call with %d", a.R, a.C, work[0], len(work))
	}
	part := map[gonumlapack.SVDJob]int{gonumlapack.SVDAll: max(a.R, a.C), gonumlapack.SVDStore: k}
	return triplets{u.After(t, "U").Part(0, 0, a.R, min(a.R, part[jobU])), vt.After(t, "Vᵀ").Part(0, 0, min(a.C, part[jobVT]), a.C), s, ok}
}

// checkSVD tests a thin decomposition by LAPACK's ratios.
func checkSVD(t *testing.T, name string, a *full, d triplets) {
	t.Helper()
	if !d.ok {
		t.Errorf("%s: does not converge", name)
		return
	}
	checkRatio(t, name+": residual", testmat.ProductRatio(a, d.u, d.vt.ScaleRows(d.values)))
	checkRatio(t, name+": U", testmat.OrthogonalRatio(d.u))
	checkRatio(t, name+": V", testmat.OrthogonalRatio(d.vt.T()))
	for i, v := range d.values {
		if !(v >= 0) || math.Signbit(v) || i > 0 && v > d.values[i-1] {
			t.Errorf("%s: value %d is %v", name, i, v)
		}
	}
}

// svdShapes returns dimensions around blocks of 32 columns, and around the shape from which R is
// decomposed, not A; in long tests all orders to 40, and every seventh to 130.
func svdShapes() (all [][2]int) {
	for n := range 131 {
		if n < 12 || testutil.Long() && (n <= 40 || n%7 == 0) {
			all = append(all, [2]int{n, n}, [2]int{n + 1, n}, [2]int{2 * n, n + 1})
		}
	}
	for _, n := range []int{16, 31, 32, 33, 34, 63, 64, 65, 66, 96, 97, 129} {
		all = append(all, [2]int{n, n}, [2]int{n + 7, n}, [2]int{13*n/8 - 1, n}, [2]int{13*n/8 + 1, n})
	}
	return append(all, [2]int{130, 3}, [2]int{300, 40})
}

func TestSVD(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(263)
		for k, shape := range svdShapes() {
			for i, s := range testmat.Spectra() {
				if shape[0] > 12 && (i+k)%12 != 0 && !testutil.Long() {
					continue
				}
				a := s.General(rng, shape[0], shape[1])
				for _, a := range []*full{a, a.T()} {
					name := fmt.Sprintf("%s %d×%d", s.Name, a.R, a.C)
					d := svdOf(t, bk, a, gonumlapack.SVDStore, gonumlapack.SVDStore)
					checkSVD(t, name, a, d)
					if s.Name == "arithmetic" && len(d.values) > 0 { // far from each other
						checkJobs(t, name, bk, a, d)
					}
					for i, v := range d.values {
						if want := s.At(len(d.values), i) * s.Scale; !(math.Abs(v-want) <= ratioBound*float64(max(a.R, a.C))*eps*s.Scale) {
							t.Errorf("%s: value %d is %v, want %v", name, i, v, want)
						}
					}
				}
			}
		}
	})
}

// checkJobs tests that other jobs give the values and the vectors that the thin decomposition gives,
// and that all of U and Vᵀ are orthogonal.
func checkJobs(t *testing.T, name string, bk blskernel.Backend, a *full, want triplets) {
	t.Helper()
	k := min(a.R, a.C)
	for _, jobs := range [][2]gonumlapack.SVDJob{
		{gonumlapack.SVDAll, gonumlapack.SVDAll}, {gonumlapack.SVDAll, gonumlapack.SVDNone},
		{gonumlapack.SVDNone, gonumlapack.SVDStore}, {gonumlapack.SVDNone, gonumlapack.SVDNone},
	} {
		name := fmt.Sprintf("%s, jobs %c and %c", name, jobs[0], jobs[1])
		got := svdOf(t, bk, a, jobs[0], jobs[1])
		for i, v := range got.values {
			if !(math.Abs(v-want.values[i]) <= ratioBound*float64(max(a.R, a.C))*eps*want.values[0]) {
				t.Errorf("%s: value %d is %v, want %v", name, i, v, want.values[i])
			}
		}
		columns := map[gonumlapack.SVDJob][2]int{gonumlapack.SVDAll: {a.R, a.C}, gonumlapack.SVDStore: {k, k}}
		if got.u.C != columns[jobs[0]][0] || got.vt.R != columns[jobs[1]][1] {
			t.Errorf("%s: U has %d columns, Vᵀ %d rows", name, got.u.C, got.vt.R)
		}
		checkRatio(t, name+": U", testmat.OrthogonalRatio(got.u))
		checkRatio(t, name+": V", testmat.OrthogonalRatio(got.vt.T()))
		if got.u.C > 0 {
			checkSamePart(t, name+": U", bk, got.u.Part(0, 0, a.R, k), want.u)
		}
		if got.vt.R > 0 {
			checkSamePart(t, name+": Vᵀ", bk, got.vt.Part(0, 0, k, a.C), want.vt)
		}
	}
}

// checkSamePart tests that vectors equal the thin decomposition's: on the pure backend up to the
// rounding of the reflections, which more columns may apply in other blocks.
func checkSamePart(t *testing.T, name string, bk blskernel.Backend, got, want *full) {
	t.Helper()
	tolerance := ratioBound * float64(max(got.R, got.C)) * eps
	if !strings.HasPrefix(bk.Name(), "pure") {
		tolerance = 1e-9 * float64(got.R) // the values are far from each other
	}
	if d := got.Sub(want).Norm(); !(d <= tolerance) {
		t.Errorf("%s: off by %g from the thin decomposition", name, d)
	}
}

// Columns, rows, or blocks may be so much smaller than others that their squares underflow.
func TestSVDGraded(t *testing.T) {
	blocks := func(exponent float64) func(n, i, j int) float64 {
		return func(n, i, j int) float64 {
			return testmat.Unless((i < n/2) != (j < n/2)) * math.Pow(10, exponent*testmat.Unless(i >= n/2))
		}
	}
	for n := 66; n <= 130; n += 31 {
		for name, size := range map[string]func(n, i, j int) float64{
			"columns": func(_, _, j int) float64 { return math.Pow(10, -4*float64(j)) },
			"rows":    func(_, i, _ int) float64 { return math.Pow(10, -4*float64(i)) },
			"blocks":  blocks(-160),
			"tiny":    blocks(-318),
		} {
			a := testmat.Normal(false, size)(testutil.Rand(uint64(n)), n)
			checkSVD(t, fmt.Sprintf("%s, n=%d", name, n), a, svdOf(t, fastBLAS(t), a, gonumlapack.SVDStore, gonumlapack.SVDStore))
		}
	}
}
