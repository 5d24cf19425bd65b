package detmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/bigfloat"

	"gonum.org/v1/gonum/stat/distuv"
)

const precision = 200

func exact(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// random returns a number with a random mantissa and an exponent up to most in magnitude.
func random(r *rand.Rand, most int) float64 {
	return math.Ldexp(1+r.Float64(), r.IntN(2*most+1)-most)
}

func TestHypot(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 50000 {
		most := []int{2, 40, 1022, 1074}[r.IntN(4)]
		x := random(r, most)
		y := random(r, most)
		if r.IntN(2) == 0 {
			y = x * random(r, 30)
		}
		if math.IsInf(x, 0) || math.IsInf(y, 0) {
			continue
		}
		bx, by := exact(x), exact(y)
		want := new(big.Float).SetPrec(2*precision).Add(bx.Mul(bx, bx), by.Mul(by, by))
		want.Sqrt(want)
		limit := 1.25
		if v, _ := want.Float64(); v < 0x1p-1020 {
			limit += 0.5
		}
		e := bigfloat.Ulps(Hypot(-x, y), want)
		if worst = max(worst, e); !(e <= limit) {
			t.Fatalf("Hypot(%g, %g) is %g, wrong by %.3f ulp", x, y, Hypot(-x, y), e)
		}
	}
	t.Logf("largest error %.3f ulp", worst)
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range [][3]float64{
		{3, -4, 5}, {0, 0, 0}, {0, 7, 7}, {math.MaxFloat64, math.MaxFloat64, inf}, {math.MaxFloat64, 1, math.MaxFloat64},
		{0x1p-1074, 0, 0x1p-1074}, {3 * 0x1p-1074, 4 * 0x1p-1074, 5 * 0x1p-1074}, {nan, -inf, inf}, {inf, nan, inf}, {nan, 1, nan},
	} {
		for _, got := range []float64{Hypot(c[0], c[1]), Hypot(c[1], c[0])} {
			if math.Float64bits(got+0) != math.Float64bits(c[2]+0) && !(math.IsNaN(got) && math.IsNaN(c[2])) {
				t.Errorf("Hypot(%g, %g) is %g, want %g", c[0], c[1], got, c[2])
			}
		}
	}
}

// artanh2 returns 2 artanh z.
func artanh2(z *big.Float) *big.Float {
	sum, power, square := new(big.Float).SetPrec(precision), new(big.Float).Set(z), new(big.Float).Mul(z, z)
	for k := 1; k < 260; k += 2 {
		sum.Add(sum, new(big.Float).Quo(power, exact(float64(k))))
		power.Mul(power, square)
	}
	return sum.Mul(sum, exact(2))
}

var ln2 = artanh2(new(big.Float).Quo(exact(1), exact(3)))

// bigLog returns log x, of x = 2^e m, as e log 2 + 2 artanh((m-1)/(m+1)).
func bigLog(x float64) *big.Float {
	m, e := math.Frexp(x)
	if m < 0.7 {
		m, e = 2*m, e-1
	}
	z := new(big.Float).Quo(new(big.Float).Sub(exact(m), exact(1)), new(big.Float).Add(exact(m), exact(1)))
	return z.Add(artanh2(z), new(big.Float).Mul(ln2, exact(float64(e))))
}

func TestLog(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	r := rand.New(rand.NewPCG(3, 4))
	ln10 := bigLog(10)
	var worst, worst10 float64
	for range 8000 {
		x := random(r, []int{0, 1, 10, 1022, 1074}[r.IntN(5)])
		if r.IntN(3) == 0 {
			x = 1 + math.Ldexp(r.Float64()-0.5, -r.IntN(52))
		}
		if x == 1 || math.IsInf(x, 0) {
			continue
		}
		want := bigLog(x)
		e := bigfloat.Ulps(Log(x), want)
		if worst = max(worst, e); !(e <= 1) {
			t.Fatalf("Log(%g) is %g, wrong by %.3f ulp", x, Log(x), e)
		}
		e = bigfloat.Ulps(Log10(x), want.Quo(want, ln10))
		if worst10 = max(worst10, e); !(e <= 3) {
			t.Fatalf("Log10(%g) is %g, wrong by %.3f ulp", x, Log10(x), e)
		}
	}
	t.Logf("largest errors %.3f ulp, and of Log10 %.3f", worst, worst10)
	for _, c := range [][2]float64{{1, 0}, {0, math.Inf(-1)}, {math.Inf(1), math.Inf(1)}} {
		if Log(c[0]) != c[1] || Log10(c[0]) != c[1] {
			t.Errorf("Log(%g) is %g and Log10 %g, want %g", c[0], Log(c[0]), Log10(c[0]), c[1])
		}
	}
	if !math.IsNaN(Log(-1)) || !math.IsNaN(Log(math.NaN())) {
		t.Error("the logarithm of -1 or NaN is a number")
	}
}

func TestExp(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		x := (2*r.Float64() - 1) * math.Ldexp(1, r.IntN(40)-30)
		if x < -708 || x > 709 {
			continue
		}
		if e := bigfloat.Ulps(Exp(x), bigfloat.Exp(exact(x))); !(e <= 1) {
			t.Errorf("Exp(%v) = %v, off by %.2f ulps", x, Exp(x), e)
		}
	}
	for x, want := range map[float64]float64{
		0: 1, math.Inf(-1): 0, math.Inf(1): math.Inf(1), -746: 0, -1e300: 0, 710: math.Inf(1), 1e300: math.Inf(1),
		-745: 5e-324, 709.782712893384: math.MaxFloat64,
	} {
		if got := Exp(x); !(math.Abs(got-want) <= 1e-13*want) && got != want {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got := Exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("Exp(NaN) = %v", got)
	}
}

func TestPow(t *testing.T) {
	want := exact(1)
	const x = 1 + 0x1p-20 + 0x1p-52
	for n := range 3000 {
		got := Pow(x, n)
		if e := bigfloat.Ulps(got, want); !(e <= 2*float64(n)) {
			t.Fatalf("%g^%d is %g, wrong by %.1f ulp", x, n, got, e)
		}
		want.Mul(want, exact(x))
	}
}

// Quantiles agree with gonum's, which come from another method to invert erf.
func TestNormalQuantile(t *testing.T) {
	for i := -3600; i <= 3600; i++ {
		p := 1 / (1 + math.Exp(float64(i)/150)) // 4e-11 to 1 - 4e-11
		got, want := NormalQuantile(p), distuv.UnitNormal.Quantile(p)
		if !(math.Abs(got-want) <= 2e-14*math.Abs(want)+1e-16) {
			t.Errorf("the quantile of %v is %v, want %v", p, got, want)
		}
	}
	if got := NormalQuantile(0.5); got != 0 {
		t.Errorf("the median is %v", got)
	}
}
