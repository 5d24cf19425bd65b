package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// A generator returns a matrix of order n.
type generator func(rng *rand.Rand, n int) *full

// A family is a kind of square matrices.
type family struct {
	name      string
	of        generator
	symmetric bool
	definite  bool            // positive definite to working precision
	singular  bool            // to working precision: an exactly zero pivot is an answer too
	most      int             // the largest order, or 0
	negative  func(n int) int // the number of negative eigenvalues, where it is known
}

// each has the elements f(rng, n, i, j), in all of a matrix or in the upper triangle of a symmetric
// one.
func each(symmetric bool, f func(rng *rand.Rand, n, i, j int) float64) generator {
	return func(rng *rand.Rand, n int) *full {
		at := func(i, j int) float64 { return f(rng, n, i, j) }
		if symmetric {
			return symFunc(n, at)
		}
		a := newFull(n, n)
		for i := range n {
			for j := range n {
				a.set(i, j, at(i, j))
			}
		}
		return a
	}
}

// normal has normal numbers times scale(n, i, j).
func normal(symmetric bool, scale func(n, i, j int) float64) generator {
	return each(symmetric, func(rng *rand.Rand, n, i, j int) float64 { return rng.NormFloat64() * scale(n, i, j) })
}

// sparse has zeros for a third of the elements, and the others over twelve orders of magnitude, on a
// permutation that keeps the small ones from being exactly singular.
func sparse(symmetric bool) generator {
	return each(symmetric, func(rng *rand.Rand, n, i, j int) float64 {
		if i+j != n-1 && rng.IntN(3) == 0 {
			return 0
		}
		return rng.NormFloat64() * math.Pow(10, -12*rng.Float64())
	})
}

// spectrum has the eigenvalues eigenvalue(n, i).
func spectrum(eigenvalue func(n, i int) float64) generator {
	return func(rng *rand.Rand, n int) *full {
		return symSpectrum(rng, n, func(i int) float64 { return eigenvalue(n, i) })
	}
}

// geometric are eigenvalues from 1 to 1/cond.
func geometric(cond float64) func(n, i int) float64 {
	return func(n, i int) float64 { return math.Pow(cond, -float64(i)/float64(max(1, n-1))) }
}

// unless returns 1, or 0 where it is set.
func unless(zero bool) float64 {
	if zero {
		return 0
	}
	return 1
}

func constant(v float64) func(n, i, j int) float64 { return func(int, int, int) float64 { return v } }

// alternate is 1 for even and -1 for odd i.
func alternate(i int) float64 { return float64(1 - 2*(i%2)) }

// hilbert is the Hilbert matrix: singular to working precision from n = 13 on, and positive definite to
// it up to 12.
func hilbert(_ *rand.Rand, n int) *full {
	return symFunc(n, func(i, j int) float64 { return 1 / float64(i+j+1) })
}

// symGallery has the symmetric families that most tests take.
func symGallery() []family {
	var g []family
	add := func(name string, definite bool, of generator) {
		g = append(g, family{name: name, symmetric: true, definite: definite, of: of})
	}
	add("random", false, normal(true, constant(1)))
	add("hilbert", true, func(rng *rand.Rand, n int) *full { // with a ridge
		h := hilbert(rng, n)
		for i := range n {
			h.set(i, i, h.at(i, i)+1e-12)
		}
		return h
	})
	add("graded", false, normal(true, func(_, i, j int) float64 { return math.Pow(10, -float64(i+j)/8) }))
	add("graded-up", false, normal(true, func(n, i, j int) float64 { return math.Pow(10, float64(i+j-2*n)/8) }))
	add("saddle", false, normal(true, func(n, i, _ int) float64 { return unless(i >= (n+1)/2) }))
	add("zero-diagonal", false, normal(true, func(n, i, j int) float64 { return unless(i == j && n > 1) }))
	add("diagonal", false, each(true, func(rng *rand.Rand, _, i, j int) float64 {
		return (rng.Float64() + 0.5) * alternate(i) * unless(i != j)
	}))
	add("exchange", false, each(true, func(_ *rand.Rand, n, i, j int) float64 { return unless(i+j != n-1) }))
	add("near-singular", false, spectrum(func(n, i int) float64 {
		if i == n-1 {
			return 1e-15
		}
		return alternate(i)
	}))
	for _, cond := range []float64{1e2, 1e6, 1e10, 1e14} {
		add(fmt.Sprintf("spd-%.0e", cond), cond < 1e14, spectrum(geometric(cond)))
	}
	for _, scale := range []float64{1e150, 1e-150} {
		add(fmt.Sprintf("scaled-%.0e", scale), false, normal(true, constant(scale)))
		add(fmt.Sprintf("spd-scaled-%.0e", scale), true, spectrum(func(_, i int) float64 { return scale * (1 + float64(i)) }))
	}
	return g
}

