package testmat

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// A Generator returns a matrix of order n.
type Generator func(rng *rand.Rand, n int) *Matrix

// A Family is a kind of square matrix.
type Family struct {
	Name      string
	Of        Generator
	Symmetric bool
	Definite  bool            // positive definite to working precision
	Singular  bool            // to working precision: an exactly zero pivot is also right
	MaxOrder  int             // the largest order, or 0 for no limit
	Negative  func(n int) int // the number of negative eigenvalues, if known
}

// Each generates matrices with elements f(rng, n, i, j). If symmetric is true, f gives only the upper
// triangle.
func Each(symmetric bool, f func(rng *rand.Rand, n, i, j int) float64) Generator {
	return func(rng *rand.Rand, n int) *Matrix {
		at := func(i, j int) float64 { return f(rng, n, i, j) }
		if symmetric {
			return Sym(n, at)
		}
		return Func(n, n, at)
	}
}

// Normal generates matrices of standard normal numbers times scale(n, i, j).
func Normal(symmetric bool, scale func(n, i, j int) float64) Generator {
	return Each(symmetric, func(rng *rand.Rand, n, i, j int) float64 { return rng.NormFloat64() * scale(n, i, j) })
}

// One returns 1, the scale that leaves standard normal numbers as they are.
func One(_, _, _ int) float64 { return 1 }

// graded returns a scale, at most 1, with the factor 10^rows per row and 10^columns per column.
func graded(rows, columns float64) func(n, i, j int) float64 {
	return func(n, i, j int) float64 {
		if rows > 0 {
			i -= n
		}
		if columns > 0 {
			j -= n
		}
		return math.Pow(10, rows*float64(i)+columns*float64(j))
	}
}

// sparse generates matrices in which about a third of the elements are zero. The others span twelve
// orders of magnitude. The nonzero antidiagonal keeps small matrices from being exactly singular.
func sparse(symmetric bool) Generator {
	return Each(symmetric, func(rng *rand.Rand, n, i, j int) float64 {
		if i+j != n-1 && rng.IntN(3) == 0 {
			return 0
		}
		return rng.NormFloat64() * math.Pow(10, -12*rng.Float64())
	})
}

// Geometric returns a function for eigenvalues that fall geometrically from 1 to 1/cond.
func Geometric(cond float64) func(n, i int) float64 {
	return func(n, i int) float64 { return math.Pow(cond, -float64(i)/float64(max(1, n-1))) }
}

// From1 returns 1 + i, for the eigenvalues 1, 2, ..., n.
func From1(i int) float64 { return 1 + float64(i) }

// Spectral returns H diag(eigenvalues) Hᵀ for a product H of two random reflections.
func Spectral(rng *rand.Rand, n int, eigenvalue func(i int) float64) *Matrix {
	a := Func(n, n, func(i, j int) float64 { return Unless(i != j) * eigenvalue(i) })
	for range 2 {
		v := UnitVector(rng, n)
		a = a.Reflect(v).T().Reflect(v)
	}
	return Sym(n, a.At)
}

// Spectrum generates symmetric matrices with the eigenvalues eigenvalue(n, i).
func Spectrum(eigenvalue func(n, i int) float64) Generator {
	return func(rng *rand.Rand, n int) *Matrix {
		return Spectral(rng, n, func(i int) float64 { return eigenvalue(n, i) })
	}
}

// General returns a matrix with the singular values 1, 2, ..., n.
func General(rng *rand.Rand, n int) *Matrix {
	return Spectral(rng, n, From1).Reflect(UnitVector(rng, n))
}

// Triangle returns an upper triangular matrix with a dominant diagonal, from 2 to 3.
func Triangle(rng *rand.Rand, n int) *Matrix {
	return Func(n, n, func(i, j int) float64 {
		switch {
		case i == j:
			return 2 + rng.Float64()
		case i < j:
			return rng.NormFloat64() / float64(n)
		}
		return 0
	})
}

// hilbert returns the Hilbert matrix: to working precision it is positive definite up to n = 12,
// and singular from n = 13 on.
func hilbert(_ *rand.Rand, n int) *Matrix {
	return Sym(n, func(i, j int) float64 { return 1 / float64(i+j+1) })
}

