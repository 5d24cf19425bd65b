package blas12

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// rotated fails unless x and y are the matrix h, by columns, times what they were.
func rotated(t *testing.T, x, y strided, h [4]float64) {
	t.Helper()
	x.check(t, true, "x")
	y.check(t, true, "y")
	for i := range x.n {
		var first, second sum
		first.add(h[0], x.was(i), 1)
		first.add(h[2], y.was(i), 1)
		second.add(h[1], x.was(i), 1)
		second.add(h[3], y.was(i), 1)
		for got, want := range map[float64]sum{x.at(i): first, y.at(i): second} {
			if err := want.within(2, got); err != nil {
				t.Errorf("n=%d increments %d, %d, element %d: %v", x.n, x.inc, y.inc, i, err)
			}
		}
	}
}

func TestDrot(t *testing.T) {
	level1(t, func(t *testing.T, r *Routines, rnd *rand.Rand, n, incX, incY int, c float64) {
		s := rnd.NormFloat64()
		x, y := newStrided(rnd, n, incX, written), newStrided(rnd, n, incY, written)
		r.Drot(n, x.s, incX, y.s, incY, c, s)
		rotated(t, x, y, [4]float64{c, -s, s, c})
	})
}

func TestDrotm(t *testing.T) {
	level1(t, func(t *testing.T, r *Routines, rnd *rand.Rand, n, incX, incY int, h11 float64) {
		for flag := blas.Identity; flag <= blas.Diagonal; flag++ {
			h := [4]float64{h11, rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
			p := blas.DrotmParams{Flag: flag, H: h}
			switch flag { // NaN is what must not be read
			case blas.Identity:
				p.H, h = [4]float64{nan, nan, nan, nan}, [4]float64{1, 0, 0, 1}
			case blas.OffDiagonal:
				p.H[0], p.H[3], h[0], h[3] = nan, nan, 1, 1
			case blas.Diagonal:
				p.H[1], p.H[2], h[1], h[2] = nan, nan, -1, 1
			}
			x, y := newStrided(rnd, n, incX, written), newStrided(rnd, n, incY, written)
			r.Drotm(n, x.s, incX, y.s, incY, p)
			rotated(t, x, y, h)
		}
	})
}

// anySize returns a number of any exponent and sign.
func anySize(rnd *rand.Rand) float64 {
	return math.Ldexp(rnd.NormFloat64(), rnd.IntN(2040)-1020)
}

// precise returns a*b + c*d in many bits.
func precise(a, b, c, d float64) *big.Float {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(v) }
	return new(big.Float).Add(number(0).Mul(number(a), number(b)), number(0).Mul(number(c), number(d)))
}

// near reports whether got is within a relative error of γ_8 of want, or subnormal next to it.
func near(got, want float64) bool {
	return got == want || math.Abs(got-want) <= gamma(8)*math.Abs(want)+0x1p-1074
}

// TestDrotg computes the rotation of numbers of all sizes in many bits.
func TestDrotg(t *testing.T) {
	r := New(kernels.Some(t)[0], nil)
	rnd := rand.New(rand.NewPCG(14, 14))
	for i := range 20000 {
		a, b := anySize(rnd), anySize(rnd)
		if i%2 == 0 {
			b = a * rnd.NormFloat64()
		}
		c, s, size, z := r.Drotg(a, b)
		norm := precise(a, a, b, b)
		norm.Sqrt(norm)
		larger := b
		if math.Abs(a) > math.Abs(b) {
			larger = a
		}
		if math.Signbit(larger) {
			norm.Neg(norm)
		}
		quotient := func(v float64) float64 {
			f, _ := new(big.Float).Quo(new(big.Float).SetPrec(5000).SetFloat64(v), norm).Float64()
			return f
		}
		want, _ := norm.Float64()
		if math.IsInf(want, 0) || b == 0 || a == 0 {
			continue
		}
		wantC, wantS := quotient(a), quotient(b)
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
// square roots in it is orthogonal, so that the weighted norm stays.
func TestDrotmg(t *testing.T) {
	r := New(kernels.Some(t)[0], nil)
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
		var first, second sum
		first.add(h[0], x1, 1)
		first.add(h[2], y1, 1)
		second.add(h[1], x1, 1)
		second.add(h[3], y1, 1)
		if err := first.within(16, rx1); err != nil {
			t.Errorf("Drotmg(%v, %v, %v, %v): rx1: %v", d1, d2, x1, y1, err)
		}
		if err := second.within(16, 0); err != nil {
			t.Errorf("Drotmg(%v, %v, %v, %v): the second component: %v", d1, d2, x1, y1, err)
		}
		// Hᵀ·diag(rd1, rd2)·H = diag(d1, d2)
		for i, want := range []float64{d1, 0, d2} {
			a, b := [][2]int{{0, 0}, {0, 2}, {2, 2}}[i][0], [][2]int{{0, 0}, {0, 2}, {2, 2}}[i][1]
			var got sum
			got.add(rd1, h[a], h[b])
			got.add(rd2, h[a+1], h[b+1])
			if err := got.within(32, want); err != nil {
				t.Errorf("Drotmg(%v, %v, %v, %v): HᵀDH, %d: %v", d1, d2, x1, y1, i, err)
			}
		}
		for _, d := range []float64{rd1, rd2} {
			if a := math.Abs(d); a != 0 && (a <= 0x1p-24 || a > 0x1p24) {
				t.Errorf("Drotmg(%v, %v, %v, %v): d = %v is out of range", d1, d2, x1, y1, d)
			}
		}
	}
	if flags[blas.OffDiagonal] == 0 || flags[blas.Diagonal] == 0 || flags[blas.Rescaling] == 0 {
		t.Errorf("some flags have never been returned: %v", flags)
	}
}

// TestDrotmgEnds passes zeros, negative weights, infinities and NaN: it returns at all, which gonum's
// does not for infinite weights.
func TestDrotmgEnds(t *testing.T) {
	r := New(kernels.Some(t)[0], nil)
	done := make(chan bool)
	go func() {
		defer close(done)
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
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("Drotmg does not return")
	}
}
