package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil/guard"
)

// checkGemm compares a strip with chains of fused multiply-adds: A by rows, by columns, packed and
// backwards, B with rows of any length and in panels, C anyhow.
func checkGemm(s *shape, k Kernel) {
	m, n, depth := 1+s.Below(k.MR), 1+s.Below(3*k.NR+2), 1+s.Below(40)
	form, store := s.Below(4), Store(s.Below(4))
	if s.Below(16) == 15 {
		depth += 94 // the sums that prefetch have 96 steps or more (leastPrefetched)
	}
	s.chooseFinite()
	rowA, colA, formA := depth+s.Below(4), 1, Even
	switch form {
	case 1:
		rowA, colA = 1, m+s.Below(4)
	case 2:
		rowA, formA = depth+m+s.Below(4), PackedRows
	case 3:
		rowA, colA, formA = 1, depth+m+s.Below(4), PackedColumns
	}
	rowB, panelB := n+s.Below(4), k.NR
	if s.Below(2) == 1 {
		rowB, panelB = k.NR, k.NR*depth+s.Below(4)
	}
	ldc := n + s.Below(4)
	if store == AddPacked {
		ldc += m
	} else if formA == Even && panelB == k.NR && rowB >= n && s.Below(3) == 2 {
		// Triangles are applied backwards so.
		rowA, colA, rowB, ldc = -rowA, -colA, -rowB, -ldc
	}
	a := newSpan(m, depth, math.NaN(), func(i, p int) int {
		switch formA {
		case PackedRows:
			return i*rowA - i*(i-1)/2 + p
		case PackedColumns:
			return i + p*colA - p*(p-1)/2
		}
		return i*rowA + p*colA
	}, everyElement, s.value)
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
	s.run(func() { k.Gemm(m, n, depth, alpha, pa, rowA, colA, formA, pb, rowB, panelB, store, pc, ldc) })
	s.same("C", c, want.x)
	s.same("A", a, wantA)
	s.same("B", b, wantB)
}

func FuzzGemm(f *testing.F) { fuzzed(f, checkGemm) }

// Strips of every height and width, sums around those that the loops unroll, A and C stored in every
// way.
func TestGemm(t *testing.T) {
	exhaust(t, checkGemm, func(k Kernel) []int { return []int{k.MR, 2*k.NR + 9, 9, 4, 4} })
}

// A strip is a call of Gemm with its operands: A and B by rows.
type strip struct {
	m, n, k int
	a, b, c span
}

func newStrip(m, n, k int, value func() float64) strip {
	return strip{
		m, n, k,
		newSpan(m, k, math.NaN(), rowMajor(k), everyElement, value),
		newSpan(k, n, math.NaN(), rowMajor(n), everyElement, value),
		newSpan(m, n, canary, rowMajor(n), everyElement, value),
	}
}

func (s *strip) run(kern Kernel, alpha float64) {
	kern.Gemm(s.m, s.n, s.k, alpha, s.a.first(), s.k, 1, Even, s.b.first(), s.n, kern.NR, Add, s.c.first(), s.n)
}

// A zero multiplier does not hide a NaN or an infinity of the other operand, whichever it is, and
// these spoil their own row or column of C only.
func TestGemmZeroTimesNaN(t *testing.T) {
	available(t, func(t *testing.T, kern Kernel) {
		const k = 7
		n := kern.NR + 3
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for p := range k {
				row, col := p%kern.MR, (5*p)%n
				for _, inA := range []bool{true, false} {
					s := newStrip(kern.MR, n, k, func() float64 { return 0 })
					if inA {
						s.a.set(row, p, bad)
					} else {
						s.b.set(p, col, bad)
					}
					s.run(kern, 1)
					for i := range s.m {
						for j := range n {
							if v := s.c.at(i, j); math.IsNaN(v) != (inA && i == row || !inA && j == col) {
								t.Errorf("%v in A: %v, in row %d or column %d: C[%d,%d] = %v", bad, inA, row, col, i, j, v)
							}
						}
					}
				}
			}
		}
	})
}

// The contract's rounding: an element of a strip has the same bits as the same element computed as a
// strip of one row and one column.
func TestGemmPlaceless(t *testing.T) {
	available(t, func(t *testing.T, kern Kernel) {
		rnd := rand.New(rand.NewPCG(3, 4))
		for _, k := range []int{1, 3, 4, 50, 257} {
			for _, n := range []int{1, kern.NR - 1, kern.NR, 2*kern.NR + 5} {
				s := newStrip(kern.MR, n, k, rnd.NormFloat64)
				before := s.c.copied()
				s.run(kern, 1.1)
				for i := range s.m {
					for j := range n {
						one := before.at(i, j)
						kern.Gemm(1, 1, k, 1.1, &s.a.x[i*k], k, 1, Even, &s.b.x[j], n, kern.NR, Add, &one, 1)
						if got := s.c.at(i, j); math.Float64bits(got) != math.Float64bits(one) {
							t.Fatalf("k=%d n=%d: C[%d,%d] = %v in the strip, %v alone", k, n, i, j, got, one)
						}
					}
				}
			}
		}
	})
}

// Sums long enough for the path that prefetches (leastPrefetched), with A forwards and backwards.
func TestGemmPrefetch(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		const depth = 150
		rnd := rand.New(rand.NewPCG(32, 1))
		n, own := 3*k.NR+1, regions(t)
		for _, distances := range [][2]int{{depth, 1}, {1, k.MR}, {-depth, -1}, {-1, -k.MR}} {
			for _, edge := range guard.Edges {
				s := &shape{t: t, rnd: rnd, edge: edge, regions: own}
				rowA, colA := distances[0], distances[1]
				a := newSpan(k.MR, depth, math.NaN(), func(i, p int) int { return i*rowA + p*colA }, everyElement, s.value)
				b := newSpan(depth, n, math.NaN(), rowMajor(n), everyElement, s.value)
				c := newSpan(k.MR, n, canary, rowMajor(n), everyElement, s.value)
				want := c.copied()
				for i := range k.MR {
					for j := range n {
						sum := 0.0
						for p := range depth {
							sum = fma(a.at(i, p), b.at(p, j), sum)
						}
						want.set(i, j, fma(1, sum, c.at(i, j)))
					}
				}
				pa, pb, pc := s.put(&a), s.put(&b), s.put(&c)
				s.run(func() { k.Gemm(k.MR, n, depth, 1, pa, rowA, colA, Even, pb, n, k.NR, Add, pc, n) })
				s.same("C", c, want.x)
			}
		}
	})
}

// BenchmarkGemm is the speed of the micro-kernel alone, its operands packed and in L1 or L2.
func BenchmarkGemm(b *testing.B) {
	for _, kern := range table {
		for _, tiles := range []int{1, 8} {
			for _, k := range []int{32, 128, 256} {
				b.Run(fmt.Sprintf("kernel=%s/tiles=%d/k=%d", kern.Name, tiles, k), func(b *testing.B) {
					if !kern.Available() {
						b.Skipf("this CPU cannot run kernel %q", kern.Name)
					}
					n := tiles * kern.NR
					s := newStrip(kern.MR, n, k, rand.Float64)
					for b.Loop() {
						kern.Gemm(s.m, n, k, 1, s.a.first(), 1, s.m, Even, s.b.first(), kern.NR, kern.NR*k, Add, s.c.first(), n)
					}
					b.ReportMetric(2*float64(kern.MR*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

// BenchmarkPeak is what the speed of kernels is compared with.
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
