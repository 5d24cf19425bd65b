package blas12

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// A triangularCase is a triangular matrix in one of the three kinds of storage.
type triangularCase struct {
	*memory
	ul      blas.Uplo
	tA      blas.Transpose
	d       blas.Diag
	n, k    int // k diagonals beside the main one
	ld      int
	storage string
	place   func(i, j int) int
}

func (c triangularCase) String() string {
	return fmt.Sprintf("%s, ul=%c tA=%c d=%c n=%d k=%d ld=%d", c.storage, c.ul, c.tA, c.d, c.n, c.k, c.ld)
}

// newTriangular returns a well-conditioned matrix: the diagonal is between 1 and 2, what is beside it
// below 1/n. A unit diagonal, and what belongs to no element, is NaN.
func newTriangular(rnd *rand.Rand, storage string, ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int) triangularCase {
	c := triangularCase{ul: ul, tA: tA, d: d, n: n, k: max(0, n-1), storage: storage}
	if storage == "band" {
		b := oneSided(rnd, ul, n, diagonals(rnd), rnd.IntN(3))
		c.memory, c.k, c.ld, c.place = b.memory, max(b.kL, b.kU), b.ld, b.place
	} else {
		c.ld = max(1, n+rnd.IntN(3))
		s := newSymmetric(rnd, ul, storage == "packed", n, c.ld, nan)
		c.memory, c.place = s.memory, s.place
	}
	for i := range n {
		for j := range n {
			switch {
			case !c.has(i, j):
			case i != j:
				c.set(c.place(i, j), (2*rnd.Float64()-1)/float64(n))
			case d == blas.Unit:
				c.set(c.place(i, i), nan)
			default:
				c.set(c.place(i, i), 1+rnd.Float64())
			}
		}
	}
	c.save()
	return c
}

// has tells whether element (i,j) of A is stored, or is one of a unit diagonal.
func (c triangularCase) has(i, j int) bool {
	return inTriangle(c.ul, i, j) && max(i-j, j-i) <= c.k
}

// row returns row i of |op(A)·x| as a sum.
func (c triangularCase) row(i int, x func(int) float64) (s sum) {
	for j := range c.n {
		p, q := i, j
		if c.tA != blas.NoTrans {
			p, q = j, i
		}
		switch {
		case !c.has(p, q):
		case i == j && c.d == blas.Unit:
			s.add(1, x(j), 1)
		default:
			s.add(c.s[c.place(p, q)], x(j), 1)
		}
	}
	return s
}

func (c triangularCase) call(r vectorBLAS, solve bool, x []float64, inc int) {
	switch {
	case c.storage == "full" && solve:
		r.Dtrsv(c.ul, c.tA, c.d, c.n, c.s, c.ld, x, inc)
	case c.storage == "full":
		r.Dtrmv(c.ul, c.tA, c.d, c.n, c.s, c.ld, x, inc)
	case c.storage == "packed" && solve:
		r.Dtpsv(c.ul, c.tA, c.d, c.n, c.s, x, inc)
	case c.storage == "packed":
		r.Dtpmv(c.ul, c.tA, c.d, c.n, c.s, x, inc)
	case solve:
		r.Dtbsv(c.ul, c.tA, c.d, c.n, c.k, c.s, c.ld, x, inc)
	default:
		r.Dtbmv(c.ul, c.tA, c.d, c.n, c.k, c.s, c.ld, x, inc)
	}
}

// everyTriangular calls do for all kinds of triangular matrices, of orders up to maxLength and two
// larger ones.
func everyTriangular(rnd *rand.Rand, do func(c triangularCase)) {
	for n := range maxLength + 3 {
		if n > maxLength {
			n = []int{131, 258}[n-maxLength-1]
		}
		for _, storage := range []string{"full", "packed", "band"} {
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
					for _, d := range []blas.Diag{blas.NonUnit, blas.Unit} {
						do(newTriangular(rnd, storage, ul, tA, d, n))
					}
				}
			}
		}
	}
}

func TestTriangularProducts(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(9, 9))
		everyTriangular(rnd, func(c triangularCase) {
			inc := pick(rnd, increments)
			x := newStrided(rnd, c.n, inc, written)
			c.call(r, false, x.s, inc)
			c.check(t, false, "A")
			x.check(t, true, "x")
			for i := range c.n {
				if err := c.row(i, x.was).within(min(c.n, c.k+1), x.at(i)); err != nil {
					t.Errorf("%v incX=%d: element %d: %v", c, inc, i, err)
				}
			}
		})
	})
}

// TestTriangularSolutions checks residuals. That of a computed solution is at most γ_n·|A|·|y| in every
// row (Higham, Accuracy and Stability of Numerical Algorithms, theorem 8.5, for any order of the sums).
func TestTriangularSolutions(t *testing.T) {
	available(t, func(t *testing.T, r *Routines) {
		rnd := rand.New(rand.NewPCG(10, 10))
		everyTriangular(rnd, func(c triangularCase) {
			inc := pick(rnd, increments)
			x := newStrided(rnd, c.n, inc, written)
			c.call(r, true, x.s, inc)
			c.check(t, false, "A")
			x.check(t, true, "x")
			for i := range c.n {
				residual := c.row(i, x.at)
				residual.value = residual.value.plus(x.was(i), -1)
				if err := residual.within(min(c.n, c.k+2), 0); err != nil {
					t.Errorf("%v incX=%d: row %d: %v", c, inc, i, err)
				}
			}
		})
	})
}
