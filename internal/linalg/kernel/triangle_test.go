package kernel

import (
	"math"
	"slices"
	"testing"
)

// checkTriangle multiplies by, or solves with, a triangle that is stored only below the diagonal. It is
// stored by rows, by columns or backwards, with or without a unit diagonal. The other elements of the
// slice of T are NaN.
func checkTriangle(s *shape, k Kernel) {
	solve := s.Below(2) == 0
	m, n := 1+s.Below(k.MR), 1+s.Below(3*k.NR+2)
	columns, backwards, unit := s.Below(2) == 1, s.Below(2) == 1, s.Below(2) == 1
	rowT, colT := m+s.Below(5), 1
	if columns {
		rowT, colT = 1, m+s.Below(5)
	}
	ldx := n + s.Below(4)
	if backwards {
		rowT, colT, ldx = -rowT, -colT, -ldx
	}
	s.chooseFinite()
	t := newSpan(m, m, math.NaN(), func(i, j int) int { return i*rowT + j*colT }, belowDiagonal, s.value)
	x := newSpan(m, n, canary, rowMajor(ldx), everyElement, s.value)
	d := slices.Repeat([]float64{1}, m)
	for i := 0; !unit && i < m; i++ {
		d[i] = s.value()
	}
	want := x.copied()
	for j := range n {
		for i := range m {
			if solve {
				sum := x.at(i, j)
				for l := range i {
					sum = fma(-t.at(i, l), want.at(l, j), sum)
				}
				want.set(i, j, fma(sum, d[i], 0))
			} else {
				sum := d[i] * x.at(i, j)
				for l := i - 1; l >= 0; l-- {
					sum = fma(t.at(i, l), x.at(l, j), sum)
				}
				want.set(i, j, sum)
			}
		}
	}
	triangle := slices.Clone(t.x)
	pt, px, call := s.put(&t), s.put(&x), k.Multiply
	if solve {
		call = k.Solve
	}
	var diagonal *float64
	if !unit {
		diagonal = &s.regions[0].Copy(d, s.edge)[0]
	}
	s.run(func() { call(m, n, pt, rowT, colT, diagonal, px, ldx) })
	s.same("X", x, want.x)
	s.same("T", t, triangle)
}

func FuzzTriangle(f *testing.F) { fuzzed(f, checkTriangle) }

// TestTriangle takes triangles of every order and direction, and right-hand sides of every width.
func TestTriangle(t *testing.T) {
	exhaust(t, checkTriangle, func(k Kernel) []int { return []int{2, k.MR, 2*k.NR + 9, 2, 2, 2} })
}
