package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/bigfloat"
)

// everywhere returns arguments of both signs with count random significands for every exponent,
// subnormal ones included.
func everywhere(rnd *rand.Rand, count int) []float64 {
	var x []float64
	for e := uint64(0); e < 2047; e++ {
		for range count {
			x = append(x, math.Float64frombits(rnd.Uint64()&^(2047<<52)|e<<52))
		}
	}
	return x
}

// between returns count random numbers in [lo, hi).
func between(rnd *rand.Rand, lo, hi float64, count int) []float64 {
	x := make([]float64, count)
	for i := range x {
		x[i] = lo + (hi-lo)*rnd.Float64()
	}
	return x
}

// around returns x and count neighbors on either side of it.
func around(x float64, count int) []float64 {
	all := []float64{x}
	for _, to := range []float64{math.Inf(1), math.Inf(-1)} {
		y := x
		for range count {
			y = math.Nextafter(y, to)
			all = append(all, y)
		}
	}
	return all
}

// tanhArguments returns arguments of all magnitudes, densest where the error is largest. They surround
// each change in the algorithm: the break, the clamp, the steps of n, and the zeros of y.
func tanhArguments() []float64 {
	rnd := rand.New(rand.NewPCG(1, 2))
	x := everywhere(rnd, 3)
	x = append(x, between(rnd, -tanhBreak, tanhBreak, 8000)...)
	x = append(x, between(rnd, 0.7, 1.1, 8000)...)
	x = append(x, between(rnd, -3, 3, 6000)...)
	x = append(x, between(rnd, -22, 22, 4000)...)
	for _, at := range []float64{0, tanhBreak, -tanhBreak, tanhClamp, 19.0615} {
		x = append(x, around(at, 2000)...)
	}
	for half := 2; half < 120; half++ {
		x = append(x, around(float64(half)*math.Ln2/4, 15)...)
	}
	return x
}

// P and A are recomputed from their definition: of the 17 zeros of T17(y/tanhBreak) seven pairs ±y
// remain, which are seven conditions for seven coefficients.
func TestTanhConstants(t *testing.T) {
	one := newBig(1)
	// residual is (1 - tanh(y)/y)/(2s), which P/A approximates.
	residual := func(y *big.Float) *big.Float {
		r := newBig(0).Sub(one, newBig(0).Quo(bigTanh(y), y))
		return r.Quo(r, newBig(0).Mul(newBig(2), newBig(0).Mul(y, y)))
	}
	system, coefficients := &bigfloat.Matrix{R: 7, C: 7}, &bigfloat.Matrix{R: 7, C: 1}
	for k := 1; k <= 7; k++ {
		y := newBig(0).Mul(newBig(tanhBreak), chebyshevZero(17, k))
		s, r := newBig(0).Mul(y, y), residual(y)
		// P0 + P1 s + P2 s² + P3 s³ - r (A1 s + A2 s² + A3 s³) = r
		var row []*big.Float
		power := newBig(1)
		for range 4 {
			row = append(row, newBig(0).Set(power))
			power.Mul(power, s)
		}
		for j := 1; j <= 3; j++ {
			row = append(row, newBig(0).Neg(newBig(0).Mul(r, row[j])))
		}
		system.X, coefficients.X = append(system.X, row...), append(coefficients.X, r)
	}
	bigfloat.Eliminate(system, coefficients)
	got := []float64{tanhP0, tanhP1, tanhP2, tanhP3, tanhA1, tanhA2, tanhA3}
	for i, c := range coefficients.X {
		if want, _ := c.Float64(); got[i] != want {
			t.Errorf("coefficient %d is %x, want %x", i, got[i], want)
		}
	}

	p := []*big.Float{newBig(tanhP0), newBig(tanhP1), newBig(tanhP2), newBig(tanhP3)}
	a := []*big.Float{one, newBig(tanhA1), newBig(tanhA2), newBig(tanhA3)}
	checkError(t, 0x1p-59, tanhBreak/2000, tanhBreak, bigTanh, func(y *big.Float) *big.Float {
		s := newBig(0).Mul(y, y)
		w := newBig(0).Mul(s, bigPolynomial(s, p))
		w.Quo(w.Add(w, w), bigPolynomial(s, a))
		return w.Mul(y, w.Sub(one, w))
	})
	checkSplit(t, newBig(0).Quo(bigLn2(), newBig(2)), tanhHi, tanhLo, 46)
}

// checkError requires an error of approx of at most the relative bound, at 2000 points from lo to hi.
func checkError(t *testing.T, most, lo, hi float64, exact, approx func(x *big.Float) *big.Float) {
	t.Helper()
	worst := 0.0
	for i := range 2000 {
		x := newBig(lo + (hi-lo)*float64(i)/1999)
		want := exact(x)
		e, _ := newBig(0).Quo(newBig(0).Sub(approx(x), want), want).Float64()
		worst = max(worst, math.Abs(e))
	}
	if !(worst <= most) {
		t.Errorf("the relative error is 2^%.2f, want at most 2^%v", math.Log2(worst), math.Log2(most))
	}
	t.Logf("relative error 2^%.2f", math.Log2(worst))
}

