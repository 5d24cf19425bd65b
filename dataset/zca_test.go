package dataset

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
	gonum "gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// zcaSamples returns l×d samples in [0, 1] whose neighbouring columns are correlated, as in images, in
// a matrix of the given stride with NaN in the gaps.
func zcaSamples(l, d, stride int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 7))
	data := make([]float64, l*stride)
	for i := range data {
		data[i] = math.NaN()
	}
	big := mat.NewDense(l, stride, data)
	for i := range l {
		v := rng.Float64()
		for j := range d {
			v = 0.7*v + 0.3*rng.Float64()
			big.Set(i, j, v)
		}
	}
	return big.Slice(0, l, 0, d).(*mat.Dense)
}

// standardized is step 1 of ZCA with gonum's mean and variance.
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

// centered returns z without the column means of the rows it was fitted to.
func centered(z, fit *mat.Dense) *mat.Dense {
	c := gonum.DenseCopyOf(z)
	l, d := z.Dims()
	rows, _ := fit.Dims()
	for j := range d {
		mean := 0.0
		for i := range rows {
			mean += fit.At(i, j) / float64(rows)
		}
		for i := range l {
			c.Set(i, j, c.At(i, j)-mean)
		}
	}
	return c
}

var zcaConstants = []struct{ r, e float64 }{{ZCARows, ZCAValues}, {ZCAUnitRows, ZCAUnitValues}, {1e-3, 1e-3}, {0.5, 2}}

// TestZCA checks that y² has the covariance that defines P without an eigendecomposition: P is the
// symmetric positive definite matrix with P (C + e I) P = I.
//
// The bound: EigenSym gives C + E1 with |E1| <= c1 d eps |C|, and the product of V by itself is
// orthonormal to c2 d eps, so that P (C + eI) P - I is at most about c d eps (|C| + e)/e in the 2-norm;
// c = 20, and the Frobenius norm may be sqrt(d) times as large.
func TestZCA(t *testing.T) {
	const eps = 0x1p-52
	names := blskernel.Names()
	for i, shape := range [][3]int{{2, 2, 2}, {5, 3, 4}, {3, 7, 7}, {60, 17, 20}, {17, 33, 33}, {200, 64, 65}} {
		l, d, stride := shape[0], shape[1], shape[2]
		b, err := blskernel.Lookup(names[i%len(names)])
		testutil.NoError(t, err)
		x := zcaSamples(l, d, stride, uint64(l+d))
		before := gonum.DenseCopyOf(x)
		for _, k := range zcaConstants {
			z, err := FitZCA(x, ZCAOptions{RowConstant: k.r, EigenvalueConstant: k.e, Backend: b})
			testutil.NoError(t, err)
			if !gonum.Equal(x, before) {
				t.Fatal("the samples of the fit were changed")
			}
			fit := standardized(x, k.r)
			rows := centered(fit, fit)
			var c gonum.SymDense
			stat.CovarianceMatrix(&c, fit, nil)
			norm := gonum.Norm(&c, 2)
			values := z.Values()
			if !slices.IsSorted(values) || len(values) != d || z.Features() != d {
				t.Fatalf("%v: eigenvalues %v", shape, values)
			}
			sum := floats.Sum(values)
			if tol := 20 * float64(d) * eps * norm * float64(d); !(math.Abs(sum-gonum.Trace(&c)) <= tol) {
				t.Errorf("%v: eigenvalues add up to %v, the trace is %v", shape, sum, gonum.Trace(&c))
			}
			for i := range d {
				c.SetSym(i, i, c.At(i, i)+k.e)
			}
			var pc, pcp gonum.Dense
			pc.Mul(z.p, &c)
			pcp.Mul(&pc, z.p)
			for i := range d {
				pcp.Set(i, i, pcp.At(i, i)-1)
			}
			tol := 20 * float64(d) * math.Sqrt(float64(d)) * eps * (norm + k.e) / k.e
			if r := gonum.Norm(&pcp, 2); !(r <= tol) {
				t.Errorf("%v, %v: |P (C + e I) P - I| is %g, want at most %g", shape, k, r, tol)
			}
			var chol gonum.Cholesky
			if !chol.Factorize(z.p) {
				t.Errorf("%v, %v: P is not positive definite", shape, k)
			}

			// The samples of the fit and others, in gaps-free and strided matrices.
			// Products of d terms: error d eps |row| |P|, with |P| <= 1/sqrt(e) and rows of
			// at most sqrt(d) + |m|.
			other := zcaSamples(l+1, d, stride, 99)
			for i, s := range []*mat.Dense{gonum.DenseCopyOf(x), gonum.DenseCopyOf(other), other} {
				in := rows
				if i > 0 {
					in = centered(standardized(other, k.r), fit)
				}
				var want, diff gonum.Dense
				want.Mul(in, z.p)
				n, _ := s.Dims()
				tol := 20 * float64(d) * eps * math.Sqrt(float64(n)) * 2 * math.Sqrt(float64(d)) / math.Sqrt(k.e)
				testutil.NoError(t, z.Transform(s))
				diff.Sub(s, &want)
				if r := gonum.Norm(&diff, 2); !(r <= tol) {
					t.Errorf("%v, %v: the result differs by %g, want at most %g", shape, k, r, tol)
				}
			}
			if raw := other.RawMatrix(); stride > d && !math.IsNaN(raw.Data[d]) {
				t.Errorf("%v: the gap between rows was written", shape)
			}
		}
	}
}

