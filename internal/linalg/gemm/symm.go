package gemm

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"

	"gonum.org/v1/gonum/blas"
)

// Dsymm computes C = alpha·A·B + beta·C if side is blas.Left, in 2m²n flops, or C = alpha·B·A + beta·C
// otherwise, in 2mn² flops. A is symmetric, m×m or n×n; Dsymm reads its triangle ul. B and C are m×n.
func (e *Engine) Dsymm(side blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !check.Dsymm(side, ul, m, n, a, lda, b, ldb, c, ldc) {
		return
	}
	e.symm(side, m, n, alpha, symmetric(ul, block.Dense(a, lda)), b, ldb, beta, c, ldc)
}

// Dspmm is Dsymm for a matrix A with its upper triangle packed in ap.
func (e *Engine) Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dspmm(side, m, n, ap, b, ldb, c, ldc) {
		s := symmetric(blas.Upper, block.Packed(check.Order(side, m, n), ap, 0, 0))
		e.symm(side, m, n, alpha, s, b, ldb, beta, c, ldc)
	}
}

// smallSymmetric is the order up to which mirroring the triangle by plain loops is faster than packing
// it block by block.
const smallSymmetric = 48

// symm is Dsymm with the symmetric matrix s for A. It does not check arguments.
func (e *Engine) symm(side blas.Side, m, n int, alpha float64, s source, b []float64, ldb int, beta float64, c []float64, ldc int) {
	order := check.Order(side, m, n)
	if alpha != 0 && order <= smallSymmetric && e.small(m, n, order) {
		w := workspaces.Get().(*workspace)
		w.a = aligned(w.a, order*order)
		s.square(w.a, order)
		a, lda := w.a, order
		if side == blas.Right {
			a, lda, b, ldb = b, ldb, a, lda
		}
		e.smallGemm(blas.NoTrans, blas.NoTrans, m, n, order, alpha, a, lda, b, ldb, beta, c, ldc)
		workspaces.Put(w)
		return
	}
	p := product{engine: e, m: m, n: n, k: order, alpha: alpha, beta: beta, c: dense(block.Dense(c, ldc))}
	if side == blas.Left {
		p.a, p.b = s, opB(blas.NoTrans, block.Dense(b, ldb))
	} else {
		p.a, p.b = opA(blas.NoTrans, block.Dense(b, ldb)), s
	}
	p.run()
}

// square writes the symmetric matrix s of order n to dst, an n×n matrix, with both triangles.
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
