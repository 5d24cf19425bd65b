package blas12

import (
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil/guard"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// TestBeside calls the routines on triangles and bands with integers, on operands that end or begin at
// a page that cannot be touched. Results are gonum's, to the last element.
func TestBeside(t *testing.T) {
	regions := []*guard.Region{guard.New(t, 1<<14), guard.New(t, 1<<9), guard.New(t, 1<<9)}
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(20, 20))
		for range 2000 {
			n, ul, tA, d := 1+rnd.IntN(70), pick(rnd, []blas.Uplo{blas.Upper, blas.Lower}), pick(rnd, []blas.Transpose{'N', 'T', 'C'}), pick(rnd, []blas.Diag{blas.Unit, blas.NonUnit})
			m, kL, kU, incX, incY := 1+rnd.IntN(70), diagonals(rnd), diagonals(rnd), pick(rnd, increments), pick(rnd, increments)
			length := func(n, inc int) int { return (n-1)*max(inc, -inc) + 1 }
			band, wide := kL+1+rnd.IntN(3), kL+kU+1+rnd.IntN(3)
			lenX, lenY := n, m
			if tA != blas.NoTrans {
				lenX, lenY = m, n
			}
			for name, c := range map[string]struct {
				a, x, y int // the lengths of the operands
				call    func(f vectorBLAS, a, x, y []float64)
			}{
				"Drot":  {0, length(n, incX), length(n, incY), func(f vectorBLAS, _, x, y []float64) { f.Drot(n, x, incX, y, incY, 3, -2) }},
				"Dasum": {0, length(n, 2), 1, func(f vectorBLAS, _, x, y []float64) { y[0] = f.Dasum(n, x, 2) }},
				"Dtrmv": {(n-1)*(n+2) + n, length(n, incX), 0, func(f vectorBLAS, a, x, _ []float64) { f.Dtrmv(ul, tA, d, n, a, n+2, x, incX) }},
				"Dtpmv": {n * (n + 1) / 2, length(n, incX), 0, func(f vectorBLAS, a, x, _ []float64) { f.Dtpmv(ul, tA, d, n, a, x, incX) }},
				"Dtbmv": {(n-1)*band + kL + 1, length(n, incX), 0, func(f vectorBLAS, a, x, _ []float64) { f.Dtbmv(ul, tA, d, n, kL, a, band, x, incX) }},
				"Dsyr2": {(n-1)*(n+2) + n, length(n, incX), length(n, incY), func(f vectorBLAS, a, x, y []float64) { f.Dsyr2(ul, n, 2, x, incX, y, incY, a, n+2) }},
				"Dspr2": {n * (n + 1) / 2, length(n, incX), length(n, incY), func(f vectorBLAS, a, x, y []float64) { f.Dspr2(ul, n, 2, x, incX, y, incY, a) }},
				"Dsbmv": {(n-1)*band + kL + 1, length(n, incX), length(n, incY), func(f vectorBLAS, a, x, y []float64) {
					f.Dsbmv(ul, n, kL, 2, a, band, x, incX, -1, y, incY)
				}},
				"Dgbmv": {(min(m, n+kL)-1)*wide + kL + kU + 1, length(lenX, incX), length(lenY, incY), func(f vectorBLAS, a, x, y []float64) {
					f.Dgbmv(tA, m, n, kL, kU, 2, a, wide, x, incX, -1, y, incY)
				}},
			} {
				operands := [][]float64{integers(rnd, make([]float64, c.a)), integers(rnd, make([]float64, c.x)), integers(rnd, make([]float64, c.y))}
				var want, got [3][]float64
				for i, v := range operands {
					want[i], got[i] = slices.Clone(v), regions[i].Copy(v, pick(rnd, guard.Edges))
				}
				c.call(gonum.Implementation{}, want[0], want[1], want[2])
				if guard.Faults(func() { c.call(r, got[0], got[1], got[2]) }) {
					t.Fatalf("%s, m=%d n=%d kL=%d kU=%d: something beside an operand was read or written", name, m, n, kL, kU)
				}
				for i := range got {
					if !slices.Equal(got[i], want[i]) {
						t.Errorf("%s, ul=%c tA=%c d=%c m=%d n=%d kL=%d kU=%d incX=%d incY=%d: operand %d is not gonum's", name, ul, tA, d, m, n, kL, kU, incX, incY, i)
					}
				}
			}
		}
	})
}
