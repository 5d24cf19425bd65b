package backend_test

import (
	"blskernel"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// plain is a Backend without PackedProducts of its own.
type plain struct{ blskernel.Backend }

// TestPackedProducts compares the products, native ones and those made from Dgemm, with sums written
// out. |error| <= (k+3) eps (|alpha| |A||B| + |beta||C|) element by element is the bound of a sum in
// any order; all data are of size 1.
func TestPackedProducts(t *testing.T) {
	backends := map[string]blskernel.Backend{}
	for _, name := range blskernel.Names() {
		b, err := blskernel.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		backends[name] = b
		backends[name+" via Dgemm"] = plain{b}
	}
	for name, b := range backends {
		p := blskernel.Packed(b)
		for _, n := range []int{0, 1, 2, 3, 7, 24, 65, block.Size - 1, block.Size, block.Size + 1, 2*block.Size + 5} {
			for _, k := range []int{0, 1, 5, 33} {
				if n > 100 && k != 5 {
					continue
				}
				t.Run(fmt.Sprintf("backend=%s/n=%d/k=%d", name, n, k), func(t *testing.T) {
					for _, coefficients := range [][2]float64{{1, 0}, {-1, 1}, {0.5, -2}, {0, 0.5}} {
						r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
						checkSymmetricProducts(t, r, p, n, k, coefficients[0], coefficients[1])
						compareDspmm(t, r, p, n, k, coefficients[0], coefficients[1])
					}
				})
			}
		}
	}
}

const eps = 0x1p-52

// guard is what lies between the rows and outside of the triangle.
const guard = 1e300

// TestPackedRows has sums long enough for more rows than one strip, cut anywhere.
func TestPackedRows(t *testing.T) {
	const n, k = 2*block.Size + 100, block.Size + 50
	r := rand.New(rand.NewPCG(1, 2))
	a := uniformSlice(r, n*k)
	got, want := make([]float64, block.PackedLen(n)), make([]float64, block.PackedLen(n))
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	blskernel.Packed(plain{b}).Dsprk(blas.NoTrans, n, k, 1, a, k, 0, got)
	blskernel.Packed(b).Dsprk(blas.NoTrans, n, k, 1, a, k, 0, want)
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 2*(k+3)*k*eps) {
			t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// checkSymmetricProducts tests Dgemmt, Dgemmtp and Dsprk with every transposition.
func checkSymmetricProducts(t *testing.T, r *rand.Rand, p blskernel.PackedProducts, n, k int, alpha, beta float64) {
	t.Helper()
	x := uniformSlice(r, n*k) // X is n×k; X D Xᵀ with a diagonal D is symmetric
	d := uniformSlice(r, k)
	y := make([]float64, n*k)
	for i := range n {
		for j := range k {
			y[i*k+j] = x[i*k+j] * d[j]
		}
	}
	want := func(x, y []float64, i, j int) (sum float64) {
		for s := range k {
			sum += x[i*k+s] * y[j*k+s]
		}
		return sum
	}
	c0 := uniformSlice(r, block.PackedLen(n))
	start := func() []float64 {
		c := append([]float64(nil), c0...)
		if beta == 0 {
			for i := range c {
				c[i] = math.NaN()
			}
		}
		return c
	}
	tol := float64(k+3) * eps * (math.Abs(alpha)*float64(k) + math.Abs(beta))
	check := func(what string, got, sum, c float64) {
		t.Helper()
		if w := alpha*sum + beta*c; !(math.Abs(got-w) <= tol) {
			t.Fatalf("%s, alpha=%v beta=%v: %v, want %v", what, alpha, beta, got, w)
		}
	}
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			a, lda := layOut(tA == blas.NoTrans, x, n, k)
			b, ldb := layOut(tB != blas.NoTrans, y, n, k)
			ap := start()
			p.Dgemmtp(tA, tB, n, k, alpha, a, lda, b, ldb, beta, ap)
			for i := range n {
				for j := i; j < n; j++ {
					at := block.PackedIndex(n, i, j)
					check("Dgemmtp", ap[at], want(x, y, i, j), c0[at])
				}
			}
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				ldc := n + 2
				c := make([]float64, n*ldc)
				for i := range c {
					c[i] = guard
				}
				values := start()
				kept := func(i, j int) bool { return j < n && (ul == blas.Upper) == (j >= i) || i == j }
				for i := range n {
					for j := range n {
						if kept(i, j) {
							c[i*ldc+j] = values[block.PackedIndex(n, i, j)]
						}
					}
				}
				p.Dgemmt(ul, tA, tB, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
				for i := range n {
					for j := range ldc {
						if !kept(i, j) {
							if c[i*ldc+j] != guard {
								t.Fatalf("Dgemmt writes (%d,%d)", i, j)
							}
							continue
						}
						check("Dgemmt", c[i*ldc+j], want(x, y, i, j), c0[block.PackedIndex(n, i, j)])
					}
				}
			}
		}
		a, lda := layOut(tA == blas.NoTrans, x, n, k)
		ap := start()
		p.Dsprk(tA, n, k, alpha, a, lda, beta, ap)
		for i := range n {
			for j := i; j < n; j++ {
				at := block.PackedIndex(n, i, j)
				check("Dsprk", ap[at], want(x, x, i, j), c0[at])
			}
		}
	}
}

