package lapack

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/factor/eigensym"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

type spectrum struct {
	wr, wi      []float64
	left, right *full
	first       int
}

// dgeev calls Dgeev for a, with guards between the rows.
func dgeev(t *testing.T, impl Implementation, a *full, left, right bool) spectrum {
	t.Helper()
	n := a.R
	e := spectrum{wr: make([]float64, n), wi: make([]float64, n)}
	x, vl, vr := hold(a, n+3, whole), hold(testmat.New(n, n), n+3, whole), hold(testmat.New(n, n), n+3, whole)
	jobvl, jobvr := gonumlapack.LeftEVNone, gonumlapack.RightEVNone
	if left {
		jobvl = gonumlapack.LeftEVCompute
	}
	if right {
		jobvr = gonumlapack.RightEVCompute
	}
	work := make([]float64, 1)
	impl.Dgeev(jobvl, jobvr, n, x.X, x.Ld, nil, nil, nil, x.Ld, nil, x.Ld, work, -1)
	work = make([]float64, int(work[0]))
	e.first = impl.Dgeev(jobvl, jobvr, n, x.X, x.Ld, e.wr, e.wi, vl.X, vl.Ld, vr.X, vr.Ld, work, len(work))
	x.Check(t, "A")
	e.left, e.right = vl.After(t, "left vectors"), vr.After(t, "right vectors")
	return e
}

// vectorRatio is ‖A V - V Λ‖/(n ‖A‖ eps) for columns of length 1 with a real largest component; it is
// NaN for other columns. It is computed for D⁻¹A D and D⁻¹V, where D holds powers of 10 up to the given
// exponent: for a graded matrix only the error of the balanced one is that small.
func vectorRatio(a, v *full, wr, wi []float64, exponent float64) float64 {
	n := a.R
	scaled, x, xw := testmat.New(n, n), testmat.New(n, n), testmat.New(n, n)
	d := func(i int) float64 { return math.Pow(10, exponent*float64(i-n)) }
	for i, e := range a.X {
		scaled.X[i] = e * (d(i%n) / d(i/n))
		x.X[i] = v.X[i] / d(i/n)
	}
	for k := 0; k < n; k++ {
		columns := 1
		if wi[k] != 0 {
			columns = 2
		}
		length, largest, largestReal, balanced := 0.0, 0.0, 0.0, 0.0
		for i := range n {
			size := math.Hypot(v.At(i, k), testmat.Unless(columns == 1)*v.At(i, k+columns-1))
			length, balanced = math.Hypot(length, size), math.Hypot(balanced, size/d(i))
			largest = max(largest, size)
			if size == math.Abs(v.At(i, k)) {
				largestReal = max(largestReal, size)
			}
		}
		if !(math.Abs(length-1) <= float64(n+4)*eps) || !(largestReal >= largest*(1-4*eps)) {
			return math.NaN()
		}
		for i := range n {
			for c := range columns {
				x.Set(i, k+c, x.At(i, k+c)/balanced)
			}
			re, im := x.At(i, k), x.At(i, k+columns-1)*testmat.Unless(columns == 1)
			xw.Set(i, k+columns-1, wi[k]*re+wr[k]*im)
			xw.Set(i, k, wr[k]*re-wi[k]*im)
		}
		k += columns - 1
	}
	return testmat.Over(scaled.Mul(x).Sub(xw).Norm(), float64(n)*eps, scaled.Norm())
}

// checkEigen tests all that Dgeev computes for a; see vectorRatio.
func checkEigen(t *testing.T, name string, impl Implementation, a *full, exponent float64) {
	t.Helper()
	e := dgeev(t, impl, a, true, true)
	if e.first != 0 {
		t.Errorf("%s: %d eigenvalues did not converge", name, e.first)
		return
	}
	conjugate := make([]float64, a.R)
	for i, v := range e.wi {
		conjugate[i] = -v
		if v > 0 && (e.wr[i+1] != e.wr[i] || e.wi[i+1] != -v) {
			t.Errorf("%s: eigenvalue %d has no conjugate", name, i)
		}
	}
	checkRatio(t, name+": ‖A V - V Λ‖/(n ‖A‖ eps)", vectorRatio(a, e.right, e.wr, e.wi, exponent))
	checkRatio(t, name+": ‖Aᵀ U - U Λ^H‖/(n ‖A‖ eps)", vectorRatio(a.T(), e.left, e.wr, conjugate, -exponent))
	for _, only := range []spectrum{dgeev(t, impl, a, true, false), dgeev(t, impl, a, false, true)} {
		if !testmat.SameBits(only.wr, e.wr) || !testmat.SameBits(only.wi, e.wi) {
			t.Errorf("%s: other eigenvalues with one kind of vectors", name)
		}
	}
	sum, trace, norm := 0.0, 0.0, a.Norm()
	values := dgeev(t, impl, a, false, false)
	for i := range a.R {
		sum += values.wr[i] / norm
		trace += a.At(i, i) / norm
	}
	if values.first != 0 || norm > 0 && !(math.Abs(sum-trace) <= ratioBound*eps*float64(a.R)) {
		t.Errorf("%s: the sum of the eigenvalues alone is off by %g", name, sum-trace)
	}
}

