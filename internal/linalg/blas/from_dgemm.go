package blas

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"
	"blskernel/internal/linalg/workers"

	"gonum.org/v1/gonum/blas"
)

// maxPackedRows is the largest number of rows of a symmetric result that one Dgemm computes. Dgemm
// packs its right operand once for these rows, which takes as long as about 60 of them, so there should
// be many. But they are also the workspace, and only a long sum repays the way through it. The diagonal
// is cut into blocks of block.Size rows, so that at most a share of block.Size/n of the work is wasted.
const maxPackedRows = 4 * block.Size

// packedRows returns the number of rows for a result of order n and sums of k terms.
func packedRows(n, k int) int {
	return min(n, max(block.Size, min(k, maxPackedRows)))
}

// FromDgemm computes blskernel.PackedProducts and backend.FusedProducts with the Dgemm of any BLAS,
// block by block through a workspace.
type FromDgemm struct{ blas.Float64 }

func (v FromDgemm) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !check.Dgemmt(ul, tA, tB, n, k, a, lda, b, ldb, c, ldc) {
		return
	}
	nb := min(block.Size, n)
	work := make([]float64, nb*nb)
	for i := 0; i < n; i += nb {
		rows := min(nb, n-i)
		ai := opRows(tA, a, lda, i)
		// The diagonal block goes through the workspace, because only half of it may be stored.
		v.Float64.Dgemm(tA, tB, rows, rows, k, alpha, ai, lda, opCols(tB, b, ldb, i), ldb, 0, work, nb)
		for r := range rows {
			lo, hi := r, rows
			if ul == blas.Lower {
				lo, hi = 0, r+1
			}
			addTo(c[(i+r)*ldc+i+lo:(i+r)*ldc+i+hi], beta, work[r*nb+lo:r*nb+hi])
		}
		if ul == blas.Upper && i+rows < n {
			j := i + rows
			v.Float64.Dgemm(tA, tB, rows, n-j, k, alpha, ai, lda, opCols(tB, b, ldb, j), ldb, beta, c[i*ldc+j:], ldc)
		}
		if ul == blas.Lower && i > 0 {
			v.Float64.Dgemm(tA, tB, rows, i, k, alpha, ai, lda, b, ldb, beta, c[i*ldc:], ldc)
		}
	}
}

func (v FromDgemm) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	if !check.Dgemmtp(tA, tB, n, k, a, lda, b, ldb, ap) {
		return
	}
	nb := packedRows(n, k)
	work := make([]float64, nb*n)
	// product computes some rows and columns of the result and keeps the upper triangle.
	product := func(i, rows, j, cols int) {
		if cols == 0 {
			return
		}
		v.Float64.Dgemm(tA, tB, rows, cols, k, alpha, opRows(tA, a, lda, i), lda, opCols(tB, b, ldb, j), ldb, 0, work, cols)
		for r := range rows {
			at, from := block.PackedRow(n, i+r), max(i+r, j)
			addTo(ap[at+from:at+j+cols], beta, work[r*cols+from-j:(r+1)*cols])
		}
	}
	for i := 0; i < n; i += nb {
		end := min(i+nb, n)
		for s := i; s < end; s += block.Size {
			product(s, min(block.Size, end-s), s, end-s)
		}
		product(i, end-i, end, n-end)
	}
}

func (v FromDgemm) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	v.Dgemmtp(t, block.Other(t), n, k, alpha, a, lda, a, lda, beta, ap)
}

func (v FromDgemm) Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !check.Dspmm(side, m, n, ap, b, ldb, c, ldc) {
		return
	}
	order := check.Order(side, m, n)
	nb := min(block.Size, order)
	work := make([]float64, nb*order)
	for i := 0; i < order; i += nb {
		rows := min(nb, order-i)
		for r := range rows {
			unpackRow(work[r*order:(r+1)*order], order, i+r, ap)
		}
		if side == blas.Left {
			v.Float64.Dgemm(blas.NoTrans, blas.NoTrans, rows, n, m, alpha, work, order, b, ldb, beta, c[i*ldc:], ldc)
			continue
		}
		v.Float64.Dgemm(blas.NoTrans, blas.NoTrans, m, n, rows, alpha, b[i:], ldb, work, order, beta, c, ldc)
		beta = 1
	}
}

// opRows returns the storage of op(A) from its row i on, and opCols of op(B) from its column j on.
func opRows(t blas.Transpose, a []float64, lda, i int) []float64 {
	if t == blas.NoTrans {
		return a[min(i*lda, len(a)):]
	}
	return a[min(i, len(a)):]
}

func opCols(t blas.Transpose, b []float64, ldb, j int) []float64 {
	if t == blas.NoTrans {
		return b[min(j, len(b)):]
	}
	return b[min(j*ldb, len(b)):]
}

// addTo computes dst = src + beta*dst; beta = 0 overwrites dst.
func addTo(dst []float64, beta float64, src []float64) {
	if beta == 0 {
		copy(dst, src)
		return
	}
	for i, s := range src {
		dst[i] = s + float64(beta*dst[i])
	}
}

// unpackRow writes row i of a packed symmetric matrix of order n, both halves of it, to dst.
func unpackRow(dst []float64, n, i int, ap []float64) {
	for j := range i {
		dst[j] = ap[block.PackedRow(n, j)+i]
	}
	at := block.PackedRow(n, i)
	copy(dst[i:], ap[at+i:at+n])
}

func (v FromDgemm) DgemmDiag(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, d []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !check.DgemmDiag(tA, tB, m, n, k, a, lda, d, b, ldb, c, ldc) {
		return
	}
	if k == 0 {
		v.Float64.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	work := make([]float64, min(block.Size, k)*n) // rows of diag(d)*op(B)
	for p := 0; p < k; p += block.Size {
		rows := min(block.Size, k-p)
		for r := range rows {
			step, at := 1, (p+r)*ldb
			if tB != blas.NoTrans {
				step, at = ldb, p+r
			}
			for j := range n {
				work[r*n+j] = d[p+r] * b[at+j*step]
			}
		}
		v.Float64.Dgemm(tA, blas.NoTrans, m, n, rows, alpha, opCols(tA, a, lda, p), lda, work, max(1, n), beta, c, ldc)
		beta = 1
	}
}

func (v FromDgemm) DsprkDiag(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, d []float64, beta float64, ap []float64) {
	if !check.DsprkDiag(t, n, k, a, lda, d, ap) {
		return
	}
	if ap = ap[:block.PackedLen(n)]; beta == 0 {
		clear(ap)
	} else {
		for i := range ap {
			ap[i] *= beta
		}
	}
	block.On(v.Float64).BlockSyrk(t, n, k, alpha, block.Dense(a, lda), d[:k], block.Packed(n, ap, 0, 0))
}

func (v FromDgemm) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int) {
	if !check.DgemmTanh(tA, tB, m, n, k, a, lda, b, ldb, bias, c, ldc) {
		return
	}
	v.Float64.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, 0, c, ldc)
	tanh := best().Kernel().Tanh
	workers.Default.Rows(m, n*timeOfTanh, func(from, to int) {
		for i := from; i < to; i++ {
			row := c[i*ldc : i*ldc+n]
			for j, x := range bias[:n] {
				row[j] += x
			}
			tanh(row, row)
		}
	})
}

// timeOfTanh is the approximate time of one hyperbolic tangent in nanoseconds.
const timeOfTanh = 1
