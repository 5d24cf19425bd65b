package blas12

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// TestSquare compares the squares of eight rows with the loop for any number of rows, bit for bit.
func TestSquare(t *testing.T) {
	const n = 27
	for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
		for kind, storage := range map[string]func(s *symmetricProduct, a []float64){
			"packed": func(s *symmetricProduct, a []float64) { s.packed(ul, n, a) },
			"full":   func(s *symmetricProduct, a []float64) { s.full(ul, n, a, n) },
			"apart":  func(s *symmetricProduct, a []float64) { s.full(ul, n, a, n+4) },
		} {
			for i := range n - blockRows + 1 {
				rnd := rand.New(rand.NewPCG(1, uint64(i)))
				a, x, y := random(rnd, n*(n+4)), random(rnd, n), random(rnd, n)
				x[i+3] = math.Copysign(0, -1)
				want := slices.Clone(y)
				s := symmetricProduct{alpha: 0.7, x: x}
				storage(&s, a)
				s.anySquare(i, i+blockRows, want)
				s.square(i, i+blockRows, y)
				if !slices.EqualFunc(y, want, func(u, v float64) bool { return math.Float64bits(u) == math.Float64bits(v) }) {
					t.Errorf("%c, %s, row %d: %v, want %v", ul, kind, i, y, want)
				}
			}
		}
	}
}
