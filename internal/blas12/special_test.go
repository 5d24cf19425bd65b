package blas12

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/check"
	"blskernel/internal/testutil"

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
	for _, k := range everyKernel(t) {
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
