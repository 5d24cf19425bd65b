package blas12

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// A banded is an m×n matrix of kL diagonals below the main one and kU above it, in band storage. The
// rest of the storage holds canaries.
type banded struct {
	*memory
	m, n, kL, kU, ld int
}

func newBanded(rnd *rand.Rand, m, n, kL, kU, pad int) banded {
	b := banded{m: m, n: n, kL: kL, kU: kU, ld: kL + kU + 1 + pad}
	length := 0
	if rows := min(m, n+kL); rows > 0 && n > 0 {
		length = (rows-1)*b.ld + kL + kU + 1
	}
	b.memory = newMemory(rnd, length, nan)
	for i := range m {
		for j := range n {
			if b.has(i, j) {
				b.set(b.place(i, j), rnd.NormFloat64())
			}
		}
	}
	b.save()
	return b
}

func (b banded) has(i, j int) bool   { return i-b.kL <= j && j <= i+b.kU }
func (b banded) place(i, j int) int  { return i*b.ld + b.kL + j - i }
func (b banded) at(i, j int) float64 { return b.s[b.place(i, j)] }
func (b banded) String() string {
	return fmt.Sprintf("%d×%d, %d below, %d above", b.m, b.n, b.kL, b.kU)
}
func diagonals(rnd *rand.Rand) int     { return pick(rnd, []int{0, 1, 2, 5, 7, 8, 9, 30, 45, 80}) }
func orders(rnd *rand.Rand) (int, int) { return rnd.IntN(maxLength), rnd.IntN(maxLength) }

func TestDgbmv(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(7, 7))
		for range 3000 {
			c, tA := draw(rnd), pick(rnd, []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans})
			m, n := orders(rnd)
			a := newBanded(rnd, m, n, diagonals(rnd), diagonals(rnd), c.pad)
			rows, cols := m, n
			if tA != blas.NoTrans {
				rows, cols = n, m
			}
			x, y := newStrided(rnd, cols, c.incX, nan), c.y(rnd, rows)
			r.Dgbmv(tA, m, n, a.kL, a.kU, c.alpha, a.s, a.ld, x.s, c.incX, c.beta, y.s, c.incY)
			a.check(t, false, "A")
			x.check(t, false, "x")
			y.check(t, m > 0 && n > 0, "y")
			for i := range rows {
				if m == 0 || n == 0 {
					break
				}
				want := c.old(y, i)
				for j := range cols {
					p, q := i, j
					if tA != blas.NoTrans {
						p, q = j, i
					}
					if a.has(p, q) {
						want.add(a.at(p, q), x.at(j), c.alpha)
					}
				}
				if err := want.within(a.kL+a.kU+3, y.at(i)); err != nil {
					t.Errorf("%v, tA=%c %+v: y[%d]: %v", a, tA, c, i, err)
				}
			}
		}
	})
}

// oneSided returns one triangle of a square band.
func oneSided(rnd *rand.Rand, ul blas.Uplo, n, k, pad int) banded {
	if ul == blas.Upper {
		return newBanded(rnd, n, n, 0, k, pad)
	}
	return newBanded(rnd, n, n, k, 0, pad)
}

func TestDsbmv(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(8, 8))
		for range 2000 {
			c, ul, n, k := draw(rnd), pick(rnd, []blas.Uplo{blas.Upper, blas.Lower}), rnd.IntN(maxLength), diagonals(rnd)
			a := oneSided(rnd, ul, n, k, c.pad)
			x, y := newStrided(rnd, n, c.incX, nan), c.y(rnd, n)
			if n > 0 {
				a.s = a.s[:(n-1)*a.ld+k+1]
			}
			r.Dsbmv(ul, n, k, c.alpha, a.s, a.ld, x.s, c.incX, c.beta, y.s, c.incY)
			a.check(t, false, "A")
			x.check(t, false, "x")
			y.check(t, true, "y")
			for i := range n {
				want := c.old(y, i)
				for j := range n {
					if a.has(i, j) {
						want.add(a.at(i, j), x.at(j), c.alpha)
					} else if a.has(j, i) {
						want.add(a.at(j, i), x.at(j), c.alpha)
					}
				}
				if err := want.within(2*k+4, y.at(i)); err != nil {
					t.Errorf("%v, ul=%c %+v: y[%d]: %v", a, ul, c, i, err)
				}
			}
		}
	})
}
