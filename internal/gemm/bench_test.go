package gemm

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

var benchSizes = []int{8, 16, 32, 64, 128, 256, 512, 1000}

// benchmark runs ours and gonum's side by side with 1 and 2 threads. gonum's number of threads is
// GOMAXPROCS.
func benchmark(b *testing.B, sizes []int, flops func(n int) float64, ours, theirs func(n int, a, x, c []float64)) {
	for _, n := range sizes {
		rnd := rand.New(rand.NewPCG(10, uint64(n)))
		a, x, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
		for i := range a {
			a[i], x[i] = rnd.Float64()-0.5, rnd.Float64()-0.5
		}
		for i := range n {
			a[i*n+i] += float64(n)
		}
		for _, threads := range []int{1, 2} {
			for _, impl := range []struct {
				name string
				call func(n int, a, x, c []float64)
			}{
				{"impl=gemm/kernel=" + Kernel(), ours},
				{"impl=gonum/kernel=none", theirs},
			} {
				b.Run(fmt.Sprintf("%s/threads=%d/n=%d", impl.name, threads, n), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
					setThreads(b, threads)
					for b.Loop() {
						impl.call(n, a, x, c)
					}
					b.ReportMetric(flops(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

func BenchmarkDgemm(b *testing.B) {
	for _, op := range []struct {
		name   string
		tA, tB blas.Transpose
	}{{"NN", 'N', 'N'}, {"NT", 'N', 'T'}, {"TN", 'T', 'N'}, {"TT", 'T', 'T'}} {
		b.Run("op="+op.name, func(b *testing.B) {
			benchmark(b, benchSizes, func(n int) float64 { return 2 * float64(n) * float64(n) * float64(n) },
				func(n int, a, x, c []float64) { Dgemm(op.tA, op.tB, n, n, n, 1, a, n, x, n, 0, c, n) },
				func(n int, a, x, c []float64) {
					gonum.Implementation{}.Dgemm(op.tA, op.tB, n, n, n, 1, a, n, x, n, 0, c, n)
				})
		})
	}
}

func BenchmarkDsyrk(b *testing.B) {
	benchmark(b, benchSizes, func(n int) float64 { return float64(n) * float64(n) * float64(n) },
		func(n int, a, x, c []float64) { Dsyrk(blas.Upper, blas.NoTrans, n, n, 1, x, n, 0, c, n) },
		func(n int, a, x, c []float64) {
			gonum.Implementation{}.Dsyrk(blas.Upper, blas.NoTrans, n, n, 1, x, n, 0, c, n)
		})
}

// BenchmarkDtrsm solves with a dominant diagonal; the right-hand sides are copied anew within the time.
func BenchmarkDtrsm(b *testing.B) {
	for _, side := range sides {
		b.Run(fmt.Sprintf("side=%c", side), func(b *testing.B) {
			benchmark(b, benchSizes, func(n int) float64 { return float64(n) * float64(n) * float64(n) },
				func(n int, a, x, c []float64) {
					copy(c, x)
					Dtrsm(side, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, a, n, c, n)
				},
				func(n int, a, x, c []float64) {
					copy(c, x)
					gonum.Implementation{}.Dtrsm(side, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, a, n, c, n)
				})
		})
	}
}

// BenchmarkThreshold shows where maxDirect and minParallelFlops belong: the same products by
// each of the ways among which they choose.
func BenchmarkThreshold(b *testing.B) {
	for _, n := range []int{4, 6, 8, 10, 12, 16, 24, 32, 40, 48, 56, 64, 80, 96, 128} {
		x := make([]float64, n*n)
		c := make([]float64, n*n)
		p := product{engine: active, m: n, n: n, k: n, alpha: 1, a: left(false, x, n), b: right(false, x, n), c: whole(c, n, n)}
		run := func(way string, call func()) {
			b.Run(fmt.Sprintf("way=%s/n=%d", way, n), func(b *testing.B) {
				for b.Loop() {
					call()
				}
			})
		}
		run("direct", p.direct)
		run("blocked", func() {
			w := scratches.Get().(*scratch)
			p.block(w, 0, n, 0, n)
			scratches.Put(w)
		})
		run("parallel", func() { parallel(p, p.cut(2), 2) })
	}
}
