package lapack

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	gonumlapack "gonum.org/v1/gonum/lapack"
)

// An eigen is what Dgeev computes.
type eigen struct {
	wr, wi      []float64
	left, right *full
	first       int
}

// dgeev calls Dgeev for a, with guards between the rows.
func dgeev(t *testing.T, impl Implementation, a *full, left, right bool) eigen {
	t.Helper()
	n, ld := a.r, a.r+3
	e := eigen{wr: make([]float64, n), wi: make([]float64, n)}
	vl, vr := padded(newFull(n, n), ld), padded(newFull(n, n), ld)
	jobvl, jobvr := gonumlapack.LeftEVNone, gonumlapack.RightEVNone
	if left {
		jobvl = gonumlapack.LeftEVCompute
	}
	if right {
		jobvr = gonumlapack.RightEVCompute
	}
	work := make([]float64, 1)
	x := padded(a, ld)
	impl.Dgeev(jobvl, jobvr, n, x, ld, nil, nil, nil, ld, nil, ld, work, -1)
	work = make([]float64, int(work[0]))
	e.first = impl.Dgeev(jobvl, jobvr, n, x, ld, e.wr, e.wi, vl, ld, vr, ld, work, len(work))
	unpadded(t, x, n, n, ld)
	e.left, e.right = unpadded(t, vl, n, n, ld), unpadded(t, vr, n, n, ld)
	return e
}

// vectorRatio is ‖A V - V Λ‖/(n ‖A‖ eps) for columns of length 1 with a real largest component; it is
// NaN if they are not so. It is that of D⁻¹A D and D⁻¹V for a diagonal D of powers of 10 to the given
// exponent, the balanced matrix of a graded one: only there is the error that small.
func vectorRatio(a, v *full, wr, wi []float64, exponent float64) float64 {
	n := a.r
	scaled, x, xw := newFull(n, n), newFull(n, n), newFull(n, n)
	d := func(i int) float64 { return math.Pow(10, exponent*float64(i-n)) }
	for i, e := range a.x {
		scaled.x[i] = e * (d(i%n) / d(i/n))
		x.x[i] = v.x[i] / d(i/n)
	}
	for k := 0; k < n; k++ {
		columns := 1
		if wi[k] != 0 {
			columns = 2
		}
		length, largest, largestReal, balanced := 0.0, 0.0, 0.0, 0.0
		for i := range n {
			size := math.Hypot(v.at(i, k), unless(columns == 1)*v.at(i, k+columns-1))
			length, balanced = math.Hypot(length, size), math.Hypot(balanced, size/d(i))
			largest = max(largest, size)
			if size == math.Abs(v.at(i, k)) {
				largestReal = max(largestReal, size)
			}
		}
		if !(math.Abs(length-1) <= float64(n+4)*eps) || !(largestReal >= largest*(1-4*eps)) {
			return math.NaN()
		}
		for i := range n {
			for c := range columns {
				x.set(i, k+c, x.at(i, k+c)/balanced)
			}
			re, im := x.at(i, k), x.at(i, k+columns-1)*unless(columns == 1)
			xw.set(i, k+columns-1, wi[k]*re+wr[k]*im)
			xw.set(i, k, wr[k]*re-wi[k]*im)
		}
		k += columns - 1
	}
	return over(scaled.mul(x).sub(xw).norm(), float64(n)*eps, scaled.norm())
}

// checkEigen tests all that Dgeev computes for a; see vectorRatio.
func checkEigen(t *testing.T, name string, impl Implementation, a *full, exponent float64) {
	t.Helper()
	e := dgeev(t, impl, a, true, true)
	if e.first != 0 {
		t.Errorf("%s: %d eigenvalues did not converge", name, e.first)
		return
	}
	conjugate := make([]float64, a.r)
	for i, v := range e.wi {
		conjugate[i] = -v
		if v > 0 && (e.wr[i+1] != e.wr[i] || e.wi[i+1] != -v) {
			t.Errorf("%s: eigenvalue %d has no conjugate", name, i)
		}
	}
	if r := vectorRatio(a, e.right, e.wr, e.wi, exponent); !(r <= ratioBound) {
		t.Errorf("%s: ‖A V - V Λ‖/(n ‖A‖ eps) = %.3g", name, r)
	}
	if r := vectorRatio(a.transpose(), e.left, e.wr, conjugate, -exponent); !(r <= ratioBound) {
		t.Errorf("%s: ‖Aᵀ U - U Λ^H‖/(n ‖A‖ eps) = %.3g", name, r)
	}
	for _, only := range []eigen{dgeev(t, impl, a, true, false), dgeev(t, impl, a, false, true)} {
		if !sameBits(only.wr, e.wr) || !sameBits(only.wi, e.wi) {
			t.Errorf("%s: other eigenvalues with one kind of vectors", name)
		}
	}
	sum, trace := 0.0, 0.0
	values := dgeev(t, impl, a, false, false)
	for i := range a.r {
		sum += values.wr[i] / a.norm()
		trace += a.at(i, i) / a.norm()
	}
	if values.first != 0 || a.norm() > 0 && !(math.Abs(sum-trace) <= ratioBound*eps*float64(a.r)) {
		t.Errorf("%s: the sum of the eigenvalues alone is off by %g", name, sum-trace)
	}
}

