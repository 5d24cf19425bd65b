package blas12

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/check"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// bad are the numbers that zero does not hide.
var bad = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// expect fails unless exactly the elements that spoiled says are NaN.
func expect(t *testing.T, what string, y []float64, spoiled func(i int) bool) {
	t.Helper()
	for i, v := range y {
		if math.IsNaN(v) != spoiled(i) {
			t.Errorf("%s: element %d is %v", what, i, v)
		}
	}
}

// TestZeroTimesNaN has zeros everywhere but in one place, and NaN or an infinity there: it spoils its
// row or column of the result, and nothing else.
func TestZeroTimesNaN(t *testing.T) {
	const m, n = 11, 37
	available(t, func(t *testing.T, r *Routines) {
		for _, v := range bad {
			for p := range m * n {
				a, x, y := make([]float64, m*n), make([]float64, n), make([]float64, n)
				a[p] = v
				r.Dgemv(blas.NoTrans, m, n, 1, a, n, x, 1, 1, y[:m], 1)
				expect(t, fmt.Sprintf("Dgemv N, A[%d] = %v", p, v), y[:m], func(i int) bool { return i == p/n })
				clear(y)
				r.Dgemv(blas.Trans, m, n, 1, a, n, x[:m], 1, 1, y, 1)
				expect(t, fmt.Sprintf("Dgemv T, A[%d] = %v", p, v), y, func(i int) bool { return i == p%n })
			}
			for p := range n {
				a, x, y := make([]float64, n*n), make([]float64, n), make([]float64, n)
				x[p] = v
				if s := r.Ddot(n, x, 1, y, 1); !math.IsNaN(s) {
					t.Errorf("Ddot, x[%d] = %v: %v", p, v, s)
				}
				for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
					r.Dsyr(ul, n, 1, x, 1, a, n)
					expect(t, fmt.Sprintf("Dsyr %c, x[%d] = %v", ul, p, v), a, func(e int) bool {
						i, j := e/n, e%n
						inside := i == j || (i < j) == (ul == blas.Upper)
						return inside && (i == p || j == p) && !(i == j && !math.IsNaN(v))
					})
					clear(a)
					r.Dsymv(ul, n, 1, a, n, x, 1, 1, y, 1)
					expect(t, fmt.Sprintf("Dsymv %c, x[%d] = %v", ul, p, v), y, func(int) bool { return true })
					clear(y)
				}
				r.Dger(n, n, 1, x, 1, y, 1, a, n)
				expect(t, fmt.Sprintf("Dger, x[%d] = %v", p, v), a, func(e int) bool { return e/n == p })
				clear(a)
				r.Dger(n, n, 1, y, 1, x, 1, a, n)
				expect(t, fmt.Sprintf("Dger, y[%d] = %v", p, v), a, func(e int) bool { return e%n == p })
			}
		}
	})
}

// TestZeroTimesNaNInTriangles has zeros everywhere but in one element of a triangle or band, and NaN or
// an infinity there: it spoils its row of op(A), both its rows where A is symmetric, and nothing else.
func TestZeroTimesNaNInTriangles(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(18, 18))
		for range 2000 {
			n, ul, tA := 1+rnd.IntN(40), pick(rnd, []blas.Uplo{blas.Upper, blas.Lower}), pick(rnd, []blas.Transpose{blas.NoTrans, blas.Trans})
			c := newTriangular(rnd, pick(rnd, []string{"full", "packed", "band"}), ul, tA, blas.NonUnit, n)
			p, q, v := rnd.IntN(n), rnd.IntN(n), pick(rnd, bad)
			if !c.has(p, q) {
				continue
			}
			for i := range n {
				for j := range n {
					if c.has(i, j) {
						c.s[c.place(i, j)] = 0
					}
				}
			}
			c.s[c.place(p, q)] = v
			x, y := make([]float64, n), make([]float64, n)
			c.call(r, false, x, 1)
			row := p
			if tA != blas.NoTrans {
				row = q
			}
			expect(t, fmt.Sprintf("%v, A[%d,%d] = %v", c, p, q, v), x, func(i int) bool { return i == row })
			clear(x)
			if c.storage == "band" {
				r.Dsbmv(ul, n, c.k, 1, c.s, c.ld, x, 1, 1, y, 1)
				expect(t, fmt.Sprintf("Dsbmv: %v, A[%d,%d] = %v", c, p, q, v), y, func(i int) bool { return i == p || i == q })
				clear(y)
				kL, kU := c.k, 0
				if ul == blas.Upper {
					kL, kU = 0, c.k
				}
				r.Dgbmv(tA, n, n, kL, kU, 1, c.s, c.ld, x, 1, 1, y, 1)
				expect(t, fmt.Sprintf("Dgbmv: %v, A[%d,%d] = %v", c, p, q, v), y, func(i int) bool { return i == row })
			}
		}
	})
}

