package block_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/guard"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// newPlace returns a block in the middle of random numbers, packed or dense; a square packed one lies
// on the diagonal.
func newPlace(rnd *rand.Rand, isPacked bool, rows, cols int) place {
	const order = 700 // of the packed matrices
	p := place{rows: rows, cols: cols}
	switch {
	case isPacked && rows == cols:
		p.all = make([]float64, block.PackedLen(order))
		p.Matrix = block.Packed(order, p.all, 11, 11)
	case isPacked:
		p.all = make([]float64, block.PackedLen(order))
		p.Matrix = block.Packed(order, p.all, order/2-rows-7, order/2+3)
	default:
		p.all = make([]float64, (rows+2)*(cols+5))
		p.Matrix = block.Dense(p.all[3:], cols+5)
	}
	p.fill(rnd)
	return p
}

// eachProducts runs f on every kernel and for products made of Dgemm.
func eachProducts(t *testing.T, f func(t *testing.T, p block.Products)) {
	backends.OnKernels(t, func(t *testing.T, b blskernel.Backend) { f(t, block.On(b)) })
	t.Run("made of Dgemm", func(t *testing.T) { f(t, block.On(gonum.Implementation{})) })
}

const eps = 0x1p-53

// A gemm is a product C = alpha op(A) op(B) + beta C.
type gemm struct {
	tA, tB      blas.Transpose
	m, n, k     int
	alpha, beta float64
	a, b, c     place
}

// operands places A, B and C.
func (g *gemm) operands(take func(operand, rows, cols int) place) {
	ra, ca := block.Stored(g.tA, g.m, g.k)
	rb, cb := block.Stored(g.tB, g.k, g.n)
	g.a, g.b, g.c = take(0, ra, ca), take(1, rb, cb), take(2, g.m, g.n)
}

// check computes the product. Each of its elements has two multiplications by scalars, k terms and two
// additions: k+4 roundings on the way of each.
func (g gemm) check(t *testing.T, on block.Products) {
	t.Helper()
	name := fmt.Sprintf("m=%d n=%d k=%d %c%c", g.m, g.n, g.k, g.tA, g.tB)
	run(t, name, func() { on.BlockGemm(g.tA, g.tB, g.m, g.n, g.k, g.alpha, g.a.Matrix, g.b.Matrix, g.beta, g.c.Matrix) })
	inside := func(i, j int) bool { return i < g.m && j < g.n }
	g.c.compare(t, name, inside, float64(g.k+4), func(i, j int, add func(v float64)) {
		add(g.beta * g.c.was(blas.NoTrans, i, j))
		for l := range g.k {
			add(g.alpha * g.a.was(g.tA, i, l) * g.b.was(g.tB, l, j))
		}
	})
	g.a.unchanged(t, name, nothing)
	g.b.unchanged(t, name, nothing)
}

// run makes a call that touches nothing beside its operands.
func run(t *testing.T, name string, call func()) {
	t.Helper()
	if guard.Faults(call) {
		t.Fatalf("%s: something beside an operand was read or written", name)
	}
}

// compare checks that the elements inside are the sums of the terms that terms adds, within a number of
// roundings of each, and that nothing else was written.
func (p *place) compare(t *testing.T, name string, inside func(i, j int) bool, roundings float64, terms func(i, j int, add func(v float64))) {
	t.Helper()
	for i := range p.rows {
		for j := range p.cols {
			if !inside(i, j) {
				continue
			}
			var want, size float64
			terms(i, j, func(v float64) { want, size = want+v, size+math.Abs(v) })
			if got := p.all[p.at(i, j)]; !(math.Abs(got-want) <= 2.01*roundings*eps*size) {
				t.Fatalf("%s: element (%d,%d) is %v, want %v", name, i, j, got, want)
			}
		}
	}
	p.unchanged(t, name, inside)
}

// A syrk is a product C = C + alpha op(A) diag(d) op(A)ᵀ; without d that is the identity.
type syrk struct {
	t     blas.Transpose
	n, k  int
	alpha float64
	d     []float64
	a, c  place
}

func (g syrk) check(t *testing.T, on block.Products) {
	t.Helper()
	name := fmt.Sprintf("n=%d k=%d %c", g.n, g.k, g.t)
	run(t, name, func() { on.BlockSyrk(g.t, g.n, g.k, g.alpha, g.a.Matrix, g.d, g.c.Matrix) })
	g.c.compare(t, name, func(i, j int) bool { return i <= j && j < g.n }, float64(g.k+5), func(i, j int, add func(v float64)) {
		add(g.c.was(blas.NoTrans, i, j))
		for l := range g.k {
			v := g.alpha * g.a.was(g.t, i, l) * g.a.was(g.t, j, l)
			if g.d != nil {
				v *= g.d[l]
			}
			add(v)
		}
	})
	g.a.unchanged(t, name, nothing)
}

// A trsm is the solution of op(A) X = alpha B, or of X op(A) = alpha B, for a triangle A.
type trsm struct {
	side  blas.Side
	ul    blas.Uplo
	t     blas.Transpose
	diag  blas.Diag
	m, n  int
	alpha float64
	a, b  place
}

// order returns that of A.
func (g *trsm) order() int {
	if g.side == blas.Left {
		return g.m
	}
	return g.n
}

// inside reports whether element (i, j) of A is read.
func (g *trsm) inside(i, j int) bool {
	return i == j && g.diag == blas.NonUnit || i != j && (i < j) == (g.ul == blas.Upper)
}

