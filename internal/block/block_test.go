package block_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

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

// compare checks C[i,j] = want(i, j), within a tolerance, for the elements that are kept, and that
// nothing else was written.
func (p *place) compare(t *testing.T, name string, kept func(i, j int) bool, want func(i, j int) (v, tolerance float64)) {
	t.Helper()
	for i := range p.rows {
		for j := range p.cols {
			if !kept(i, j) {
				continue
			}
			v, tolerance := want(i, j)
			if got := p.all[p.at(i, j)]; !(math.Abs(got-v) <= tolerance) {
				t.Fatalf("%s: element (%d,%d) is %v, want %v", name, i, j, got, v)
			}
		}
	}
	if err := p.unchanged(kept); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// eachProducts runs f on every kernel and for products made of Dgemm.
func eachProducts(t *testing.T, f func(t *testing.T, p block.Products)) {
	backends.OnKernels(t, func(t *testing.T, b blskernel.Backend) { f(t, block.On(b)) })
	t.Run("made of Dgemm", func(t *testing.T) { f(t, block.On(gonum.Implementation{})) })
}

const eps = 0x1p-53

func TestBlockGemm(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := testutil.Rand(1)
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
				a, b, c := newPlace(rnd, form&4 != 0, ra, ca), newPlace(rnd, form&8 != 0, rb, cb+1), newPlace(rnd, form&16 != 0, m, n+1)
				p.BlockGemm(tA, tB, m, n, k, -0.5, a.Matrix, b.Matrix, 3, c.Matrix)
				name := fmt.Sprintf("m=%d n=%d k=%d form=%05b", m, n, k, form)
				c.compare(t, name, func(_, j int) bool { return j < n }, func(i, j int) (v, tolerance float64) {
					for q := range k {
						x := a.was(tA, i, q) * b.was(tB, q, j)
						v += x
						tolerance += math.Abs(x)
					}
					return 3*c.was(blas.NoTrans, i, j) - v/2, 2 * float64(k+3) * eps * (tolerance + 3*math.Abs(c.was(blas.NoTrans, i, j)))
				})
			}
		}
	})
}

func TestBlockSyrk(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := testutil.Rand(2)
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
				a, c := newPlace(rnd, form&2 != 0, ra, ca), newPlace(rnd, form&4 != 0, n, n)
				p.BlockSyrk(tr, n, k, -2, a.Matrix, d, c.Matrix)
				c.compare(t, fmt.Sprintf("n=%d k=%d form=%04b", n, k, form), func(i, j int) bool { return j >= i && j < n }, func(i, j int) (v, tolerance float64) {
					for q := range k {
						x := a.was(tr, i, q) * a.was(tr, j, q)
						if d != nil {
							x *= d[q]
						}
						v += 2 * x
						tolerance += math.Abs(2 * x)
					}
					return c.was(blas.NoTrans, i, j) - v, 2 * float64(k+3) * eps * (tolerance + math.Abs(c.was(blas.NoTrans, i, j)))
				})
			}
		}
	})
}

// The solution, which the reference multiplies by the triangle again.
func TestBlockTrsm(t *testing.T) {
	eachProducts(t, func(t *testing.T, p block.Products) {
		rnd := testutil.Rand(3)
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
				b := newPlace(rnd, form&16 != 0, m, n+1)
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
						// The matrix is close to a diagonal of 1 to 3: |A||X|
						// is below 8 |B| in the mean.
						if got, want := back.X[i*n+j], b.was(blas.NoTrans, i, j); !(math.Abs(got-want) <= 100*float64(size+3)*eps) {
							t.Fatalf("%s: element (%d,%d) of A·X is %v, want %v", name, i, j, got, want)
						}
					}
				}
				b.compare(t, name, func(_, j int) bool { return j < n }, func(i, j int) (v, tolerance float64) {
					return b.X[b.Row(i)+j], 0
				})
			}
		}
	})
}
