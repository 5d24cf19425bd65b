package blas12

import (
	"math/rand/v2"
	"testing"
)

// level1 runs a test for all lengths, pairs of increments and factors, on each kernel.
func level1(t *testing.T, test func(t *testing.T, r *Routines, rnd *rand.Rand, n, incX, incY int, alpha float64)) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(1, 1))
		for n := range maxLength + 1 {
			for _, incX := range increments {
				for _, incY := range increments {
					for _, alpha := range factors {
						test(t, r, rnd, n, incX, incY, alpha)
					}
				}
			}
		}
	})
}

func TestDdot(t *testing.T) {
	level1(t, func(t *testing.T, r *Routines, rnd *rand.Rand, n, incX, incY int, _ float64) {
		x, y := newStrided(rnd, n, incX, nan), newStrided(rnd, n, incY, nan)
		var want sum
		for i := range n {
			want.add(x.at(i), y.at(i), 1)
		}
		if err := want.within(n, r.Ddot(n, x.s, incX, y.s, incY)); err != nil {
			t.Errorf("n=%d incX=%d incY=%d: %v", n, incX, incY, err)
		}
		x.check(t, false, "x")
		y.check(t, false, "y")
	})
}

func TestDaxpy(t *testing.T) {
	level1(t, func(t *testing.T, r *Routines, rnd *rand.Rand, n, incX, incY int, alpha float64) {
		x, y := newStrided(rnd, n, incX, nan), newStrided(rnd, n, incY, written)
		r.Daxpy(n, alpha, x.s, incX, y.s, incY)
		x.check(t, false, "x")
		y.check(t, alpha != 0, "y")
		for i := range n {
			var want sum
			want.add(y.was(i), 1, 1)
			want.add(alpha, x.at(i), 1)
			if err := want.within(2, y.at(i)); err != nil {
				t.Errorf("n=%d incX=%d incY=%d alpha=%v: y[%d]: %v", n, incX, incY, alpha, i, err)
			}
		}
	})
}

func TestDscal(t *testing.T) {
	level1(t, func(t *testing.T, r *Routines, rnd *rand.Rand, n, incX, _ int, alpha float64) {
		x := newStrided(rnd, n, incX, written)
		r.Dscal(n, alpha, x.s, incX)
		x.check(t, incX > 0, "x")
		for i := range n {
			if want := x.was(i) * alpha; incX > 0 && x.at(i) != want {
				t.Errorf("n=%d incX=%d alpha=%v: x[%d] = %v, want %v", n, incX, alpha, i, x.at(i), want)
			}
		}
	})
}
