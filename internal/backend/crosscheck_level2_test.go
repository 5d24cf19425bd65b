package backend_test

import (
	"blskernel"
	"blskernel/internal/check"
	"fmt"

	"gonum.org/v1/gonum/blas"
)

func buildDgemv(d *draw) *call {
	t, m, n, incX, incY, alpha, beta := d.transpose(), d.size(), d.size(), d.inc(), d.inc(), d.scalar(), d.scalar()
	lenY, lenX := check.Stored(t, m, n)
	lda, in := d.ld(n), unless(alpha == 0)
	y := resultUse(beta)
	if m == 0 || n == 0 {
		y = untouched
	}
	return &call{
		text: fmt.Sprintf("tA=%c m=%d n=%d alpha=%v lda=%d incX=%d beta=%v incY=%d", t, m, n, alpha, lda, incX, beta, incY),
		operands: []*operand{
			d.matrix(m, n, lda, whole, in),
			d.vector(lenX, incX, in),
			d.vector(lenY, incY, y),
		},
		roundings: lenX + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dgemv(t, m, n, s(alpha), x[0], lda, x[1], incX, s(beta), x[2], incY)
			return nil
		},
	}
}

func buildDgbmv(d *draw) *call {
	t, m, n, kL, kU, incX, incY, alpha, beta := d.transpose(), d.size(), d.size(), d.intN(8), d.intN(8), d.inc(), d.inc(), d.scalar(), d.scalar()
	lenY, lenX := check.Stored(t, m, n)
	lda, in := d.ld(kL+kU+1), unless(alpha == 0)
	y := resultUse(beta)
	if m == 0 || n == 0 {
		y = untouched
	}
	rows := min(m, n+kL)
	a := d.layOutOperand((rows-1)*lda+kL+kU+1, m, n, band(kL, kU), bandAt(kL, lda), in)
	return &call{
		text:      fmt.Sprintf("tA=%c m=%d n=%d kL=%d kU=%d alpha=%v lda=%d incX=%d beta=%v incY=%d", t, m, n, kL, kU, alpha, lda, incX, beta, incY),
		operands:  []*operand{a, d.vector(lenX, incX, in), d.vector(lenY, incY, y)},
		roundings: lenX + 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			b.Dgbmv(t, m, n, kL, kU, s(alpha), x[0], lda, x[1], incX, s(beta), x[2], incY)
			return nil
		},
	}
}

// A storage is a way to store a triangle.
type storage int

const (
	fullStorage storage = iota
	packedStorage
	bandStorage
)

// A stored is a triangle of order n in one of the storages, with the arguments that belong to it.
type stored struct {
	*operand
	ul     blas.Uplo
	n      int
	k, lda int // diagonals beside the main one of band storage
	at     func(i, j int) int
}

func (d *draw) triangle(s storage, ul blas.Uplo, n int, u usage) stored {
	x := stored{ul: ul, n: n}
	switch s {
	case fullStorage:
		x.lda = d.ld(n)
		x.operand, x.at = d.matrix(n, n, x.lda, inTriangle(ul), u), func(i, j int) int { return i*x.lda + j }
	case packedStorage:
		x.operand, x.at = d.packedTriangle(ul, n, u), packedAt(ul, n)
	default:
		x.k = d.intN(9)
		x.lda = d.ld(x.k + 1)
		kL := x.k
		if ul == blas.Upper {
			kL = 0
		}
		x.operand, x.at = d.bandTriangle(ul, n, x.k, x.lda, u), bandAt(kL, x.lda)
	}
	return x
}

func (x stored) String() string { return fmt.Sprintf("ul=%c n=%d k=%d lda=%d", x.ul, x.n, x.k, x.lda) }

// symmetricProduct is Dsymv, Dspmv or Dsbmv.
func symmetricProduct(s storage) func(d *draw) *call {
	return func(d *draw) *call {
		ul, n, incX, incY, alpha, beta := d.uplo(), d.size(), d.inc(), d.inc(), d.scalar(), d.scalar()
		in := unless(alpha == 0)
		a := d.triangle(s, ul, n, in)
		return &call{
			text:      fmt.Sprintf("%v alpha=%v incX=%d beta=%v incY=%d", a, alpha, incX, beta, incY),
			operands:  []*operand{a.operand, d.vector(n, incX, in), d.vector(n, incY, resultUse(beta))},
			roundings: n + 4,
			do: func(b blskernel.Backend, x [][]float64, f func(float64) float64) []float64 {
				switch s {
				case fullStorage:
					b.Dsymv(ul, n, f(alpha), x[0], a.lda, x[1], incX, f(beta), x[2], incY)
				case packedStorage:
					b.Dspmv(ul, n, f(alpha), x[0], x[1], incX, f(beta), x[2], incY)
				default:
					b.Dsbmv(ul, n, a.k, f(alpha), x[0], a.lda, x[1], incX, f(beta), x[2], incY)
				}
				return nil
			},
		}
	}
}

