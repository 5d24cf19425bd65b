package gemm

import (
	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
)

// These methods implement block.Ops, which documents them. They do not check arguments.

func (e *Engine) BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b block.Matrix, beta float64, c block.Matrix) {
	p := e.newProduct(tA, tB, m, n, k, alpha, a, b, beta, dense(c))
	p.run()
}

func (e *Engine) BlockSyrk(t blas.Transpose, n, k int, alpha float64, a block.Matrix, d []float64, c block.Matrix) {
	e.syrk(t, n, k, alpha, a, d, 1, sink{c, blas.Upper})
}

func (e *Engine) BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	e.triangular(solve, s, ul, t, d, m, n, alpha, a, b)
}

func (e *Engine) BlockRows(rows, nanoseconds int, do func(from, to int)) {
	e.pool.Rows(rows, nanoseconds, do)
}

func (e *Engine) Transpose(m, n int, src []float64, lds int, dst []float64, ldd int) {
	e.kernel.Transpose(m, n, &src[0], lds, 0, &dst[0], ldd)
}

func (e *Engine) AbsMax(x []float64) (at int, size float64) {
	if len(x) == 0 {
		return 0, 0
	}
	return e.kernel.AbsMax(len(x), &x[0])
}

func (e *Engine) AddAbs(x, sums []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return e.kernel.AddAbs(len(x), &x[0], &sums[:len(x)][0])
}

func (e *Engine) Rot(c, s float64, x, y []float64) {
	if n := len(x); n > 0 {
		e.kernel.Rot(n, c, s, -s, c, &x[0], &y[:n][0])
	}
}