// normalBlocks returns H D H for a diagonal D with blocks (a b; -b a), whose eigenvalues are 1 and more
// apart, but for conjugates, and a product H of reflections: a normal matrix.
func normalBlocks(rng *rand.Rand, n int) *full {
	a := newFull(n, n)
	for i := range n {
		a.set(i, i, 1+float64(i))
	}
	for i := 0; i+1 < n; i += 2 + rng.IntN(2) {
		b := 1 + float64(n)*rng.Float64()
		a.set(i+1, i+1, a.at(i, i))
		a.set(i, i+1, b)
		a.set(i+1, i, -b)
	}
	for range 2 {
		v := unitVector(rng, n)
		a = a.reflectLeft(v).transpose().reflectLeft(v).transpose()
	}
	return a
}

// compareEigen compares what Dgeev computes for a normal matrix, whose eigenvalues move by no more than
// the matrix, and V Λ V^H of its right vectors and of its left ones, which are as far from orthogonal
// as the error divided by the distance of the eigenvalues, 1.
func compareEigen(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) []result {
	n := 1 + order(rng, most)
	a := normalBlocks(rng, n)
	e := dgeev(t, Implementation{Backend: bk}, a, true, true)
	alone := dgeev(t, Implementation{Backend: bk}, a, false, false)
	if e.first != 0 || alone.first != 0 {
		t.Fatalf("n=%d: %d and %d eigenvalues did not converge", n, e.first, alone.first)
	}
	values := func(e eigen) *full {
		w := make([]complex128, n)
		for k := range w {
			w[k] = complex(e.wr[k], e.wi[k])
		}
		slices.SortFunc(w, func(a, b complex128) int {
			// The real parts of a pair are the same, and those of others 1 apart.
			return cmp.Or(cmp.Compare(real(a), real(b)), cmp.Compare(imag(a), imag(b)))
		})
		x := newFull(n, 2)
		for k, v := range w {
			x.set(k, 0, real(v))
			x.set(k, 1, imag(v))
		}
		return x
	}
	lambda := newFull(n, n)
	for k, im := range e.wi {
		lambda.set(k, k, e.wr[k]*(1+unless(im == 0)))
		if im > 0 {
			lambda.set(k, k+1, 2*im)
			lambda.set(k+1, k, -2*im)
		}
	}
	product := func(v *full) *full { return v.mul(lambda).mul(v.transpose()) }
	tolerance := between(n, 1, a)
	got := []result{{"values", values(e), tolerance}, {"values alone", values(alone), tolerance},
		{"V Λ V^H", product(e.right), float64(n) * tolerance}, {"U Λ U^H", product(e.left), float64(n) * tolerance}}
	for _, g := range got[2:] {
		if err := (result{g.of, a, g.tolerance}).compare(g); err != nil {
			t.Error(err)
		}
	}
	return got
}