// TestZeroTimesNaNInSolutions has a matrix of ones on the diagonal and zeros beside it, and a
// right-hand side of zeros but for NaN or an infinity: it spoils each unknown that comes after its own.
func TestZeroTimesNaNInSolutions(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(19, 19))
		everyTriangular(rnd, func(c triangularCase) {
			if c.n == 0 || c.d == blas.Unit {
				return
			}
			for i := range c.n {
				for j := range c.n {
					if c.has(i, j) {
						c.s[c.place(i, j)] = 0
					}
				}
				c.s[c.place(i, i)] = 1
			}
			p, v := rnd.IntN(c.n), pick(rnd, bad)
			x := make([]float64, c.n)
			x[p] = v
			c.call(r, true, x, 1)
			forward := (c.ul == blas.Lower) == (c.tA == blas.NoTrans)
			expect(t, fmt.Sprintf("%v, x[%d] = %v", c, p, v), x, func(i int) bool {
				if i == p {
					return math.IsNaN(v)
				}
				return (i > p) == forward && (c.k > 0)
			})
		})
	})
}

// TestZeroTimesNaNInPairs has NaN or an infinity in one element of x or y, and zeros elsewhere.
func TestZeroTimesNaNInPairs(t *testing.T) {
	const n = 37
	available(t, func(t *testing.T, r *Routines) {
		for _, v := range bad {
			for p := range n {
				x, y, a := make([]float64, n), make([]float64, n), make([]float64, n*n)
				x[p] = v
				for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
					for _, pair := range [][2][]float64{{x, y}, {y, x}} {
						r.Dsyr2(ul, n, 1, pair[0], 1, pair[1], 1, a, n)
						expect(t, fmt.Sprintf("Dsyr2 %c, %d is %v", ul, p, v), a, func(e int) bool {
							return inTriangle(ul, e/n, e%n) && (e/n == p || e%n == p)
						})
						clear(a)
					}
				}
				r.Drot(n, x, 1, y, 1, 0, 0)
				expect(t, fmt.Sprintf("Drot, %d is %v", p, v), y, func(i int) bool { return i == p })
			}
		}
	})
}

// TestAlignment moves the operands through all alignments in a cache line, and wants the same bits.
func TestAlignment(t *testing.T) {
	const n = 45
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(4, 4))
		a, x, y := random(rnd, n*n), random(rnd, n), random(rnd, n)
		for _, c := range calls {
			var want []float64
			for offset := range 8 {
				shifted := func(s []float64, by int) []float64 { return append(make([]float64, by%8), s...)[by%8:] }
				a, x, y := shifted(a, offset), shifted(x, 3*offset), shifted(y, 5*offset)
				c.do(r, n, a, x, y)
				got := slices.Concat(a, x, y)
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: the result depends on the alignment (offset %d)", c.name, offset)
				}
			}
		}
	})
}

// TestRowIsDot checks the promise of Dgemv: an element of A*x is Ddot of the row.
func TestRowIsDot(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(5, 5))
		for n := 1; n <= maxLength; n++ {
			m := 1 + n%9
			a, x, y := random(rnd, m*n), random(rnd, n), make([]float64, m)
			r.Dgemv(blas.NoTrans, m, n, 1, a, n, x, 1, 0, y, 1)
			for i := range m {
				if want := r.Ddot(n, a[i*n:], 1, x, 1); y[i] != want {
					t.Errorf("m=%d n=%d: y[%d] = %v, Ddot = %v", m, n, i, y[i], want)
				}
			}
		}
	})
}

// TestNoAllocations has an order at which triangles come in pieces, too. The race detector has pools
// forget what they are given.
func TestNoAllocations(t *testing.T) {
	for _, k := range kernels.Some(t) {
		unshared := func(int, int, func(from, to int)) { t.Errorf("kernel=%s: a small matrix is shared", k.Name) }
		for n, r := range map[int]*Routines{50: New(k, unshared), 450: New(k, nil)} {
			a, x, y := make([]float64, n*n), make([]float64, n), make([]float64, n)
			for _, c := range calls {
				if allocs := testing.AllocsPerRun(20, func() { c.do(r, n, a, x, y) }); allocs != 0 && !raceEnabled {
					t.Errorf("%s, kernel=%s n=%d: %v allocations", c.name, k.Name, n, allocs)
				}
			}
		}
	}
}

// TestPackedOverflow has an order of which the number of elements is more than an int of 32 bits:
// n(n+1) is 65,536 then.
func TestPackedOverflow(t *testing.T) {
	const n = 1 << 16
	x, ap := make([]float64, n), make([]float64, n)
	available(t, func(t *testing.T, r *Routines) {
		testutil.MustPanic(t, check.ShortAP, func() { r.Dspmv(blas.Upper, n, 1, ap, x, 1, 0, make([]float64, n), 1) })
		testutil.MustPanic(t, check.ShortAP, func() { r.Dspr(blas.Upper, n, 1, x, 1, ap) })
	})
}
