package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
	gonummat "gonum.org/v1/gonum/mat"
)

// applied returns a function that overwrites x with m x.
func applied(m *mat.Dense) func(x []float64) {
	return func(x []float64) {
		var y gonummat.VecDense
		y.MulVec(m, gonummat.NewVecDense(len(x), append([]float64(nil), x...)))
		for i := range x {
			x[i] = y.AtVec(i)
		}
	}
}

// TestLargestEigenvalueExact checks that up to order lanczosSteps the Lanczos method finds the largest
// eigenvalue, for dominant eigenvectors of both signs, multiple eigenvalues and all scales.
func TestLargestEigenvalueExact(t *testing.T) {
	for _, test := range []struct {
		n    int
		data []float64
		want float64
	}{
		{1, []float64{0x1p-1000}, 0x1p-1000},
		{1, []float64{0}, 0},
		{2, []float64{1, -1, -1, 1}, 2},
		{2, []float64{1, 1, 1, 1}, 2},
		{2, []float64{3, 0, 0, 3}, 3},
		{2, []float64{1e12, -1e12, -1e12, 1e12}, 2e12},
		{3, []float64{0, 0, 0, 0, 0, 0, 0, 0, 5}, 5},
		{4, []float64{1, -1, 1, -1, -1, 1, -1, 1, 1, -1, 1, -1, -1, 1, -1, 1}, 4},
		{2, []float64{1e300, -1e300, -1e300, 1e300}, 2e300},
		{2, []float64{1e-300, -1e-300, -1e-300, 1e-300}, 2e-300},
	} {
		got := LargestEigenvalue(test.n, applied(mat.NewDense(test.n, test.n, test.data)))
		if !(math.Abs(got-test.want) <= 100*Eps*test.want) {
			t.Errorf("%v: %g, want %g", test.data, got, test.want)
		}
	}
	for n := 1; n <= lanczosSteps; n++ {
		r := rand.New(rand.NewPCG(uint64(n), 81))
		x := testutil.Random(r, n+2, n)
		var s mat.Dense
		s.Mul(x.T(), x)
		var svd gonummat.SVD
		svd.Factorize(x, gonummat.SVDNone)
		want := svd.Values(nil)[0]
		if got := LargestEigenvalue(n, applied(&s)); !(math.Abs(got-want*want) <= 1e-12*want*want) {
			t.Errorf("order %d: %g, want %g", n, got, want*want)
		}
	}
	// Down to subnormal numbers, which a ridge beyond 1e293 causes: products with Q may be smaller
	// still. 2^-1040 has 34 bits.
	const n = 20
	r := rand.New(rand.NewPCG(91, 0))
	var s mat.Dense
	x := testutil.Random(r, n, n)
	s.Mul(x.T(), x)
	want := LargestEigenvalue(n, applied(&s))
	for _, power := range []int{-1040, -1030, -1000, -500, 500, 1000} {
		times := applied(&s)
		got := LargestEigenvalue(n, func(x []float64) {
			times(x)
			for i := range x {
				x[i] = math.Ldexp(x[i], power)
			}
		})
		if got = math.Ldexp(got, -power); !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("2^%d: %g, want %g", power, got, want)
		}
	}
}

// TestLargestEigenvalueSpectra has diagonal matrices whose other eigenvalues are all at, or spread
// below, a share of the largest, wherever that is. The estimate is never too large, and too small by at
// most a factor of 1.5.
func TestLargestEigenvalueSpectra(t *testing.T) {
	for _, n := range []int{9, 30, 300, 3000} {
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			at := r.IntN(n)
			for _, share := range []float64{0, 1e-8, 0.5, 0.8, 0.95, 1} {
				for _, spread := range []bool{false, true} {
					d := make([]float64, n)
					for i := range d {
						d[i] = share
						if spread {
							d[i] *= r.Float64()
						}
					}
					d[at] = 1
					got := LargestEigenvalue(n, func(x []float64) { floats.Mul(x, d) })
					if !(got <= 1+100*Eps && got >= 1/1.5) {
						t.Errorf("order %d, others %g, spread %v: %g", n, share, spread, got)
					}
				}
			}
		}
	}
}

// TestLargestEigenvalueNotFinite checks that an overflow does not give a finite result.
func TestLargestEigenvalueNotFinite(t *testing.T) {
	for _, v := range []float64{math.Inf(1), math.NaN()} {
		got := LargestEigenvalue(3, func(x []float64) { x[1] = v })
		if got <= math.MaxFloat64 {
			t.Errorf("%g gives %g", v, got)
		}
	}
}
