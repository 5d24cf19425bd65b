package gemm

import (
	"math/rand/v2"
	"testing"

	"blskernel/internal/block"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

// Every source packs every block in the layout of pack, and writes nothing else. The element X[i,p] is
// taken from the storage by the definition of the layouts.
func TestPack(t *testing.T) {
	eachKernel(t, func(t *testing.T) { testPack(t, active.kernel) })
}

func testPack(t *testing.T, k kernel.Kernel) {
	const n, ld = 13, 15
	buffer := make([]float64, gathered*gatheredSteps)
	rnd := rand.New(rand.NewPCG(11, 1))
	upper, atUpper := symmetric(rnd, dense(inOperand, n, n, ld), blas.Upper, n)
	lower, atLower := symmetric(rnd, dense(inOperand, n, n, ld), blas.Lower, n)
	ap, atPacked := symmetric(rnd, packedUpper(inOperand, n), blas.Upper, n)
	large, atLarge := symmetric(rnd, packedUpper(inOperand, 2*n+3), blas.Upper, 2*n+3)
	beside, atBeside := block.Packed(2*n+3, large.x, 2, n+2), func(i, j int) float64 { return atLarge(i+2, j+n+2) }
	full, at := operand(rnd, blas.NoTrans, n, n)
	for _, test := range []struct {
		name string
		s    source
		at   func(i, p int) float64
	}{
		{"byRows", left(false, block.Dense(full.x, full.ld)), at},
		{"byCols", left(true, block.Dense(full.x, full.ld)), func(i, p int) float64 { return at(p, i) }},
		{"symUpper", source{layout: symUpper, Matrix: block.Dense(upper.x, ld)}, atUpper},
		{"symLower", source{layout: symLower, Matrix: block.Dense(lower.x, ld)}, atLower},
		{"packed", source{layout: symUpper, Matrix: block.Packed(n, ap.x, 0, 0)}, atPacked},
		{"packed by rows", left(false, beside), atBeside},
		{"packed by columns", left(true, beside), func(i, p int) float64 { return atBeside(p, i) }},
	} {
		for _, w := range []int{1, 2, 4, 5, 8, 24} {
			for i0 := range n {
				for i1 := i0 + 1; i1 <= n; i1++ {
					for p0 := range n {
						for p1 := p0 + 1; p1 <= n; p1++ {
							kc := p1 - p0
							size := roundUp(i1-i0, w) * kc
							dst := make([]float64, size+1)
							for i := range dst {
								dst[i] = inResult
							}
							test.s.pack(&k, buffer, dst, w, i0, i1, p0, p1)
							for x, got := range dst[:size] {
								i, p := i0+x/(w*kc)*w+x%w, p0+x%(w*kc)/w
								want := inResult
								if i < i1 {
									want = test.at(i, p)
								}
								if got != want {
									t.Fatalf("%s w=%d [%d:%d, %d:%d]: element (%d,%d) is %v, want %v", test.name, w, i0, i1, p0, p1, i, p, got, want)
								}
							}
							if dst[size] != inResult {
								t.Fatalf("%s w=%d [%d:%d, %d:%d]: wrote past the block", test.name, w, i0, i1, p0, p1)
							}
						}
					}
				}
			}
		}
	}
}
