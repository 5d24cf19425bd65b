package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	gonumlapack "gonum.org/v1/gonum/lapack"
)

// triplets are what Dgesvd returns for a matrix: u and vt are empty where they were not asked for.
type triplets struct {
	u, vt  *full
	values []float64
	ok     bool
}

// svdOf calls Dgesvd on a copy of a with gaps between rows, which stay as they are.
func svdOf(t *testing.T, bk blskernel.Backend, a *full, jobU, jobVT gonumlapack.SVDJob) triplets {
	k := min(a.r, a.c)
	lda, ldu, ldvt := a.c+2, a.r+3, a.c+5
	impl := Implementation{Backend: bk}
	if k == 0 {
		ok := impl.Dgesvd(jobU, jobVT, a.r, a.c, nil, lda, nil, nil, ldu, nil, ldvt, []float64{0}, 1)
		return triplets{newFull(a.r, 0), newFull(0, a.c), nil, ok}
	}
	x, u, vt := padded(a, lda), padded(newFull(a.r, a.r), ldu), padded(newFull(a.c, a.c), ldvt)
	s := make([]float64, k)
	work := []float64{0}
	impl.Dgesvd(jobU, jobVT, a.r, a.c, x, lda, s, u, ldu, vt, ldvt, work, -1)
	work = make([]float64, int(work[0]))
	ok := impl.Dgesvd(jobU, jobVT, a.r, a.c, x, lda, s, u, ldu, vt, ldvt, work, len(work))
	unpadded(t, x, a.r, a.c, lda)
	part := map[gonumlapack.SVDJob]int{gonumlapack.SVDAll: max(a.r, a.c), gonumlapack.SVDStore: k}
	left, right := unpadded(t, u, a.r, a.r, ldu), unpadded(t, vt, a.c, a.c, ldvt)
	cut := func(x *full, r, c int) *full {
		y := newFull(r, c)
		for i := range r {
			copy(y.row(i), x.row(i))
		}
		return y
	}
	return triplets{cut(left, a.r, min(a.r, part[jobU])), cut(right, min(a.c, part[jobVT]), a.c), s, ok}
}

// checkSVD checks a thin decomposition by LAPACK's ratios.
func checkSVD(t *testing.T, name string, a *full, d triplets) {
	t.Helper()
	if !d.ok {
		t.Errorf("%s: does not converge", name)
		return
	}
	for kind, ratio := range map[string]float64{
		"residual": singularRatio(a, d.u, d.values, d.vt), "U": orthogonalRatio(d.u), "V": orthogonalRatio(d.vt.transpose()),
	} {
		if !(ratio <= ratioBound) {
			t.Errorf("%s: %s: ratio %.3g", name, kind, ratio)
		}
	}
	for i, v := range d.values {
		if !(v >= 0) || math.Signbit(v) || i > 0 && v > d.values[i-1] {
			t.Errorf("%s: value %d is %v", name, i, v)
		}
	}
}

// svdShapes returns dimensions around blocks of 32 columns, and around the shape from which on R is
// decomposed; in long tests all orders to 130.
func svdShapes() (all [][2]int) {
	for n := range 131 {
		if n < 12 || testutil.Long() {
			all = append(all, [2]int{n, n}, [2]int{n + 1, n}, [2]int{2 * n, n + 1})
		}
	}
	for _, n := range []int{16, 31, 32, 33, 34, 63, 64, 65, 66, 96, 97, 129} {
		all = append(all, [2]int{n, n}, [2]int{n + 7, n}, [2]int{13*n/8 - 1, n}, [2]int{13*n/8 + 1, n})
	}
	return append(all, [2]int{130, 3}, [2]int{300, 40})
}

func TestSVD(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(263)
		for k, shape := range svdShapes() {
			for i, s := range spectra() {
				if shape[0] > 12 && (i+k)%4 != 0 && !testutil.Long() {
					continue
				}
				a := s.general(rng, shape[0], shape[1])
				for _, a := range []*full{a, a.transpose()} {
					name := fmt.Sprintf("%s %d×%d", s.name, a.r, a.c)
					d := svdOf(t, bk, a, gonumlapack.SVDStore, gonumlapack.SVDStore)
					checkSVD(t, name, a, d)
					for i, v := range d.values {
						if want := s.at(len(d.values), i) * s.scale; !(math.Abs(v-want) <= ratioBound*float64(max(a.r, a.c))*eps*s.scale) {
							t.Errorf("%s: value %d is %v, want %v", name, i, v, want)
						}
					}
				}
			}
		}
	})
}