// triangularVector is Dtrmv, Dtpmv, Dtbmv, or Dtrsv, Dtpsv, Dtbsv.
//
// The solution x that a backend finds is that of (T + E)x = b with |E| <= gamma_{n+2}·|T| (Higham,
// Accuracy and Stability of Numerical Algorithms, theorem 8.5, and a rounding more for a reciprocal and
// for alpha), so that it is within gamma·|T⁻¹||T||x| of the exact one, and |T⁻¹| <= M(T)⁻¹ (theorem
// 8.12).
func triangularVector(s storage, solves bool) func(d *draw) *call {
	return func(d *draw) *call {
		ul, t, diag, n, inc := d.uplo(), d.transpose(), d.diag(), d.size(), d.inc()
		a := d.triangle(s, ul, n, read)
		a.triangular(d, diag, n, func(i int) int { return a.at(i, i) })
		multiply := func(b blskernel.Backend, x [][]float64) {
			switch s {
			case fullStorage:
				b.Dtrmv(ul, t, diag, n, x[0], a.lda, x[1], inc)
			case packedStorage:
				b.Dtpmv(ul, t, diag, n, x[0], x[1], inc)
			default:
				b.Dtbmv(ul, t, diag, n, a.k, x[0], a.lda, x[1], inc)
			}
		}
		solve := func(b blskernel.Backend, x [][]float64) {
			switch s {
			case fullStorage:
				b.Dtrsv(ul, t, diag, n, x[0], a.lda, x[1], inc)
			case packedStorage:
				b.Dtpsv(ul, t, diag, n, x[0], x[1], inc)
			default:
				b.Dtbsv(ul, t, diag, n, a.k, x[0], a.lda, x[1], inc)
			}
		}
		c := &call{
			text:      fmt.Sprintf("%v tA=%c d=%c incX=%d", a, t, diag, inc),
			operands:  []*operand{a.operand, d.vector(n, inc, written)},
			roundings: n + 4,
		}
		if solves {
			c.twin, multiply = multiply, solve
		}
		c.do = func(b blskernel.Backend, x [][]float64, _ func(float64) float64) []float64 {
			multiply(b, x)
			return nil
		}
		return c
	}
}

func buildDger(d *draw) *call {
	m, n, incX, incY, alpha := d.size(), d.size(), d.inc(), d.inc(), d.scalar()
	lda, in := d.ld(n), unless(alpha == 0)
	return &call{
		text:      fmt.Sprintf("m=%d n=%d alpha=%v incX=%d incY=%d lda=%d", m, n, alpha, incX, incY, lda),
		operands:  []*operand{d.matrix(m, n, lda, whole, written), d.vector(m, incX, in), d.vector(n, incY, in)},
		roundings: 4,
		do: func(b blskernel.Backend, x [][]float64, s func(float64) float64) []float64 {
			if b.Name() == "gonum" {
				// Its assembly takes negative increments from the wrong end (gonum
				// v0.17.0).
				b.Dger(m, n, s(alpha), straight(x[1], m, incX), 1, straight(x[2], n, incY), 1, x[0], lda)
				return nil
			}
			b.Dger(m, n, s(alpha), x[1], incX, x[2], incY, x[0], lda)
			return nil
		},
	}
}

// straight returns the n elements of a vector one after the other.
func straight(x []float64, n, inc int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = x[element(n, inc, i)]
	}
	return v
}

// rankUpdate is Dsyr, Dspr, Dsyr2 or Dspr2.
func rankUpdate(s storage, rank int) func(d *draw) *call {
	return func(d *draw) *call {
		ul, n, incX, incY, alpha := d.uplo(), d.size(), d.inc(), d.inc(), d.scalar()
		in := unless(alpha == 0)
		a := d.triangle(s, ul, n, written)
		return &call{
			text:      fmt.Sprintf("%v alpha=%v incX=%d incY=%d", a, alpha, incX, incY),
			operands:  []*operand{a.operand, d.vector(n, incX, in), d.vector(n, incY, in)},
			roundings: 6,
			do: func(b blskernel.Backend, x [][]float64, f func(float64) float64) []float64 {
				switch {
				case s == fullStorage && rank == 1:
					b.Dsyr(ul, n, f(alpha), x[1], incX, x[0], a.lda)
				case s == fullStorage:
					b.Dsyr2(ul, n, f(alpha), x[1], incX, x[2], incY, x[0], a.lda)
				case rank == 1:
					b.Dspr(ul, n, f(alpha), x[1], incX, x[0])
				default:
					b.Dspr2(ul, n, f(alpha), x[1], incX, x[2], incY, x[0])
				}
				return nil
			},
		}
	}
}