// Eigenvalues and vectors are right for all families, around the orders where the algorithm changes.
func TestDgeev(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	impl, rng := Implementation{Backend: fastBLAS(t)}, testutil.Rand(26)
	exponents := map[string]float64{"graded-rows-up": 1. / 16, "graded-columns-up": -1. / 16}
	for k, f := range testmat.UnsymmetricEigen() {
		for n := range 153 {
			long := testutil.Long() && (n <= 40 || (n+k)%5 == 0)
			few := n <= 3 || n <= 12 && f.Name != "sparse" // whose balancing may cost digits
			if !long && !few && n != 7+k && (n != 71+k || k%6 > 0) {
				continue
			}
			checkEigen(t, fmt.Sprintf("%s n=%d", f.Name, n), impl, f.Of(rng, n), exponents[f.Name])
		}
		if testutil.Long() && f.Name != "frank" { // the scaling costs digits: the ratio of LAPACK's dgeev is 40
			checkEigen(t, f.Name+" n=300", impl, f.Of(rng, 300), exponents[f.Name])
		}
	}
	orders := []int{4, 5, 6, 8, 9, 16, 17, 31, 33, 75, 76, 77, 150, 200}
	if testutil.Long() {
		orders = append(orders, 600) // with 64 shifts in a sweep
	}
	for _, n := range orders {
		checkEigen(t, fmt.Sprintf("random n=%d", n), impl, testmat.Random(rng, n, n), 0)
	}
}

// With elements of any size in one matrix, all eigenvalues converge, and vectors have length 1.
func TestDgeevExponents(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	impl, rng := Implementation{Backend: fastBLAS(t)}, testutil.Rand(27)
	for k := range 30000 {
		n, top, spread := 1+rng.IntN(8), 470+rng.IntN(30), 1+rng.IntN(600)
		if k%2 == 0 {
			top, spread = rng.IntN(2090)-1070, 1+rng.IntN(1500)
		}
		a := testmat.New(n, n)
		for i := range a.X {
			a.X[i] = math.Ldexp(2*rng.Float64()-1, top-rng.IntN(spread)) * testmat.Unless(rng.IntN(6) == 0)
		}
		if k == 0 { // balancing raises an element outside its block to 2⁹⁶⁰
			a = testmat.From(4, 4, 0, 0x1p-480, 0x1p480, 0, 0x1p480, 0, 0, 0, 0, 0, 1, 0x1p100, 0, 0, 0, 2)
		}
		e := dgeev(t, impl, a, true, true)
		for _, v := range []*full{e.left, e.right} {
			lengths := 0.0 // less the lengths of vectors; a pair has one
			for _, x := range v.X {
				lengths += x * x
			}
			for _, im := range e.wi {
				lengths -= testmat.Unless(im < 0)
			}
			if e.first != 0 || !(math.Abs(lengths) <= 1e-13) {
				t.Fatalf("matrix %d, %v: %d did not converge, lengths are off by %g", k, a.X, e.first, lengths)
			}
		}
	}
}

// syev calls Dsyev on the triangle ul of a, in an array with gaps and NaN in place of the other
// triangle, and returns the eigenvalues and the new contents of a, which are unchanged without vectors
// or after a failure.
func syev(t *testing.T, bk blskernel.Backend, job gonumlapack.EVJob, ul blas.Uplo, a *full) (w []float64, z *full, ok bool) {
	t.Helper()
	n := a.R
	h, w, work := hold(a, n+3, triangleOf(ul, false)), make([]float64, n), make([]float64, max(1, 3*n))
	before := slices.Clone(h.X)
	ok = Implementation{Backend: bk}.Dsyev(job, ul, n, h.X, h.Ld, w, work, len(work))
	if !(work[0] >= float64(3*n-1)) {
		t.Errorf("Dsyev leaves %v in work[0]", work[0])
	}
	if (!ok || job == gonumlapack.EVNone) && !testmat.SameBits(h.X, before) {
		t.Error("Dsyev without vectors, or without success, changed a")
	}
	h.Part = whole
	return w, h.After(t, "Dsyev"), ok
}