// TestZCAPanels transforms more rows than a panel: the result equals the result for all rows at once.
func TestZCAPanels(t *testing.T) {
	testutil.NotUnderRace(t, "one goroutine and products")
	testutil.NotEmulated(t, "33,000 rows")
	const d = 64
	l := 2*zcaPanel(d) + 37
	x := zcaSamples(l, d, d, 3)
	z, err := FitZCA(x, ZCAOptions{RowConstant: ZCAUnitRows, EigenvalueConstant: ZCAUnitValues})
	testutil.NoError(t, err)
	y := gonum.DenseCopyOf(x)
	testutil.NoError(t, z.Transform(y))
	for _, i := range []int{0, zcaPanel(d) - 1, zcaPanel(d), 2 * zcaPanel(d), l - 1} {
		one := x.Slice(i, i+1, 0, d).(*mat.Dense)
		testutil.NoError(t, z.Transform(one))
		for j := range d {
			if !(math.Abs(one.At(0, j)-y.At(i, j)) <= 1e-12) {
				t.Fatalf("row %d alone is %v, and among the others %v", i, one.At(0, j), y.At(i, j))
			}
		}
	}
}

// TestZCAConstants checks what the documentation says of constants for data in [0, 1]: the constants of
// the reference code make P = I/10 within 1e-3, and the others bring variances together.
func TestZCAConstants(t *testing.T) {
	x := zcaSamples(300, 40, 40, 1)
	unit := ZCAOptions{RowConstant: ZCAUnitRows, EigenvalueConstant: ZCAUnitValues}
	fit := func(x *mat.Dense, o ZCAOptions) *ZCA {
		z, err := FitZCA(x, o)
		testutil.NoError(t, err)
		return z
	}
	z := fit(x, ZCAOptions{})
	if sum := floats.Sum(z.Values()); !(sum < 40/40.0) {
		t.Errorf("the eigenvalues add up to %v, want less than d/40", sum)
	}
	var off gonum.Dense
	off.CloneFrom(z.p)
	for i := range 40 {
		off.Set(i, i, off.At(i, i)-0.1)
	}
	if r := gonum.Norm(&off, 2); !(r <= 1e-3*0.1) {
		t.Errorf("|P - I/10| is %g", r)
	}
	// The least is 0: the elements of a row add up to 0. The second belongs to the shortest waves.
	spread := func(v []float64, e float64) float64 { return v[39] / (v[39] + e) / (v[1] / (v[1] + e)) }
	before, after := spread(z.Values(), ZCAValues), spread(fit(x, unit).Values(), ZCAUnitValues)
	if !(before > 10) || !(after < before/4) {
		t.Errorf("the variances differ by a factor %v by the constants of the reference code and %v by the others", before, after)
	}

	// 10 for pixels in [0, 255] and ZCAUnitRows for the same pixels in [0, 1] are equivalent.
	var scaled gonum.Dense
	scaled.Scale(255, x)
	if !gonum.EqualApprox(fit(&scaled, ZCAOptions{}).p, fit(x, ZCAOptions{RowConstant: ZCAUnitRows}).p, 1e-13) {
		t.Error("pixels in [0, 255] and in [0, 1] give other matrices")
	}
}

func TestZCAErrors(t *testing.T) {
	x := zcaSamples(6, 4, 4, 2)
	var option *blsupdate.OptionError
	for _, o := range []ZCAOptions{{RowConstant: -1}, {EigenvalueConstant: -1e-300}, {RowConstant: math.NaN()}, {EigenvalueConstant: math.Inf(1)}} {
		if _, err := FitZCA(x, o); !errors.As(err, &option) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	var shape *blsupdate.ShapeError
	for _, s := range []*mat.Dense{{}, zcaSamples(1, 4, 4, 1), zcaSamples(4, 1, 2, 1)} {
		if _, err := FitZCA(s, ZCAOptions{}); !errors.As(err, &shape) {
			t.Errorf("%v: error %v", s, err)
		}
	}
	z, err := FitZCA(x, ZCAOptions{})
	testutil.NoError(t, err)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 2e150, -math.MaxFloat64} {
		bad := gonum.DenseCopyOf(x)
		bad.Set(5, 2, v)
		before := bad.At(0, 0)
		_, fitErr := FitZCA(bad, ZCAOptions{})
		for _, err := range []error{fitErr, z.Transform(bad)} {
			var notFinite *blsupdate.NotFiniteError
			if math.Abs(v) <= math.MaxFloat64 {
				if !errors.Is(err, blsupdate.ErrOverflow) {
					t.Errorf("%v: error %v", v, err)
				}
			} else if !errors.As(err, &notFinite) || notFinite.Row != 5 || notFinite.Col != 2 {
				t.Errorf("%v: error %v", v, err)
			}
		}
		if bad.At(0, 0) != before {
			t.Errorf("%v: a failed call changed X", v)
		}
	}
	// The largest elements that are accepted.
	large := gonum.DenseCopyOf(x)
	large.Scale(1e150, large)
	if err := z.Transform(large); err != nil || math.IsNaN(gonum.Norm(large, 2)) || math.IsInf(gonum.Norm(large, 2), 0) {
		t.Errorf("elements of 1e150: %v, %v", err, gonum.Norm(large, 2))
	}
	// A constant row consists of zeros after step 1.
	flat := mat.NewDense(1, 4, []float64{0.1, 0.1, 0.1, 0.1})
	if err := z.Transform(flat); err != nil || math.IsNaN(flat.At(0, 0)) {
		t.Errorf("a constant row: %v, %v", flat, err)
	}

	testutil.MustPanic(t, panicZCASamples, func() { _ = z.Transform(zcaSamples(3, 5, 5, 1)) })
	testutil.MustPanic(t, panicZCASamples, func() { _ = z.Transform(new(mat.Dense)) })
}
