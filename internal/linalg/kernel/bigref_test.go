package kernel

import (
	"math"
	"math/big"
)

// References for the elementary functions, correct to more than 150 bits.

const bigPrec = 240

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

func ratio(p, q int64) *big.Float {
	return new(big.Float).SetPrec(bigPrec).Quo(newBig(float64(p)), newBig(float64(q)))
}

// inverseFactorials are 1/k!, as many as e^r takes for |r| < 2^-8: the first one left out adds
// 2^-192/24! < 2^-270.
var inverseFactorials = func() []*big.Float {
	f := []*big.Float{newBig(1)}
	for k := int64(1); k < 24; k++ {
		f = append(f, new(big.Float).Quo(f[k-1], newBig(float64(k))))
	}
	return f
}()

// bigExp returns e^x by Taylor's series at x/2^h and h squarings, each of which doubles the relative
// error: h <= 19 bits are lost for |x| < 2^11. Beyond 2^11 it returns infinity or zero, on the right
// side of all that float64 can hold.
func bigExp(x *big.Float) *big.Float {
	if x.MantExp(nil) > 11 {
		if x.Signbit() {
			return newBig(0)
		}
		return newBig(math.Inf(1))
	}
	h := 0
	if x.Sign() != 0 {
		h = max(0, x.MantExp(nil)+8)
	}
	r := newBig(0).SetMantExp(x, -h)
	e := newBig(0)
	for k := len(inverseFactorials) - 1; k >= 0; k-- {
		e.Mul(e, r)
		e.Add(e, inverseFactorials[k])
	}
	for range h {
		e.Mul(e, e)
	}
	return e
}

// bigTanh returns tanh x = (e^2x - 1)/(e^2x + 1), of which the subtraction costs 30 bits at most: for
// |x| < 2^-30 it is x - x³/3 + 2x⁵/15, whose error is below x⁷.
func bigTanh(x *big.Float) *big.Float {
	if x.MantExp(nil) > 7 {
		return newBig(float64(x.Sign()))
	}
	if x.MantExp(nil) <= -30 {
		s := newBig(0).Mul(x, x)
		t := ratio(2, 15)
		t.Sub(t.Mul(t, s), ratio(1, 3))
		t.Add(t.Mul(t, s), newBig(1))
		return t.Mul(t, x)
	}
	e := bigExp(newBig(0).Add(x, x))
	n := newBig(0).Sub(e, newBig(1))
	return n.Quo(n, e.Add(e, newBig(1)))
}

// bigLn2 returns ln 2, the sum of 1/(k·2^k).
func bigLn2() *big.Float {
	sum := newBig(0)
	for k := 1; k <= bigPrec; k++ {
		sum.Add(sum, newBig(0).SetMantExp(ratio(1, int64(k)), -k))
	}
	return sum
}

// chebyshevZero returns zero number k = 1, ..., n of the Chebyshev polynomial Tn, cos((2k-1)π/2n), from
// the largest to the smallest: Newton's iteration with Tn' = n·U(n-1), each step of which doubles 50
// correct bits.
func chebyshevZero(n, k int) *big.Float {
	z := newBig(math.Cos(float64(2*k-1) * math.Pi / float64(2*n)))
	for range 3 {
		// T0 = 1, T1 = z; U-1 = 0, U0 = 1; and p(j+1) = 2z·p(j) - p(j-1) for both.
		t0, t1, u0, u1 := newBig(1), newBig(0).Set(z), newBig(0), newBig(1)
		next := func(p0, p1 *big.Float) *big.Float {
			p := newBig(0).Mul(z, p1)
			return p.Sub(p.Add(p, p), p0)
		}
		for range n - 1 {
			t0, t1, u0, u1 = t1, next(t0, t1), u1, next(u0, u1)
		}
		z.Sub(z, t1.Quo(t1, u1.Mul(u1, newBig(float64(n)))))
	}
	return z
}

// bigPolynomial returns the polynomial with the given coefficients, constant first, at x.
func bigPolynomial(x *big.Float, c []*big.Float) *big.Float {
	p := newBig(0)
	for i := len(c) - 1; i >= 0; i-- {
		p.Add(p.Mul(p, x), c[i])
	}
	return p
}

// solveBig returns the solution of a square system given as rows (a | b), by Gauss's elimination with
// row pivoting. The rows are overwritten.
func solveBig(rows [][]*big.Float) []*big.Float {
	n := len(rows)
	abs := func(x *big.Float) *big.Float { return newBig(0).Abs(x) }
	for k := range n {
		for i := k + 1; i < n; i++ {
			if abs(rows[i][k]).Cmp(abs(rows[k][k])) > 0 {
				rows[i], rows[k] = rows[k], rows[i]
			}
		}
		for i := range n {
			if i == k {
				continue
			}
			f := newBig(0).Quo(rows[i][k], rows[k][k])
			for j := k; j <= n; j++ {
				rows[i][j].Sub(rows[i][j], newBig(0).Mul(f, rows[k][j]))
			}
		}
	}
	x := make([]*big.Float, n)
	for k := range n {
		x[k] = newBig(0).Quo(rows[k][n], rows[k][k])
	}
	return x
}

// ulps returns |got - want| in units in the last place of the float64 next to want: 2^(e-53) for want
// in [2^(e-1), 2^e), and the spacing 2^-1074 in the subnormal range. Infinity is right, error 0, from
// the value on that rounds to it, and infinitely wrong below. NaN is wrong by NaN.
func ulps(got float64, want *big.Float) float64 {
	if nearest, _ := want.Float64(); math.IsNaN(got) || math.IsInf(got, 0) || math.IsInf(nearest, 0) {
		if got == nearest {
			return 0
		}
		return math.Abs(got - nearest)
	}
	e := -1074
	if want.Sign() != 0 {
		e = max(e, want.MantExp(nil)-53)
	}
	d := newBig(got)
	d.Sub(d, want)
	u, _ := d.SetMantExp(d, -e).Float64()
	return math.Abs(u)
}
