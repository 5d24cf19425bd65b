package blas

import (
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/check"
	"blskernel/internal/linalg/workers"

	"gonum.org/v1/gonum/blas"
)

// ViaGemm implements blskernel.PackedProducts, backend.FusedProducts and the products of block.Ops with
// the Dgemm and Dtrsm of any BLAS. Packed or scaled operands, and packed or triangular results, go
// through a workspace.
type ViaGemm struct {
	blas.Float64
	block.Vectors
}

// On returns b itself if it is a block.Ops, otherwise ViaGemm on b with the vector operations of Pure.
func On(b blas.Float64) block.Ops {
	if o, ok := b.(block.Ops); ok {
		return o
	}
	return ViaGemm{Float64: b, Vectors: best()}
}

// BlockRows calls do once for all rows, on the caller's goroutine; v's BLAS has its own threads.
func (v ViaGemm) BlockRows(rows, nanoseconds int, do func(from, to int)) { do(0, rows) }

// maxPackedRows is the largest number of rows of a packed result that one call of Dgemm computes. Each
// call packs its right operand, which takes as long as computing about 60 rows. More rows per call
// therefore save time, but need a larger workspace, which pays off only for a long sum.
const maxPackedRows = 4 * block.Size

// product computes C = alpha·op(A)·diag(d)·op(B) + beta·C for an m×n matrix C. It stores only the
// triangle kept, or all of C if kept is blas.All. A nil d stands for the identity. If A or B is copied,
// one Dgemm takes at most block.Size terms of the sum. On the diagonal of a triangle, blocks have
// block.Size rows, so that little work is wasted.
func (v ViaGemm) product(kept blas.Uplo, tA, tB blas.Transpose, m, n, k int, alpha float64, a block.Matrix, d []float64, b block.Matrix, beta float64, c block.Matrix) {
	terms := k
	if a.Packed || b.Packed || d != nil {
		terms = min(k, block.Size)
	}
	height, width := m, n // of a workspace for C
	switch {
	case c.Packed:
		height = min(m, max(block.Size, min(k, maxPackedRows)))
	case kept != blas.All:
		height = min(m, block.Size)
		width = height
	}
	var workA, workB, workC []float64
	if a.Packed {
		workA = make([]float64, m*terms)
	}
	if b.Packed || d != nil {
		workB = make([]float64, n*terms)
	}
	if c.Packed || kept != blas.All {
		workC = make([]float64, height*width)
	}
	for p := 0; p < max(k, 1); p += max(terms, 1) {
		terms := min(terms, k-p)
		ap, bp := operand(workA, tA, a, m, p, terms), operand(workB, block.Other(tB), b, n, p, terms)
		if d != nil && terms > 0 {
			bp = scaled(workB, tB, bp, n, d[p:p+terms])
		}
		// part computes C[i:end, j:to].
		part := func(i, end, j, to int) {
			cols := to - j
			if cols == 0 {
				return
			}
			ai, bj := op(tA, ap, i, 0), op(tB, bp, 0, j)
			if !c.Packed && (kept == blas.All || j >= end || to <= i) {
				ci := c.Sub(i, j)
				v.Float64.Dgemm(tA, tB, end-i, cols, terms, alpha, ai.X, ai.Ld, bj.X, bj.Ld, beta, ci.X, ci.Ld)
				return
			}
			v.Float64.Dgemm(tA, tB, end-i, cols, terms, alpha, ai.X, ai.Ld, bj.X, bj.Ld, 0, workC, cols)
			for r := i; r < end; r++ {
				first, last := j, to
				switch kept {
				case blas.Upper:
					first = max(r, j)
				case blas.Lower:
					last = min(r+1, to)
				}
				addTo(c.Elements(r, first, last), beta, workC[(r-i)*cols+first-j:])
			}
		}
		for i := 0; i < m; i += height {
			end := min(i+height, m)
			switch kept {
			case blas.Upper:
				for s := i; s < end; s += block.Size {
					part(s, min(s+block.Size, end), s, end)
				}
				part(i, end, end, n)
			case blas.Lower: // never packed
				part(i, end, i, end)
				part(i, end, 0, i)
			default:
				part(i, end, 0, n)
			}
		}
		beta = 1
	}
}

// op returns the block of X that holds op(X)[i:, j:], or an empty matrix if X has no such block.
func op(t blas.Transpose, x block.Matrix, i, j int) block.Matrix {
	i, j = block.Stored(t, i, j)
	if x.Row(i)+j >= len(x.X) {
		return block.Matrix{Ld: x.Ld}
	}
	return x.Sub(i, j)
}

