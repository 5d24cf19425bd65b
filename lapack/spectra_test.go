package lapack

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil"
)

// A spectrumKind is n numbers from which matrices are made: the magnitudes of eigenvalues, or singular
// values, largest first and at most 1, and a scale.
type spectrumKind struct {
	name  string
	at    func(n, i int) float64
	scale float64
}

// spectra returns the kinds of spectra. Those of tiny and huge matrices have a scale that is a power of
// two.
func spectra() []spectrumKind {
	halves := func(n, i int) float64 { return unless(2*i >= n) * geometric(10)(n, i) }
	return []spectrumKind{
		{"graded", geometric(1e12), 1},
		{"geometric", geometric(1e3), 1},
		{"arithmetic", func(n, i int) float64 { return 1 - float64(i)/float64(n) }, 1},
		{"clustered", func(n, i int) float64 { return math.Pow(10, -float64(3*i/n)) * (1 - float64(i)*eps) }, 1},
		{"outlier", func(_, i int) float64 { return unless(i > 0) + 1e-9*unless(i == 0) }, 1},
		{"rank-deficient", halves, 1},
		{"rank-one", func(_, i int) float64 { return unless(i > 0) }, 1},
		{"zero", func(int, int) float64 { return 0 }, 1},
		{"identity", func(int, int) float64 { return 1 }, 1},
		{"tiny", geometric(1e3), 0x1p-997}, // 1e-300
		{"huge", geometric(1e3), 0x1p996},  // 1e300
		{"tiny-deficient", halves, 0x1p-1020},
	}
}

// symmetric returns a symmetric matrix with the eigenvalues alternate(i)*at(n, i)*scale.
func (s spectrumKind) symmetric(rng *rand.Rand, n int) *full {
	a := symSpectrum(rng, n, func(i int) float64 { return s.at(n, i) * alternate(i) })
	return a.scaledBy(s.scale)
}

// general returns an r×c matrix with the singular values at(min(r, c), i)*scale.
func (s spectrumKind) general(rng *rand.Rand, r, c int) *full {
	a := newFull(r, c)
	for i := range min(r, c) {
		a.set(i, i, s.at(min(r, c), i))
	}
	if r == 0 || c == 0 {
		return a
	}
	for range 2 {
		a = a.reflectLeft(unitVector(rng, r)).transpose().reflectLeft(unitVector(rng, c)).transpose()
	}
	return a.scaledBy(s.scale)
}

func (a *full) scaledBy(scale float64) *full {
	for i := range a.x {
		a.x[i] *= scale
	}
	return a
}

// tridiagonals returns tridiagonal matrices, with d(n, i) on the diagonal and e(n, i) beside it, whose
// eigenvalues nearly agree in pairs or in many.
func tridiagonals() []family {
	tridiagonal := func(d, e func(n, i int) float64) generator {
		return each(true, func(_ *rand.Rand, n, i, j int) float64 {
			switch j - i {
			case 0:
				return d(n, i)
			case 1:
				return e(n, i)
			}
			return 0
		})
	}
	one := func(int, int) float64 { return 1 }
	return []family{
		{name: "wilkinson", of: tridiagonal(func(n, i int) float64 { return math.Abs(float64(n-1)/2 - float64(i)) }, one)},
		{name: "glued", of: tridiagonal( // Wilkinson's W21+ many times, with weak links
			func(_, i int) float64 { return math.Abs(10 - float64(i%21)) },
			func(_, i int) float64 { return unless(i%21 == 20) + 1e-8*unless(i%21 != 20) })},
		{name: "second-difference", of: tridiagonal(func(int, int) float64 { return 2 }, func(int, int) float64 { return -1 })},
		{name: "graded-tridiagonal", of: tridiagonal(geometric(1e12), geometric(1e9))},
		{name: "far-graded", of: tridiagonal(geometric(1e300), func(n, i int) float64 { // definite
			return 0.4 * math.Sqrt(geometric(1e300)(n, i)) * math.Sqrt(geometric(1e300)(n, i+1))
		})},
	}
}

