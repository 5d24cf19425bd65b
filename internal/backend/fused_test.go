package backend_test

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/check"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/block"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

// TestFusedProducts compares the products, native ones and those made from Dgemm, with sums written
// out: the bound is that of TestPackedProducts with a rounding more for each term, and for DgemmTanh,
// since |tanh'| <= 1, 2 ulp beside it.
func TestFusedProducts(t *testing.T) {
	for _, name := range blskernel.Names() {
		b, err := blskernel.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct {
			name  string
			fused backend.FusedProducts
		}{{name, backend.Fused(b)}, {name + " via Dgemm", backend.Fused(plain{b})}} {
			for _, shape := range [][3]int{{0, 3, 2}, {3, 0, 2}, {3, 4, 0}, {1, 1, 1}, {7, 5, 3}, {30, 41, 17}, {9, 26, block.Size + 3}} {
				for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
					for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
						m, n, k := shape[0], shape[1], shape[2]
						t.Run(fmt.Sprintf("backend=%s/op=%c%c/m=%d/n=%d/k=%d", f.name, tA, tB, m, n, k), func(t *testing.T) {
							compareFused(t, f.fused, tA, tB, m, n, k)
						})
					}
				}
			}
		}
	}
}

func compareFused(t *testing.T, f backend.FusedProducts, tA, tB blas.Transpose, m, n, k int) {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	rowsA, colsA := check.Stored(tA, m, k)
	rowsB, colsB := check.Stored(tB, k, n)
	lda, ldb, ldc := max(1, colsA)+1, max(1, colsB)+2, max(1, n)+3
	a, b := uniformSlice(r, rowsA*lda+1), uniformSlice(r, rowsB*ldb+1)
	d, bias := uniformSlice(r, k), uniformSlice(r, n)
	at := func(t blas.Transpose, x []float64, ld, i, j int) float64 {
		if t != blas.NoTrans {
			i, j = j, i
		}
		return x[i*ld+j]
	}
	const alpha = -0.7
	bound := func(sum float64) float64 { return float64(k+4) * eps * sum }

	for _, beta := range []float64{0, 1, 0.5} {
		before := uniformSlice(r, m*ldc+1)
		c := append([]float64(nil), before...)
		if beta == 0 {
			for i := range m {
				for j := range n {
					c[i*ldc+j] = math.NaN()
				}
			}
		}
		f.DgemmDiag(tA, tB, m, n, k, alpha, a, lda, d, b, ldb, beta, c, ldc)
		for i := range m {
			for j := range n {
				want, sum := beta*before[i*ldc+j], math.Abs(beta*before[i*ldc+j])
				for p := range k {
					v := alpha * at(tA, a, lda, i, p) * d[p] * at(tB, b, ldb, p, j)
					want, sum = want+v, sum+math.Abs(v)
				}
				if got := c[i*ldc+j]; !(math.Abs(got-want) <= bound(sum)) {
					t.Fatalf("DgemmDiag, beta=%v: C[%d,%d] = %v, want %v", beta, i, j, got, want)
				}
				c[i*ldc+j] = before[i*ldc+j]
			}
		}
		for i := range before {
			if c[i] != before[i] {
				t.Fatalf("DgemmDiag wrote beside C, at %d", i)
			}
		}

		ap := uniformSlice(r, block.PackedLen(m))
		old := append([]float64(nil), ap...)
		f.DsprkDiag(tA, m, k, alpha, a, lda, d, beta, ap)
		for i := range m {
			for j := i; j < m; j++ {
				x := block.PackedIndex(m, i, j)
				want, sum := beta*old[x], math.Abs(beta*old[x])
				for p := range k {
					v := alpha * at(tA, a, lda, i, p) * d[p] * at(tA, a, lda, j, p)
					want, sum = want+v, sum+math.Abs(v)
				}
				if !(math.Abs(ap[x]-want) <= bound(sum)) {
					t.Fatalf("DsprkDiag, beta=%v: AP[%d,%d] = %v, want %v", beta, i, j, ap[x], want)
				}
			}
		}
	}

	c := make([]float64, m*ldc+1)
	for i := range m {
		for j := range n {
			c[i*ldc+j] = math.NaN()
		}
	}
	f.DgemmTanh(tA, tB, m, n, k, alpha, a, lda, b, ldb, bias, c, ldc)
	for i := range m {
		for j := range n {
			z, sum := bias[j], math.Abs(bias[j])
			for p := range k {
				v := alpha * at(tA, a, lda, i, p) * at(tB, b, ldb, p, j)
				z, sum = z+v, sum+math.Abs(v)
			}
			want := math.Tanh(z)
			if got := c[i*ldc+j]; !(math.Abs(got-want) <= bound(sum)+2*eps*math.Abs(want)) {
				t.Fatalf("DgemmTanh: C[%d,%d] = %v, want %v", i, j, got, want)
			}
			c[i*ldc+j] = 0
		}
	}
	for i, v := range c {
		if v != 0 {
			t.Fatalf("DgemmTanh wrote beside C, at %d", i)
		}
	}
}

// Of empty products nothing is read or written, natively or by way of Dgemm.
func TestFusedEmpty(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]backend.FusedProducts{"native": backend.Fused(b), "via Dgemm": backend.Fused(plain{b})} {
		if got := testutil.PanicValue(func() {
			f.DgemmDiag('N', 'N', 0, 3, 2, 1, nil, 2, make([]float64, 2), nil, 3, 0, nil, 3)
			f.DgemmTanh('N', 'N', 3, 0, 2, 1, nil, 2, nil, 1, nil, nil, 1)
			f.DsprkDiag('N', 0, 2, 1, nil, 2, make([]float64, 2), 0, nil)
		}); got != nil {
			t.Errorf("%s: panics with %v", name, got)
		}
	}
}
