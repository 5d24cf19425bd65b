package secular

import "math"

// rational is the number of steps by rational functions after which every second step is a bisection.
const rational = 12

// A search looks for one root, between the poles left and right or, for the last root, beyond right. x
// is the current point, and the root is between lo and hi; all three are distances from a pole.
type search struct {
	Equation
	left, right int
	x, lo, hi   float64
	poles, gaps []float64 // the distances of the poles from the same pole, and from x

	// The function at x: the sums of the terms up to left and from right on, their derivatives, and
	// a bound on the error of the function in units of eps.
	psi, phi, dpsi, dphi, bound float64
}

// solve finds root i, and writes the distances of the poles from this root to gaps. It overwrites
// poles, and returns the number of steps after the first guess.
//
// Each step takes the root of a function with poles at left and right that agrees with the sums psi and
// phi and their derivatives ("the middle way": Li, LAPACK Working Note 89; LAPACK: dlaed4). Steps that
// leave the interval become bisections; after 12 steps (see rational), every second step is one.
// A bisection halves the count of floating-point numbers in the interval, so a search takes at most 141
// steps.
func (q Equation) solve(i int, poles, gaps []float64) (r Root, steps int) {
	n := len(q.Poles)
	if n == 1 {
		x := float64(q.Z[0] * q.Z[0])
		gaps[0] = -x
		return Root{0, x}, 0
	}
	s := search{Equation: q, left: i, right: i + 1, poles: poles, gaps: gaps}
	pole := i
	if i == n-1 {
		s.left, s.right = n-2, n-1
		s.beyond()
	} else {
		pole = s.between()
	}
	q.distances(pole, poles)
	for ; ; steps++ {
		s.evaluate()
		f := 1 + s.psi + s.phi
		if f < 0 {
			s.lo = s.x
		} else {
			s.hi = s.x
		}
		if !(math.Abs(f) > eps*s.bound) {
			break
		}
		x := s.x + s.step(f, i == n-1)
		if x == s.x {
			break
		}
		if !(s.lo < x && x < s.hi) || steps > rational && steps%2 == 0 {
			if x = middle(s.lo, s.hi); x == s.lo || x == s.hi {
				break
			}
		}
		s.x = x
	}
	return Root{pole, s.x}, steps
}

func (s *search) evaluate() {
	var psi, phi, dpsi, dphi, bound float64
	n, x := len(s.gaps), s.x
	poles, gaps, z := s.poles[:n], s.gaps[:n], s.Z[:n]
	for j := range s.left + 1 {
		gap := poles[j] - x
		t := z[j] / gap
		psi += float64(z[j] * t)
		dpsi += float64(t * t)
		bound -= psi
		gaps[j] = gap
	}
	for j := n - 1; j >= s.right; j-- {
		gap := poles[j] - x
		t := z[j] / gap
		phi += float64(z[j] * t)
		dphi += float64(t * t)
		bound += math.Abs(phi)
		gaps[j] = gap
	}
	s.psi, s.phi, s.dpsi, s.dphi = psi, phi, dpsi, dphi
	s.bound = bound + float64(8*(math.Abs(psi)+math.Abs(phi))) + 2 + float64(math.Abs(s.x)*(dpsi+dphi))
}

// step returns an estimate of the step from x to the root. f is the function at x; beyond is set for
// the last root.
func (s *search) step(f float64, beyond bool) float64 {
	left, right := s.gaps[s.left], s.gaps[s.right]
	c := f - float64(left*s.dpsi) - float64(right*s.dphi)
	a := float64((left+right)*f) - float64(float64(left*right)*(s.dpsi+s.dphi))
	b := float64(float64(left*right) * f)
	by := smallRoot(c, a, b)
	if beyond {
		by = largeRoot(math.Abs(c), a, b)
	}
	if !(float64(f*by) < 0) {
		by = -f / (s.dpsi + s.dphi)
	}
	return by
}

// between starts a search between two poles. It returns the pole nearer to the root, from which
// distances are measured. The first x is the root if the other terms keep their values at the midpoint.
func (s *search) between() (pole int) {
	gap := s.difference(s.right, s.left)
	half := float64(gap / 2)
	s.distances(s.left, s.poles)
	c := s.others(half)
	zl, zr := float64(s.Z[s.left]*s.Z[s.left]), float64(s.Z[s.right]*s.Z[s.right])
	if c+float64(zr/half)-float64(zl/half) >= 0 {
		s.lo, s.hi = 0, half
		s.x = smallRoot(c, float64(c*gap)+zl+zr, float64(zl*gap))
		pole = s.left
	} else {
		s.lo, s.hi = -half, 0
		s.x = largeRoot(-c, float64(c*gap)-zl-zr, float64(zr*gap))
		pole = s.right
	}
	if !(s.lo < s.x && s.x < s.hi) {
		s.x = (s.lo + s.hi) / 2
	}
	return pole
}

// beyond starts the search for the last root, which is at most |z|² from the last pole.
func (s *search) beyond() {
	for _, z := range s.Z {
		s.hi += float64(z * z)
	}
	s.hi *= 1 + float64(float64(len(s.Z))*(2*eps))
	s.distances(s.right, s.poles)
	c, gap := s.others(s.hi), s.difference(s.right, s.left)
	zl, zr := float64(s.Z[s.left]*s.Z[s.left]), float64(s.Z[s.right]*s.Z[s.right])
	s.x = largeRoot(c, zl+zr-float64(c*gap), -float64(zr*gap))
	if !(s.lo < s.x && s.x < s.hi) {
		s.x = s.hi / 2
	}
}

// others returns the function at x without the terms of left and right.
func (s *search) others(x float64) float64 {
	f := 1.0
	for j, z := range s.Z {
		if j != s.left && j != s.right {
			f += float64(z*z) / (s.poles[j] - x)
		}
	}
	return f
}

// smallRoot returns the root 2b/(a + sqrt(a² - 4bc)) of c x² - a x + b, and largeRoot the other root,
// without cancellation. If rounding made the discriminant negative, they use its magnitude.
func smallRoot(c, a, b float64) float64 {
	root := math.Sqrt(math.Abs(float64(a*a) - float64(4*b*c)))
	if a <= 0 {
		return (a - root) / (2 * c)
	}
	return 2 * b / (a + root)
}

func largeRoot(c, a, b float64) float64 {
	root := math.Sqrt(math.Abs(float64(a*a) - float64(4*b*c)))
	if a >= 0 {
		return (a + root) / (2 * c)
	}
	return 2 * b / (a - root)
}

// middle returns the number halfway between lo and hi in the order of the floating-point numbers: about
// as many lie on either side. lo and hi have the same sign or are zero.
func middle(lo, hi float64) float64 {
	if hi <= 0 && lo < 0 {
		return -middle(math.Abs(hi), -lo)
	}
	a, b := math.Float64bits(lo), math.Float64bits(hi)
	return math.Float64frombits(a + (b-a)/2)
}
