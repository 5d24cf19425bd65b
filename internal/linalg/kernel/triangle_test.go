package kernel

import (
	"math"
	"slices"
	"testing"
)

// A corner is a call of Solve or Multiply with its operands.
type corner struct {
	t, x span
	d    []float64 // nil for a unit diagonal
}

func (c *corner) diagonal() *float64 {
	if c.d == nil {
		return nil
	}
	return &c.d[0]
}

// at is element i of the diagonal.
func (c *corner) at(i int) float64 {
	if c.d == nil {
		return 1
	}
	return c.d[i]
}

// A triangular kernel function, and what it is, element by element.
type acting struct {
	call func(k Kernel) func(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int)
	// next is the result in row i, given that in the rows before it and what was there before the
	// call.
	next func(c *corner, result, before func(j int) float64, i int) float64
}

var actings = []acting{
	{
		func(k Kernel) func(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int) {
			return k.Solve
		},
		func(c *corner, result, before func(j int) float64, i int) float64 {
			sum := before(i)
			for j := range i {
				sum = fma(-c.t.at(i, j), result(j), sum)
			}
			return fma(sum, c.at(i), 0)
		},
	},
	{
		func(k Kernel) func(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int) {
			return k.Multiply
		},
		func(c *corner, _, before func(j int) float64, i int) float64 {
			sum := c.at(i) * before(i)
			for j := i - 1; j >= 0; j-- {
				sum = fma(c.t.at(i, j), before(j), sum)
			}
			return sum
		},
	},
}

// checkTriangle multiplies by a triangle of which only what is below the diagonal is there, and solves:
// stored by rows, by columns and backwards, with a unit diagonal and without. The rest of what the
// slice of T covers is NaN.
func checkTriangle(s *shape, k Kernel) {
	act := actings[s.Below(len(actings))]
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
	var c corner
	c.t = newSpan(m, m, math.NaN(), func(i, j int) int { return i*rowT + j*colT }, belowDiagonal, s.value)
	c.x = newSpan(m, n, canary, rowMajor(ldx), everyElement, s.value)
	for range m {
		c.d = append(c.d, s.value())
	}
	if unit {
		c.d = nil
	}
	want, before := c.x.copied(), c.x.copied()
	for j := range n {
		for i := range m {
			want.set(i, j, act.next(&c, func(l int) float64 { return want.at(l, j) }, func(l int) float64 { return before.at(l, j) }, i))
		}
	}
	triangle := slices.Clone(c.t.x)
	pt, px := s.put(&c.t), s.put(&c.x)
	if c.d != nil {
		c.d = s.regions[0].Copy(c.d, s.edge)
	}
	s.run(func() { act.call(k)(m, n, pt, rowT, colT, c.diagonal(), px, ldx) })
	s.same("X", c.x, want.x)
	s.same("T", c.t, triangle)
}

func FuzzTriangle(f *testing.F) { fuzzed(f, checkTriangle) }

// Triangles of every order and in every direction, and right-hand sides of every width.
func TestTriangle(t *testing.T) {
	exhaust(t, checkTriangle, func(k Kernel) []int { return []int{len(actings), k.MR, 2*k.NR + 9, 2, 2, 2} })
}
