package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

// Dsymm computes
//
//	C = alpha·A·B + beta·C   if side is blas.Left, A m×m
//	C = alpha·B·A + beta·C   otherwise, A n×n
//
// where A is symmetric and B and C are m×n. Only the triangle ul of A is read. It takes 2m²n or
// 2mn² flops.
func (e *Engine) Dsymm(side blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	s := source{layout: symUpper, Matrix: block.Dense(a, lda)}
	if ul == blas.Lower {
		s.layout = symLower
	}
	e.symm(side, m, n, alpha, s, b, ldb, beta, c, ldc)
}

// Dspmm is Dsymm for an A of which the upper triangle is in packed storage, n(n+1)/2 elements of ap
// for order n.
func (e *Engine) Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	order := n
	if side == blas.Left {
		order = m
	}
	s := source{layout: symUpper, Matrix: block.Packed(order, ap, 0, 0)}
	e.symm(side, m, n, alpha, s, b, ldb, beta, c, ldc)
}

// symm computes C = alpha·S·B + beta·C or C = alpha·B·S + beta·C.
func (e *Engine) symm(side blas.Side, m, n int, alpha float64, s source, b []float64, ldb int, beta float64, c []float64, ldc int) {
	order := n
	if side == blas.Left {
		order = m
	}
	if alpha != 0 && order <= littleSymmetric && e.little(m, n, order) {
		w := scratches.Get().(*scratch)
		w.a = aligned(w.a, order*order)
		s.square(w.a, order)
		if side == blas.Left {
			e.inPlace(blas.NoTrans, blas.NoTrans, m, n, order, alpha, w.a, order, b, ldb, beta, c, ldc)
		} else {
			e.inPlace(blas.NoTrans, blas.NoTrans, m, n, order, alpha, b, ldb, w.a, order, beta, c, ldc)
		}
		w.release()
		return
	}
	p := product{engine: e, m: m, n: n, alpha: alpha, beta: beta, c: all(block.Dense(c, ldc))}
	if side == blas.Left {
		p.k, p.a, p.b = m, s, right(false, block.Dense(b, ldb))
	} else {
		p.k, p.a, p.b = n, left(false, block.Dense(b, ldb)), s
	}
	p.run()
}