// Symmetric returns the symmetric families, random matrices first.
func Symmetric() []Family {
	var g []Family
	add := func(name string, definite bool, negative func(n int) int, of Generator) *Family {
		g = append(g, Family{Name: name, Symmetric: true, Definite: definite, Of: of, Negative: negative})
		return &g[len(g)-1]
	}
	add("random", false, nil, Normal(true, One))
	add("hilbert", true, nil, func(rng *rand.Rand, n int) *Matrix { // with a ridge
		h := hilbert(rng, n)
		return Sym(n, func(i, j int) float64 { return h.At(i, j) + 1e-12*Unless(i != j) })
	})
	add("graded", false, nil, Normal(true, graded(-1./8, -1./8)))
	add("graded-up", false, nil, Normal(true, graded(1./8, 1./8)))
	add("saddle", false, nil, Normal(true, func(n, i, _ int) float64 { return Unless(i >= (n+1)/2) }))
	add("zero-diagonal", false, nil, Normal(true, func(n, i, j int) float64 { return Unless(i == j && n > 1) }))
	add("diagonal", false, nil, Each(true, func(rng *rand.Rand, _, i, j int) float64 {
		return (rng.Float64() + 0.5) * Alternate(i) * Unless(i != j)
	}))
	add("exchange", false, nil, Each(true, func(_ *rand.Rand, n, i, j int) float64 { return Unless(i+j != n-1) }))
	add("near-singular", false, nil, Spectrum(func(n, i int) float64 {
		if i == n-1 {
			return 1e-15
		}
		return Alternate(i)
	}))
	for _, cond := range []float64{1e2, 1e6, 1e10, 1e14} {
		add(fmt.Sprintf("spd-%.0e", cond), cond < 1e14, nil, Spectrum(Geometric(cond)))
	}
	for _, scale := range []float64{1e150, 1e-150} {
		add(fmt.Sprintf("scaled-%.0e", scale), false, nil, Normal(true, func(_, _, _ int) float64 { return scale }))
		add(fmt.Sprintf("spd-scaled-%.0e", scale), true, nil, Spectrum(func(_, i int) float64 { return scale * (1 + float64(i)) }))
	}
	none := func(int) int { return 0 }
	congruent := func(a *Matrix, d func(i int) float64) *Matrix {
		return Sym(a.R, func(i, j int) float64 { return d(i) * a.At(i, j) * d(j) })
	}
	add("hilbert-exact", false, nil, hilbert).Singular = true
	add("hilbert-12", true, none, hilbert).MaxOrder = 12
	for _, cond := range []float64{1e4, 1e8, 1e12} {
		add(fmt.Sprintf("spd-%.0e", cond), true, none, Spectrum(Geometric(cond)))
	}
	// The smallest eigenvalue is 90 u. The errors of the elimination, about n u/6, stay below it.
	add("spd-1e+14-definite", true, none, Spectrum(Geometric(1e14))).MaxOrder = 100
	// D W D with W of condition at most 10 and D from 1 to 1e-7, hence of condition about 1e14. It
	// is definite to working precision for every D (Demmel; Higham, theorem 10.7).
	for _, shuffled := range []bool{false, true} {
		add(fmt.Sprintf("spd-graded-1e+14-shuffled=%v", shuffled), true, none, func(rng *rand.Rand, n int) *Matrix {
			at := func(i int) int { return i }
			if shuffled {
				order := rng.Perm(n)
				at = func(i int) int { return order[i] }
			}
			w := Spectral(rng, n, func(i int) float64 { return 1 + float64(i%10) })
			return congruent(w, func(i int) float64 { return math.Pow(1e-7, float64(at(i))/float64(max(1, n-1))) })
		})
	}
	add("tridiagonal", true, none, Each(true, func(_ *rand.Rand, _, i, j int) float64 { return []float64{2, -1, 0}[min(j-i, 2)] }))
	// Every third eigenvalue is negative.
	thirds := func(n int) int { return (n + 2) / 3 }
	signs := func(cond float64) Generator {
		return Spectrum(func(n, i int) float64 { return Geometric(cond)(n, i) * (1 - 2*Unless(i%3 != 0)) })
	}
	for _, cond := range []float64{1e1, 1e6, 1e11} {
		add(fmt.Sprintf("indefinite-%.0e", cond), false, thirds, signs(cond))
	}
	// Scaling rows and columns keeps the signs of the eigenvalues (Sylvester).
	add("indefinite-wild", false, thirds, func(rng *rand.Rand, n int) *Matrix {
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Pow(10, 140*(rng.Float64()-0.5))
		}
		return congruent(signs(10)(rng, n), func(i int) float64 { return d[i] })
	})
	// Half of the eigenvalues are below the rounding errors of the others.
	add("numerically-singular", false, nil, Spectrum(func(n, i int) float64 {
		if i > n/2 {
			return 1e-17
		}
		return Alternate(i)
	})).Singular = true
	// [H Bᵀ; B -δI] with H definite of order n-m and B of rank m = n/3: m negative eigenvalues.
	third := func(n int) int { return n / 3 }
	saddle := func(scale, delta float64) Generator {
		return func(rng *rand.Rand, n int) *Matrix {
			m := third(n)
			h := Spectral(rng, n-m, func(i int) float64 { return 1 + float64(i%9) })
			return Sym(n, func(i, j int) float64 {
				switch {
				case j < n-m:
					return scale * h.At(i, j)
				case i < n-m:
					return scale * rng.NormFloat64()
				}
				return -scale * delta * Unless(i != j)
			})
		}
	}
	add("saddle-definite", false, third, saddle(1, 0))
	add("saddle-regularised", false, third, saddle(1, 1e-8))
	add("saddle-1e+150", false, third, saddle(1e150, 0))
	add("saddle-1e-150", false, third, saddle(1e-150, 1e-3))
	// The zero block comes first: there is no 1×1 pivot without an exchange.
	add("saddle-reversed", false, third, func(rng *rand.Rand, n int) *Matrix {
		a := saddle(1, 0)(rng, n)
		return Sym(n, func(i, j int) float64 { return a.At(n-1-i, n-1-j) })
	})
	add("sparse", false, nil, sparse(true))
	return g
}

