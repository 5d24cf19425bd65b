package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Copy and Transpose move every element to its place and touch no other.
func TestPack(t *testing.T) {
	available(t, func(t *testing.T, kern Kernel) {
		rnd := rand.New(rand.NewPCG(7, 8))
		for m := 1; m <= 19; m++ {
			for n := 1; n <= 27; n++ {
				lds, ldd := n+m%3, m+n%5
				src := newOperand(m, n, math.NaN(), func(i, j int) int { return i*lds + j }, rnd.Float64)
				dst := newOperand(n, m, 12345, func(i, j int) int { return i*ldd + j }, func() float64 { return math.NaN() })
				want := newOperand(n, m, 12345, func(i, j int) int { return i*ldd + j }, func() float64 { return 0 })
				for i := range m {
					for j := range n {
						want.all[want.off(j, i)] = src.at(i, j)
					}
				}
				kern.Transpose(m, n, src.first(), lds, dst.first(), ldd)
				if !identical(dst.all, want.all) {
					t.Fatalf("Transpose of %d×%d, strides %d and %d, is wrong or wrote elsewhere", m, n, lds, ldd)
				}
				ldd = n + m%4
				dst = newOperand(m, n, 12345, func(i, j int) int { return i*ldd + j }, func() float64 { return math.NaN() })
				want = newOperand(m, n, 12345, func(i, j int) int { return i*ldd + j }, func() float64 { return 0 })
				for i := range m {
					for j := range n {
						want.all[want.off(i, j)] = src.at(i, j)
					}
				}
				kern.Copy(m, n, src.first(), lds, dst.first(), ldd)
				if !identical(dst.all, want.all) {
					t.Fatalf("Copy of %d×%d, strides %d and %d, is wrong or wrote elsewhere", m, n, lds, ldd)
				}
			}
		}
	})
}

// BenchmarkPack packs a block of B, KC×NC or its transpose, from a larger matrix.
func BenchmarkPack(b *testing.B) {
	const kc, nc, ld = 256, 240, 1000
	for _, kern := range table {
		src, dst := make([]float64, kc*ld), make([]float64, kc*nc)
		run := func(op string, call func()) {
			b.Run(fmt.Sprintf("op=%s/kernel=%s", op, kern.Name), func(b *testing.B) {
				if !kern.Available() {
					b.Skipf("this CPU cannot run kernel %q", kern.Name)
				}
				for b.Loop() {
					call()
				}
				b.ReportMetric(kc*nc*float64(b.N)/b.Elapsed().Seconds()/1e9, "elements/ns")
			})
		}
		run("copy", func() {
			for j := 0; j+kern.NR <= nc; j += kern.NR {
				kern.Copy(kc, kern.NR, &src[j], ld, &dst[j*kc], kern.NR)
			}
		})
		run("transpose", func() {
			for j := 0; j+kern.NR <= nc; j += kern.NR {
				kern.Transpose(kern.NR, kc, &src[j*ld], ld, &dst[j*kc], kern.NR)
			}
		})
	}
}