// unsymmetric returns families with all kinds of eigenvalues: Jordan blocks, companion matrices,
// triangles, rotations, products with given singular values, and those of package lapack's other tests.
func unsymmetric() []family {
	g := generalFamilies()
	for _, s := range spectra() {
		g = append(g, family{name: "singular-values-" + s.name, of: func(rng *rand.Rand, n int) *full { return s.general(rng, n, n) }})
		g = append(g, family{name: "symmetric-" + s.name, of: s.symmetric})
	}
	add := func(name string, f func(rng *rand.Rand, n, i, j int) float64) {
		g = append(g, family{name: name, of: each(false, f)})
	}
	add("jordan", func(_ *rand.Rand, _, i, j int) float64 { return unless(i != j && i+1 != j) })
	add("nilpotent", func(_ *rand.Rand, _, i, j int) float64 { return unless(i+1 != j) })
	add("transposed-jordan", func(_ *rand.Rand, _, i, j int) float64 { return 2*unless(i != j) + unless(i != j+1) })
	add("companion", func(rng *rand.Rand, n, i, j int) float64 {
		return unless(i != j+1) + unless(j != n-1)*rng.NormFloat64()
	})
	add("triangle", func(rng *rand.Rand, _, i, j int) float64 { return unless(i > j) * rng.NormFloat64() })
	add("lower", func(rng *rand.Rand, _, i, j int) float64 { return unless(i < j) * rng.NormFloat64() })
	add("skew", func(_ *rand.Rand, _, i, j int) float64 { return float64(i - j) })
	add("toeplitz", func(_ *rand.Rand, _, i, j int) float64 { return unless(i-j != 1) - 0.5*unless(j-i > 3 || j < i) })
	add("badly-scaled", func(rng *rand.Rand, _, i, j int) float64 { return math.Ldexp(rng.NormFloat64(), 12*(i%7-j%7)) })
	add("ones", func(*rand.Rand, int, int, int) float64 { return 1 })
	add("frank", func(_ *rand.Rand, n, i, j int) float64 { return unless(j < i-1) * float64(n-max(i, j)) })
	return g
}

// onKernelsIfLong runs f on the fastest kernel, and in the long tests on every backend.
func onKernelsIfLong(t *testing.T, f func(t *testing.T, bk blskernel.Backend)) {
	if testutil.Long() {
		backends.OnKernels(t, f)
	} else {
		f(t, fastBLAS(t))
	}
}

// Eigenvalues and vectors of all families, around the orders at which the algorithm changes.
func TestImplementationDgeev(t *testing.T) {
	onKernelsIfLong(t, func(t *testing.T, bk blskernel.Backend) {
		impl := Implementation{Backend: bk}
		rng := testutil.Rand(26)
		exponents := map[string]float64{"graded-rows-up": 1. / 16, "graded-columns-up": -1. / 16}
		sizes := []int{0, 1, 2, 3, 7, 30, 76, 130}
		if testutil.Long() {
			sizes = []int{300}
			for n := range 153 {
				sizes = append(sizes, n)
			}
		}
		for _, f := range unsymmetric() {
			for _, n := range sizes {
				if f.name == "frank" && n == 300 {
					continue // the scaling costs digits: the ratio of LAPACK's dgeev is 40
				}
				checkEigen(t, fmt.Sprintf("%s n=%d", f.name, n), impl, f.of(rng, n), exponents[f.name])
			}
		}
		for n := range 131 {
			checkEigen(t, fmt.Sprintf("random n=%d", n), impl, randomFull(rng, n, n), 0)
		}
		for _, n := range []int{149, 150, 151, 152, 300} {
			checkEigen(t, fmt.Sprintf("random n=%d", n), impl, randomFull(rng, n, n), 0)
		}
	})
}

// No bit depends on the number of threads, for orders with 32 and 64 shifts in a sweep.
func TestImplementationDgeevThreads(t *testing.T) {
	defer blskernel.SetThreads(0)
	for _, n := range []int{300, 600} {
		a := randomFull(testutil.Rand(uint64(n)), n, n)
		var want eigen
		for _, threads := range []int{1, 2, 3} {
			blskernel.SetThreads(threads)
			got := dgeev(t, Implementation{Backend: fastBLAS(t)}, a, true, true)
			if threads == 1 {
				want = got
			}
			if got.first != 0 || !sameBits(got.wr, want.wr) || !sameBits(got.wi, want.wi) || !sameBits(got.left.x, want.left.x) || !sameBits(got.right.x, want.right.x) {
				t.Errorf("n=%d, %d threads: not the result of one thread, or %d eigenvalues did not converge", n, threads, got.first)
			}
		}
	}
}

// What is not finite ends at once, without a panic, and is reported.
func TestImplementationDgeevNotFinite(t *testing.T) {
	impl := Implementation{Backend: fastBLAS(t)}
	rng := testutil.Rand(27)
	for _, n := range []int{1, 2, 20, 100} {
		notFinite(rng, n, false, func(a *full) {
			for _, vectors := range []bool{false, true} {
				e := dgeev(t, impl, a, vectors, vectors)
				if e.first != n {
					t.Errorf("n=%d: first is %d", n, e.first)
				}
				for i, v := range e.wr {
					if !math.IsNaN(v) || !math.IsNaN(e.wi[i]) {
						t.Fatalf("n=%d: eigenvalue %d is %v + %vi", n, i, v, e.wi[i])
					}
				}
			}
		})
	}
}