// operand returns the block of X that holds op(X)[0:r, p:p+c], or a copy in work if X is packed.
func operand(work []float64, t blas.Transpose, x block.Matrix, r, p, c int) block.Matrix {
	rows, cols := block.Stored(t, r, c)
	return dense(work, op(t, x, 0, p), rows, cols)
}

// dense returns the rows×cols block x, or a copy of it in work if it is packed.
func dense(work []float64, x block.Matrix, rows, cols int) block.Matrix {
	if !x.Packed {
		return x
	}
	d := block.Dense(work[:rows*cols], max(1, cols))
	block.Copy(d, x, rows, cols)
	return d
}

// scaled writes to work, and returns, the matrix B with op(B) = diag(d)·op(X); op(X) has n columns.
func scaled(work []float64, t blas.Transpose, x block.Matrix, n int, d []float64) block.Matrix {
	rows, cols := block.Stored(t, len(d), n)
	s := block.Dense(work, max(1, cols))
	for i := range rows {
		row := s.Elements(i, 0, cols)
		for j, v := range x.Elements(i, 0, cols) {
			p, _ := block.Stored(t, i, j)
			row[j] = v * d[p]
		}
	}
	return s
}

// addTo computes dst = src + beta*dst; beta = 0 overwrites dst.
func addTo(dst []float64, beta float64, src []float64) {
	if beta == 0 {
		copy(dst, src)
		return
	}
	for i, v := range dst {
		dst[i] = src[i] + float64(beta*v)
	}
}

func (v ViaGemm) Dgemmt(ul blas.Uplo, tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if check.Dgemmt(ul, tA, tB, n, k, a, lda, b, ldb, c, ldc) {
		v.product(ul, tA, tB, n, n, k, alpha, block.Dense(a, lda), nil, block.Dense(b, ldb), beta, block.Dense(c, ldc))
	}
}

func (v ViaGemm) Dgemmtp(tA, tB blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, ap []float64) {
	if check.Dgemmtp(tA, tB, n, k, a, lda, b, ldb, ap) {
		v.product(blas.Upper, tA, tB, n, n, k, alpha, block.Dense(a, lda), nil, block.Dense(b, ldb), beta, block.Packed(n, ap, 0, 0))
	}
}

func (v ViaGemm) Dsprk(t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, ap []float64) {
	v.Dgemmtp(t, block.Other(t), n, k, alpha, a, lda, a, lda, beta, ap)
}

func (v ViaGemm) Dspmm(side blas.Side, m, n int, alpha float64, ap []float64, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !check.Dspmm(side, m, n, ap, b, ldb, c, ldc) {
		return
	}
	order := check.Order(side, m, n)
	nb := min(block.Size, order)
	work := make([]float64, nb*order)
	for i := 0; i < order; i += nb {
		rows := min(nb, order-i)
		for r := range rows { // both halves of row i+r
			for j := range i + r {
				work[r*order+j] = ap[block.PackedRow(order, j)+i+r]
			}
			at := block.PackedRow(order, i+r)
			copy(work[r*order+i+r:(r+1)*order], ap[at+i+r:at+order])
		}
		if side == blas.Left {
			v.Float64.Dgemm(blas.NoTrans, blas.NoTrans, rows, n, m, alpha, work, order, b, ldb, beta, c[i*ldc:], ldc)
			continue
		}
		v.Float64.Dgemm(blas.NoTrans, blas.NoTrans, m, n, rows, alpha, b[i:], ldb, work, order, beta, c, ldc)
		beta = 1
	}
}

func (v ViaGemm) DgemmTanh(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, bias []float64, c []float64, ldc int) {
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

func (v ViaGemm) BlockGemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a, b block.Matrix, beta float64, c block.Matrix) {
	v.product(blas.All, tA, tB, m, n, k, alpha, a, nil, b, beta, c)
}

func (v ViaGemm) BlockSyrk(t blas.Transpose, n, k int, alpha float64, a block.Matrix, d []float64, c block.Matrix) {
	v.product(blas.Upper, t, block.Other(t), n, n, k, alpha, a, d, a, 1, c)
}

// BlockTrsm copies packed operands whole. factor.Trsm calls it for orders of at most block.Size.
func (v ViaGemm) BlockTrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha float64, a, b block.Matrix) {
	if m == 0 || n == 0 {
		return
	}
	order, x := check.Order(s, m, n), b
	if b.Packed {
		x = dense(make([]float64, m*n), b, m, n)
	}
	if a.Packed {
		triangle := block.Dense(make([]float64, order*order), order)
		block.CopyUpper(triangle, a, order)
		a = triangle
	}
	v.Float64.Dtrsm(s, ul, t, d, m, n, alpha, a.X, a.Ld, x.X, x.Ld)
	if b.Packed {
		block.Copy(b, x, m, n)
	}
}