// checkSplit requires that hi is x rounded to the given number of bits, and lo the rest, rounded.
func checkSplit(t *testing.T, x *big.Float, hi, lo float64, bits uint) {
	t.Helper()
	want, _ := newBig(0).Set(x).SetPrec(bits).Float64()
	rest, _ := newBig(0).Sub(x, newBig(want)).Float64()
	if hi != want || lo != rest {
		t.Errorf("hi, lo = %x, %x, want %x, %x", hi, lo, want, rest)
	}
}

// The portable kernel errs by at most 2 ulp everywhere: the bounds in the comments are below 2. It is
// odd and never beyond ±1. The others do the same operations in the same order and give the same bits.
func TestTanhAccuracy(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	src := tanhArguments()
	want := make([]float64, len(src))
	generic.Tanh(want, src)
	worst, at := 0.0, 0.0
	for i, x := range src {
		exact := bigTanh(newBig(x))
		u := bigfloat.Ulps(want[i], exact)
		if !(u <= 2) || !(math.Abs(want[i]) <= 1) || math.Float64bits(tanh(-x)) != math.Float64bits(-want[i]) {
			t.Fatalf("tanh(%v) = %v, want %v: off by %.3g ulp, or not odd", x, want[i], exact.Text('g', 25), u)
		}
		if u > worst {
			worst, at = u, x
		}
	}
	t.Logf("%d arguments, at most %.4f ulp off, at %v (%x)", len(src), worst, at, at)
	available(t, func(t *testing.T, k Kernel) {
		s, dst := shape{t: t}, make([]float64, len(src))
		k.Tanh(dst, src)
		s.same("tanh", span{x: dst}, want)
	})
}

func TestTanhSpecial(t *testing.T) {
	nan, inf, zero, tiny := math.NaN(), math.Inf(1), math.Copysign(0, -1), math.SmallestNonzeroFloat64
	available(t, func(t *testing.T, k Kernel) {
		for _, c := range [][2]float64{
			{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {nan, nan}, {-nan, nan}, {tiny, tiny}, {-tiny, -tiny},
			{0x1p-1022, 0x1p-1022}, {-0x1p-1023, -0x1p-1023}, {0x1p-27, 0x1p-27}, {20, 1}, {-20, -1},
			{19.07, 1}, {math.MaxFloat64, 1}, {-math.MaxFloat64, -1},
		} {
			got := []float64{7}
			k.Tanh(got, c[:1])
			if math.Float64bits(got[0]) != math.Float64bits(c[1]) && !(math.IsNaN(c[1]) && math.IsNaN(got[0])) {
				t.Errorf("tanh(%v) = %v, want %v", c[0], got[0], c[1])
			}
		}
		testutil.MustPanic(t, "kernel: dst is shorter than src", func() { k.Tanh(make([]float64, 4), make([]float64, 5)) })
	})
}

// checkTanh runs Tanh in place and into another slice: each result depends on its argument alone.
func checkTanh(s *shape, k Kernel) {
	n := s.Below(256)
	src := make([]float64, n)
	for i := range src {
		src[i] = 20 * s.rnd.NormFloat64()
		if s.rnd.IntN(9) == 0 {
			src[i] = math.Float64frombits(s.rnd.Uint64())
		}
	}
	want, one := make([]float64, n), make([]float64, 1)
	for i, v := range src {
		one[0] = v
		k.Tanh(one, one)
		want[i] = one[0]
	}
	x, dst := s.regions[0].Copy(src, s.edge), s.regions[1].Copy(src, s.edge)
	s.run(func() {
		k.Tanh(dst, x)
		k.Tanh(x, x)
	})
	for i, v := range want {
		for _, got := range []float64{x[i], dst[i]} {
			if got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
				s.t.Fatalf("n=%d: element %d of %v is %v, alone %v", n, i, src[i], got, v)
			}
		}
	}
}

func FuzzTanh(f *testing.F) { fuzzed(f, checkTanh) }

func TestTanh(t *testing.T) {
	exhaust(t, checkTanh, func(Kernel) []int { return []int{256} })
}

// BenchmarkTanh runs the kernels and math.Tanh on arguments in random order: no branch is predictable.
func BenchmarkTanh(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		src, dst := between(rand.New(rand.NewPCG(7, 8)), -3, 3, n), make([]float64, n)
		run := func(name string, loop func(dst, src []float64)) {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					loop(dst, src)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/elem")
			})
		}
		for _, k := range table {
			if k.Available() {
				run("kernel="+k.Name, k.Tanh)
			}
		}
		run("impl=math", func(dst, src []float64) {
			for i, x := range src {
				dst[i] = math.Tanh(x)
			}
		})
	}
}
