package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

var _ block.Products = (*Engine)(nil)

// BlockGemm is documented at block.Products. It takes 2mnk flops.
func (e *Engine) BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b, c block.Matrix) {
	p := product{
		engine: e, m: m, n: n, k: k, alpha: alpha, beta: 1,
		a: left(tA != blas.NoTrans, a),
		b: right(tB != blas.NoTrans, b),
		c: all(c),
	}
	p.run()
}

// BlockSyrk is documented at block.Products. It takes n²k flops.
func (e *Engine) BlockSyrk(t blas.Transpose, n, k int, alpha float64, a block.Matrix, d []float64, c block.Matrix) {
	p := product{
		engine: e, m: n, n: n, k: k, alpha: alpha, beta: 1,
		a: left(t != blas.NoTrans, a),
		b: right(t == blas.NoTrans, a),
		c: half(blas.Upper, c),
	}
	p.b.diag = d
	p.run()
}

// BlockTrsm is documented at block.Products. It takes m²n or mn² flops.
func (e *Engine) BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b block.Matrix) {
	e.sweep(true, s, ul, t, d, m, n, alpha, a, lda, b)
}
