package gemm

import (
	"unsafe"

	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

// small reports whether smallGemm can compute a product: one block of the sum, and a B that stays in
// cache. A product of a few hundred nanoseconds does not repay the five loops.
func (e *Engine) small(m, n, k int) bool {
	return min(m, n, k) > 0 && max(m, n, k) <= smallOrder && k <= e.blocks.KC
}

// smallOrder is the largest dimension of a small product. B of this order takes 128 KiB, half of the
// smallest L2.
const smallOrder = 128

// smallGemm computes a product of dense matrices, alpha not zero, with the arithmetic of product.loops
// and without its loops. It reads A in place, and B too unless B is transposed.
func (e *Engine) smallGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	rowA, colA := lda, 1
	if tA != blas.NoTrans {
		rowA, colA = 1, lda
	}
	mr, nr := e.kernel.MR, e.kernel.NR
	rowB, panelB := ldb, nr
	var w *workspace
	if tB != blas.NoTrans {
		w = workspaces.Get().(*workspace)
		rowB, panelB = nr, nr*k
		w.a = aligned(w.a, roundUp(n, nr)*k)
		for j := 0; j < n; j += nr {
			e.kernel.Transpose(min(nr, n-j), k, &b[j*ldb], ldb, &w.a[j*k], nr)
		}
		b = w.a
	}
	store := kernel.Add
	if beta == 0 {
		store = kernel.Overwrite
	} else if beta != 1 {
		for i := range m {
			scal(beta, c[i*ldc:i*ldc+n])
		}
	}
	for i := 0; i < m; i += mr {
		e.kernel.Gemm(min(mr, m-i), n, k, alpha, &a[i*rowA], rowA, colA, unsafe.SliceData(b), rowB, panelB, store, &c[i*ldc], ldc)
	}
	if w != nil {
		workspaces.Put(w)
	}
}

// square copies both triangles of a symmetric matrix of order n to dst, an n×n matrix.
func (s *source) square(dst []float64, n int) {
	for i := range n {
		r, from, to := s.Row(i), 0, i+1
		if s.layout == symUpper {
			from, to = i, n
		}
		for j := from; j < to; j++ {
			v := s.X[r+j]
			dst[i*n+j], dst[j*n+i] = v, v
		}
	}
}
