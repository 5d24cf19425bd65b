package testmat

import (
	"math"
	"math/rand/v2"
)

// A SpectrumKind defines the magnitudes of n eigenvalues, or n singular values: At(n, i)*Scale for i <
// n, where At is nonincreasing in i and at most 1.
type SpectrumKind struct {
	Name  string
	At    func(n, i int) float64
	Scale float64
}

// Spectra returns clustered, rank-deficient, tiny, huge and other spectra. Scales are powers of two.
func Spectra() []SpectrumKind {
	halves := func(n, i int) float64 { return Unless(2*i >= n) * Geometric(10)(n, i) }
	return []SpectrumKind{
		{"graded", Geometric(1e12), 1},
		{"geometric", Geometric(1e3), 1},
		{"arithmetic", func(n, i int) float64 { return 1 - float64(i)/float64(n) }, 1},
		{"clustered", func(n, i int) float64 { return math.Pow(10, -float64(3*i/n)) * (1 - float64(i)*Eps) }, 1},
		{"outlier", func(_, i int) float64 { return Unless(i > 0) + 1e-9*Unless(i == 0) }, 1},
		{"rank-deficient", halves, 1},
		{"rank-one", func(_, i int) float64 { return Unless(i > 0) }, 1},
		{"zero", func(int, int) float64 { return 0 }, 1},
		{"identity", func(int, int) float64 { return 1 }, 1},
		{"tiny", Geometric(1e3), 0x1p-997}, // 1e-300
		{"huge", Geometric(1e3), 0x1p996},  // 1e300
		{"tiny-deficient", halves, 0x1p-1020},
	}
}

// Symmetric returns a symmetric matrix with the eigenvalues Alternate(i)*At(n, i)*Scale.
func (s SpectrumKind) Symmetric(rng *rand.Rand, n int) *Matrix {
	return Spectrum(func(n, i int) float64 { return s.At(n, i) * Alternate(i) })(rng, n).Scaled(s.Scale)
}

// General returns an r×c matrix with the singular values At(min(r, c), i)*Scale.
func (s SpectrumKind) General(rng *rand.Rand, r, c int) *Matrix {
	if r == 0 || c == 0 {
		return New(r, c)
	}
	a := Func(r, c, func(i, j int) float64 { return Unless(i != j) * s.At(min(r, c), i) })
	for range 2 {
		a = a.Reflect(UnitVector(rng, r)).T().Reflect(UnitVector(rng, c)).T()
	}
	return a.Scaled(s.Scale)
}

// tridiagonals returns families of symmetric tridiagonal matrices. Some have many nearly equal
// eigenvalues.
func tridiagonals() []Family {
	tridiagonal := func(d, e func(n, i int) float64) Generator {
		return Each(true, func(_ *rand.Rand, n, i, j int) float64 {
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
	return []Family{
		{Name: "wilkinson", Of: tridiagonal(func(n, i int) float64 { return math.Abs(float64(n-1)/2 - float64(i)) }, one)},
		{Name: "glued", Of: tridiagonal( // copies of Wilkinson's W21+, weakly coupled
			func(_, i int) float64 { return math.Abs(10 - float64(i%21)) },
			func(_, i int) float64 { return Unless(i%21 == 20) + 1e-8*Unless(i%21 != 20) })},
		{Name: "second-difference", Of: tridiagonal(func(int, int) float64 { return 2 }, func(int, int) float64 { return -1 })},
		{Name: "graded-tridiagonal", Of: tridiagonal(Geometric(1e12), Geometric(1e9))},
		{Name: "far-graded", Of: tridiagonal(Geometric(1e300), func(n, i int) float64 { // definite
			return 0.4 * math.Sqrt(Geometric(1e300)(n, i)) * math.Sqrt(Geometric(1e300)(n, i+1))
		})},
	}
}

// Eigen returns families of symmetric matrices for tests of eigenvalues: every spectrum,
// tridiagonal matrices, an arrow, and random elements.
func Eigen() []Family {
	g := tridiagonals()
	for _, s := range Spectra() {
		g = append(g, Family{Name: s.Name, Of: s.Symmetric})
	}
	return append(g,
		Family{Name: "arrow", Of: Each(true, func(_ *rand.Rand, _, i, j int) float64 { return Unless(i > 0) + float64(i)*Unless(i != j) })},
		Family{Name: "random", Of: Normal(true, One)},
		Family{Name: "exponents", Of: Each(true, func(rng *rand.Rand, _, _, _ int) float64 {
			return math.Ldexp(rng.NormFloat64(), -rng.IntN(900))
		})},
		Family{Name: "graded-rows", Of: Normal(true, graded(-1./8, -1./8))})
}

// UnsymmetricEigen returns the families of Unsymmetric and others with all kinds of eigenvalues: Jordan
// blocks, companion matrices, triangles, and matrices with given singular values or eigenvalues.
func UnsymmetricEigen() []Family {
	g := Unsymmetric()
	for _, s := range Spectra() {
		g = append(g, Family{Name: "singular-values-" + s.Name, Of: func(rng *rand.Rand, n int) *Matrix { return s.General(rng, n, n) }})
		g = append(g, Family{Name: "symmetric-" + s.Name, Of: s.Symmetric})
	}
	add := func(name string, f func(rng *rand.Rand, n, i, j int) float64) {
		g = append(g, Family{Name: name, Of: Each(false, f)})
	}
	add("jordan", func(_ *rand.Rand, _, i, j int) float64 { return Unless(i != j && i+1 != j) })
	add("nilpotent", func(_ *rand.Rand, _, i, j int) float64 { return Unless(i+1 != j) })
	add("transposed-jordan", func(_ *rand.Rand, _, i, j int) float64 { return 2*Unless(i != j) + Unless(i != j+1) })
	add("companion", func(rng *rand.Rand, n, i, j int) float64 {
		return Unless(i != j+1) + Unless(j != n-1)*rng.NormFloat64()
	})
	add("triangle", func(rng *rand.Rand, _, i, j int) float64 { return Unless(i > j) * rng.NormFloat64() })
	add("lower", func(rng *rand.Rand, _, i, j int) float64 { return Unless(i < j) * rng.NormFloat64() })
	add("skew", func(_ *rand.Rand, _, i, j int) float64 { return float64(i - j) })
	add("toeplitz", func(_ *rand.Rand, _, i, j int) float64 { return Unless(i-j != 1) - 0.5*Unless(j-i > 3 || j < i) })
	add("badly-scaled", func(rng *rand.Rand, _, i, j int) float64 { return math.Ldexp(rng.NormFloat64(), 12*(i%7-j%7)) })
	add("ones", func(*rand.Rand, int, int, int) float64 { return 1 })
	add("frank", func(_ *rand.Rand, n, i, j int) float64 { return Unless(j < i-1) * float64(n-max(i, j)) })
	return g
}
