package eigen

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"
)

func clone(a block.Matrix, n int) block.Matrix {
	b := square0(n)
	block.Copy(b, a, n, n)
	return b
}

// plain returns a as a matrix of the references.
func plain(a block.Matrix, n int) *testmat.Matrix {
	return testmat.Func(n, n, func(i, j int) float64 { return a.X[i*a.Ld+j] })
}

// checkSchur checks that A Q = Q T and QᵀQ = I, and that T is quasi-triangular and standard.
func checkSchur(t *testing.T, name string, n int, a *testmat.Matrix, q, s block.Matrix, w []complex128) {
	t.Helper()
	z := plain(q, n)
	if r, o := testmat.ProductRatio(a.Mul(z), z, plain(s, n)), testmat.OrthogonalRatio(z); !(r <= 10) || !(o <= 10) {
		t.Errorf("%s: ‖A Q - Q T‖/(n ‖A Q‖ eps) = %.3g, ‖QᵀQ - I‖/(n eps) = %.3g", name, r, o)
	}
	for i := 0; i < n; i++ {
		for j, v := range s.Elements(i, 0, i) {
			if v != 0 && j < i-1 {
				t.Fatalf("%s: T[%d, %d] = %g", name, i, j, v)
			}
		}
	}
	for i := 0; i < n; {
		if blockOrder(s, n, i) == 1 {
			if w[i] != complex(s.X[i*s.Ld+i], 0) {
				t.Fatalf("%s: eigenvalue %d is %v", name, i, w[i])
			}
			i++
			continue
		}
		b := squareAt(s, i)
		if b.a != b.d || !(b.b*b.c < 0) || blockOrder(s, n, i+1) != 1 {
			t.Fatalf("%s: block %v at %d", name, b, i)
		}
		if v, u := b.eigenvalues(); w[i] != v || w[i+1] != u {
			t.Fatalf("%s: eigenvalues %d are %v and %v, not %v and %v", name, i, w[i], w[i+1], v, u)
		}
		i += 2
	}
}

func TestHseqr(t *testing.T) {
	b, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	bk := factor.On(b)
	rng := testutil.Rand(1)
	orders := []int{0, 1, 2, 3, 4, 5, 10, 20, 40, 75, 76, 77, 100, 130, 200, 300}
	if testutil.Long() {
		orders = append(orders, 600) // with 64 shifts in a sweep
	}
	for _, n := range orders {
		a := testmat.Random(rng, n, n)
		h, tau := clone(block.Dense(a.X, max(1, n)), n), make([]float64, max(0, n-1))
		Gehrd(bk, n, 0, n-1, h, tau)
		q := clone(h, n)
		Orghr(bk, n, 0, n-1, q, tau)
		clearBelow(h, 0, n-1)
		only := clone(h, n)
		w, w1 := make([]complex128, n), make([]complex128, n)
		name := fmt.Sprintf("n=%d", n)
		if f := Hseqr(bk, true, n, 0, n-1, h, w, n, q); f != 0 {
			t.Errorf("%s: %d did not converge", name, f)
		}
		checkSchur(t, name, n, a, q, h, w)
		if f := Hseqr(bk, false, n, 0, n-1, only, w1, 0, block.Matrix{}); f != 0 {
			t.Errorf("%s: %d did not converge", name, f)
		}
	}
}
