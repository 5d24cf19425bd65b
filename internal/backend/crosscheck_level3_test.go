package backend_test

import (
	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/check"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
)

// A product is what the products of two matrices have in common: op(A) is m×k, op(B) is k×n.
type product struct {
	tA, tB      blas.Transpose
	m, n, k     int
	alpha, beta float64
	a, b        *operand
	lda, ldb    int
}

// product draws the operands of a product; the result is square if square. Scaled elements have a
// rounding more.
func (d *draw) product(square bool) product {
	p := product{tA: d.transpose(), tB: d.transpose(), m: d.size(), n: d.size(), k: d.size(), alpha: d.scalar(), beta: d.scalar()}
	if square {
		p.m = p.n
	}
	p.a, p.lda = d.operandOf(p.tA, p.m, p.k)
	p.b, p.ldb = d.operandOf(p.tB, p.k, p.n)
	if p.alpha == 0 {
		p.a.hide()
		p.b.hide()
	}
	return p
}

// hide makes an operand one that is not to be read.
func (o *operand) hide() { clear(o.use) }

func (p product) String() string {
	return fmt.Sprintf("tA=%c tB=%c m=%d n=%d k=%d alpha=%v lda=%d ldb=%d beta=%v", p.tA, p.tB, p.m, p.n, p.k, p.alpha, p.lda, p.ldb, p.beta)
}

func buildDgemm(d *draw) *call {
	p := d.product(false)
	ldc := d.ld(p.n)
	return &call{
		text:      fmt.Sprintf("%v ldc=%d", p, ldc),
		operands:  []*operand{p.a, p.b, d.matrix(p.m, p.n, ldc, whole, resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dgemm(p.tA, p.tB, p.m, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], p.ldb, s(p.beta), x[2], ldc)
			return nil
		},
	}
}

func buildDsymm(d *draw) *call {
	side, ul, m, n, alpha, beta := d.side(), d.uplo(), d.size(), d.size(), d.scalar(), d.scalar()
	k, in := check.Order(side, m, n), unless(alpha == 0)
	lda, ldb, ldc := d.ld(k), d.ld(n), d.ld(n)
	return &call{
		text: fmt.Sprintf("s=%c ul=%c m=%d n=%d alpha=%v lda=%d ldb=%d beta=%v ldc=%d", side, ul, m, n, alpha, lda, ldb, beta, ldc),
		operands: []*operand{
			d.matrix(k, k, lda, inTriangle(ul), in),
			d.matrix(m, n, ldb, whole, in),
			d.matrix(m, n, ldc, whole, resultUse(beta)),
		},
		roundings: k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dsymm(side, ul, m, n, s(alpha), x[0], lda, x[1], ldb, s(beta), x[2], ldc)
			return nil
		},
	}
}

func buildDsyrk(d *draw) *call {
	p, ul := d.product(true), d.uplo()
	ldc := d.ld(p.n)
	return &call{
		text:      fmt.Sprintf("ul=%c %v ldc=%d", ul, p, ldc),
		operands:  []*operand{p.a, d.matrix(p.n, p.n, ldc, inTriangle(ul), resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dsyrk(ul, p.tA, p.n, p.k, s(p.alpha), x[0], p.lda, s(p.beta), x[1], ldc)
			return nil
		},
	}
}

func buildDsyr2k(d *draw) *call {
	p, ul := d.product(true), d.uplo()
	second, ldb := d.operandOf(p.tA, p.n, p.k)
	if p.alpha == 0 {
		second.hide()
	}
	ldc := d.ld(p.n)
	return &call{
		text:      fmt.Sprintf("ul=%c %v ldb of Dsyr2k=%d ldc=%d", ul, p, ldb, ldc),
		operands:  []*operand{p.a, second, d.matrix(p.n, p.n, ldc, inTriangle(ul), resultUse(p.beta))},
		roundings: 2*p.k + 5,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dsyr2k(ul, p.tA, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], ldb, s(p.beta), x[2], ldc)
			return nil
		},
	}
}

// triangularMatrix is Dtrmm or Dtrsm, with the errors of triangularVector for each column or row.
func triangularMatrix(solves bool) func(d *draw) *call {
	return func(d *draw) *call {
		side, ul, t, diag, m, n, alpha := d.side(), d.uplo(), d.transpose(), d.diag(), d.size(), d.size(), d.scalar()
		k := check.Order(side, m, n)
		a := d.triangle(fullStorage, ul, k, unless(alpha == 0))
		a.triangular(d, diag, k, func(i int) int { return a.at(i, i) })
		ldb, result := d.ld(n), resultUse(alpha)
		c := &call{
			text:      fmt.Sprintf("s=%c tA=%c d=%c %v m=%d n=%d alpha=%v ldb=%d", side, t, diag, a, m, n, alpha, ldb),
			operands:  []*operand{a.operand, d.matrix(m, n, ldb, whole, result)},
			roundings: k + 4,
		}
		c.do = func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			if solves {
				b.Dtrsm(side, ul, t, diag, m, n, s(alpha), x[0], a.lda, x[1], ldb)
			} else {
				b.Dtrmm(side, ul, t, diag, m, n, s(alpha), x[0], a.lda, x[1], ldb)
			}
			return nil
		}
		if solves && alpha != 0 {
			c.twin = func(b blskernel.Backend, x [][]float64) { b.Dtrmm(side, ul, t, diag, m, n, 1, x[0], a.lda, x[1], ldb) }
		}
		return c
	}
}