// All combinations of jobs give the values and the vectors that the thin decomposition gives, and all
// of U and Vᵀ are orthogonal.
func TestSVDJobs(t *testing.T) {
	jobs := []gonumlapack.SVDJob{gonumlapack.SVDAll, gonumlapack.SVDStore, gonumlapack.SVDNone}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(264)
		for _, shape := range [][2]int{{1, 1}, {4, 1}, {5, 5}, {40, 33}, {70, 40}, {90, 33}} {
			a := normal(false, constant(1))(rng, max(shape[0], shape[1]))
			a = &full{shape[0], shape[1], a.x[:shape[0]*shape[1]]}
			for _, a := range []*full{a, a.transpose()} {
				k := min(a.r, a.c)
				want := svdOf(t, bk, a, gonumlapack.SVDStore, gonumlapack.SVDStore)
				for _, jobU := range jobs {
					for _, jobVT := range jobs {
						got := svdOf(t, bk, a, jobU, jobVT)
						name := fmt.Sprintf("%d×%d, jobs %c and %c", a.r, a.c, jobU, jobVT)
						for i, v := range got.values {
							if !(math.Abs(v-want.values[i]) <= ratioBound*float64(max(a.r, a.c))*eps*want.values[0]) {
								t.Errorf("%s: value %d is %v, want %v", name, i, v, want.values[i])
							}
						}
						if got.u.c > 0 {
							if r := orthogonalRatio(got.u); !(r <= ratioBound) || !samePart(bk, got.u, want.u, a.r, k) {
								t.Errorf("%s: U: ratio %.3g, or not that of the thin decomposition", name, r)
							}
						}
						if got.vt.r > 0 {
							if r := orthogonalRatio(got.vt.transpose()); !(r <= ratioBound) || !samePart(bk, got.vt, want.vt, k, a.c) {
								t.Errorf("%s: Vᵀ: ratio %.3g, or not that of the thin decomposition", name, r)
							}
						}
						if wantU := map[gonumlapack.SVDJob]int{gonumlapack.SVDAll: a.r, gonumlapack.SVDStore: k}[jobU]; got.u.c != wantU {
							t.Errorf("%s: U has %d columns", name, got.u.c)
						}
					}
				}
			}
		}
	})
}

// compareSVD compares the values, and the products of the factors.
func compareSVD(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) []result {
	m, n := 1+order(rng, most), 1+order(rng, most)
	a := randomFull(rng, m, n)
	d := svdOf(t, bk, a, gonumlapack.SVDStore, gonumlapack.SVDStore)
	checkSVD(t, bk.Name(), a, d)
	scaled := newFull(d.vt.r, n)
	for i := range d.vt.r {
		for j, v := range d.vt.row(i) {
			scaled.set(i, j, v*d.values[i])
		}
	}
	tolerance := between(max(m, n), 1, a)
	return []result{{"values", &full{1, len(d.values), d.values}, tolerance}, {"U Σ Vᵀ", d.u.mul(scaled), tolerance}}
}

// samePart reports whether the first r×c elements of a and b agree: to the bit on the pure backend.
func samePart(bk blskernel.Backend, a, b *full, r, c int) bool {
	tolerance := 0.0
	if !strings.HasPrefix(bk.Name(), "pure") {
		tolerance = 1e-9 // the values are far from each other
	}
	for i := range r {
		for j, v := range a.row(i)[:c] {
			if !(math.Abs(v-b.at(i, j)) <= tolerance) {
				return false
			}
		}
	}
	return true
}

// NaN and infinities end in ok = false and values that are NaN, at once.
func TestSVDNotFinite(t *testing.T) {
	rng := testutil.Rand(265)
	for _, n := range []int{1, 2, 7, 60} {
		notFinite(rng, n, false, func(a *full) {
			d := svdOf(t, fastBLAS(t), a, gonumlapack.SVDStore, gonumlapack.SVDStore)
			if d.ok || slices.ContainsFunc(d.values, func(v float64) bool { return v == v }) {
				t.Errorf("n=%d: %v, values %v", n, d.ok, d.values)
			}
		})
	}
}

// Columns, rows, or blocks may be so small beside others that their squares underflow.
func TestSVDGraded(t *testing.T) {
	for n := 66; n <= 130; n += 31 {
		for name, size := range map[string]func(n, i, j int) float64{
			"columns": func(_, _, j int) float64 { return math.Pow(10, -4*float64(j)) },
			"rows":    func(_, i, _ int) float64 { return math.Pow(10, -4*float64(i)) },
			"blocks":  func(n, i, j int) float64 { return unless((i < n/2) != (j < n/2)) * math.Pow(10, -160*unless(i >= n/2)) },
			"tiny":    func(n, i, j int) float64 { return unless((i < n/2) != (j < n/2)) * math.Pow(10, -318*unless(i >= n/2)) },
		} {
			a := normal(false, size)(testutil.Rand(uint64(n)), n)
			checkSVD(t, fmt.Sprintf("%s, n=%d", name, n), a, svdOf(t, fastBLAS(t), a, gonumlapack.SVDStore, gonumlapack.SVDStore))
		}
	}
}

// No bit depends on the number of threads.
func TestSVDThreads(t *testing.T) {
	defer blskernel.SetThreads(0)
	rng := testutil.Rand(266)
	for _, shape := range [][2]int{{300, 290}, {500, 200}, {150, 400}} {
		a := normal(false, constant(1))(rng, max(shape[0], shape[1]))
		a = &full{shape[0], shape[1], a.x[:shape[0]*shape[1]]}
		var want triplets
		for _, threads := range []int{1, 2, 3} {
			blskernel.SetThreads(threads)
			got := svdOf(t, fastBLAS(t), a, gonumlapack.SVDStore, gonumlapack.SVDStore)
			if threads == 1 {
				want = got
				checkSVD(t, fmt.Sprint(shape), a, got)
			}
			if !sameBits(got.values, want.values) || !sameBits(got.u.x, want.u.x) || !sameBits(got.vt.x, want.vt.x) {
				t.Errorf("%v: threads=%d: not the result of one thread", shape, threads)
			}
		}
	}
}
