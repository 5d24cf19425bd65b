package schur

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

func random(rng *rand.Rand, n int) block.Matrix {
	a := square0(n)
	for i := range n {
		for j := range n {
			a.X[i*a.Ld+j] = rng.NormFloat64()
		}
	}
	return a
}

func clone(a block.Matrix, n int) block.Matrix {
	b := square0(n)
	block.Copy(b, a, n, n)
	return b
}

func norm(a block.Matrix, n int) float64 {
	s := 0.0
	for i := range n {
		for _, v := range a.Elements(i, 0, n) {
			s += v * v
		}
	}
	return math.Sqrt(s)
}

// checkSchur checks that A Q = Q T and QᵀQ = I, and that T is quasi-triangular and standard.
func checkSchur(t *testing.T, name string, bk lapack.Backend, n int, a, q, s block.Matrix, w []complex128) {
	t.Helper()
	x, y := square0(n), square0(n)
	if n == 0 {
		return
	}
	bk.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a.X, a.Ld, q.X, q.Ld, 0, x.X, x.Ld)
	bk.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, -1, q.X, q.Ld, s.X, s.Ld, 1, x.X, x.Ld)
	if r := norm(x, n) / (norm(a, n) * float64(n) * ulp); !(r <= 10) {
		t.Errorf("%s: ‖A Q - Q T‖/(n ‖A‖ eps) = %.3g", name, r)
	}
	bk.Dgemm(blas.Trans, blas.NoTrans, n, n, n, 1, q.X, q.Ld, q.X, q.Ld, 0, y.X, y.Ld)
	for i := range n {
		y.X[i*y.Ld+i]--
	}
	if r := norm(y, n) / (float64(n) * ulp); !(r <= 10) {
		t.Errorf("%s: ‖QᵀQ - I‖/(n eps) = %.3g", name, r)
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
	bk := lapack.On(b)
	rng := testutil.Rand(1)
	for _, n := range []int{0, 1, 2, 3, 4, 5, 10, 20, 40, 75, 76, 77, 100, 130, 200, 300, 600} {
		a := random(rng, n)
		h, tau := clone(a, n), make([]float64, max(0, n-1))
		lapack.Gehrd(bk, n, 0, n-1, h, tau)
		q := clone(h, n)
		lapack.Orghr(bk, n, 0, n-1, q, tau)
		clearBelow(h, 0, n-1)
		only := clone(h, n)
		w, w1 := make([]complex128, n), make([]complex128, n)
		name := fmt.Sprintf("n=%d", n)
		if f := Hseqr(bk, true, n, 0, n-1, h, w, n, q); f != 0 {
			t.Errorf("%s: %d did not converge", name, f)
		}
		checkSchur(t, name, bk, n, a, q, h, w)
		if f := Hseqr(bk, false, n, 0, n-1, only, w1, 0, block.Matrix{}); f != 0 {
			t.Errorf("%s: %d did not converge", name, f)
		}
	}
}
