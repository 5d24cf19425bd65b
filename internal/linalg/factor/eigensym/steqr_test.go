package eigensym

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"
)

// TestSweepsEnd checks that a solver without sweeps left gives up, with vectors and without.
func TestSweepsEnd(t *testing.T) {
	const n = 12
	rng := rand.New(rand.NewPCG(26, n))
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range e {
		d[i], e[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	for left := range 5 * n {
		for _, vectors := range []bool{false, true} {
			q := solver{Backend: factor.On(blskernel.Default()), vectors: vectors, z: block.Dense(make([]float64, n*n), n), left: left}
			if ok := q.block(slices.Clone(d), slices.Clone(e), 0); ok != (q.left >= 0) || left < n/2 && ok || left >= 4*n && !ok {
				t.Errorf("%v with %d sweeps, vectors %v, %d left", ok, left, vectors, q.left)
			}
		}
	}
}

// TestExponents checks matrices with elements of very different sizes. Eigenvalues and elements have
// the same sum of squares, with vectors and without, and the vectors are orthogonal.
func TestExponents(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	bk := factor.On(blskernel.Default())
	rng := rand.New(rand.NewPCG(27, 0))
	for k := range 20000 {
		n, spread := 2+rng.IntN(6), 1+rng.IntN(1000)
		number := func() float64 { return math.Ldexp(2*rng.Float64()-1, -rng.IntN(spread)) }
		d, e, sum := make([]float64, n), make([]float64, n-1), 0.0
		z := testmat.New(n, n)
		for i := range d {
			d[i] = number()
			sum += d[i] * d[i]
		}
		for i := range e {
			e[i] = number()
			sum += 2 * e[i] * e[i]
		}
		scale := unitScale(math.Sqrt(sum))
		alone := slices.Clone(d)
		ok, okAlone := Sterf(alone, slices.Clone(e)), Stedc(bk, d, e, block.Dense(z.X, n))
		if r := testmat.OrthogonalRatio(z.T()); !(r*float64(n) <= 40) {
			t.Fatalf("matrix %d: ‖Z Zᵀ - I‖/(n eps) = %g", k, r)
		}
		for _, values := range [][]float64{d, alone} {
			got := 0.0
			for _, v := range values {
				got += v * scale * v * scale
			}
			if !ok || !okAlone || sum > 0x1p-900 && !(math.Abs(got/(sum*scale*scale)-1) <= 100*eps) {
				t.Fatalf("matrix %d: eigenvalues %g and %g alone, want a sum of squares of %g", k, d, alone, sum)
			}
		}
	}
}

// TestStedc checks that the vectors are orthogonal and that T Z = Z Λ, up to rounding. Parts of T are
// far smaller than others, eigenvalues agree, or the diagonal is zero.
func TestStedc(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	bk := factor.On(blskernel.Default())
	one := func(int) float64 { return 1 }
	for _, n := range []int{leafOrder, leafOrder + 1, 2*leafOrder + 2, 130} {
		for p := range 35 {
			if n == 130 && p%5 > 0 && !testutil.Long() {
				continue
			}
			rng := rand.New(rand.NewPCG(28, uint64(p)))
			normal := func(int) float64 { return rng.NormFloat64() }
			zeros := func(i int) float64 { return float64(i%2) * rng.Float64() }
			tiny := math.Ldexp(1, -31*p)
			part := func(i int) float64 {
				if i > n/2-3 {
					return tiny
				}
				return 1
			}
			for name, f := range map[string][2]func(i int) float64{
				"random":      {normal, normal},
				"links":       {func(i int) float64 { return math.Abs(10 - float64(i%21)) }, func(i int) float64 { return max(tiny, float64(i%21)/20) }},
				"tiny part":   {func(i int) float64 { return normal(i) * part(i) }, func(i int) float64 { return normal(i) * part(i) }},
				"tiny, zeros": {func(i int) float64 { return zeros(i) * part(i) }, func(i int) float64 { return normal(i) * part(i) }},
				"tiny beside": {one, func(int) float64 { return tiny }},
				"zeros on it": {func(int) float64 { return 0 }, normal},
			} {
				a := testmat.Sym(n, func(i, j int) float64 {
					if j > i+1 {
						return 0
					}
					return f[j-i](i)
				})
				w, e, z := make([]float64, n), make([]float64, n-1), testmat.New(n, n)
				for i := range n {
					if w[i] = a.At(i, i); i < n-1 {
						e[i] = a.At(i, i+1)
					}
				}
				name := fmt.Sprintf("%s, 2^-%d, n=%d", name, 31*p, n)
				if !Stedc(bk, w, e, block.Dense(z.X, n)) {
					t.Fatalf("%s: no convergence", name)
				}
				z = z.T()
				if q, r := testmat.OrthogonalRatio(z), testmat.EigenRatio(a, w, z); !(q <= 10 && r <= 10) {
					t.Fatalf("%s: ‖ZᵀZ - I‖/(n eps) = %g, ‖T Z - Z Λ‖/(n ‖T‖ eps) = %g", name, q, r)
				}
			}
		}
	}
}
