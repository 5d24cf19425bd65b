package svd

import (
	"math"
	"slices"

	"blskernel/internal/linalg/factor"
)

// negligible is the square of the relative error in a value that dqds accepts from a neglected element.
const negligible = 0x1.9p-46 * 0x1.9p-46 // (100·2⁻⁵²)²

// A qd is a block of dqds: rows lo to hi of B. q and e hold the squares of its diagonal and of its
// superdiagonal. An eigenvalue of the block plus sigma + rest is an eigenvalue of BᵀB.
type qd struct {
	lo, hi      int
	sigma, rest float64
	q, e        []float64
	oldQ, oldE  []float64 // before the last pass
	d           []float64 // of the last pass; min(d) is about the least eigenvalue
	fresh       bool      // whether d belongs to this block in its current order
	growth      float64   // the fraction of min(d) to shift by if nothing else is known
}

// dqds overwrites d with the singular values, in any order, of the bidiagonal matrix with diagonal d
// and superdiagonal e. e is as long as d, and its last element is 0. If the values do not converge, or
// elements differ so much that squares may underflow, it returns false and changes nothing. Relative
// errors are as small as in bdsqr, since a pass subtracts only a shift, which does not exceed the least
// eigenvalue. A pass takes one division per row; a QR step takes two roots and four divisions.
//
// (Fernando and Parlett, Numer. Math. 67 (1994) 191-229; Parlett and Marques, Linear Algebra Appl. 309
// (2000) 217-244; LAPACK: dlasq1 to dlasq6, with more elaborate shifts.)
func dqds(d, e []float64) bool {
	n := len(d)
	w := factor.Acquire()
	defer w.Release()
	x := w.Take(6 * n)
	z := qd{hi: n - 1, q: x[:n], e: x[n : 2*n], oldQ: x[2*n : 3*n], oldE: x[3*n : 4*n], d: x[4*n : 5*n], growth: 0.25}
	values := x[5*n:]
	largest, least := 0.0, math.Inf(1)
	for i := range n {
		for _, v := range []float64{math.Abs(d[i]), math.Abs(e[i])} {
			if largest = max(largest, v); v > 0 {
				least = min(least, v)
			}
		}
	}
	if least < 0x1p-400*largest {
		return false // squares may underflow
	}
	const top = 484 // the largest square is below 2⁹⁶⁸, and sums of a few are finite
	_, exponent := math.Frexp(largest)
	for i := range n {
		v, w := math.Ldexp(d[i], top-exponent), math.Ldexp(e[i], top-exponent)
		z.q[i], z.e[i] = v*v, w*w
	}
	blocks := []qd{z}
	for passes := 0; len(blocks) > 0; passes++ {
		b := &blocks[len(blocks)-1]
		if b.deflate(values); b.hi < b.lo {
			blocks = blocks[:len(blocks)-1]
			continue
		}
		if i := b.split(); i >= 0 {
			upper := *b
			upper.hi, b.lo = i, i+1
			upper.fresh, b.fresh = false, false
			blocks = append(blocks, upper)
			continue
		}
		if passes > 100*n {
			return false
		}
		b.turn()
		b.step()
	}
	for i, v := range values {
		d[i] = math.Ldexp(math.Sqrt(v), exponent-top)
	}
	return true
}

// small reports whether the element that couples rows i and i+1 may be neglected.
func (z *qd) small(i int) bool {
	return z.e[i] <= negligible*z.sigma || z.oldE[i] <= negligible*z.q[i] && z.fresh
}

// deflate moves eigenvalues that have converged at the end of the block to values.
func (z *qd) deflate(values []float64) {
	for z.lo <= z.hi {
		h := z.hi
		switch {
		case h == z.lo || z.small(h-1) || z.e[h-1] <= negligible*(z.sigma+z.q[h]):
			values[h] = z.q[h] + z.sigma
			z.hi--
		case h-1 == z.lo || z.small(h-2):
			most, least := pairOf(z.q[h-1], z.e[h-1], z.q[h])
			values[h-1], values[h] = most+z.sigma, least+z.sigma
			z.hi -= 2
		default:
			return
		}
	}
}

func pairOf(a, e, b float64) (most, least float64) {
	a, b = max(a, b), min(a, b)
	if e <= b*negligible {
		return a, b
	}
	t := float64(0.5 * (float64(a-b) + e))
	s := float64(b * (e / t))
	if s <= t {
		s = b * (e / (t * (1 + math.Sqrt(1+s/t))))
	} else {
		s = b * (e / (t + float64(math.Sqrt(t)*math.Sqrt(t+s))))
	}
	t = a + (s + e)
	return t, b * (a / t)
}

// split returns the first row after which the block splits in two, or -1.
func (z *qd) split() int {
	if z.hi-z.lo < 3 {
		return -1
	}
	e, old, q := z.e[z.lo:z.hi-2], z.oldE[z.lo:z.hi-2], z.q[z.lo:z.hi-2]
	least := negligible * z.sigma
	for i, v := range e {
		if v <= least || z.fresh && old[i] <= negligible*q[i] {
			return z.lo + i
		}
	}
	return -1
}

