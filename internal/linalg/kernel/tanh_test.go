package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// tanhArguments covers all magnitudes, densely those where the error is largest, and both sides of each
// change in the algorithm: the break, the clamp, and the steps of n with the zeros of y between them.
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

// P and A, computed anew from their definition: of the 17 zeros of T17(y/tanhBreak) seven pairs ±y
// are left, which are seven conditions for seven coefficients.
func TestTanhConstants(t *testing.T) {
	one := newBig(1)
	// residual is (1 - tanh(y)/y)/(2s), which P/A approximates.
	residual := func(y *big.Float) *big.Float {
		r := newBig(0).Sub(one, newBig(0).Quo(bigTanh(y), y))
		return r.Quo(r, newBig(0).Mul(newBig(2), newBig(0).Mul(y, y)))
	}
	var rows [][]*big.Float
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
		rows = append(rows, append(row, r))
	}
	got := []float64{tanhP0, tanhP1, tanhP2, tanhP3, tanhA1, tanhA2, tanhA3}
	for i, c := range solveBig(rows) {
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

// checkError requires that the relative error of approx is at most that given, at 2000 places from lo
// to hi.
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

// checkSplit requires that hi is x in so many bits and lo the rest, rounded.
func checkSplit(t *testing.T, x *big.Float, hi, lo float64, bits uint) {
	t.Helper()
	want, _ := newBig(0).Set(x).SetPrec(bits).Float64()
	rest, _ := newBig(0).Sub(x, newBig(want)).Float64()
	if hi != want || lo != rest {
		t.Errorf("hi, lo = %x, %x, want %x, %x", hi, lo, want, rest)
	}
}

// tanh is odd and never beyond 1, bit for bit, in every kernel.
func TestTanhOdd(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		src := tanhArguments()
		dst, neg := make([]float64, len(src)), make([]float64, len(src))
		k.Tanh(dst, src)
		for i, x := range src {
			neg[i] = -x
		}
		k.Tanh(neg, neg)
		for i, x := range src {
			if math.Float64bits(neg[i]) != math.Float64bits(-dst[i]) || !(math.Abs(dst[i]) <= 1) {
				t.Fatalf("tanh(%v) = %v, tanh(%v) = %v", x, dst[i], -x, neg[i])
			}
		}
	})
}
