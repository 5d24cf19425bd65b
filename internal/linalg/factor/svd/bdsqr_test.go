package svd

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/bigfloat"
	"blskernel/internal/testutil/testmat"
)

// accuracy bounds the relative errors of singular values of a matrix of order n, from the elements that
// bdsqr neglects and from rounding.
func accuracy(n int) float64 { return 10*tolerance + 4*float64(n)*eps }

// bidiagonals returns d and e of upper bidiagonal matrices whose singular values have very different
// sizes, in any order, or are nearly equal.
func bidiagonals(rng *rand.Rand, n int) map[string][2][]float64 {
	of := func(d, e func(i int) float64) [2][]float64 {
		b := [2][]float64{make([]float64, n), make([]float64, n)}
		for i := range n {
			b[0][i], b[1][i] = d(i), e(i)
		}
		return b
	}
	power := func(most float64) func(int) float64 {
		return func(int) float64 {
			return math.Ldexp(rng.Float64()+0.5, int(most*(2*rng.Float64()-1))) * float64(1-2*rng.IntN(2))
		}
	}
	one := func(int) float64 { return 1 }
	graded := func(step float64) func(i int) float64 {
		return func(i int) float64 { return math.Pow(10, step*float64(i)) }
	}
	scale := math.Ldexp(1, -300-rng.IntN(700)) // of a part of the rows, which is tiny
	tiny := func(part func(i int) bool) [2][]float64 {
		element := func(i int) float64 {
			if part(i) {
				return rng.NormFloat64() * scale
			}
			return rng.NormFloat64()
		}
		return of(element, element)
	}
	return map[string][2][]float64{
		"tiny top":       tiny(func(i int) bool { return i < n/2+3 }),
		"tiny bottom":    tiny(func(i int) bool { return i > n/2-3 }),
		"tiny middle":    tiny(func(i int) bool { return 4 < i && i < n-4 }),
		"one huge":       tiny(func(i int) bool { return i != n/2 }),
		"ones":           of(one, one),
		"normal":         of(func(int) float64 { return rng.NormFloat64() }, func(int) float64 { return rng.NormFloat64() }),
		"graded down":    of(graded(-0.7), graded(-0.7)),
		"graded up":      of(graded(0.7), graded(0.7)),
		"tiny beside":    of(func(i int) float64 { return 1 + 1e-9*float64(i) }, func(int) float64 { return 1e-8 }),
		"large beside":   of(func(int) float64 { return 1e-6 }, one),
		"far smallest":   of(one, func(i int) float64 { return 6e4 }), // 1e-153 for n = 33
		"clustered":      of(func(i int) float64 { return 1 + eps*float64(i) }, graded(-1)),
		"any exponents":  of(power(60), power(60)),
		"far exponents":  of(power(250), power(250)),
		"nearly zero":    of(func(i int) float64 { return math.Ldexp(1, -30*(i%5)) }, one),
		"zeros on it":    of(func(i int) float64 { return float64(i % 3) }, one),
		"zeros beside":   of(power(20), func(i int) float64 { return float64(i%4) / 3 }),
		"zero at bottom": of(func(i int) float64 { return float64(min(1, n-1-i)) }, one),
	}
}

// above returns how many singular values of B are larger than x > 0. It counts the positive pivots of
// T - xI for the symmetric T with zeros on its diagonal and d0, e0, d1, ... above it.
func above(d, e []float64, x *big.Float) (count int) {
	minusX := bigfloat.New(0)
	minusX.Neg(x)
	pivot := bigfloat.New(0).Set(minusX)
	for k := 1; k < 2*len(d); k++ {
		beside := d[k/2]
		if k%2 == 0 {
			beside = e[k/2-1]
		}
		if pivot.Sign() == 0 {
			pivot.SetMantExp(big.NewFloat(1), -4000)
		}
		b := bigfloat.Sum([]float64{beside, beside})
		if pivot = b.Sub(minusX, b.Quo(b, pivot)); pivot.Sign() > 0 {
			count++
		}
	}
	return count
}

// checkValues checks that each of the values, in descending order, has its place among the values of B,
// within the relative error bound. Zeros and values near the smallest numbers have absolute errors.
func checkValues(t *testing.T, name string, d, e, values []float64, bound float64) {
	t.Helper()
	const least = 0x1p-960
	for i, v := range values {
		if got := above(d, e, bigfloat.Sum([]float64{v, 1 + bound}, []float64{least})); got > i {
			t.Errorf("%s: value %d, %g: %d are larger", name, i, v, got)
		}
		if v > least {
			if got := above(d, e, bigfloat.Sum([]float64{v, 1 - bound})); got <= i {
				t.Errorf("%s: value %d, %g: only %d are as large", name, i, v, got)
			}
		}
	}
}

