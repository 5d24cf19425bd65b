package blas12

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// A call is what is drawn at random for a call besides its shape.
type call struct {
	pad, incX, incY int // pad is added to the least leading dimension
	alpha, beta     float64
}

func draw(rnd *rand.Rand) call {
	c := call{pad: pick(rnd, []int{0, 0, 1, 5})}
	c.alpha, c.beta = pick(rnd, factors), pick(rnd, factors)
	c.incX, c.incY = 1, 1
	if rnd.IntN(3) == 0 {
		c.incX, c.incY = pick(rnd, increments), pick(rnd, increments)
	}
	return c
}

// y returns a vector for a result: NaN, where beta = 0 says that it is not read.
func (c call) y(rnd *rand.Rand, n int) strided {
	y := newStrided(rnd, n, c.incY, written)
	if c.beta == 0 {
		for i := range n {
			y.set(y.index(i), nan)
		}
		y.save()
	}
	return y
}

// old is the sum beta*y[i].
func (c call) old(y strided, i int) (s sum) {
	if c.beta != 0 {
		s.add(c.beta, y.was(i), 1)
	}
	return s
}

// shapes runs a test for all shapes up to maxLength and some larger ones, on each kernel.
func shapes(t *testing.T, test func(t *testing.T, r *Routines, rnd *rand.Rand, m, n int, c call)) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(2, 2))
		for m := range maxLength + 1 {
			for n := range maxLength + 1 {
				test(t, r, rnd, m, n, draw(rnd))
			}
		}
		for _, s := range [][2]int{{300, 301}, {17, 4801}, {2801, 29}} { // all are shared
			test(t, r, rnd, s[0], s[1], call{alpha: 0.7, incX: 1, incY: 1})
			test(t, r, rnd, s[0], s[1], call{pad: 3, alpha: -1, beta: 0.7, incX: -3, incY: 2})
		}
	})
}

func TestDgemv(t *testing.T) {
	shapes(t, func(t *testing.T, r *Routines, rnd *rand.Rand, m, n int, c call) {
		tA := pick(rnd, []blas.Transpose{blas.NoTrans, blas.NoTrans, blas.Trans, blas.Trans, blas.ConjTrans})
		rows, cols := m, n // of op(A)
		if tA != blas.NoTrans {
			rows, cols = n, m
		}
		a, x, y := newRectangle(rnd, m, n, n+c.pad, nan), newStrided(rnd, cols, c.incX, nan), c.y(rnd, rows)
		r.Dgemv(tA, m, n, c.alpha, a.s, max(1, a.ld), x.s, c.incX, c.beta, y.s, c.incY)
		a.check(t, false, "A")
		x.check(t, false, "x")
		empty := m == 0 || n == 0
		y.check(t, !empty, "y")
		for i := range rows {
			if empty {
				break
			}
			want := c.old(y, i)
			for j := range cols {
				e := 0.0
				if tA == blas.NoTrans {
					e = a.at(i, j)
				} else {
					e = a.at(j, i)
				}
				want.add(e, x.at(j), c.alpha)
			}
			if err := want.within(cols+2, y.at(i)); err != nil {
				t.Errorf("tA=%c m=%d n=%d %+v: y[%d]: %v", tA, m, n, c, i, err)
			}
		}
	})
}

func TestDger(t *testing.T) {
	shapes(t, func(t *testing.T, r *Routines, rnd *rand.Rand, m, n int, c call) {
		a := newRectangle(rnd, m, n, n+c.pad, written)
		x, y := newStrided(rnd, m, c.incX, nan), newStrided(rnd, n, c.incY, nan)
		r.Dger(m, n, c.alpha, x.s, c.incX, y.s, c.incY, a.s, max(1, a.ld))
		a.check(t, c.alpha != 0, "A")
		x.check(t, false, "x")
		y.check(t, false, "y")
		if len(a.s) == 0 {
			return
		}
		for i := range m {
			for j := range n {
				var want sum
				want.add(a.was(i, j), 1, 1)
				want.add(c.alpha, x.at(i), y.at(j))
				if err := want.within(3, a.at(i, j)); err != nil {
					t.Errorf("m=%d n=%d %+v: A[%d,%d]: %v", m, n, c, i, j, err)
				}
			}
		}
	})
}

// A symmetric is one triangle of a symmetric matrix, full or packed; the other triangle of a full one
// holds canaries.
type symmetric struct {
	*memory
	place func(i, j int) int
}

func newSymmetric(rnd *rand.Rand, ul blas.Uplo, packed bool, n, ld int, canary float64) symmetric {
	length := n * (n + 1) / 2
	if !packed {
		length = max(0, (n-1)*ld+n)
	}
	a := symmetric{memory: newMemory(rnd, length, canary)}
	a.place = func(i, j int) int {
		if (i > j) == (ul == blas.Upper) {
			i, j = j, i
		}
		switch {
		case !packed:
			return i*ld + j
		case ul == blas.Upper:
			return i*(2*n-i-1)/2 + j
		}
		return i*(i+1)/2 + j
	}
	for i := range n {
		for j := range i + 1 {
			a.set(a.place(i, j), rnd.NormFloat64())
		}
	}
	a.save()
	return a
}

