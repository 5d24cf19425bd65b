package blas12

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// sameBits reports whether two slices are the same, all NaN being one number.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(u, v float64) bool {
		return math.Float64bits(u) == math.Float64bits(v) || math.IsNaN(u) && math.IsNaN(v)
	})
}

// everyCall calls do with calls of all routines on operands of a number of sizes. y is large enough for
// every increment, and special numbers are among the operands if rough.
func everyCall(rnd *rand.Rand, rough bool, do func(name string, n int, a, x, y []float64, call func(f vectorBLAS, a, x, y []float64))) {
	sizes := []int{71, 131, 260, 513}
	for n := 1; n < maxLength; n++ {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		a, x, y := random(rnd, n*(n+3)), random(rnd, 3*n), random(rnd, 3*n)
		for _, v := range [][]float64{a, x, y} {
			for range rnd.IntN(4) {
				if rough {
					v[rnd.IntN(len(v))] = pick(rnd, []float64{0, math.Copysign(0, -1), nan, math.Inf(1), math.Inf(-1), 0x1p-1074, math.MaxFloat64})
				}
			}
		}
		for _, c := range calls {
			do(c.name, n, a, x, y, func(f vectorBLAS, a, x, y []float64) { c.do(f, n, a, x, y) })
		}
		k, m := diagonals(rnd), max(1, n/3)
		incX, incY, ul := pick(rnd, increments), pick(rnd, increments), pick(rnd, []blas.Uplo{blas.Upper, blas.Lower})
		inc := max(incX, -incX)
		for name, call := range map[string]func(f vectorBLAS, a, x, y []float64){
			"Ddot":   func(f vectorBLAS, _, x, y []float64) { y[0] = f.Ddot(n, x, incX, y, incY) },
			"Dnrm2":  func(f vectorBLAS, _, x, y []float64) { y[0] = f.Dnrm2(n, x, inc) },
			"Dasum":  func(f vectorBLAS, _, x, y []float64) { y[0] = f.Dasum(n, x, inc) },
			"Daxpy":  func(f vectorBLAS, _, x, y []float64) { f.Daxpy(n, 0.7, x, incX, y, incY) },
			"Dscal":  func(f vectorBLAS, _, x, _ []float64) { f.Dscal(n, 0.7, x, inc) },
			"DgemvN": func(f vectorBLAS, a, x, y []float64) { f.Dgemv('N', m, n, 0.7, a, n+3, x, incX, 1.3, y, incY) },
			"DgemvT": func(f vectorBLAS, a, x, y []float64) { f.Dgemv('T', n, m, 0.7, a, n+3, x, incX, 1.3, y, incY) },
			"DgbmvN": func(f vectorBLAS, a, x, y []float64) {
				f.Dgbmv('N', m, n, 1, min(k, n), 0.7, a, n+3, x, incX, 1.3, y, incY)
			},
			"DgbmvT": func(f vectorBLAS, a, x, y []float64) {
				f.Dgbmv('T', n, m, min(k, n), 1, 0.7, a, n+3, x, incX, 0, y, incY)
			},
			"Dsbmv": func(f vectorBLAS, a, x, y []float64) { f.Dsbmv(ul, n, min(k, n), 0.7, a, n+3, x, incX, 1.3, y, incY) },
			"Dsymv": func(f vectorBLAS, a, x, y []float64) { f.Dsymv(ul, n, 0.7, a, n+3, x, incX, 1.3, y, incY) },
			"Dspmv": func(f vectorBLAS, a, x, y []float64) { f.Dspmv(ul, n, 0.7, a, x, incX, 0, y, incY) },
			"Dger":  func(f vectorBLAS, a, x, y []float64) { f.Dger(n, m, 0.7, x, incX, y, incY, a, n+3) },
			"Dsyr":  func(f vectorBLAS, a, x, _ []float64) { f.Dsyr(ul, n, 0.7, x, incX, a, n+3) },
			"Dspr":  func(f vectorBLAS, a, x, _ []float64) { f.Dspr(ul, n, 0.7, x, incX, a) },
			"Dsyr2": func(f vectorBLAS, a, x, y []float64) { f.Dsyr2(ul, n, 0.7, x, incX, y, incY, a, n+3) },
			"Dspr2": func(f vectorBLAS, a, x, y []float64) { f.Dspr2(ul, n, 0.7, x, incX, y, incY, a) },
		} {
			do(name, n, a, x, y, call)
		}
	}
}

// TestKernelsAgree compares, bit for bit, the results of each kernel with those of the first one.
func TestKernelsAgree(t *testing.T) {
	all := kernels.All(t)
	rnd := rand.New(rand.NewPCG(16, 16))
	for _, rough := range []bool{false, true} {
		everyCall(rnd, rough, func(name string, n int, a, x, y []float64, call func(f vectorBLAS, a, x, y []float64)) {
			var want []float64
			for _, k := range all {
				a, x, y := slices.Clone(a), slices.Clone(x), slices.Clone(y)
				call(New(k, nil), a, x, y)
				got := slices.Concat(a, x, y)
				if want == nil {
					want = got
				}
				if !sameBits(got, want) {
					t.Errorf("%s, n=%d: %s has other bits than %s", name, n, k.Name, all[0].Name)
				}
			}
		})
	}
	everyTriangular(rnd, func(c triangularCase) {
		for _, solve := range []bool{false, true} {
			x := newStrided(rnd, c.n, -2, written)
			var want []float64
			for _, k := range all {
				got := slices.Clone(x.s)
				c.call(New(k, nil), solve, got, -2)
				if want == nil {
					want = got
				}
				if !sameBits(got, want) {
					t.Errorf("%v, solution %v: %s has other bits than %s", c, solve, k.Name, all[0].Name)
				}
			}
		}
	})
}

// TestIncrements compares, bit for bit, results with increments with those without: all but those of
// Daxpy, which rounds twice with increments.
func TestIncrements(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(17, 17))
		for n := 1; n < 300; n += 1 + n/50 {
			x, y := newStrided(rnd, n, pick(rnd, increments), nan), newStrided(rnd, n, pick(rnd, increments), nan)
			u, v := straight(x.s, n, x.inc), straight(y.s, n, y.inc)
			if a, b := r.Ddot(n, x.s, x.inc, y.s, y.inc), r.Ddot(n, u, 1, v, 1); a != b {
				t.Errorf("Ddot, n=%d: %v with increments %d and %d, %v with 1", n, a, x.inc, y.inc, b)
			}
			a := random(rnd, n*n)
			r.Dsymv('U', n, 0.7, a, n, x.s, x.inc, 1.3, y.s, y.inc)
			r.Dsymv('U', n, 0.7, a, n, u, 1, 1.3, v, 1)
			if !sameBits(straight(y.s, n, y.inc), v) {
				t.Errorf("Dsymv, n=%d: other bits with increments %d and %d", n, x.inc, y.inc)
			}
		}
	})
}