func sorted(values []float64) []float64 {
	for i, v := range values {
		values[i] = math.Abs(v)
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values
}

// least returns the ratio of the smallest nonzero magnitude to the largest.
func least(d, e []float64) float64 {
	all := sorted(slices.DeleteFunc(slices.Concat(d, e), func(v float64) bool { return v == 0 }))
	if len(all) == 0 {
		return 1
	}
	return all[len(all)-1] / all[0]
}

// TestBdsqrAccuracy checks that all singular values, even the smallest, have small relative errors.
func TestBdsqrAccuracy(t *testing.T) {
	rng := testutil.Rand(261)
	testutil.NotUnderRace(t, "computing in one goroutine")
	orders := []int{1, 2, 3, 4, 5, 9, 20, 33}
	if testutil.Long() {
		orders = append(orders, 65, 130)
	}
	for _, n := range orders {
		for name, b := range bidiagonals(rng, n) {
			name := fmt.Sprintf("%s n=%d", name, n)
			d, e := slices.Clone(b[0]), slices.Clone(b[1])
			if !bdsqr(d, e, nil, nil) {
				t.Fatalf("%s: no convergence", name)
			}
			checkValues(t, name, b[0], b[1], sorted(d), accuracy(n))
			d = slices.Clone(b[0])
			if dqds(d, b[1]) {
				checkValues(t, name+" dqds", b[0], b[1], sorted(d), accuracy(n))
			} else if squares := least(b[0], b[1]) >= 0x1p-400; squares {
				t.Fatalf("%s: no convergence of dqds", name)
			}
		}
	}
}

// TestBdsdc checks that the vectors are orthogonal and that B = U Σ Vᵀ, up to rounding. A part of B may
// be far smaller than the rest. The values of a leaf must have high relative accuracy.
func TestBdsdc(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	bk := factor.On(blskernel.Default())
	check := func(name string, d0, e0 []float64) {
		t.Helper()
		n := len(d0)
		d, ut, vt := slices.Clone(d0), testmat.New(n, n), testmat.New(n, n)
		if !bdsdc(bk, d, slices.Clone(e0), block.Dense(ut.X, n), block.Dense(vt.X, n)) {
			t.Fatalf("%s: no convergence", name)
		}
		largest := max(slices.Max(d), 0x1p-1022)
		if !(slices.Min(d) >= 0) {
			t.Errorf("%s: values %g", name, d)
		}
		scaled := slices.Clone(d)
		for i := range scaled {
			scaled[i] /= largest
		}
		off := testmat.Func(n, n, func(i, j int) float64 {
			return (testmat.Unless(j != i)*d0[i] + testmat.Unless(j != i+1)*e0[i]) / largest
		}).Sub(ut.T().Mul(vt.ScaleRows(scaled)))
		bound := 10 * float64(n+10) * eps
		eye := testmat.Identity(n)
		for what, m := range map[string]*testmat.Matrix{"U": ut.Mul(ut.T()).Sub(eye), "V": vt.Mul(vt.T()).Sub(eye), "B - U Σ Vᵀ": off} {
			for k, v := range m.X {
				if !(math.Abs(v) <= bound) {
					t.Fatalf("%s: %s: element (%d, %d) is off by %g", name, what, k/n, k%n, v)
				}
			}
		}
		if n <= leafOrder {
			checkValues(t, name, d0, e0, sorted(d), accuracy(n))
		}
	}
	rng := testutil.Rand(265)
	for _, n := range []int{1, 2, leafOrder, leafOrder + 1, leafOrder + 2, 2*leafOrder + 1, 2*leafOrder + 2, 130} {
		for name, b := range bidiagonals(rng, n) {
			check(fmt.Sprintf("%s n=%d", name, n), b[0], b[1])
		}
	}
	const n = 2*leafOrder + 2
	for p := 400; p <= 1070; p += 10 {
		rng := testutil.Rand(uint64(p))
		d, e := make([]float64, n), make([]float64, n)
		for i := range n {
			power := -p * int(testmat.Unless(i >= n/2))
			d[i], e[i] = math.Ldexp(rng.NormFloat64(), power), math.Ldexp(rng.NormFloat64(), power)
		}
		check(fmt.Sprintf("2^-%d", p), d, e)
	}
}

// TestBdsqrFails checks that bdsqr ends if it cannot converge.
func TestBdsqrFails(t *testing.T) {
	for _, n := range []int{3, 50} {
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			d, e := make([]float64, n), make([]float64, n)
			for i := range n {
				d[i], e[i] = 1, 1
			}
			e[n/2] = v
			if bdsqr(d, e, nil, nil) {
				t.Errorf("n=%d: converges with %v: %v", n, v, d)
			}
		}
	}
}

// TestLasv2 checks that lasv2 diagonalizes triangles whose elements have any size and sign.
func TestLasv2(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	rng := testutil.Rand(262)
	sizes := []float64{0, 1, 0.999, 1e-8, 1e-20, 1e8, 1e20, 1e-150, 1e150}
	pick := func() float64 {
		return sizes[rng.IntN(len(sizes))] * float64(1-2*rng.IntN(2)) * (1 + rng.Float64()*float64(rng.IntN(2)))
	}
	for range 20000 {
		f, g, h := pick(), pick(), pick()
		least, most, sr, cr, sl, cl := lasv2(f, g, h)
		sum := func(terms ...[]float64) float64 { return bigfloat.Float(bigfloat.Sum(terms...)) }
		size := math.Abs(most)
		a := sum([]float64{cl, f, cr}, []float64{cl, g, sr}, []float64{sl, h, sr})
		b := sum([]float64{-cl, f, sr}, []float64{cl, g, cr}, []float64{sl, h, cr})
		c := sum([]float64{-sl, f, cr}, []float64{-sl, g, sr}, []float64{cl, h, sr})
		d := sum([]float64{sl, f, sr}, []float64{-sl, g, cr}, []float64{cl, h, cr})
		for i, x := range []float64{a - most, b, c, d - least, size * (math.Hypot(sr, cr) - 1), size * (math.Hypot(sl, cl) - 1)} {
			if !(math.Abs(x) <= 16*eps*size) {
				t.Fatalf("lasv2(%g, %g, %g) = %g, %g, %g, %g, %g, %g: condition %d fails by %g", f, g, h, least, most, sr, cr, sl, cl, i, x)
			}
		}
		// The values have the same product as the diagonal.
		want := sum([]float64{f, h, 1})
		if got := sum([]float64{least, most, 1}); math.Abs(want) > 1e-280 && math.Abs(least) > 1e-290 && !(math.Abs(got-want) <= 16*eps*math.Abs(want)) {
			t.Fatalf("lasv2(%g, %g, %g): %g·%g is not %g", f, g, h, least, most, want)
		}
	}
}
