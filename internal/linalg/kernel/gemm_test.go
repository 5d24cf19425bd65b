package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkGemm compares a strip of C with chains of fused multiply-adds. A is stored by rows, by columns,
// as a micro-panel or backwards. B is in rows of any length or in panels, and C in any storage.
func checkGemm(s *shape, k Kernel) {
	m, n, depth := 1+s.Below(k.MR), 1+s.Below(3*k.NR+2), 1+s.Below(40)
	form, store := s.Below(3), Store(s.Below(4))
	s.chooseFinite()
	rowA, colA := depth+s.Below(4), 1
	switch form {
	case 1:
		rowA, colA = 1, m+s.Below(4)
	case 2:
		rowA, colA = 1, k.MR
	}
	rowB, panelB := n+s.Below(4), k.NR
	if s.Below(2) == 1 {
		rowB, panelB = k.NR, k.NR*depth+s.Below(4)
	}
	ldc := n + s.Below(4)
	if store == AddPacked {
		ldc += m
	} else if panelB == k.NR && rowB >= n && s.Below(3) == 2 {
		// As for triangles that are read backwards.
		rowA, colA, rowB, ldc = -rowA, -colA, -rowB, -ldc
	}
	a := newSpan(m, depth, math.NaN(), func(i, p int) int { return i*rowA + p*colA }, everyElement, s.value)
	b := newSpan(depth, n, math.NaN(), func(p, j int) int { return j/k.NR*panelB + p*rowB + j%k.NR }, everyElement, s.value)
	c := newSpan(m, n, canary, func(i, j int) int {
		if store == AddPacked {
			return i*ldc - i*(i-1)/2 + j
		}
		return i*ldc + j
	}, everyElement, s.value)
	alpha := []float64{1, -1, s.value(), 0.7}[s.Below(4)]
	if store == Continue {
		alpha = []float64{1, -1}[s.Below(2)]
	}
	wantA, wantB, want := slices.Clone(a.x), slices.Clone(b.x), c.copied()
	for i := range m {
		for j := range n {
			sum := 0.0
			if store == Continue {
				sum = alpha * c.at(i, j)
			}
			for p := range depth {
				sum = fma(a.at(i, p), b.at(p, j), sum)
			}
			switch store {
			case Add, AddPacked:
				want.set(i, j, fma(alpha, sum, c.at(i, j)))
			case Overwrite:
				c.set(i, j, math.NaN())
				fallthrough
			default:
				want.set(i, j, alpha*sum)
			}
		}
	}
	pa, pb, pc := s.put(&a), s.put(&b), s.put(&c)
	s.run(func() { k.Gemm(m, n, depth, alpha, pa, rowA, colA, pb, rowB, panelB, store, pc, ldc) })
	s.same("C", c, want.x)
	s.same("A", a, wantA)
	s.same("B", b, wantB)
}

func FuzzGemm(f *testing.F) { fuzzed(f, checkGemm) }

// TestGemm takes strips of every height and width, sums near the length that the loops unroll, and all
// ways to store A and C.
func TestGemm(t *testing.T) {
	exhaust(t, checkGemm, func(k Kernel) []int { return []int{k.MR, 2*k.NR + 9, 9, 3, 4} })
}

// BenchmarkGemm measures the micro-kernel alone, with its operands packed and in L1 or L2.
func BenchmarkGemm(b *testing.B) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, kern := range table {
		for _, tiles := range []int{1, 8} {
			for _, k := range []int{32, 128, 256} {
				b.Run(fmt.Sprintf("kernel=%s/tiles=%d/k=%d", kern.Name, tiles, k), func(b *testing.B) {
					if !kern.Available() {
						b.Skipf("this CPU cannot run kernel %q", kern.Name)
					}
					n := tiles * kern.NR
					x, y, c := between(rnd, 0, 1, kern.MR*k), between(rnd, 0, 1, k*n), make([]float64, kern.MR*n)
					for b.Loop() {
						kern.Gemm(kern.MR, n, k, 1, &x[0], 1, kern.MR, &y[0], kern.NR, kern.NR*k, Add, &c[0], n)
					}
					b.ReportMetric(2*float64(kern.MR*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

// BenchmarkPeak measures the peak with which the speed of kernels is compared.
func BenchmarkPeak(b *testing.B) {
	for _, kern := range table {
		b.Run("kernel="+kern.Name, func(b *testing.B) {
			if !kern.Available() {
				b.Skipf("this CPU cannot run kernel %q", kern.Name)
			}
			const n = 10000
			for b.Loop() {
				kern.Peak(n, 0.5, 1)
			}
			b.ReportMetric(2*float64(n*kern.PeakWidth)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
