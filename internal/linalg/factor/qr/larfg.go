package qr

import (
	"math"

	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/factor"
)

// Larfg computes the reflection I - tau (1, v)(1, v)ᵀ that turns (alpha, x) into (beta, 0), and
// overwrites x with v. tau is 0 if x is zero, and otherwise between 1 and 2. (LAPACK: dlarfg.)
func Larfg(bk factor.Backend, alpha float64, x []float64) (beta, tau float64) {
	rest := norm2(bk, x)
	if rest == 0 {
		return alpha, 0
	}
	beta = -math.Copysign(detmath.Hypot(alpha, rest), alpha)
	if math.Abs(beta) < factor.SmallestNormal {
		// A subnormal length has few digits: tau would not match the length of (1, v).
		const up = 0x1p200
		bk.Dscal(len(x), up, x, 1)
		beta, tau = Larfg(bk, alpha*up, x)
		return beta / up, tau
	}
	// |alpha-beta| >= rest, so that no element of v exceeds 1 in magnitude.
	factor.Divide(bk, x, alpha-beta)
	return beta, -(alpha - beta) / beta
}

// LarfgShort is Larfg with a plain loop, for a short x and numbers below 2⁵⁰⁰.
func LarfgShort(bk factor.Backend, alpha float64, x []float64) (beta, tau float64) {
	squares := 0.0
	for _, v := range x {
		squares += float64(v * v)
	}
	if !(squares > 0x1p-900) {
		return Larfg(bk, alpha, x)
	}
	beta = -math.Copysign(math.Sqrt(float64(alpha*alpha)+squares), alpha)
	by := 1 / (alpha - beta)
	for i := range x {
		x[i] *= by
	}
	return beta, (beta - alpha) / beta
}

// norm2 returns the 2-norm of x, from the sum of its squares. If the sum may have overflowed, or
// squares may have underflowed, it calls Dnrm2, which is safe but slower.
func norm2(bk factor.Backend, x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	if ss := bk.Ddot(len(x), x, 1, x, 1); ss > 0x1p-900 && ss < 0x1p1000 {
		return math.Sqrt(ss)
	}
	return bk.Dnrm2(len(x), x, 1)
}
