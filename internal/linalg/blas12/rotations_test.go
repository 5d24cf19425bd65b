package blas12

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/bigfloat"

	"gonum.org/v1/gonum/blas"
)

var nan = math.NaN()

// anySize returns a number of any exponent and sign.
func anySize(rnd *rand.Rand) float64 {
	return math.Ldexp(rnd.NormFloat64(), rnd.IntN(2040)-1020)
}

// gamma returns γ_k = ku/(1-ku), the bound of k roundings.
func gamma(k int) float64 {
	u := float64(k) * 0x1p-53
	return u / (1 - u)
}

// near reports whether got differs from want by at most γ_8, relatively, plus 2⁻¹⁰⁷⁴.
func near(got, want float64) bool {
	return got == want || math.Abs(got-want) <= gamma(8)*math.Abs(want)+0x1p-1074
}

// TestDrotg computes the rotation of numbers of all sizes in many bits.
func TestDrotg(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	var r Routines
	rnd := rand.New(rand.NewPCG(14, 14))
	for i := range 6000 {
		a, b := anySize(rnd), anySize(rnd)
		if i%2 == 0 {
			b = a * rnd.NormFloat64()
		}
		c, s, size, z := r.Drotg(a, b)
		norm := bigfloat.Sum([]float64{a, a}, []float64{b, b})
		norm.Sqrt(norm)
		larger := b
		if math.Abs(a) > math.Abs(b) {
			larger = a
		}
		if math.Signbit(larger) {
			norm.Neg(norm)
		}
		want := bigfloat.Float(norm)
		if math.IsInf(want, 0) || b == 0 || a == 0 {
			continue
		}
		wantC, wantS := bigfloat.Ratio(bigfloat.New(a), norm), bigfloat.Ratio(bigfloat.New(b), norm)
		wantZ := wantS
		if math.Abs(a) <= math.Abs(b) {
			wantZ = 1 / c
			if c == 0 {
				wantZ = 1
			}
		}
		if !near(size, want) || !near(c, wantC) || !near(s, wantS) || !near(z, wantZ) {
			t.Errorf("Drotg(%v, %v) = %v, %v, %v, %v, want %v, %v, %v, %v", a, b, c, s, size, z, wantC, wantS, want, wantZ)
		}
	}
	inf := math.Inf(1)
	for _, v := range [][7]float64{ // a, b; c, s, r, z; which of c and s is NaN
		{3, 0, 1, 0, 3, 0, 0}, {-3, 0, 1, 0, -3, 0, 0}, {0, -2, 0, 1, -2, 1, 0}, {0, 0, 1, 0, 0, 0, 0},
		{inf, 1, nan, 0, inf, 0, 1}, {1, -inf, 0, nan, -inf, 1, 2}, {nan, 1, nan, nan, nan, nan, 3}, {0, nan, 0, 1, nan, 1, 0},
		{inf, 0, 1, 0, inf, 0, 0},
	} {
		c, s, size, z := r.Drotg(v[0], v[1])
		for i, got := range []float64{c, s, size, z} {
			if want := v[2+i]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("Drotg(%v, %v): result %d is %v, want %v", v[0], v[1], i, got, want)
			}
		}
	}
}

// TestDrotmg checks what H promises: the second component becomes zero, and the rotation with the
// square roots in it is orthogonal, so that the weighted norm is kept.
func TestDrotmg(t *testing.T) {
	var r Routines
	rnd := rand.New(rand.NewPCG(15, 15))
	size := func() float64 { return math.Ldexp(rnd.NormFloat64(), rnd.IntN(120)-60) }
	flags := map[blas.Flag]int{}
	for range 20000 {
		d1, d2, x1, y1 := math.Abs(size()), math.Abs(size()), size(), size()
		p, rd1, rd2, rx1 := r.Drotmg(d1, d2, x1, y1)
		flags[p.Flag]++
		h := p.H
		switch p.Flag {
		case blas.OffDiagonal:
			h[0], h[3] = 1, 1
		case blas.Diagonal:
			h[1], h[2] = -1, 1
		}
		// HᵀDH = diag(d1, d2) for D = diag(rd1, rd2). 1% is for the rounded magnitude.
		for i, test := range []struct {
			roundings int
			want      float64
			products  [][]float64
		}{
			{16, rx1, [][]float64{{h[0], x1, 1}, {h[2], y1, 1}}},
			{16, 0, [][]float64{{h[1], x1, 1}, {h[3], y1, 1}}},
			{32, d1, [][]float64{{rd1, h[0], h[0]}, {rd2, h[1], h[1]}}},
			{32, 0, [][]float64{{rd1, h[0], h[2]}, {rd2, h[1], h[3]}}},
			{32, d2, [][]float64{{rd1, h[2], h[2]}, {rd2, h[3], h[3]}}},
		} {
			magnitude := 0.0
			for _, p := range test.products {
				magnitude += math.Abs(p[0] * p[1] * p[2])
			}
			off := bigfloat.Float(bigfloat.Sum(append(test.products, []float64{-test.want})...))
			if !(math.Abs(off) <= 1.01*gamma(test.roundings)*magnitude) {
				t.Errorf("Drotmg(%v, %v, %v, %v): equation %d is off by %v", d1, d2, x1, y1, i, off)
			}
		}
		for _, d := range []float64{rd1, rd2} {
			if a := math.Abs(d); a != 0 && (a <= 0x1p-24 || a > 0x1p24) {
				t.Errorf("Drotmg(%v, %v, %v, %v): d = %v is out of range", d1, d2, x1, y1, d)
			}
		}
	}
	if flags[blas.OffDiagonal] == 0 || flags[blas.Diagonal] == 0 || flags[blas.Rescaling] == 0 {
		t.Errorf("some flags were never returned: %v", flags)
	}
}

// TestDrotmgEnds passes zeros, negative weights, infinities and NaN. Drotmg returns, which gonum's does
// not for infinite weights.
func TestDrotmgEnds(t *testing.T) {
	var r Routines
	numbers := []float64{0, 1, -1, 0x1p-1074, math.MaxFloat64, math.Inf(1), math.Inf(-1), nan}
	for _, d1 := range numbers {
		for _, d2 := range numbers {
			for _, x1 := range numbers {
				for _, y1 := range numbers {
					p, rd1, rd2, rx1 := r.Drotmg(d1, d2, x1, y1)
					if d1 < 0 && (p != blas.DrotmParams{Flag: blas.Rescaling} || rd1 != 0 || rd2 != 0 || rx1 != 0) {
						t.Errorf("Drotmg(%v, %v, %v, %v) = %v, %v, %v, %v", d1, d2, x1, y1, p, rd1, rd2, rx1)
					}
				}
			}
		}
	}
}
