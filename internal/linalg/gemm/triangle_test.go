package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// A triangularProblem is a call of Dtrsm or Dtrmm to overwrite the m×n C: T = op(A) from left or right.
type triangularProblem struct {
	problem
	solve bool
	side  blas.Side
	ul    blas.Uplo
	t     blas.Transpose
	d     blas.Diag
}

func (p *triangularProblem) String() string {
	return fmt.Sprintf("solve %t %c%c%c%c m=%d n=%d alpha=%v", p.solve, p.side, p.ul, p.t, p.d, p.m, p.n, p.alpha)
}

// newTriangular makes one of the 32 forms. The diagonal is between 2 and 3, and the other elements of a
// row have a sum below 1, so that X is of the size of C. The other triangle, and the diagonal of a unit
// triangle, hold canaries.
func newTriangular(rnd *rand.Rand, form, m, n int, alpha float64) *triangularProblem {
	p := &triangularProblem{
		problem: problem{m: m, n: n, k: m, alpha: alpha, beta: 1, b: newDense(inOperand, 0, 0, 1)},
		solve:   form>>4 == 0, side: sides[form&1], ul: triangles[form>>1&1], t: transposes[form>>2&1],
		d: []blas.Diag{blas.NonUnit, blas.Unit}[form>>3&1],
	}
	if p.side == blas.Right {
		p.k = n
	}
	p.a = newDense(inOperand, p.k, p.k, max(1, p.k)+rnd.IntN(4))
	p.a.fill(p.k, p.k, keepHalf(p.ul), func() float64 { return value(rnd) / float64(p.k) })
	for i := range p.k {
		p.a.x[p.a.at(i, i)] = 2 + rnd.Float64()
		if p.d == blas.Unit {
			p.a.x[p.a.at(i, i)] = inOperand
		}
	}
	p.whole(rnd)
	p.fill(rnd)
	p.call = func() {
		call := active.Dtrmm
		if p.solve {
			call = active.Dtrsm
		}
		call(p.side, p.ul, p.t, p.d, p.m, p.n, p.alpha, p.a.x, p.a.ld, p.c.x, p.c.ld)
	}
	return p
}

func triangularRoutines() (rs []routine) {
	for form := range 32 {
		name := fmt.Sprintf("%s/%d", []string{"Dtrsm", "Dtrmm"}[form>>4], form)
		rs = append(rs, routine{name, func(rnd *rand.Rand, m, n, _ int, alpha, _ float64) *problem {
			return &newTriangular(rnd, form, m, n, alpha).problem
		}})
	}
	return rs
}

func (p *triangularProblem) T(i, j int) float64 {
	if p.t != blas.NoTrans {
		i, j = j, i
	}
	if !keepHalf(p.ul)(i, j) {
		return 0
	}
	return p.a.x[p.a.at(i, j)]
}

// A triangle whose rows are a multiple of a page apart gives the same bits, and only its half is read.
func TestTriangularInPages(t *testing.T) {
	const order, others = 140, 5
	for form := range 32 {
		var results [2][]float64
		for i, lda := range []int{page / 8, page/8 + 1} {
			m, n := order, others
			if sides[form&1] == blas.Right {
				m, n = n, m
			}
			p := newTriangular(rand.New(rand.NewPCG(8, 2)), form, m, n, 1)
			a := make([]float64, order*lda)
			for r := range order {
				copy(a[r*lda:], p.a.x[r*p.a.ld:][:order])
			}
			p.a.x, p.a.ld = a, lda
			p.call()
			results[i] = p.c.x
		}
		if !identical(results[0], results[1]) || math.IsNaN(results[0][0]) {
			t.Errorf("form %d: the bits differ with rows a page apart", form)
		}
	}
}
