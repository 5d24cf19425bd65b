package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// checkPack copies a matrix or its transpose: every element to its place.
func checkPack(s *shape, k Kernel) {
	m, n, transpose := 1+s.Below(90), 1+s.Below(90), s.Below(2) == 1
	lds := n + s.Below(5)
	r, c := m, n
	if transpose {
		r, c = n, m
	}
	ldd := c + s.Below(5)
	src := newSpan(m, n, math.NaN(), rowMajor(lds), everyElement, s.rnd.NormFloat64)
	dst := newSpan(r, c, canary, rowMajor(ldd), everyElement, func() float64 { return math.NaN() })
	want, before := dst.copied(), slices.Clone(src.x)
	for i := range m {
		for j := range n {
			if transpose {
				want.set(j, i, src.at(i, j))
			} else {
				want.set(i, j, src.at(i, j))
			}
		}
	}
	ps, pd := s.put(&src), s.put(&dst)
	s.run(func() {
		if transpose {
			k.Transpose(m, n, ps, lds, pd, ldd)
		} else {
			k.Copy(m, n, ps, lds, pd, ldd)
		}
	})
	s.same("the copy", dst, want.x)
	s.same("the source", src, before)
}

func FuzzPack(f *testing.F) { fuzzed(f, checkPack) }

func TestPack(t *testing.T) {
	exhaust(t, checkPack, func(Kernel) []int { return []int{27, 35, 2} })
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
