package blas12

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

var benchSizes = []int{8, 16, 64, 256, 1000, 4000}

// level is the part of blas.Float64 that is measured.
type level interface {
	Ddot(n int, x []float64, incX int, y []float64, incY int) float64
	Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int)
	Dscal(n int, alpha float64, x []float64, incX int)
	Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int)
	Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int)
	Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int)
	Dspmv(ul blas.Uplo, n int, alpha float64, ap []float64, x []float64, incX int, beta float64, y []float64, incY int)
	Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int)
	Dspr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, ap []float64)
	Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int)
}

// benchmark runs call for each size and each implementation: each kernel's, and gonum's.
func benchmark(b *testing.B, flops func(n int) int, matrix bool, call func(impl level, n int, a, x, y []float64)) {
	type implementation struct {
		name string
		level
	}
	implementations := []implementation{{"impl=gonum/kernel=none", gonum.Implementation{}}}
	for _, name := range kernel.Names() {
		k, err := kernel.Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		implementations = append(implementations, implementation{"impl=ours/kernel=" + name, New(k, nil)})
	}
	for _, n := range benchSizes {
		rnd := rand.New(rand.NewPCG(1, uint64(n)))
		var a []float64
		x, y := random(rnd, n), random(rnd, n)
		if matrix {
			a = random(rnd, n*n)
			for i := range n {
				a[i*n+i] += float64(n * n) // for Dtrsv, which would overflow
			}
		}
		for _, impl := range implementations {
			b.Run(fmt.Sprintf("%s/n=%d", impl.name, n), func(b *testing.B) {
				for b.Loop() {
					call(impl.level, n, a, x, y)
				}
				b.ReportMetric(float64(flops(n))*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func random(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n, n+64)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	return x
}

func BenchmarkDdot(b *testing.B) {
	benchmark(b, func(n int) int { return 2 * n }, false,
		func(impl level, n int, _, x, y []float64) { impl.Ddot(n, x, 1, y, 1) })
}

// The multiplier changes sign, so that y stays where it is.
func BenchmarkDaxpy(b *testing.B) {
	alpha := 1.0
	benchmark(b, func(n int) int { return 2 * n }, false,
		func(impl level, n int, _, x, y []float64) { alpha = -alpha; impl.Daxpy(n, alpha, x, 1, y, 1) })
}

func BenchmarkDscal(b *testing.B) {
	benchmark(b, func(n int) int { return n }, false,
		func(impl level, n int, _, x, _ []float64) { impl.Dscal(n, -1, x, 1) })
}

func BenchmarkDgemv(b *testing.B) {
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		b.Run(fmt.Sprintf("op=%c", tA), func(b *testing.B) {
			benchmark(b, func(n int) int { return 2 * n * n }, true,
				func(impl level, n int, a, x, y []float64) { impl.Dgemv(tA, n, n, 1, a, n, x, 1, 0, y, 1) })
		})
	}
}

func BenchmarkDger(b *testing.B) {
	alpha := 1.0
	benchmark(b, func(n int) int { return 2 * n * n }, true,
		func(impl level, n int, a, x, y []float64) { alpha = -alpha; impl.Dger(n, n, alpha, x, 1, y, 1, a, n) })
}

func BenchmarkDsymv(b *testing.B) {
	bothTriangles(b, func(n int) int { return 2 * n * n }, func(ul blas.Uplo) func(impl level, n int, a, x, y []float64) {
		return func(impl level, n int, a, x, y []float64) { impl.Dsymv(ul, n, 1, a, n, x, 1, 0, y, 1) }
	})
}

func BenchmarkDspmv(b *testing.B) {
	bothTriangles(b, func(n int) int { return 2 * n * n }, func(ul blas.Uplo) func(impl level, n int, a, x, y []float64) {
		return func(impl level, n int, a, x, y []float64) { impl.Dspmv(ul, n, 1, a, x, 1, 0, y, 1) }
	})
}

func BenchmarkDsyr(b *testing.B) {
	alpha := 1.0
	bothTriangles(b, func(n int) int { return n * n }, func(ul blas.Uplo) func(impl level, n int, a, x, y []float64) {
		return func(impl level, n int, a, x, _ []float64) { alpha = -alpha; impl.Dsyr(ul, n, alpha, x, 1, a, n) }
	})
}

func BenchmarkDspr(b *testing.B) {
	alpha := 1.0
	bothTriangles(b, func(n int) int { return n * n }, func(ul blas.Uplo) func(impl level, n int, a, x, y []float64) {
		return func(impl level, n int, a, x, _ []float64) { alpha = -alpha; impl.Dspr(ul, n, alpha, x, 1, a) }
	})
}

// BenchmarkDtrsv copies the right-hand side anew within the time.
func BenchmarkDtrsv(b *testing.B) {
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		b.Run(fmt.Sprintf("op=%c", tA), func(b *testing.B) {
			bothTriangles(b, func(n int) int { return n * n }, func(ul blas.Uplo) func(impl level, n int, a, x, y []float64) {
				return func(impl level, n int, a, x, y []float64) {
					copy(y, x)
					impl.Dtrsv(ul, tA, blas.NonUnit, n, a, n, y, 1)
				}
			})
		})
	}
}

// bothTriangles runs benchmark for both triangles.
func bothTriangles(b *testing.B, flops func(n int) int, call func(ul blas.Uplo) func(impl level, n int, a, x, y []float64)) {
	for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
		b.Run(fmt.Sprintf("uplo=%c", ul), func(b *testing.B) { benchmark(b, flops, true, call(ul)) })
	}
}
