package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/long"
	"blskernel/mat"
)

// boundaries are orders about multiples of the block sizes, present and likely.
var boundaries = []int{63, 64, 65, 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300, 385}

// galleryOrders returns the orders at which the family of the given index is tested, at most most (0:
// no limit). All of them take minutes, and are there with BLSKERNEL_LONG=1; else every family meets
// orders of all sizes, and every order some of the families, a third of them with -short.
func galleryOrders(family, most int) []int {
	var orders []int
	add := func(n int) {
		if most == 0 || n <= most {
			orders = append(orders, n)
		}
	}
	all, every := long.Asked(), 37
	if testing.Short() {
		every *= 3
	}
	for n := 1; n <= 200; n++ {
		if all || n <= 10 || (n+11*family)%every == 0 {
			add(n)
		}
	}
	for i, n := range boundaries {
		if all && n > 200 || !all && (i+5*family)%len(boundaries) == 0 {
			add(n)
		}
	}
	return orders
}

// A galleryMatrix is a family of symmetric matrices.
type galleryMatrix struct {
	symMatrix
	singular bool            // to working precision: an exactly zero pivot is an answer too
	most     int             // the largest order, or 0
	negative func(n int) int // the number of negative eigenvalues, where it is known
}

func symmetricFamilies() []galleryMatrix {
	var g []galleryMatrix
	for _, m := range symGallery() {
		g = append(g, galleryMatrix{symMatrix: m})
	}
	none := func(int) int { return 0 }
	add := func(name string, spd bool, negative func(n int) int, generate func(rng *rand.Rand, n int) *mat.SymPacked) {
		g = append(g, galleryMatrix{symMatrix: symMatrix{name, spd, generate}, negative: negative})
	}
	congruent := func(a *mat.SymPacked, d func(i int) float64) *mat.SymPacked {
		return symFunc(a.SymmetricDim(), func(i, j int) float64 { return d(i) * a.At(i, j) * d(j) })
	}
	// The Hilbert matrix itself: singular to working precision from n = 13 on, and positive
	// definite to it up to 12.
	hilbert := func(_ *rand.Rand, n int) *mat.SymPacked {
		return symFunc(n, func(i, j int) float64 { return 1 / float64(i+j+1) })
	}
	g = append(g, galleryMatrix{symMatrix: symMatrix{"hilbert-exact", false, hilbert}, singular: true})
	g = append(g, galleryMatrix{symMatrix: symMatrix{"hilbert-12", true, hilbert}, most: 12, negative: none})
	for _, cond := range []float64{1e4, 1e8, 1e12} {
		add(fmt.Sprintf("spd-%.0e", cond), true, none, func(rng *rand.Rand, n int) *mat.SymPacked {
			return symSpectrum(rng, n, func(i int) float64 { return math.Pow(cond, -float64(i)/float64(max(1, n-1))) })
		})
	}
	// The least eigenvalue is 90 u, which the errors of the elimination, about n u/6, stay below.
	g = append(g, galleryMatrix{symMatrix: symMatrix{"spd-1e+14-definite", true, func(rng *rand.Rand, n int) *mat.SymPacked {
		return symSpectrum(rng, n, func(i int) float64 { return math.Pow(1e14, -float64(i)/float64(max(1, n-1))) })
	}}, most: 100, negative: none})
	// D W D with W of condition at most 10 and D from 1 to 1e-7, hence of condition 1e14 or so. It
	// is definite to working precision whatever D is (Demmel; Higham, theorem 10.7).
	for _, shuffled := range []bool{false, true} {
		add(fmt.Sprintf("spd-graded-1e+14-shuffled=%v", shuffled), true, none, func(rng *rand.Rand, n int) *mat.SymPacked {
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
	add("tridiagonal", true, none, func(_ *rand.Rand, n int) *mat.SymPacked {
		return symFunc(n, func(i, j int) float64 { return []float64{2, -1, 0}[min(j-i, 2)] })
	})
	// Every third eigenvalue is negative.
	thirds := func(n int) int { return (n + 2) / 3 }
	signs := func(cond float64) func(rng *rand.Rand, n int) *mat.SymPacked {
		return func(rng *rand.Rand, n int) *mat.SymPacked {
			return symSpectrum(rng, n, func(i int) float64 {
				v := math.Pow(cond, -float64(i)/float64(max(1, n-1)))
				if i%3 == 0 {
					return -v
				}
				return v
			})
		}
	}
	for _, cond := range []float64{1e1, 1e6, 1e11} {
		add(fmt.Sprintf("indefinite-%.0e", cond), false, thirds, signs(cond))
	}
	// Sylvester: scaling rows and columns keeps the signs. Elements from 1e-140 to 1e140.
	add("indefinite-wild", false, thirds, func(rng *rand.Rand, n int) *mat.SymPacked {
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Pow(10, 140*(rng.Float64()-0.5))
		}
		return congruent(signs(10)(rng, n), func(i int) float64 { return d[i] })
	})
	// Half of the eigenvalues below the rounding errors of the others.
	g = append(g, galleryMatrix{singular: true, symMatrix: symMatrix{"numerically-singular", false, func(rng *rand.Rand, n int) *mat.SymPacked {
		return symSpectrum(rng, n, func(i int) float64 {
			if i > n/2 {
				return 1e-17
			}
			return float64(1 - 2*(i%2))
		})
	}}})
	// [H Bᵀ; B -δI] with H definite of order n-m and B of rank m = n/3: m negative eigenvalues.
	third := func(n int) int { return n / 3 }
	saddle := func(scale, delta float64) func(rng *rand.Rand, n int) *mat.SymPacked {
		return func(rng *rand.Rand, n int) *mat.SymPacked {
			m := third(n)
			h := symSpectrum(rng, n-m, func(i int) float64 { return 1 + float64(i%9) })
			return symFunc(n, func(i, j int) float64 {
				switch {
				case j < n-m:
					return scale * h.At(i, j)
				case i < n-m:
					return scale * rng.NormFloat64()
				case i == j:
					return -scale * delta
				}
				return 0
			})
		}
	}
	add("saddle-definite", false, third, saddle(1, 0))
	add("saddle-regularised", false, third, saddle(1, 1e-8))
	add("saddle-1e+150", false, third, saddle(1e150, 0))
	add("saddle-1e-150", false, third, saddle(1e-150, 1e-3))
	// The zero block first: no 1×1 pivot without an exchange.
	add("saddle-reversed", false, third, func(rng *rand.Rand, n int) *mat.SymPacked {
		a := saddle(1, 0)(rng, n)
		return symFunc(n, func(i, j int) float64 { return a.At(n-1-i, n-1-j) })
	})
	// A third of the elements zero, the others over twelve orders of magnitude, on a permutation
	// that keeps the small ones from being exactly singular.
	add("sparse", false, nil, func(rng *rand.Rand, n int) *mat.SymPacked {
		return symFunc(n, func(i, j int) float64 {
			if i+j != n-1 && rng.IntN(3) == 0 {
				return 0
			}
			return rng.NormFloat64() * math.Pow(10, -12*rng.Float64())
		})
	})
	return g
}

// A generalMatrix is a family of square matrices.
type generalMatrix struct {
	name     string
	generate func(rng *rand.Rand, n int) *full
	singular bool // to working precision: an exactly zero pivot is an answer too
}

func generalFamilies() []generalMatrix {
	elements := func(f func(rng *rand.Rand, n, i, j int) float64) func(rng *rand.Rand, n int) *full {
		return func(rng *rand.Rand, n int) *full {
			a := newFull(n, n)
			for i := range n {
				for j := range n {
					a.set(i, j, f(rng, n, i, j))
				}
			}
			return a
		}
	}
	scaled := func(scale func(n, i, j int) float64) func(rng *rand.Rand, n int) *full {
		return elements(func(rng *rand.Rand, n, i, j int) float64 { return scale(n, i, j) * rng.NormFloat64() })
	}
	spectrum := func(cond float64) func(rng *rand.Rand, n int) *full {
		return func(rng *rand.Rand, n int) *full {
			return fullOf(symSpectrum(rng, n, func(i int) float64 {
				return math.Pow(cond, -float64(i)/float64(max(1, n-1)))
			})).reflectLeft(unitVector(rng, n))
		}
	}
	g := []generalMatrix{
		{name: "random", generate: scaled(func(n, i, j int) float64 { return 1 })},
		{name: "scaled-1e+150", generate: scaled(func(n, i, j int) float64 { return 1e150 })},
		{name: "scaled-1e-150", generate: scaled(func(n, i, j int) float64 { return 1e-150 })},
		{name: "graded-rows", generate: scaled(func(n, i, j int) float64 { return math.Pow(10, -float64(i)/8) })},
		{name: "graded-rows-up", generate: scaled(func(n, i, j int) float64 { return math.Pow(10, float64(i-n)/8) })},
		{name: "graded-columns", generate: scaled(func(n, i, j int) float64 { return math.Pow(10, -float64(j)/8) })},
		{name: "graded-columns-up", generate: scaled(func(n, i, j int) float64 { return math.Pow(10, float64(j-n)/8) })},
		{name: "graded-both", generate: scaled(func(n, i, j int) float64 { return math.Pow(10, -float64(i+j)/12) })},
		{name: "hilbert", singular: true, generate: elements(func(_ *rand.Rand, n, i, j int) float64 { return 1 / float64(i+j+1) })},
		{name: "hessenberg", generate: elements(func(rng *rand.Rand, n, i, j int) float64 {
			if j < i-1 {
				return 0
			}
			return rng.NormFloat64()
		})},
		{name: "permutation", generate: elements(func(_ *rand.Rand, n, i, j int) float64 {
			if (i+1)%n == j {
				return 2
			}
			return 0
		})},
		{name: "sparse", generate: elements(func(rng *rand.Rand, n, i, j int) float64 {
			if i+j != n-1 && rng.IntN(3) == 0 {
				return 0
			}
			return rng.NormFloat64() * math.Pow(10, -12*rng.Float64())
		})},
		{name: "saddle", generate: elements(func(rng *rand.Rand, n, i, j int) float64 {
			if m := n / 3; i >= n-m && j >= n-m {
				return 0
			}
			return rng.NormFloat64()
		})},
		{name: "near-singular", singular: true, generate: func(rng *rand.Rand, n int) *full {
			a := randomFull(rng, n, n)
			for j := 0; n > 1 && j < n; j++ {
				a.set(n-1, j, a.at(0, j)*(1+1e-14*rng.Float64()))
			}
			return a
		}},
	}
	for _, cond := range []float64{1, 1e2, 1e6, 1e10, 1e14} {
		g = append(g, generalMatrix{name: fmt.Sprintf("condition-%.0e", cond), generate: spectrum(cond)})
	}
	return g
}

// A ratioTable keeps the largest ratio of each kind, by family.
type ratioTable map[string]map[string]float64

// elementBound is the bound on elementRatio: the theorems have n u for the elimination, or a small
// multiple of it for LDLT, and the product that the test computes has n u again, or 2n u if it is of
// three matrices.
const elementBound = 5

// check notes a ratio and reports one that is not at most bound.
func (r ratioTable) check(t *testing.T, family, kind string, n int, ratio, bound float64) {
	t.Helper()
	if !(ratio <= bound) {
		t.Errorf("%s: n=%d: %s is %.3g", family, n, kind, ratio)
	}
	if r[family] == nil {
		r[family] = map[string]float64{}
	}
	r[family][kind] = max(r[family][kind], ratio)
}

// log writes the table, for go test -v.
func (r ratioTable) log(t *testing.T) {
	t.Helper()
	var families []string
	for family := range r {
		families = append(families, family)
	}
	sort.Strings(families)
	for _, family := range families {
		var kinds []string
		for kind, ratio := range r[family] {
			kinds = append(kinds, fmt.Sprintf("%s %.3f", kind, ratio))
		}
		sort.Strings(kinds)
		t.Logf("%-36s %s", family, strings.Join(kinds, ", "))
	}
}

// residualRatio is max_j ‖(B - A X)_j‖/(n ‖A‖ ‖X_j‖ eps).
func residualRatio(a, x, b *full) float64 {
	res, worst := b.sub(a.mul(x)), 0.0
	for j := range b.c {
		worst = max(worst, over(res.column(j).norm(), float64(a.r)*eps, a.norm(), x.column(j).norm()))
	}
	return worst
}

// inverseRatio is ‖I - A X‖/(n ‖A‖ ‖X‖ eps).
func inverseRatio(a, x *full) float64 {
	return over(identity(a.r).sub(a.mul(x)).norm(), float64(a.r)*eps, a.norm(), x.norm())
}

// checkRCondGallery tests RCond where the computed inverse is right to a few digits: from the true
// value, but for rounding, to ten times as much (see checkRCond); and elsewhere that it is small.
func checkRCondGallery(t *testing.T, name string, got float64, a, inv *full) {
	t.Helper()
	if want := 1 / a.norm() / inv.norm(); want > 1e-11 {
		checkRCond(t, name, got, a, inv)
	} else if !(got >= 0) || !(got < 1e-9) {
		t.Errorf("%s: RCond = %.3g of a matrix with %.3g", name, got, want)
	}
}

// onEach runs a test of the gallery on every backend, with a table of its ratios.
func onEach(t *testing.T, f func(t *testing.T, bk blskernel.Backend, ratios ratioTable)) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		ratios := ratioTable{}
		f(t, bk, ratios)
		ratios.log(t)
	})
}
