package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A corner is a call of Solve or Multiply with its operands.
type corner struct {
	m, n            int
	rowT, colT, ldx int
	t, x            span
	d               []float64 // nil for a unit diagonal
}

// newCorner makes a call. Only the elements of t below the diagonal exist; the rest of what its slice
// covers is NaN, and so is what lies between the rows of X.
func newCorner(m, n, rowT, colT, ldx int, unit bool, value, diagonal func() float64) corner {
	c := corner{m: m, n: n, rowT: rowT, colT: colT, ldx: ldx}
	c.t = newSpan(m, m, math.NaN(), func(i, j int) int { return i*rowT + j*colT }, belowDiagonal, value)
	c.x = newSpan(m, n, canary, func(i, j int) int { return i*ldx + j }, everyElement, value)
	if !unit {
		c.d = make([]float64, m)
		for i := range c.d {
			c.d[i] = diagonal()
		}
	}
	return c
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
	name string
	call func(k Kernel) func(m, n int, t *float64, rowT, colT int, d *float64, x *float64, ldx int)
	// next is the result in row i, given that in the rows before it and what was there before the
	// call.
	next func(c *corner, result, before func(j int) float64, i int) float64
}

var actings = []acting{
	{
		"Solve",
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
		"Multiply",
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

// corners calls f with triangles of every order, stored by rows, by columns and backwards, with a unit
// diagonal and without, and numbers of columns around those of vectors and tiles, their rows from the
// top down and from the bottom up.
func corners(kern Kernel, value, diagonal func() float64, f func(c corner)) {
	for m := 1; m <= kern.MR; m++ {
		for n := 1; n <= 2*kern.NR+9; n++ {
			for form := range 4 {
				rowT, colT := m+3, 1
				if form%2 == 1 {
					rowT, colT = 1, m+1
				}
				ldx := n + (m+n)%3
				if form >= 2 {
					rowT, colT, ldx = -rowT, -colT, -ldx
				}
				for _, unit := range []bool{false, true} {
					f(newCorner(m, n, rowT, colT, ldx, unit, value, diagonal))
				}
			}
		}
	}
}

// act calls each function on each corner and hands the results on.
func act(t *testing.T, value, diagonal func() float64, f func(t *testing.T, k Kernel, a acting, c *corner, after span)) {
	for _, a := range actings {
		t.Run(a.name, func(t *testing.T) {
			available(t, func(t *testing.T, k Kernel) {
				corners(k, value, diagonal, func(c corner) {
					after := c.x.copied()
					a.call(k)(c.m, c.n, c.t.first(), c.rowT, c.colT, c.diagonal(), after.first(), c.ldx)
					f(t, k, a, &c, after)
				})
			})
		})
	}
}

// checkTriangle multiplies by a triangle of which only what is below the diagonal is there, and solves.
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
	c := newCorner(m, n, rowT, colT, ldx, unit, s.value, s.value)
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

// Random numbers. The sum for row i has at most m terms, each of which passes through m roundings and
// those of its product and of the product by the diagonal. For Multiply this is the error of the
// result; for Solve, with the last product on the other side, |x[i]/d[i] - (b[i] - sum of t[i,j]·x[j])|
// (Higham, Accuracy and Stability of Numerical Algorithms, lemma 8.4). In either case the bound is
// gamma_{m+2} times the sum of magnitudes. What is wrong with the left-hand side, computed in twice the
// precision but for the quotient, is less than a rounding more.
func TestTriangleBound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(22, 1))
	value := rnd.NormFloat64
	diagonal := func() float64 { return 0.5 + rnd.Float64() }
	act(t, value, diagonal, func(t *testing.T, _ Kernel, a acting, c *corner, result span) {
		u := float64(c.m+3) * 0x1p-53
		gamma := u / (1 - u)
		for j := range c.n {
			for i := range c.m {
				terms := [][2]float64{{c.at(i), c.x.at(i, j)}, {-1, result.at(i, j)}}
				source := c.x
				if a.name == "Solve" {
					terms = [][2]float64{{1, result.at(i, j) / c.at(i)}, {-1, c.x.at(i, j)}}
					source = result
				}
				for l := range i {
					terms = append(terms, [2]float64{c.t.at(i, l), source.at(l, j)})
				}
				if e, magnitude := residual(terms); !(e <= gamma*magnitude) {
					t.Fatalf("m=%d n=%d strides %d,%d %d unit=%v: element (%d,%d) errs by %.3g, bound %.3g",
						c.m, c.n, c.rowT, c.colT, c.ldx, c.d == nil, i, j, e, gamma*magnitude)
				}
			}
		}
	})
}

