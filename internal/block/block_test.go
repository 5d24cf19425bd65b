package block_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/block"
	"blskernel/internal/gemm"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Every element of a packed triangle is where PackedRow says, in a block and in a block of a
// block.
func TestPackedMatrix(t *testing.T) {
	for n := range 12 {
		ap := make([]float64, block.PackedLen(n))
		for i := range n {
			for j := i; j < n; j++ {
				ap[block.PackedIndex(n, i, j)] = float64(100*i + j)
			}
		}
		for i := range n {
			for j := i; j < n; j++ {
				m := block.Packed(n, ap, i, j)
				for r := 0; i+r <= j; r++ {
					for c := 0; j+c < n; c++ {
						if got := m.X[m.Row(r)+c]; got != float64(100*(i+r)+j+c) {
							t.Fatalf("n=%d: element (%d,%d) of the block at (%d,%d) is %v", n, r, c, i, j, got)
						}
						if s := m.Sub(r, c); s.X[0] != float64(100*(i+r)+j+c) || r+i < j && s.X[s.Row(1)] != float64(100*(i+r+1)+j+c) {
							t.Fatalf("n=%d: the block at (%d,%d) of that at (%d,%d) is wrong", n, r, c, i, j)
						}
					}
				}
			}
		}
	}
}

// A holder is a matrix in the middle of a slice of canaries, packed or dense, and as it was at first.
type holder struct {
	block.Matrix
	all, before []float64
}

const order = 700 // of the packed matrices of which blocks are taken

func newHolder(rnd *rand.Rand, isPacked bool, rows, cols int) holder {
	var h holder
	if isPacked {
		h.all = make([]float64, block.PackedLen(order))
		h.Matrix = block.Packed(order, h.all, order/2-rows-7, order/2+3)
		if rows == cols { // on the diagonal
			h.Matrix = block.Packed(order, h.all, 11, 11)
		}
	} else {
		h.all = make([]float64, (rows+2)*(cols+5))
		h.Matrix = block.Dense(h.all[3:], cols+5)
	}
	for i := range h.all {
		h.all[i] = rnd.NormFloat64()
	}
	h.before = append([]float64(nil), h.all...)
	return h
}

// old returns element (i, j) as it was at first.
func (h *holder) old(i, j int) float64 {
	return h.before[len(h.all)-len(h.X)+h.Row(i)+j]
}

// op returns element (i, j) of op(X), as it was at first.
func (h *holder) op(t blas.Transpose, i, j int) float64 {
	if t == blas.NoTrans {
		return h.old(i, j)
	}
	return h.old(j, i)
}

// compare checks C[i,j] = want(i, j), within a tolerance, for the elements that are kept, and that
// nothing else was written.
func (h *holder) compare(t *testing.T, name string, rows, cols int, kept func(i, j int) bool, want func(i, j int) (v, tolerance float64)) {
	t.Helper()
	for i := range rows {
		for j := range cols {
			if !kept(i, j) {
				continue
			}
			at := len(h.all) - len(h.X) + h.Row(i) + j
			v, tolerance := want(i, j)
			if got := h.all[at]; !(math.Abs(got-v) <= tolerance) {
				t.Fatalf("%s: element (%d,%d) is %v, want %v", name, i, j, got, v)
			}
			h.all[at] = h.before[at]
		}
	}
	for at, v := range h.all {
		if v != h.before[at] {
			t.Fatalf("%s: wrote beside the result, at %d", name, at)
		}
	}
}

// eachProducts runs f for every kernel, but with -short for the fastest alone, and for products made of Dgemm.
func eachProducts(t *testing.T, f func(t *testing.T, p block.Products)) {
	names := kernel.Names()
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		k, err := kernel.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("kernel="+name, func(t *testing.T) { f(t, block.On(engine{Engine: gemm.New(k)})) })
	}
	t.Run("made of Dgemm", func(t *testing.T) { f(t, block.On(gonum.Implementation{})) })
}

// An engine is a BLAS as far as package block needs one.
type engine struct {
	gonum.Implementation
	*gemm.Engine
}

func (e engine) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	panic("not to be called")
}
func (e engine) Dtrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	panic("not to be called")
}
func (e engine) Dtrmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	panic("not to be called")
}
func (e engine) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	panic("not to be called")
}
func (e engine) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	panic("not to be called")
}
func (e engine) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	panic("not to be called")
}

const eps = 0x1p-53