// eigenFamilies returns all kinds of symmetric matrices: every spectrum, tridiagonal ones, an arrow,
// and random elements.
func eigenFamilies() []family {
	g := tridiagonals()
	for _, s := range spectra() {
		g = append(g, family{name: s.name, of: s.symmetric})
	}
	g = append(g, family{name: "arrow", of: each(true, func(_ *rand.Rand, _, i, j int) float64 {
		return unless(i > 0) + float64(i)*unless(i != j)
	})})
	g = append(g, family{name: "random", of: normal(true, constant(1))})
	g = append(g, family{name: "exponents", of: each(true, func(rng *rand.Rand, _, _, _ int) float64 {
		return math.Ldexp(rng.NormFloat64(), -rng.IntN(900))
	})})
	return append(g, family{name: "graded-rows", of: normal(true, func(_, i, j int) float64 { return math.Pow(10, -float64(i+j)/8) })})
}

// notFinite calls f with matrices whose element (i, j), or (j, i) too if symmetric, is NaN or infinite,
// in several places.
func notFinite(rng *rand.Rand, n int, symmetric bool, f func(a *full)) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, at := range [][2]int{{0, 0}, {0, n - 1}, {n / 2, n / 2}, {n / 3, n / 2}, {n - 1, n - 1}} {
			a := normal(symmetric, constant(1))(rng, n)
			a.set(at[0], at[1], v)
			if symmetric {
				a.set(at[1], at[0], v)
			}
			f(a)
		}
	}
}

// eigenRatio is ‖A Z - Z Λ‖/(n ‖A‖ eps), with the eigenvectors in the columns of Z.
func eigenRatio(a *full, values []float64, z *full) float64 {
	scaled := newFull(z.r, z.c)
	for i := range z.r {
		for j, v := range z.row(i) {
			scaled.set(i, j, v*values[j])
		}
	}
	return over(a.mul(z).sub(scaled).norm(), float64(a.r)*eps, a.norm())
}

// singularRatio is ‖A - U Σ Vᵀ‖/(max(r, c) ‖A‖ eps) for an r×c A, U of min(r, c) columns and Vᵀ of as
// many rows.
func singularRatio(a, u *full, values []float64, vt *full) float64 {
	scaled := newFull(vt.r, vt.c)
	for i := range vt.r {
		for j, v := range vt.row(i) {
			scaled.set(i, j, v*values[i])
		}
	}
	return over(a.sub(u.mul(scaled)).norm(), float64(max(a.r, a.c))*eps, a.norm())
}

// orthogonalRatio is ‖ZᵀZ - I‖/(r eps) for an r×c Z.
func orthogonalRatio(z *full) float64 {
	return over(z.transpose().mul(z).sub(identity(z.c)).norm(), float64(z.r)*eps)
}

// The generators make what they say: the sum of squares is that of the spectrum, symmetric matrices are
// symmetric, and the ratios tell a wrong factor.
func TestSpectra(t *testing.T) {
	rng := testutil.Rand(26)
	for _, s := range spectra() {
		for _, n := range []int{1, 2, 9, 30} {
			want := 0.0
			for i := range n {
				want = math.Hypot(want, s.at(n, i))
			}
			for _, a := range []*full{s.symmetric(rng, n), s.general(rng, n, n+3), s.general(rng, 2*n, n)} {
				got := 0.0
				for _, v := range a.x {
					got = math.Hypot(got, v/s.scale)
				}
				if !(math.Abs(got-want) <= 1e-12*want) {
					t.Errorf("%s: n=%d: the norm of a %d×%d matrix is %g, want %g", s.name, n, a.r, a.c, got, want)
				}
			}
		}
	}
	for _, f := range eigenFamilies() {
		for _, n := range []int{0, 1, 5, 42} {
			if a := f.of(rng, n); a.r != n || !sameBits(a.x, a.transpose().x) {
				t.Errorf("%s: n=%d: not symmetric", f.name, n)
			}
		}
	}
	z, values := identity(3), []float64{1, 1, 1}
	if eigenRatio(z, values, z) != 0 || singularRatio(z, z, values, z) != 0 || orthogonalRatio(z) != 0 {
		t.Error("I is not its own factorization")
	}
	a := z.sub(newFull(3, 3)).scaledBy(1 + 1e-12)
	if !(eigenRatio(a, values, z) > ratioBound && singularRatio(a, z, values, z) > ratioBound && orthogonalRatio(a) > ratioBound) {
		t.Error("the ratios do not see an error of 1e-12")
	}
	notFinite(rng, 1, true, func(a *full) {
		if !(a.norm() > math.MaxFloat64) && a.norm() == a.norm() {
			t.Errorf("%v is finite", a)
		}
	})
}