// Unsymmetric returns the families of general square matrices, random matrices first.
func Unsymmetric() []Family {
	normal := func(name string, scale func(n, i, j int) float64) Family {
		return Family{Name: name, Of: Normal(false, scale)}
	}
	g := []Family{
		normal("random", One),
		normal("scaled-1e+150", func(_, _, _ int) float64 { return 1e150 }),
		normal("scaled-1e-150", func(_, _, _ int) float64 { return 1e-150 }),
		normal("graded-rows", graded(-1./8, 0)),
		normal("graded-rows-up", graded(1./8, 0)),
		normal("graded-columns", graded(0, -1./8)),
		normal("graded-columns-up", graded(0, 1./8)),
		normal("graded-both", graded(-1./12, -1./12)),
		normal("hessenberg", func(_, i, j int) float64 { return Unless(j < i-1) }),
		normal("saddle", func(n, i, j int) float64 { return Unless(i >= n-n/3 && j >= n-n/3) }),
		{Name: "hilbert", Singular: true, Of: hilbert},
		{Name: "permutation", Of: Each(false, func(_ *rand.Rand, n, i, j int) float64 { return 2 * Unless((i+1)%n != j) })},
		{Name: "sparse", Of: sparse(false)},
		{Name: "near-singular", Singular: true, Of: func(rng *rand.Rand, n int) *Matrix {
			a := Random(rng, n, n)
			for j := 0; n > 1 && j < n; j++ {
				a.Set(n-1, j, a.At(0, j)*(1+1e-14*rng.Float64()))
			}
			return a
		}},
	}
	for _, cond := range []float64{1, 1e2, 1e6, 1e10, 1e14} {
		g = append(g, Family{Name: fmt.Sprintf("condition-%.0e", cond), Of: func(rng *rand.Rand, n int) *Matrix {
			return Spectrum(Geometric(cond))(rng, n).Reflect(UnitVector(rng, n))
		}})
	}
	return g
}
