package rotations

import (
	"fmt"
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
)

// BenchmarkSequence applies the sweeps of the QR algorithm to the vectors of a symmetric n×n matrix,
// 1.7 for each eigenvalue, each as long as what is left of the matrix. peak is the share of the
// multiply-adds that as many threads do between registers.
func BenchmarkSequence(b *testing.B) {
	defer blskernel.SetThreads(0)
	for _, name := range backend.Kernels() {
		bk, err := blskernel.Lookup("pure/" + name)
		testutil.NoError(b, err)
		for _, n := range []int{100, 300, 1000, 2000} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("kernel=%s/n=%d/threads=%d", name, n, threads), func(b *testing.B) {
					blskernel.SetThreads(threads)
					rng := testutil.Rand(1)
					z := make([]float64, n*n)
					for i := range z {
						z[i] = rng.NormFloat64()
					}
					c, s := randomRotations(rng.NormFloat64, n)
					for i := range c {
						c[i] = math.Abs(c[i]) // as Lartg has it
					}
					flops, best := 0.0, backend.Peak(bk, threads, nil)
					for b.Loop() {
						q := New(lapack.On(bk), n, n, block.Dense(z, n))
						flops = 0
						for i := n * 17 / 10; i > 0; i-- {
							length := max(1, (n-1)*i*10/17/n)
							q.Forward(0, c[:length], s)
							flops += 6 * float64(length) * float64(n)
						}
						q.Flush()
					}
					perOp := b.Elapsed().Seconds() / float64(b.N)
					best = max(best, backend.Peak(bk, threads, nil))
					b.ReportMetric(flops/perOp/1e9, "GFLOP/s")
					b.ReportMetric(flops/perOp/best, "peak")
				})
			}
		}
	}
}