// checkDspmm tests an n×n packed matrix on either side of a matrix with k columns or rows.
func compareDspmm(t *testing.T, r *rand.Rand, p blskernel.PackedProducts, n, k int, alpha, beta float64) {
	t.Helper()
	ap := uniformSlice(r, block.PackedLen(n))
	for _, side := range []blas.Side{blas.Left, blas.Right} {
		rows, cols := n, k
		if side == blas.Right {
			rows, cols = k, n
		}
		ldb, ldc := cols+3, cols+1
		b, c0 := uniformSlice(r, rows*ldb), uniformSlice(r, rows*ldc)
		c := append([]float64(nil), c0...)
		if beta == 0 {
			for i := range rows {
				for j := range cols {
					c[i*ldc+j] = math.NaN()
				}
			}
		}
		p.Dspmm(side, rows, cols, alpha, ap, b, ldb, beta, c, ldc)
		tol := float64(n+3) * eps * (math.Abs(alpha)*float64(n) + math.Abs(beta))
		for i := range rows {
			for j := range ldc {
				if j >= cols {
					if c[i*ldc+j] != c0[i*ldc+j] {
						t.Fatalf("Dspmm side=%c writes past row %d", side, i)
					}
					continue
				}
				var sum float64
				for s := range n {
					if side == blas.Left {
						sum += ap[block.PackedIndex(n, i, s)] * b[s*ldb+j]
					} else {
						sum += b[i*ldb+s] * ap[block.PackedIndex(n, s, j)]
					}
				}
				if want := alpha*sum + beta*c0[i*ldc+j]; !(math.Abs(c[i*ldc+j]-want) <= tol) {
					t.Fatalf("Dspmm side=%c alpha=%v beta=%v (%d,%d): %v, want %v", side, alpha, beta, i, j, c[i*ldc+j], want)
				}
			}
		}
	}
}

// layOut returns the n×k matrix x, or its transpose, with a leading dimension that leaves gaps.
func layOut(asItIs bool, x []float64, n, k int) (a []float64, lda int) {
	rows, cols := n, k
	if !asItIs {
		rows, cols = k, n
	}
	lda = cols + 2
	a = make([]float64, rows*lda)
	for i := range a {
		a[i] = math.NaN()
	}
	for i := range rows {
		for j := range cols {
			if asItIs {
				a[i*lda+j] = x[i*k+j]
			} else {
				a[i*lda+j] = x[j*k+i]
			}
		}
	}
	return a, lda
}

func uniformSlice(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*r.Float64() - 1
	}
	return x
}