func buildDgemmt(d *draw) *call {
	p, ul := d.product(true), d.uplo()
	ldc := d.ld(p.n)
	return &call{
		text:      fmt.Sprintf("ul=%c %v ldc=%d", ul, p, ldc),
		operands:  []*operand{p.a, p.b, d.matrix(p.n, p.n, ldc, inTriangle(ul), resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			blskernel.Packed(b).Dgemmt(ul, p.tA, p.tB, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], p.ldb, s(p.beta), x[2], ldc)
			return nil
		},
	}
}

func buildDgemmtp(d *draw) *call {
	p := d.product(true)
	return &call{
		text:      p.String(),
		operands:  []*operand{p.a, p.b, d.packedTriangle(blas.Upper, p.n, resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			blskernel.Packed(b).Dgemmtp(p.tA, p.tB, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], p.ldb, s(p.beta), x[2])
			return nil
		},
	}
}

func buildDsprk(d *draw) *call {
	p := d.product(true)
	return &call{
		text:      p.String(),
		operands:  []*operand{p.a, d.packedTriangle(blas.Upper, p.n, resultUse(p.beta))},
		roundings: p.k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			blskernel.Packed(b).Dsprk(p.tA, p.n, p.k, s(p.alpha), x[0], p.lda, s(p.beta), x[1])
			return nil
		},
	}
}

func buildDspmm(d *draw) *call {
	side, m, n, alpha, beta := d.side(), d.size(), d.size(), d.scalar(), d.scalar()
	k, in := check.Order(side, m, n), unless(alpha == 0)
	ldb, ldc := d.ld(n), d.ld(n)
	return &call{
		text: fmt.Sprintf("s=%c m=%d n=%d alpha=%v ldb=%d beta=%v ldc=%d", side, m, n, alpha, ldb, beta, ldc),
		operands: []*operand{
			d.packedTriangle(blas.Upper, k, in),
			d.matrix(m, n, ldb, whole, in),
			d.matrix(m, n, ldc, whole, resultUse(beta)),
		},
		roundings: k + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			blskernel.Packed(b).Dspmm(side, m, n, s(alpha), x[0], x[1], ldb, s(beta), x[2], ldc)
			return nil
		},
	}
}

func buildDgemmDiag(d *draw) *call {
	p := d.product(false)
	ldc := d.ld(p.n)
	return &call{
		text: fmt.Sprintf("%v ldc=%d", p, ldc),
		operands: []*operand{
			p.a, p.b, d.vector(p.k, 1, unless(p.alpha == 0)),
			d.matrix(p.m, p.n, ldc, whole, resultUse(p.beta)),
		},
		roundings: p.k + 5,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			backend.Fused(b).DgemmDiag(p.tA, p.tB, p.m, p.n, p.k, s(p.alpha), x[0], p.lda, x[2], x[1], p.ldb, s(p.beta), x[3], ldc)
			return nil
		},
	}
}

func buildDsprkDiag(d *draw) *call {
	p := d.product(true)
	return &call{
		text: p.String(),
		operands: []*operand{
			p.a, d.vector(p.k, 1, unless(p.alpha == 0)), d.packedTriangle(blas.Upper, p.n, resultUse(p.beta)),
		},
		roundings: p.k + 5,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			backend.Fused(b).DsprkDiag(p.tA, p.n, p.k, s(p.alpha), x[0], p.lda, x[1], s(p.beta), x[2])
			return nil
		},
	}
}

// The error of a sum is not magnified, since |tanh'| <= 1, and every tanh errs by less than 2 ulp of a
// number that is at most 1.
func buildDgemmTanh(d *draw) *call {
	p := d.product(false)
	ldc := d.ld(p.n)
	return &call{
		text: fmt.Sprintf("%v ldc=%d", p, ldc),
		operands: []*operand{
			p.a, p.b, d.vector(p.n, 1, read), d.matrix(p.m, p.n, ldc, whole, overwritten),
		},
		roundings: p.k + 5,
		absolute:  4 * 0x1p-52,
		do: func(b blskernel.Backend, x [][]float64, _ func(float64) float64) []float64 {
			backend.Fused(b).DgemmTanh(p.tA, p.tB, p.m, p.n, p.k, p.alpha, x[0], p.lda, x[1], p.ldb, x[2], x[3], ldc)
			return nil
		},
		magnitude: func(x [][]float64) {
			reference().Dgemm(p.tA, p.tB, p.m, p.n, p.k, math.Abs(p.alpha), x[0], p.lda, x[1], p.ldb, 0, x[3], ldc)
			for i := range p.m {
				for j := range p.n {
					x[3][i*ldc+j] += x[2][j]
				}
			}
		},
	}
}