// symmetricFamilies are those of symGallery and more.
func symmetricFamilies() []family {
	g := symGallery()
	add := func(name string, definite bool, negative func(n int) int, of generator) *family {
		g = append(g, family{name: name, symmetric: true, definite: definite, of: of, negative: negative})
		return &g[len(g)-1]
	}
	none := func(int) int { return 0 }
	congruent := func(a *full, d func(i int) float64) *full {
		return symFunc(a.r, func(i, j int) float64 { return d(i) * a.at(i, j) * d(j) })
	}
	add("hilbert-exact", false, nil, hilbert).singular = true
	add("hilbert-12", true, none, hilbert).most = 12
	for _, cond := range []float64{1e4, 1e8, 1e12} {
		add(fmt.Sprintf("spd-%.0e", cond), true, none, spectrum(geometric(cond)))
	}
	// The least eigenvalue is 90 u, which the errors of the elimination, about n u/6, stay below.
	add("spd-1e+14-definite", true, none, spectrum(geometric(1e14))).most = 100
	// D W D with W of condition at most 10 and D from 1 to 1e-7, hence of condition 1e14 or so. It
	// is definite to working precision whatever D is (Demmel; Higham, theorem 10.7).
	for _, shuffled := range []bool{false, true} {
		add(fmt.Sprintf("spd-graded-1e+14-shuffled=%v", shuffled), true, none, func(rng *rand.Rand, n int) *full {
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			if shuffled {
				order = rng.Perm(n)
			}
			w := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i%10) })
			return congruent(w, func(i int) float64 { return math.Pow(1e-7, float64(order[i])/float64(max(1, n-1))) })
		})
	}
	add("tridiagonal", true, none, each(true, func(_ *rand.Rand, _, i, j int) float64 { return []float64{2, -1, 0}[min(j-i, 2)] }))
	// Every third eigenvalue is negative.
	thirds := func(n int) int { return (n + 2) / 3 }
	signs := func(cond float64) generator {
		return spectrum(func(n, i int) float64 { return geometric(cond)(n, i) * (1 - 2*unless(i%3 != 0)) })
	}
	for _, cond := range []float64{1e1, 1e6, 1e11} {
		add(fmt.Sprintf("indefinite-%.0e", cond), false, thirds, signs(cond))
	}
	// Sylvester: scaling rows and columns keeps the signs. Elements from 1e-140 to 1e140.
	add("indefinite-wild", false, thirds, func(rng *rand.Rand, n int) *full {
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Pow(10, 140*(rng.Float64()-0.5))
		}
		return congruent(signs(10)(rng, n), func(i int) float64 { return d[i] })
	})
	// Half of the eigenvalues below the rounding errors of the others.
	add("numerically-singular", false, nil, spectrum(func(n, i int) float64 {
		if i > n/2 {
			return 1e-17
		}
		return alternate(i)
	})).singular = true
	// [H Bᵀ; B -δI] with H definite of order n-m and B of rank m = n/3: m negative eigenvalues.
	third := func(n int) int { return n / 3 }
	saddle := func(scale, delta float64) generator {
		return func(rng *rand.Rand, n int) *full {
			m := third(n)
			h := symSpectrum(rng, n-m, func(i int) float64 { return 1 + float64(i%9) })
			return symFunc(n, func(i, j int) float64 {
				switch {
				case j < n-m:
					return scale * h.at(i, j)
				case i < n-m:
					return scale * rng.NormFloat64()
				}
				return -scale * delta * unless(i != j)
			})
		}
	}
	add("saddle-definite", false, third, saddle(1, 0))
	add("saddle-regularised", false, third, saddle(1, 1e-8))
	add("saddle-1e+150", false, third, saddle(1e150, 0))
	add("saddle-1e-150", false, third, saddle(1e-150, 1e-3))
	// The zero block first: no 1×1 pivot without an exchange.
	add("saddle-reversed", false, third, func(rng *rand.Rand, n int) *full {
		a := saddle(1, 0)(rng, n)
		return symFunc(n, func(i, j int) float64 { return a.at(n-1-i, n-1-j) })
	})
	add("sparse", false, nil, sparse(true))
	return g
}

// generalFamilies are those of matrices that are not symmetric.
func generalFamilies() []family {
	g := []family{
		{name: "random", of: normal(false, constant(1))},
		{name: "scaled-1e+150", of: normal(false, constant(1e150))},
		{name: "scaled-1e-150", of: normal(false, constant(1e-150))},
		{name: "graded-rows", of: normal(false, func(_, i, _ int) float64 { return math.Pow(10, -float64(i)/8) })},
		{name: "graded-rows-up", of: normal(false, func(n, i, _ int) float64 { return math.Pow(10, float64(i-n)/8) })},
		{name: "graded-columns", of: normal(false, func(_, _, j int) float64 { return math.Pow(10, -float64(j)/8) })},
		{name: "graded-columns-up", of: normal(false, func(n, _, j int) float64 { return math.Pow(10, float64(j-n)/8) })},
		{name: "graded-both", of: normal(false, func(_, i, j int) float64 { return math.Pow(10, -float64(i+j)/12) })},
		{name: "hilbert", singular: true, of: hilbert},
		{name: "hessenberg", of: normal(false, func(_, i, j int) float64 { return unless(j < i-1) })},
		{name: "permutation", of: each(false, func(_ *rand.Rand, n, i, j int) float64 { return 2 * unless((i+1)%n != j) })},
		{name: "sparse", of: sparse(false)},
		{name: "saddle", of: normal(false, func(n, i, j int) float64 { return unless(i >= n-n/3 && j >= n-n/3) })},
		{name: "near-singular", singular: true, of: func(rng *rand.Rand, n int) *full {
			a := randomFull(rng, n, n)
			for j := 0; n > 1 && j < n; j++ {
				a.set(n-1, j, a.at(0, j)*(1+1e-14*rng.Float64()))
			}
			return a
		}},
	}
	for _, cond := range []float64{1, 1e2, 1e6, 1e10, 1e14} {
		g = append(g, family{name: fmt.Sprintf("condition-%.0e", cond), of: func(rng *rand.Rand, n int) *full {
			return spectrum(geometric(cond))(rng, n).reflectLeft(unitVector(rng, n))
		}})
	}
	return g
}
