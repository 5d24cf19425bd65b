package gemm

import "blskernel/internal/block"

var _ block.Products = (*Engine)(nil)

// Transpose is that of block.Products.
func (e *Engine) Transpose(m, n int, src []float64, lds int, dst []float64, ldd int) {
	e.kernel.Transpose(m, n, &src[0], lds, &dst[0], ldd)
}

// BlockRows is that of block.Products.
func (e *Engine) BlockRows(rows, nanoseconds int, work block.RowWork) {
	if !worthRows(Threads(), rows, nanoseconds) {
		work.Rows(0, rows) // directly: work.Rows as a function value would be allocated
		return
	}
	Rows(Threads(), rows, nanoseconds, work.Rows)
}

// AbsMax is that of block.Products.
func (e *Engine) AbsMax(x []float64) (at int, size float64) {
	if len(x) == 0 {
		return 0, 0
	}
	return e.kernel.AbsMax(len(x), &x[0])
}

// AddAbs is that of block.Products.
func (e *Engine) AddAbs(x, sums []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return e.kernel.AddAbs(len(x), &x[0], &sums[:len(x)][0])
}
