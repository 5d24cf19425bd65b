package gemm

import (
	"unsafe"

	"blskernel/internal/linalg/kernel"

	"gonum.org/v1/gonum/blas"
)

// smallGemm computes a product of dense matrices for nonzero alpha, with the arithmetic of
// product.loops but without its loops. It reads A in place, and B too unless B is transposed.
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
			e.kernel.Transpose(min(nr, n-j), k, &b[j*ldb], ldb, 0, &w.a[j*k], nr)
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
