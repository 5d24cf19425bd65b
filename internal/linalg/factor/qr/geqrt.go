package qr

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"

	"gonum.org/v1/gonum/blas"
)

// geqrt overwrites the m×n matrix A, m >= n, with R and the reflections V; a holds Aᵀ, then Rᵀ and Vᵀ.
// It overwrites t with the upper triangular T of Q = I - V T Vᵀ. It is recursive down to base columns
// (Elmroth and Gustavson, IBM J. Res. Dev. 44, 2000; LAPACK: dgeqrt3). Reflections are rows of a, so
// products run along long rows. dots has n elements. If whole is not set, only T's diagonal is defined.
func geqrt(bk factor.Backend, m, n int, a, t block.Matrix, base int, dots []float64, whole bool) {
	if n <= base {
		geqrtBase(bk, m, n, a, t, dots, whole)
		return
	}
	n1 := n / 2
	n2 := n - n1
	v1, v2 := a, a.Sub(n1, 0) // the columns of the two halves
	w, t2 := t.Sub(0, n1), t.Sub(n1, n1)
	below1, below2 := v1.Sub(0, n1), v2.Sub(0, n1) // without the first n1 rows
	geqrt(bk, m, n1, v1, t, base, dots, true)

	// Multiply the right half by Q1ᵀ = I - V1 T1ᵀ V1ᵀ, with W in the place of T12. The first n1
	// rows of V1 are unit lower triangular, so upper triangular in a.
	block.CopyTransposed(w, v2, n2, n1)
	bk.Trmm(blas.Left, blas.Upper, blas.NoTrans, blas.Unit, n1, n2, 1, v1, w)
	bk.Gemm(blas.NoTrans, blas.Trans, n1, n2, m-n1, 1, below1, below2, 1, w)
	bk.Trmm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n1, n2, 1, t, w)
	bk.Gemm(blas.Trans, blas.NoTrans, n2, m-n1, n1, -1, w, below1, 1, below2)
	bk.Trmm(blas.Left, blas.Upper, blas.Trans, blas.Unit, n1, n2, 1, v1, w)
	for i := range n1 {
		for j, x := range w.Elements(i, 0, n2) {
			v2.X[v2.Row(j)+i] -= x
		}
	}
	geqrt(bk, m-n1, n2, below2, t2, base, dots, whole)
	if !whole {
		return
	}

	// T12 = -T1 V1ᵀ V2 T2; V2 is unit lower triangular in its first n2 rows.
	block.Copy(w, below1, n1, n2)
	bk.Trmm(blas.Right, blas.Upper, blas.Trans, blas.Unit, n1, n2, 1, below2, w)
	if m > n {
		bk.Gemm(blas.NoTrans, blas.Trans, n1, n2, m-n, 1, v1.Sub(0, n), v2.Sub(0, n), 1, w)
	}
	bk.Trmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, -1, t, w)
	bk.Trmm(blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, n1, n2, 1, t2, w)
}

// geqrtBase is geqrt for few columns, one at a time.
func geqrtBase(bk factor.Backend, m, n int, a, t block.Matrix, dots []float64, whole bool) {
	for j := range n {
		x := a.Elements(j, j, m)
		beta, tau := Larfg(bk, x[0], x[1:])
		x[0] = 1
		if rest := n - j - 1; rest > 0 && tau != 0 {
			w, right := dots[:rest], a.Sub(j+1, j)
			bk.Dgemv(blas.NoTrans, rest, len(x), tau, right.X, right.Ld, x, 1, 0, w, 1)
			bk.Dger(rest, len(x), -1, w, 1, x, 1, right.X, right.Ld)
		}
		if whole {
			larftColumn(bk, j, len(x), tau, a.Sub(0, j), x, t, dots)
		} else {
			t.X[t.Row(j)+j] = tau
		}
		x[0] = beta
	}
}
