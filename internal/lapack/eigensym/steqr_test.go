package eigensym

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
)

// Sweeps end: a solver that has none left gives up, with vectors and without.
func TestSweepsEnd(t *testing.T) {
	const n = 12
	rng := rand.New(rand.NewPCG(26, n))
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range e {
		d[i], e[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	for left := range 5 * n {
		for _, vectors := range []bool{false, true} {
			q := solver{vectors: vectors, z: block.Dense(make([]float64, n*n), n), c: make([]float64, n-1), s: make([]float64, n-1), left: left}
			if ok := q.block(slices.Clone(d), slices.Clone(e), 0); ok != (q.left >= 0) || left < n/2 && ok || left >= 4*n && !ok {
				t.Errorf("%v with %d sweeps, vectors %v, %d left", ok, left, vectors, q.left)
			}
		}
	}
}

// Elements may have any size beside each other: the sum of squares of the eigenvalues is that of the
// elements, with vectors and without, and the vectors are orthogonal.
func TestExponents(t *testing.T) {
	bk := lapack.On(blskernel.Default())
	rng := rand.New(rand.NewPCG(27, 0))
	for k := range 20000 {
		n, spread := 2+rng.IntN(6), 1+rng.IntN(1000)
		number := func() float64 { return math.Ldexp(2*rng.Float64()-1, -rng.IntN(spread)) }
		d, e, sum := make([]float64, n), make([]float64, n-1), 0.0
		z := block.Dense(make([]float64, n*n), n)
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
		ok, okAlone := Sterf(alone, slices.Clone(e)), Stedc(bk, d, e, z)
		for i := range n {
			for j := range i + 1 {
				dot := bk.Ddot(n, z.Elements(i, 0, n), 1, z.Elements(j, 0, n), 1)
				if i == j {
					dot--
				}
				if !(math.Abs(dot) <= 40*eps) {
					t.Fatalf("matrix %d: vectors %d and %d: %g", k, i, j, dot)
				}
			}
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
