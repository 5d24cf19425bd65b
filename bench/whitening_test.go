package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/selftest"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/hashes"
	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
	gonum "gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// whiteningSamples returns l×d samples in [0, 1] with correlated neighboring columns, as in images.
func whiteningSamples(l, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 7))
	x := mat.NewDense(l, d, nil)
	for i := range l {
		v := rng.Float64()
		for j := range d {
			v = 0.7*v + 0.3*rng.Float64()
			x.Set(i, j, v)
		}
	}
	return x
}

// standardized is step 1 of a whitening with gonum's mean and variance.
func standardized(x *mat.Dense, r float64) *mat.Dense {
	z := gonum.DenseCopyOf(x)
	l, _ := x.Dims()
	for i := range l {
		row := z.RawRowView(i)
		mean, variance := stat.MeanVariance(row, nil)
		for j := range row {
			row[j] = (row[j] - mean) / math.Sqrt(variance+r)
		}
	}
	return z
}

func fitted(t *testing.T, b blskernel.Backend, x *mat.Dense, constants [2]float64) *whitening {
	t.Helper()
	w, err := newWhitening(b, gonum.DenseCopyOf(x), constants[0], constants[1])
	testutil.NoError(t, err)
	return w
}

// TestWhiteningFit checks P without an eigendecomposition: P is the symmetric positive definite matrix
// with P (C + e I) P = I.
//
// The bound: EigenSym gives C + E1 with |E1| <= c1 d eps |C|, and the product of V by itself is
// orthonormal to c2 d eps, so that P (C + eI) P - I is at most about c d eps (|C| + e)/e in the 2-norm;
// c = 20, and the Frobenius norm may be sqrt(d) times as large.
func TestWhiteningFit(t *testing.T) {
	const eps = 0x1p-52
	names := blskernel.Names()
	for i, shape := range [][2]int{{2, 2}, {5, 3}, {3, 7}, {60, 17}, {17, 33}, {200, 64}} {
		l, d := shape[0], shape[1]
		b, err := blskernel.Lookup(names[i%len(names)])
		testutil.NoError(t, err)
		x := whiteningSamples(l, d, uint64(l+d))
		for _, k := range [][2]float64{whitenings[WhitenReference], whitenings[WhitenUnit], {1e-3, 1e-3}, {0.5, 2}} {
			r, e := k[0], k[1]
			w := fitted(t, b, x, k)
			fit := standardized(x, r)
			var c gonum.SymDense
			stat.CovarianceMatrix(&c, fit, nil)
			norm := gonum.Norm(&c, 2)
			if sum := floats.Sum(w.values); !slices.IsSorted(w.values) || !(math.Abs(sum-gonum.Trace(&c)) <= 20*float64(d*d)*eps*norm) {
				t.Errorf("%v: eigenvalues %v add up to %v, the trace is %v", shape, w.values, sum, gonum.Trace(&c))
			}
			for i := range d {
				c.SetSym(i, i, c.At(i, i)+e)
			}
			var pc, pcp gonum.Dense
			pc.Mul(w.p, &c)
			pcp.Mul(&pc, w.p)
			for i := range d {
				pcp.Set(i, i, pcp.At(i, i)-1)
			}
			tol := 20 * float64(d) * math.Sqrt(float64(d)) * eps * (norm + e) / e
			if r := gonum.Norm(&pcp, 2); !(r <= tol) {
				t.Errorf("%v, %v: |P (C + e I) P - I| is %g, want at most %g", shape, k, r, tol)
			}
			var chol gonum.Cholesky
			if !chol.Factorize(w.p) {
				t.Errorf("%v, %v: P is not positive definite", shape, k)
			}

			// Products of d terms: error d eps |row| |P|, with |P| <= 1/sqrt(e) and rows of
			// at most sqrt(d) + |m|.
			got := whiteningSamples(l+1, d, 99)
			in := standardized(got, r)
			for j := range d {
				mean := stat.Mean(gonum.Col(nil, j, fit), nil)
				for i := range l + 1 {
					in.Set(i, j, in.At(i, j)-mean)
				}
			}
			var want, diff gonum.Dense
			want.Mul(in, w.p)
			w.transform(got)
			diff.Sub(got, &want)
			tol = 20 * float64(d) * eps * math.Sqrt(float64(l+1)) * 2 * math.Sqrt(float64(d)) / math.Sqrt(e)
			if r := gonum.Norm(&diff, 2); !(r <= tol) {
				t.Errorf("%v, %v: the result differs by %g, want at most %g", shape, k, r, tol)
			}
		}
	}
}

// TestWhiteningPanels transforms more rows than a panel: the result is the result for each row alone.
func TestWhiteningPanels(t *testing.T) {
	testutil.NotUnderRace(t, "one goroutine and products")
	const d, panel = 64, 1 << 14
	x := whiteningSamples(2*panel+37, d, 3)
	w := fitted(t, nil, x, whitenings[WhitenUnit])
	y := gonum.DenseCopyOf(x)
	w.transform(y)
	for _, i := range []int{0, panel - 1, panel, 2 * panel, 2*panel + 36} {
		one := x.Slice(i, i+1, 0, d).(*mat.Dense)
		w.transform(one)
		if !floats.EqualApprox(one.RawRowView(0), y.RawRowView(i), 1e-12) {
			t.Fatalf("row %d alone is %v, and among the others %v", i, one.RawRowView(0), y.RawRowView(i))
		}
	}
}

// TestWhitenings checks what the documentation says of the recipes: the constants of the reference code
// make P = I/10 within 1e-3, and the others bring variances together.
func TestWhitenings(t *testing.T) {
	x := whiteningSamples(300, 40, 1)
	reference, unit := fitted(t, nil, x, whitenings[WhitenReference]), fitted(t, nil, x, whitenings[WhitenUnit])
	var off gonum.Dense
	off.CloneFrom(reference.p)
	for i := range 40 {
		off.Set(i, i, off.At(i, i)-0.1)
	}
	if r := gonum.Norm(&off, 2); !(r <= 1e-3*0.1) {
		t.Errorf("|P - I/10| is %g", r)
	}
	// The least is 0: the elements of a row add up to 0. The second belongs to the shortest waves.
	spread := func(v []float64, e float64) float64 { return v[39] / (v[39] + e) / (v[1] / (v[1] + e)) }
	before, after := spread(reference.values, 100), spread(unit.values, 0.1)
	if !(before > 10) || !(after < before/4) {
		t.Errorf("the variances differ by a factor %v by the constants of the reference code and %v by the others", before, after)
	}
}

// TestGoldenWhitening hashes whitened samples on every kernel.
func TestGoldenWhitening(t *testing.T) {
	if why := selftest.Outside(); why != "" {
		t.Skip(why)
	}
	book := hashes.Open("zca")
	backends.OnKernels(t, func(t *testing.T, b blskernel.Backend) {
		if b.Name() == "openblas" {
			t.Skip("outside the promise")
		}
		book.Begin()
		for _, d := range []int{5, 40} {
			s := selftest.Source(d)
			x, later := mat.NewDense(100, d, s.Vector(100*d)), mat.NewDense(30, d, s.Vector(30*d))
			w := fitted(t, b, x, [2]float64{0.1, 0.01})
			w.transform(later)
			book.Check(t, fmt.Sprintf("d=%d", d), "panels and recursions are cut by constants, and plain code rounds every product",
				selftest.Sum(later.RawMatrix().Data, w.values))
		}
		book.End(t)
	})
}