// checkSyev tests Dsyev of a by LAPACK's ratios, and that its values are the same without vectors.
func checkSyev(t *testing.T, bk blskernel.Backend, ul blas.Uplo, name string, a *full) {
	t.Helper()
	w, z, ok := syev(t, bk, gonumlapack.EVCompute, ul, a)
	values, _, alone := syev(t, bk, gonumlapack.EVNone, ul, a)
	if !ok || !alone || !slices.IsSorted(w) || !slices.IsSorted(values) {
		t.Fatalf("%s: %v, %v, or not sorted", name, ok, alone)
	}
	checkRatio(t, name+": residual", testmat.EigenRatio(a, w, z))
	checkRatio(t, name+": orthogonality", testmat.OrthogonalRatio(z))
	for i, v := range w {
		checkRatio(t, name+": values alone", testmat.Over(math.Abs(v-values[i]), float64(a.R)*eps, a.Norm()))
	}
}

// LAPACK's ratios hold for all families, triangles, and orders about the block sizes.
func TestDsyev(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	around := []int{31, 32, 33, 63, 64, 65, 66, 96, 97, 129}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for k, f := range testmat.Eigen() {
			rng := testutil.Rand(uint64(k))
			for n := range 131 {
				if n > eigensym.SmallOrder && (n+k)%43 > 0 && !testutil.Long() && !(f.Name == "random" && slices.Contains(around, n)) {
					continue
				}
				ul := []blas.Uplo{blas.Upper, blas.Lower}[(n+k)%2]
				checkSyev(t, bk, ul, fmt.Sprintf("%s %c n=%d", f.Name, ul, n), f.Of(rng, n))
			}
			if k%3 == 0 || testutil.Long() {
				checkSyev(t, bk, blas.Upper, f.Name+" n=200", f.Of(rng, 200)) // three merges deep
			}
		}
	})
}

// The eigenvalues of a diagonal matrix are its elements to the bit, in order; the eigenvalues of a
// complete graph are known; and a block far smaller than the rest of the matrix keeps its digits.
func TestDsyevKnown(t *testing.T) {
	check := func(ul blas.Uplo, a *full, want, tolerance func(i int) float64) {
		t.Helper()
		w, z, ok := syev(t, fastBLAS(t), gonumlapack.EVCompute, ul, a)
		alone, _, okAlone := syev(t, fastBLAS(t), gonumlapack.EVNone, ul, a)
		if !ok || !okAlone || !(testmat.OrthogonalRatio(z) <= 4) {
			t.Fatalf("order %d: %v, %v, or the vectors are wrong", a.R, ok, okAlone)
		}
		for i := range w {
			if !(math.Abs(w[i]-want(i)) <= tolerance(i)) || !(math.Abs(alone[i]-want(i)) <= tolerance(i)) {
				t.Errorf("eigenvalue %d is %g, alone %g, want %g", i, w[i], alone[i], want(i))
			}
		}
	}
	at := func(x ...float64) func(i int) float64 { return func(i int) float64 { return x[i] } }
	diagonal := []float64{3, -1e-290, 5e-324, 0, -7, 2e10, 1e-300}
	a := testmat.Sym(len(diagonal), func(i, j int) float64 { return diagonal[i] * testmat.Unless(i != j) })
	check(blas.Lower, a, at(-7, -1e-290, 0, 5e-324, 1e-300, 3, 2e10), func(int) float64 { return 0 })

	for _, m := range []float64{0x1.8p1023, 0x1p-1074} { // [0 m; m 0]
		a := testmat.Sym(2, func(i, j int) float64 { return m * testmat.Unless(i == j) })
		check(blas.Upper, a, at(-m, m), func(int) float64 { return 2 * eps * m })
	}

	const n = 90
	for _, scale := range []float64{1, 0x1p-1000, 0x1p-1070, 0x1p1015} {
		complete := testmat.Sym(n, func(i, j int) float64 { return scale * testmat.Unless(i == j) })
		check(blas.Lower, complete, func(i int) float64 { return scale * (n*testmat.Unless(i != n-1) - 1) },
			func(int) float64 { return max(1e-14*n*scale, 0x1p-1074) })
	}

	const small = 0x1p-700 // [1 2; 2 3] twice
	blocks := testmat.Sym(4, func(i, j int) float64 {
		return testmat.Unless(i/2 != j/2) * []float64{1, small}[i/2] * float64(1+i%2+j%2)
	})
	root := math.Sqrt(5)
	check(blas.Upper, blocks, at(2-root, (2-root)*small, (2+root)*small, 2+root), at(10*eps, 10*eps*small, 10*eps*small, 10*eps))
}