// triangles runs a test for all orders up to maxLength several times, and for larger ones, for both
// triangles, full and packed, on each kernel.
func triangles(t *testing.T, test func(t *testing.T, r *Routines, rnd *rand.Rand, ul blas.Uplo, packed bool, n int, c call)) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(3, 3))
		for n := range maxLength + 1 {
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				for range 3 {
					test(t, r, rnd, ul, false, n, draw(rnd))
					test(t, r, rnd, ul, true, n, draw(rnd))
				}
			}
		}
		large := []int{255, 256, 283, 400, 512} // in one piece, four, eight; shared from 283 or 400 on
		if testing.Short() {
			large = []int{400}
		}
		for _, n := range large {
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				for _, packed := range []bool{false, true} {
					test(t, r, rnd, ul, packed, n, call{alpha: 0.7, incX: 1, incY: 1})
					test(t, r, rnd, ul, packed, n, call{pad: 3, alpha: -1, beta: 0.7, incX: -3, incY: 2})
				}
			}
		}
	})
}

func TestDsymvDspmv(t *testing.T) {
	triangles(t, func(t *testing.T, r *Routines, rnd *rand.Rand, ul blas.Uplo, packed bool, n int, c call) {
		ld := max(1, n+c.pad)
		a, x, y := newSymmetric(rnd, ul, packed, n, ld, nan), newStrided(rnd, n, c.incX, nan), c.y(rnd, n)
		if packed {
			r.Dspmv(ul, n, c.alpha, a.s, x.s, c.incX, c.beta, y.s, c.incY)
		} else {
			r.Dsymv(ul, n, c.alpha, a.s, ld, x.s, c.incX, c.beta, y.s, c.incY)
		}
		a.check(t, false, "A")
		x.check(t, false, "x")
		y.check(t, true, "y")
		for i := range n {
			want := c.old(y, i)
			for j := range n {
				want.add(a.s[a.place(i, j)], x.at(j), c.alpha)
			}
			if err := want.within(n+3, y.at(i)); err != nil {
				t.Errorf("ul=%c packed=%v n=%d %+v: y[%d]: %v", ul, packed, n, c, i, err)
			}
		}
	})
}

func TestDsyr2Dspr2(t *testing.T) {
	triangles(t, func(t *testing.T, r *Routines, rnd *rand.Rand, ul blas.Uplo, packed bool, n int, c call) {
		ld := max(1, n+c.pad)
		a := newSymmetric(rnd, ul, packed, n, ld, written)
		x, y := newStrided(rnd, n, c.incX, nan), newStrided(rnd, n, c.incY, nan)
		if packed {
			r.Dspr2(ul, n, c.alpha, x.s, c.incX, y.s, c.incY, a.s)
		} else {
			r.Dsyr2(ul, n, c.alpha, x.s, c.incX, y.s, c.incY, a.s, ld)
		}
		a.check(t, c.alpha != 0, "A")
		x.check(t, false, "x")
		y.check(t, false, "y")
		for i := range n {
			for j := range i + 1 {
				var want sum
				want.add(a.before[a.start+a.place(i, j)], 1, 1)
				want.add(c.alpha, x.at(i), y.at(j))
				want.add(c.alpha, x.at(j), y.at(i))
				if err := want.within(4, a.s[a.place(i, j)]); err != nil {
					t.Errorf("ul=%c packed=%v n=%d %+v: A[%d,%d]: %v", ul, packed, n, c, i, j, err)
				}
			}
		}
	})
}

func TestDsyrDspr(t *testing.T) {
	triangles(t, func(t *testing.T, r *Routines, rnd *rand.Rand, ul blas.Uplo, packed bool, n int, c call) {
		ld := max(1, n+c.pad)
		a, x := newSymmetric(rnd, ul, packed, n, ld, written), newStrided(rnd, n, c.incX, nan)
		if packed {
			r.Dspr(ul, n, c.alpha, x.s, c.incX, a.s)
		} else {
			r.Dsyr(ul, n, c.alpha, x.s, c.incX, a.s, ld)
		}
		a.check(t, c.alpha != 0, "A")
		x.check(t, false, "x")
		for i := range n {
			for j := range i + 1 {
				var want sum
				want.add(a.before[a.start+a.place(i, j)], 1, 1)
				want.add(c.alpha, x.at(i), x.at(j))
				if err := want.within(3, a.s[a.place(i, j)]); err != nil {
					t.Errorf("ul=%c packed=%v n=%d %+v: A[%d,%d]: %v", ul, packed, n, c, i, j, err)
				}
			}
		}
	})
}
