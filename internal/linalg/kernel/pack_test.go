package kernel

import (
	"math"
	"slices"
	"testing"
)

// checkPack checks that a copy of a matrix or of its transpose has every element in its place.
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
