package kernel

import (
	"math"
	"math/big"

	"blskernel/internal/testutil/bigfloat"
)

// References for the elementary functions, correct to more than 150 bits.

const bigPrec = 240

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

func ratio(p, q int64) *big.Float {
	return new(big.Float).SetPrec(bigPrec).Quo(newBig(float64(p)), newBig(float64(q)))
}

// bigTanh returns tanh x = (e^2x - 1)/(e^2x + 1), whose subtraction costs at most 30 bits. For |x| <
// 2^-30 it returns x - x³/3 + 2x⁵/15, whose error is below x⁷.
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
	e := bigfloat.Exp(newBig(0).Add(x, x))
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

// chebyshevZero returns zero number k of the Chebyshev polynomial Tn, cos((2k-1)π/2n), where k = 1,
// ..., n counts from the largest down. It starts from 50 correct bits, which each step of Newton's
// iteration, with Tn' = n·U(n-1), doubles.
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
