package gemm

import (
	"blskernel/internal/block"

	"gonum.org/v1/gonum/blas"
)

var _ block.Products = (*Engine)(nil)

// BlockGemm is documented at block.Products. It takes 2mnk flops.
func (e *Engine) BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b block.Matrix, beta float64, c block.Matrix) {
	p := product{
		engine: e, m: m, n: n, k: k, alpha: alpha, beta: beta,
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
func (e *Engine) BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	e.sweep(true, s, ul, t, d, m, n, alpha, a, b)
}

// Transpose is documented at block.Products.
func (e *Engine) Transpose(m, n int, src []float64, lds int, dst []float64, ldd int) {
	e.kernel.Transpose(m, n, &src[0], lds, &dst[0], ldd)
}

// BlockRows is documented at block.Products.
func (e *Engine) BlockRows(rows, nanoseconds int, work block.RowWork) {
	if !worthRows(Threads(), rows, nanoseconds) {
		work.Rows(0, rows) // here, because work.Rows as a function value is allocated
		return
	}
	Rows(Threads(), rows, nanoseconds, work.Rows)
}

// AbsMax is documented at block.Products.
func (e *Engine) AbsMax(x []float64) (at int, size float64) {
	if len(x) == 0 {
		return 0, 0
	}
	return e.kernel.AbsMax(len(x), &x[0])
}

// AddAbs is documented at block.Products.
func (e *Engine) AddAbs(x, sums []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return e.kernel.AddAbs(len(x), &x[0], &sums[:len(x)][0])
}
