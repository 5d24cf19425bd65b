package lapack

import (
	"fmt"
	"math"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"

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
	n := a.R
	e := eigen{wr: make([]float64, n), wi: make([]float64, n)}
	x, vl, vr := hold(a, n+3, whole), hold(testmat.New(n, n), n+3, whole), hold(testmat.New(n, n), n+3, whole)
	jobvl, jobvr := gonumlapack.LeftEVNone, gonumlapack.RightEVNone
	if left {
		jobvl = gonumlapack.LeftEVCompute
	}
	if right {
		jobvr = gonumlapack.RightEVCompute
	}
	work := make([]float64, 1)
	impl.Dgeev(jobvl, jobvr, n, x.x, x.ld, nil, nil, nil, x.ld, nil, x.ld, work, -1)
	work = make([]float64, int(work[0]))
	e.first = impl.Dgeev(jobvl, jobvr, n, x.x, x.ld, e.wr, e.wi, vl.x, vl.ld, vr.x, vr.ld, work, len(work))
	x.check(t, "A")
	e.left, e.right = vl.after(t, "left vectors"), vr.after(t, "right vectors")
	return e
}

// vectorRatio is ‖A V - V Λ‖/(n ‖A‖ eps) for columns of length 1 with a real largest component; it is
// NaN if they are not so. It is that of D⁻¹A D and D⁻¹V for a diagonal D of powers of 10 to the given
// exponent, the balanced matrix of a graded one: only there is the error that small.
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
	for _, only := range []eigen{dgeev(t, impl, a, true, false), dgeev(t, impl, a, false, true)} {
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

// Eigenvalues and vectors of all families, around the orders at which the algorithm changes.
func TestDgeev(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine, or in those of products")
	impl, rng := Implementation{Backend: fastBLAS(t)}, testutil.Rand(26)
	exponents := map[string]float64{"graded-rows-up": 1. / 16, "graded-columns-up": -1. / 16}
	for k, f := range testmat.UnsymmetricEigen() {
		for n := range 153 {
			switch {
			case testutil.Long():
			case n > 3 && (n+7*k)%50 != 0, f.Name == "random" && n <= 30:
				continue
			}
			checkEigen(t, fmt.Sprintf("%s n=%d", f.Name, n), impl, f.Of(rng, n), exponents[f.Name])
		}
		if testutil.Long() && f.Name != "frank" { // the scaling costs digits: the ratio of LAPACK's dgeev is 40
			checkEigen(t, f.Name+" n=300", impl, f.Of(rng, 300), exponents[f.Name])
		}
	}
	for n := range 31 {
		checkEigen(t, fmt.Sprintf("random n=%d", n), impl, testmat.Random(rng, n, n), 0)
	}
	for _, n := range []int{75, 76, 77, 150, 151} {
		checkEigen(t, fmt.Sprintf("random n=%d", n), impl, testmat.Random(rng, n, n), 0)
	}
}

// What is not finite ends at once, without a panic, and is reported.
func TestDgeevNotFinite(t *testing.T) {
	impl := Implementation{Backend: fastBLAS(t)}
	rng := testutil.Rand(27)
	for _, n := range []int{1, 2, 20, 100} {
		testmat.NotFinite(rng, n, false, func(a *full) {
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