// turn reverses the rows if the last q is well above the first: small values converge at the end.
func (z *qd) turn() {
	if 1.5*z.q[z.lo] < z.q[z.hi] {
		slices.Reverse(z.q[z.lo : z.hi+1])
		slices.Reverse(z.e[z.lo:z.hi])
		z.fresh = false
	}
}

// step makes a pass with a shift. While the shift exceeds an eigenvalue, it repeats the pass with a
// smaller shift.
func (z *qd) step() {
	shift := z.shift()
	for failures := 0; shift > 0; failures++ {
		at, size := z.shifted(shift)
		if at < 0 {
			break
		}
		last := at == z.hi && size < 0
		switch {
		case last && -size <= 0x1p-46*z.sigma && z.oldE[z.hi-1] <= 0x1p-46*(z.sigma+z.d[z.hi-1]):
			z.oldQ[z.hi], z.d[z.hi], at = 0, 0, -1
		case last && failures == 0: // shift + size is close to the eigenvalue
			shift = (shift + size) * (1 - 4*eps)
		case failures < 2:
			shift *= 0.25
		default:
			shift = 0
		}
		if at < 0 {
			break
		}
	}
	if !(shift > 0) {
		shift = 0
		z.unshifted()
	}
	z.q, z.oldQ, z.e, z.oldE, z.fresh = z.oldQ, z.q, z.oldE, z.e, true
	// sigma + rest holds the sum of the shifts in twice the precision.
	rest := shift + z.rest
	sum := z.sigma + rest
	z.sigma, z.rest = sum, rest-(sum-z.sigma)
}

// shifted makes a pass with the given shift and leaves its factors in oldQ and oldE. It stops at the
// first d that is not positive and returns its row and d. The last d may be 0, but must be finite. If
// no d fails, it returns -1 and the last d.
func (z *qd) shifted(shift float64) (at int, size float64) {
	q, e := z.q[z.lo:z.hi+1], z.e[z.lo:z.hi+1]
	toQ, toE, ds := z.oldQ[z.lo : z.hi+1][:len(q)], z.oldE[z.lo : z.hi+1][:len(q)], z.d[z.lo : z.hi+1][:len(q)]
	d := q[0] - shift
	for i, beside := range e[:len(q)-1] {
		if !(d > 0) {
			return z.lo + i, d
		}
		ds[i] = d
		sum := d + beside
		t := q[i+1] / sum
		toQ[i], toE[i] = sum, beside*t
		if d *= t; t < factor.SmallestNormal { // t has lost digits
			toE[i], d = q[i+1]*(beside/sum), q[i+1]*(ds[i]/sum)
		}
		d -= shift
	}
	h := len(q) - 1
	toQ[h], ds[h] = d, d
	if !(d >= 0 && d <= math.MaxFloat64) {
		return z.hi, d
	}
	return -1, d
}

// unshifted makes a pass without a shift, which cannot fail.
func (z *qd) unshifted() {
	d := z.q[z.lo]
	for i := z.lo; i < z.hi; i++ {
		z.d[i] = d
		sum, next := d+z.e[i], z.q[i+1]
		switch {
		case sum == 0:
			z.oldE[i], d = 0, next
		case factor.SmallestNormal*next < sum && factor.SmallestNormal*sum < next:
			t := next / sum
			z.oldE[i], d = z.e[i]*t, d*t
		default:
			z.oldE[i], d = next*(z.e[i]/sum), next*(d/sum)
		}
		z.oldQ[i] = sum
	}
	z.d[z.hi], z.oldQ[z.hi] = d, d
}

// shift returns a number that is usually a lower bound for the least eigenvalue. Let v² be 1 where d is
// least, and fall by factors of e/q on both sides; the Rayleigh quotient of the vector v is
// min(d)/|v|². The residual bounds the error of this quotient, more tightly the further away the next
// eigenvalue is.
func (z *qd) shift() float64 {
	if !z.fresh {
		return 0
	}
	k, least, before := z.lo, z.d[z.lo], math.Inf(1)
	for i, d := range z.d[z.lo : z.hi+1] {
		if d < least {
			k, least, before = z.lo+i, d, least
		}
	}
	if k < z.hi-2 {
		growth := z.growth
		z.growth += (1 - growth) / 3
		return growth * least
	}
	z.growth = 0.25
	const most = 0.563
	sum, v := 0.0, 1.0
	for i := k; i < z.hi; i++ {
		v = float64(v * (z.oldE[i] / z.oldQ[i+1]))
		sum += v
	}
	v = 1
	for i := k - 1; i >= z.lo && sum < most; i-- {
		v = float64(v * (z.e[i] / z.q[i]))
		if sum += v; 100*v < sum {
			break
		}
	}
	if sum = float64(1.05 * sum); !(sum < most) {
		return 0.25 * least
	}
	quotient := least / (1 + sum)
	residual := float64(quotient * math.Sqrt(sum))
	if gap := float64(0.5*before) - quotient; gap > residual {
		residual = float64(residual * (residual / gap))
	}
	return max(quotient-float64(1.01*residual), 0.25*least)
}
