package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// A triangular problem is one call of Dtrsm or Dtrmm: T = op(A) from the left or right, B an m×n
// matrix.
type triangularProblem struct {
	side  blas.Side
	ul    blas.Uplo
	t     blas.Transpose
	d     blas.Diag
	m, n  int
	alpha float64
	a, b  store
	T     func(i, j int) float64
}

// order returns the order of T.
func (p *triangularProblem) order() int {
	if p.side == blas.Left {
		return p.m
	}
	return p.n
}

func (p *triangularProblem) String() string {
	return fmt.Sprintf("%c%c%c%c m=%d n=%d alpha=%v", p.side, p.ul, p.t, p.d, p.m, p.n, p.alpha)
}

// newTriangular makes a problem in which the diagonal is between 2 and 3 and a row has a sum below
// 1 beside it, so that X is of the size of B. The other triangle, and the diagonal of a unit
// triangle, hold canaries.
func newTriangular(rnd *rand.Rand, side blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64) *triangularProblem {
	p := &triangularProblem{side: side, ul: ul, t: t, d: d, m: m, n: n, alpha: alpha}
	order := p.order()
	p.a = newDense(inOperand, order, order, max(1, order)+rnd.IntN(4))
	p.b = newDense(inResult, m, n, max(1, n)+rnd.IntN(4))
	kept := keepHalf(ul)
	for i := range order {
		for j := range order {
			switch {
			case !kept(i, j):
			case i != j:
				p.a.x[p.a.at(i, j)] = value(rnd) / float64(order)
			case d == blas.NonUnit:
				p.a.x[p.a.at(i, j)] = 2 + rnd.Float64()
			}
		}
	}
	for i := range m {
		for j := range n {
			p.b.x[p.b.at(i, j)] = value(rnd)
		}
	}
	p.T = func(i, j int) float64 {
		if t != blas.NoTrans {
			i, j = j, i
		}
		switch {
		case !kept(i, j):
			return 0
		case i == j && d == blas.Unit:
			return 1
		}
		return p.a.x[p.a.at(i, j)]
	}
	return p
}

// product returns element (i,j) of T·X or X·T for the m×n matrix X in the storage x, and the same of
// the absolute values.
func (p *triangularProblem) product(x []float64, i, j int) (sum twofold, magnitude float64) {
	for l := range p.order() {
		u, v := 0.0, 0.0
		if p.side == blas.Left {
			u, v = p.T(i, l), x[p.b.at(l, j)]
		} else {
			u, v = x[p.b.at(i, l)], p.T(l, j)
		}
		if u == 0 && v == 0 {
			continue
		}
		sum = sum.addProduct(u, v)
		magnitude += math.Abs(u * v)
	}
	return sum, magnitude
}

// A trxmRoutine is Dtrsm or Dtrmm.
type trxmRoutine = func(blas.Side, blas.Uplo, blas.Transpose, blas.Diag, int, int, float64, []float64, int, []float64, int)

// check calls the routine, compares each element with within, and looks at what must not change.
func (p *triangularProblem) check(t *testing.T, call trxmRoutine, within func(b, x []float64, i, j int) (e, bound float64)) {
	t.Helper()
	a, all := slices.Clone(p.a.all), slices.Clone(p.b.all)
	b := slices.Clone(p.b.x)
	call(p.side, p.ul, p.t, p.d, p.m, p.n, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld)
	for i := range p.m {
		for j := range p.n {
			if e, bound := within(b, p.b.x, i, j); !(e <= bound) {
				t.Fatalf("%v: element (%d,%d): error %.3g, bound %.3g", p, i, j, e, bound)
			}
			at := p.b.at(i, j)
			all[margin+at] = p.b.x[at]
		}
	}
	if !identical(p.a.all, a) || !identical(p.b.all, all) {
		t.Errorf("%v: something beside B was changed", p)
	}
}

// solved returns the residual of element (i,j) of X, and its bound, that of substitution: |T·X -
// alpha·B| <= gamma_{n+2}·|T|·|X| for T of order n (Higham, theorem 8.5, which holds for any order of
// evaluation, with a rounding more for the reciprocal of the diagonal and one for its product), and
// u·|alpha·B| more for the scaling.
func (p *triangularProblem) solved(b, x []float64, i, j int) (e, bound float64) {
	r, magnitude := p.product(x, i, j)
	r = r.addProduct(-p.alpha, b[p.b.at(i, j)])
	return math.Abs(r.hi + r.lo), gamma(p.order()+2)*magnitude + unit*math.Abs(p.alpha*b[p.b.at(i, j)])
}

// multiplied returns the error of element (i,j) of X, and its bound, that of a product: |X -
// alpha·T·B| <= gamma_{n+1}·|alpha|·|T|·|B|, n terms of which each is scaled, multiplied and added.
func (p *triangularProblem) multiplied(b, x []float64, i, j int) (e, bound float64) {
	sum, magnitude := p.product(b, i, j)
	want := twofold{}.addProduct(p.alpha, sum.hi).addProduct(p.alpha, sum.lo)
	return want.distance(x[p.b.at(i, j)]), gamma(p.order()+1) * math.Abs(p.alpha) * magnitude
}

// A triangle whose rows are a multiple of a page apart gives the same bits, and only its half is read.
func TestTriangularInPages(t *testing.T) {
	const order, others = 140, 5
	for form := range 32 {
		side, ul, tA := sides[form&1], triangles[form>>1&1], transposes[form>>2&1]
		d, name, call := []blas.Diag{blas.NonUnit, blas.Unit}[form>>3&1], "Dtrsm", active.Dtrsm
		if form>>4 == 1 {
			name, call = "Dtrmm", active.Dtrmm
		}
		m, n := order, others
		if side == blas.Right {
			m, n = n, m
		}
		var results [2][]float64
		for i, lda := range []int{page / 8, page/8 + 1} {
			p := newTriangular(rand.New(rand.NewPCG(8, 2)), side, ul, tA, d, m, n, 1)
			a := make([]float64, order*lda)
			for r := range order {
				copy(a[r*lda:], p.a.x[r*p.a.ld:][:order])
			}
			call(side, ul, tA, d, m, n, 1, a, lda, p.b.x, p.b.ld)
			results[i] = p.b.x
		}
		if !identical(results[0], results[1]) || math.IsNaN(results[0][0]) {
			t.Errorf("%s %c%c%c%c: other bits with rows a page apart", name, side, ul, tA, d)
		}
	}
}