func TestBlockGemm(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := rand.New(rand.NewPCG(1, 1))
		for _, s := range [][3]int{{1, 1, 1}, {7, 9, 5}, {8, 24, 64}, {33, 70, 40}, {100, 50, 65}, {210, 30, 20}} {
			m, n, k := s[0], s[1], s[2]
			for form := range 32 {
				tA, tB := blas.NoTrans, blas.NoTrans
				ra, ca, rb, cb := m, k, k, n
				if form&1 != 0 {
					tA, ra, ca = blas.Trans, k, m
				}
				if form&2 != 0 {
					tB, rb, cb = blas.Trans, n, k
				}
				a, b, c := newHolder(rnd, form&4 != 0, ra, ca+1), newHolder(rnd, form&8 != 0, rb, cb+1), newHolder(rnd, form&16 != 0, m, n+1)
				p.BlockGemm(tA, tB, m, n, k, -0.5, a.Matrix, b.Matrix, 3, c.Matrix)
				name := fmt.Sprintf("m=%d n=%d k=%d form=%05b", m, n, k, form)
				c.compare(t, name, m, n, func(int, int) bool { return true }, func(i, j int) (v, tolerance float64) {
					for q := range k {
						x := a.op(tA, i, q) * b.op(tB, q, j)
						v += x
						tolerance += math.Abs(x)
					}
					return 3*c.old(i, j) - v/2, 2 * float64(k+3) * eps * (tolerance + 3*math.Abs(c.old(i, j)))
				})
			}
		}
	})
}

func TestBlockSyrk(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := rand.New(rand.NewPCG(2, 1))
		for _, s := range [][2]int{{1, 1}, {9, 5}, {24, 64}, {210, 20}} {
			n, k := s[0], s[1]
			for form := range 16 {
				tr, ra, ca := blas.NoTrans, n, k
				if form&1 != 0 {
					tr, ra, ca = blas.Trans, k, n
				}
				var d []float64
				if form&8 != 0 {
					for range k {
						d = append(d, rnd.NormFloat64())
					}
				}
				a, c := newHolder(rnd, form&2 != 0, ra, ca+1), newHolder(rnd, form&4 != 0, n, n)
				p.BlockSyrk(tr, n, k, -2, a.Matrix, d, c.Matrix)
				c.compare(t, fmt.Sprintf("n=%d k=%d form=%04b", n, k, form), n, n, func(i, j int) bool { return j >= i }, func(i, j int) (v, tolerance float64) {
					for q := range k {
						x := a.op(tr, i, q) * a.op(tr, j, q)
						if d != nil {
							x *= d[q]
						}
						v += 2 * x
						tolerance += math.Abs(2 * x)
					}
					return c.old(i, j) - v, 2 * float64(k+3) * eps * (tolerance + math.Abs(c.old(i, j)))
				})
			}
		}
	})
}

// The solution, which the reference multiplies by the triangle again.
func TestBlockTrsm(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := rand.New(rand.NewPCG(3, 1))
		for _, s := range [][2]int{{1, 1}, {9, 5}, {24, 64}, {30, 190}, {190, 30}} {
			m, n := s[0], s[1]
			for form := range 64 {
				side, ul, tr, di := blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit
				if form&1 != 0 {
					side = blas.Right
				}
				if form&2 != 0 {
					ul = blas.Lower
				}
				if form&4 != 0 {
					tr = blas.Trans
				}
				if form&8 != 0 {
					di = blas.Unit
				}
				size := m
				if side == blas.Right {
					size = n
				}
				lda := size + 2
				a := make([]float64, size*lda)
				for i := range a {
					a[i] = math.NaN()
				}
				for i := range size {
					for j := range size {
						if i != j && (i < j) == (ul == blas.Upper) {
							a[i*lda+j] = rnd.NormFloat64() / float64(size)
						}
					}
					if di == blas.NonUnit {
						a[i*lda+i] = 2 + rnd.Float64()
					}
				}
				triangle := block.Dense(a, lda)
				if form&32 != 0 {
					if ul == blas.Lower {
						continue
					}
					triangle = block.Packed(size, make([]float64, block.PackedLen(size)), 0, 0)
					block.CopyUpper(triangle, block.Dense(a, lda), size)
				}
				b := newHolder(rnd, form&16 != 0, m, n+1)
				p.BlockTrsm(side, ul, tr, di, m, n, 2, triangle, b.Matrix)
				x := make([]float64, m*n)
				for i := range m {
					copy(x[i*n:], b.X[b.Row(i):b.Row(i)+n])
				}
				gonum.Implementation{}.Dtrmm(side, ul, tr, di, m, n, 0.5, a, lda, x, n)
				back := block.Dense(x, n)
				name := fmt.Sprintf("m=%d n=%d form=%06b", m, n, form)
				for i := range m {
					for j := range n {
						// The matrix is close to a diagonal of 1 to 3: |A||X| is below 8 |B| in the
						// mean.
						if got, want := back.X[i*n+j], b.old(i, j); !(math.Abs(got-want) <= 100*float64(size+3)*eps) {
							t.Fatalf("%s: element (%d,%d) of A·X is %v, want %v", name, i, j, got, want)
						}
					}
				}
				b.compare(t, name, m, n, func(int, int) bool { return true }, func(i, j int) (v, tolerance float64) {
					return b.X[b.Row(i)+j], 0
				})
			}
		}
	})
}