// residual returns the absolute value of the sum of products, in about twice the working precision
// (Ogita, Rump and Oishi's Dot2), and the sum of their absolute values.
func residual(terms [][2]float64) (e, magnitude float64) {
	var hi, lo float64
	for _, v := range terms {
		p := float64(v[0] * v[1]) // rounded: without the conversion some processors would add the product as it is
		s := hi + p
		z := s - hi
		lo += (hi - (s - z)) + (p - z) + math.FMA(v[0], v[1], -p)
		hi = s
		magnitude += math.Abs(p)
	}
	return math.Abs(hi + lo), magnitude
}

// A column of X has the same bits in whatever company, and whatever way its rows go.
func TestTrianglePlaceless(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 1))
	act(t, rnd.NormFloat64, rnd.NormFloat64, func(t *testing.T, k Kernel, a acting, c *corner, all span) {
		for j := range c.n {
			alone := make([]float64, c.m)
			for i := range alone {
				alone[i] = c.x.at(i, j)
			}
			a.call(k)(c.m, 1, c.t.first(), c.rowT, c.colT, c.diagonal(), &alone[0], 1)
			for i, v := range alone {
				if math.Float64bits(v) != math.Float64bits(all.at(i, j)) {
					t.Fatalf("m=%d n=%d: X[%d,%d] = %v in the tile, %v alone", c.m, c.n, i, j, all.at(i, j), v)
				}
			}
		}
	})
}

// NaN and infinities in the triangle, on its diagonal and in X reach the elements that depend on them,
// although all they are multiplied by is zero, and no others.
func TestTriangleNonFinite(t *testing.T) {
	zero := func() float64 { return 0 }
	one := func() float64 { return 1 }
	for _, a := range actings {
		t.Run(a.name, func(t *testing.T) {
			available(t, func(t *testing.T, k Kernel) {
				m, n := k.MR, k.NR+3
				for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					for r := range m {
						for s := range r + 1 {
							c := newCorner(m, n, m, 1, n, false, zero, one)
							if s < r {
								c.t.set(r, s, bad)
							} else {
								c.d[r] = bad
							}
							a.call(k)(m, n, c.t.first(), m, 1, c.diagonal(), c.x.first(), n)
							for i := range m {
								// From row r on a solution depends on
								// it; of a product row r alone.
								spoiled := i == r || i > r && a.name == "Solve"
								for j := range n {
									if v := c.x.at(i, j); math.IsNaN(v) != spoiled {
										t.Fatalf("X = 0, T[%d,%d] = %v: X[%d,%d] = %v", r, s, bad, i, j, v)
									}
								}
							}
						}
						for _, col := range []int{0, r, n - 1} {
							c := newCorner(m, n, m, 1, n, true, zero, one)
							c.x.set(r, col, bad)
							a.call(k)(m, n, c.t.first(), m, 1, nil, c.x.first(), n)
							for i := range m {
								for j := range n {
									v := c.x.at(i, j)
									switch {
									case j == col && i == r && math.Float64bits(v) != math.Float64bits(bad),
										j == col && i > r && !math.IsNaN(v),
										(j != col || i < r) && v != 0:
										t.Fatalf("T = 1, X[%d,%d] = %v: X[%d,%d] = %v", r, col, bad, i, j, v)
									}
								}
							}
						}
					}
				}
			})
		})
	}
}
