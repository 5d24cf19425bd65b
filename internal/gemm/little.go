package gemm

import (
	"unsafe"

	"blskernel/internal/block"
	"blskernel/internal/kernel"

	"gonum.org/v1/gonum/blas"
)

// little reports whether a product is one for inPlace: one block of the sum, in one goroutine, of a B
// that stays in the first levels of cache. For products of a few hundred nanoseconds the loops of
// package gemm would cost more than they give.
func (e *Engine) little(m, n, k int) bool {
	return min(m, n, k) > 0 && max(m, n, k) <= littleOrder && k <= e.blocks.KC &&
		e.workersFor(2*float64(m)*float64(n)*float64(k)) == 1
}

// littleOrder is the largest dimension of little products: B of this order takes 128 KiB, half of the
// smallest second levels of cache, and a product of this order is less than goroutines are started for,
// though not less than those that stand by are woken for.
const littleOrder = 128

// littleSymmetric is the order up to which the other triangle of a symmetric matrix of a little product
// is filled in first, by plain loops, which is quicker than to pack it block by block.
const littleSymmetric = 48

// inPlace computes a product of dense matrices, alpha not zero, strip by strip: the arithmetic of
// product.block without its loops. A is read where it lies, B too unless it is transposed.
func (e *Engine) inPlace(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if raceEnabled {
		p := product{m: m, n: n, k: k, alpha: alpha, a: left(tA != blas.NoTrans, block.Dense(a, lda)), b: right(tB != blas.NoTrans, block.Dense(b, ldb)), c: all(block.Dense(c, ldc))}
		p.announce()
	}
	rowA, colA := lda, 1
	if tA != blas.NoTrans {
		rowA, colA = 1, lda
	}
	mr, nr := e.kernel.MR, e.kernel.NR
	rowB, panelB := ldb, nr
	if tB != blas.NoTrans {
		w := scratches.Get().(*scratch)
		defer w.release()
		rowB, panelB = nr, nr*k
		w.b = aligned(w.b, roundUp(n, nr)*k)
		for j := 0; j < n; j += nr {
			e.kernel.Transpose(min(nr, n-j), k, &b[j*ldb], ldb, &w.b[j*k], nr)
		}
		b = w.b
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
		e.kernel.Gemm(min(mr, m-i), n, k, alpha, &a[i*rowA], rowA, colA, kernel.Even, unsafe.SliceData(b), rowB, panelB, store, &c[i*ldc], ldc)
	}
}