// fill makes A well conditioned, and NaN where it is not read.
func (g *trsm) fill(rnd *rand.Rand) {
	k := g.order()
	for i := range k {
		for j := range k {
			switch {
			case g.a.Packed && i > j: // not stored
			case !g.inside(i, j):
				g.a.all[g.a.at(i, j)] = math.NaN()
			case i == j:
				g.a.all[g.a.at(i, j)] = 2 + rnd.Float64()
			default:
				g.a.all[g.a.at(i, j)] /= float64(k)
			}
		}
	}
	g.a.before = slices.Clone(g.a.all)
}

// check multiplies the solution by the triangle again: |op(A)·X - alpha·B| <= gamma_{k+4} |op(A)||X|
// for a triangle of order k (Higham, Accuracy and Stability of Numerical Algorithms, theorem 8.5), and
// the sums by which it is found have the same bound.
func (g trsm) check(t *testing.T, on block.Products) {
	t.Helper()
	name := fmt.Sprintf("m=%d n=%d %c%c%c%c", g.m, g.n, g.side, g.ul, g.t, g.diag)
	run(t, name, func() { on.BlockTrsm(g.side, g.ul, g.t, g.diag, g.m, g.n, g.alpha, g.a.Matrix, g.b.Matrix) })
	element := func(i, j int) float64 { // of op(A)
		if g.t != blas.NoTrans {
			i, j = j, i
		}
		switch {
		case i == j && g.diag == blas.Unit:
			return 1
		case !g.inside(i, j):
			return 0
		}
		return g.a.before[g.a.at(i, j)]
	}
	k := g.order()
	for i := range g.m {
		for j := range g.n {
			residual := -g.alpha * g.b.was(blas.NoTrans, i, j)
			size := math.Abs(residual)
			for l := range k {
				v := 0.0
				if g.side == blas.Left {
					v = element(i, l) * g.b.all[g.b.at(l, j)]
				} else {
					v = g.b.all[g.b.at(i, l)] * element(l, j)
				}
				residual, size = residual+v, size+math.Abs(v)
			}
			if !(math.Abs(residual) <= 2.01*float64(k+4)*eps*size) {
				t.Fatalf("%s: row %d, column %d: residual %v", name, i, j, residual)
			}
		}
	}
	g.b.unchanged(t, name, func(i, j int) bool { return i < g.m && j < g.n })
	g.a.unchanged(t, name, nothing)
}

// bit returns the first value if bit b of form is not set, and otherwise the second.
func bit[T any](form, b int, values ...T) T { return values[form>>b&1] }

// What the fuzz targets check, for blocks of larger matrices with columns on the right, and sizes of
// more than one workspace.
func TestBlockGemm(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := testutil.Rand(1)
		for _, s := range [][3]int{{1, 1, 1}, {7, 9, 5}, {8, 24, 64}, {33, 70, 40}, {100, 50, 65}, {210, 30, 20}} {
			for form := range 32 {
				g := gemm{m: s[0], n: s[1], k: s[2], alpha: -0.5, beta: 3}
				g.tA, g.tB = bit(form, 0, blas.NoTrans, blas.Trans), bit(form, 1, blas.NoTrans, blas.Trans)
				g.operands(func(operand, rows, cols int) place {
					return newPlace(rnd, bit(form, 2+operand, false, true), rows, cols+min(operand, 1))
				})
				g.check(t, p)
			}
		}
	})
}

func TestBlockSyrk(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := testutil.Rand(2)
		for _, s := range [][2]int{{1, 1}, {9, 5}, {24, 64}, {210, 20}} {
			for form := range 16 {
				g := syrk{n: s[0], k: s[1], alpha: -2, t: bit(form, 0, blas.NoTrans, blas.Trans)}
				rows, cols := block.Stored(g.t, g.n, g.k)
				g.a, g.c = newPlace(rnd, bit(form, 1, false, true), rows, cols), newPlace(rnd, bit(form, 2, false, true), g.n, g.n)
				if bit(form, 3, false, true) {
					g.d = normal(rnd, g.k)
				}
				g.check(t, p)
			}
		}
	})
}

func TestBlockTrsm(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := testutil.Rand(3)
		for _, s := range [][2]int{{1, 1}, {9, 5}, {24, 64}, {30, block.Size + 9}, {block.Size + 9, 30}} {
			for form := range 64 {
				g := trsm{m: s[0], n: s[1], alpha: 2, side: bit(form, 0, blas.Left, blas.Right), ul: bit(form, 1, blas.Upper, blas.Lower)}
				g.t, g.diag = bit(form, 2, blas.NoTrans, blas.Trans), bit(form, 3, blas.NonUnit, blas.Unit)
				packed := bit(form, 5, false, true)
				if packed && g.ul == blas.Lower {
					continue
				}
				g.a = newPlace(rnd, packed, g.order(), g.order())
				g.fill(rnd)
				g.b = newPlace(rnd, bit(form, 4, false, true), g.m, g.n+1)
				g.check(t, p)
			}
		}
	})
}

// Rot rounds each product and each sum, and touches no element behind x.
func TestRot(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := rand.New(rand.NewPCG(18, 1))
		for n := range 71 {
			c, s := rnd.NormFloat64(), rnd.NormFloat64()
			x, y := normal(rnd, n), normal(rnd, n+3)
			u, v := slices.Clone(x), slices.Clone(y)
			p.Rot(c, s, u, v[:n])
			for i, a := range x {
				b := y[i]
				x[i], y[i] = float64(c*a)+float64(s*b), float64(c*b)-float64(s*a)
			}
			if !slices.Equal(u, x) || !slices.Equal(v, y) {
				t.Fatalf("n=%d: %v and %v, want %v and %v", n, u, v, x, y)
			}
		}
	})
}
