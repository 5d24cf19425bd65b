package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// expArguments covers all magnitudes, the ranges of normal and subnormal results, the ends of both and
// both sides of every step of n.
func expArguments() []float64 {
	rnd := rand.New(rand.NewPCG(3, 4))
	x := everywhere(rnd, 2)
	x = append(x, between(rnd, -2, 2, 10000)...)
	x = append(x, between(rnd, -708, 709.78, 6000)...)
	x = append(x, between(rnd, -745.2, -708, 4000)...)
	const overflow, smallest, normal = 709.782712893384, -745.1332191019411, -708.3964185322641
	for _, at := range []float64{0, math.Ln2 / 2, -math.Ln2 / 2, overflow, smallest, normal, expMax, expMin} {
		x = append(x, around(at, 2000)...)
	}
	for n := -1077; n <= 1024; n++ {
		x = append(x, around((float64(n)+0.5)*math.Ln2, 2)...)
	}
	return x
}

// q, computed anew from its definition.
func TestExpConstants(t *testing.T) {
	one := newBig(1)
	half := newBig(0).Quo(bigLn2(), newBig(2))
	var rows [][]*big.Float
	for k := 1; k <= 12; k++ {
		if k == 6 || k == 7 {
			continue // next to 0
		}
		r := newBig(0).Mul(half, chebyshevZero(12, k))
		var row []*big.Float
		power := newBig(1)
		for range 10 {
			row = append(row, newBig(0).Set(power))
			power.Mul(power, r)
		}
		q := newBig(0).Sub(newBig(0).Sub(bigExp(r), one), r)
		rows = append(rows, append(row, q.Quo(q, newBig(0).Mul(r, r))))
	}
	got := []float64{expQ0, expQ1, expQ2, expQ3, expQ4, expQ5, expQ6, expQ7, expQ8, expQ9}
	for i, c := range solveBig(rows) {
		if want, _ := c.Float64(); got[i] != want {
			t.Errorf("coefficient %d is %x, want %x", i, got[i], want)
		}
	}

	p := []*big.Float{one, one} // 1 + r + q·r²
	for _, c := range got {
		p = append(p, newBig(c))
	}
	checkError(t, 0x1p-56, -math.Ln2/2, math.Ln2/2, bigExp, func(r *big.Float) *big.Float { return bigPolynomial(r, p) })
	checkSplit(t, bigLn2(), expHi, expLo, 42)
}
