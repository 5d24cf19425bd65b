package speed

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// In the bounds below a, b and t stand for the largest elements: 1/2, 1/2 and 1. On the way of a
// product op(A)[i,p]·op(B)[p,j]·t[j] there are at most k + n roundings: k for the product and the sum
// over p, n for those over j, in whatever order the sums are taken, with fused operations or not.

func dgemm(args string, s Shape, r *source) *Problem {
	tA, tB := blas.Transpose(args[0]), blas.Transpose(args[1])
	a, b, c := r.operand(tA, s.M, s.K), r.operand(tB, s.K, s.N), newMatrix(s.M, s.N)
	return &Problem{
		call: func(be blskernel.Backend) {
			be.Dgemm(tA, tB, s.M, s.N, s.K, 1, a.data, a.ld(), b.data, b.ld(), 0, c.data, c.ld())
		},
		poison: c.data,
		signs:  s.N,
		result: func(t []float64) []float64 {
			return c.times(blas.NoTrans, t)
		},
		expected:  func(t []float64) []float64 { return a.times(tA, b.times(tB, t)) },
		terms:     s.K + s.N,
		magnitude: float64(s.K) * float64(s.N) / 4,
	}
}

func dsyrk(args string, s Shape, r *source) *Problem {
	ul, tA := blas.Uplo(args[0]), blas.Transpose(args[1])
	a, c := r.operand(tA, s.N, s.K), newMatrix(s.N, s.N)
	return &Problem{
		call:      func(be blskernel.Backend) { be.Dsyrk(ul, tA, s.N, s.K, 1, a.data, a.ld(), 0, c.data, c.ld()) },
		poison:    c.data,
		signs:     s.N,
		result:    func(t []float64) []float64 { return c.symTimes(ul, t) },
		expected:  func(t []float64) []float64 { return a.times(tA, a.times(other(tA), t)) },
		terms:     s.K + s.N,
		magnitude: float64(s.K) * float64(s.N) / 4,
	}
}

func dsyr2k(args string, s Shape, r *source) *Problem {
	ul, tA := blas.Uplo(args[0]), blas.Transpose(args[1])
	a, b, c := r.operand(tA, s.N, s.K), r.operand(tA, s.N, s.K), newMatrix(s.N, s.N)
	return &Problem{
		call: func(be blskernel.Backend) {
			be.Dsyr2k(ul, tA, s.N, s.K, 1, a.data, a.ld(), b.data, b.ld(), 0, c.data, c.ld())
		},
		poison: c.data,
		signs:  s.N,
		result: func(t []float64) []float64 { return c.symTimes(ul, t) },
		expected: func(t []float64) []float64 {
			y := a.times(tA, b.times(other(tA), t))
			for i, v := range b.times(tA, a.times(other(tA), t)) {
				y[i] += v
			}
			return y
		},
		terms:     2*s.K + s.N, // the sum over p may be one of 2k products
		magnitude: float64(s.K) * float64(s.N) / 2,
	}
}

func dsymm(args string, s Shape, r *source) *Problem {
	side, ul := blas.Side(args[0]), blas.Uplo(args[1])
	n := order(args[0], s)
	a, b, c := r.matrix(n, n), r.matrix(s.M, s.N), newMatrix(s.M, s.N)
	return &Problem{
		call: func(be blskernel.Backend) {
			be.Dsymm(side, ul, s.M, s.N, 1, a.data, a.ld(), b.data, b.ld(), 0, c.data, c.ld())
		},
		poison: c.data,
		signs:  s.N,
		result: func(t []float64) []float64 { return c.times(blas.NoTrans, t) },
		expected: func(t []float64) []float64 {
			if side == blas.Left {
				return a.symTimes(ul, b.times(blas.NoTrans, t))
			}
			return b.times(blas.NoTrans, a.symTimes(ul, t))
		},
		terms:     n + s.N,
		magnitude: float64(n) * float64(s.N) / 4,
	}
}

// other returns the transpose that tA is not.
func other(tA blas.Transpose) blas.Transpose {
	if tA == blas.NoTrans {
		return blas.Trans
	}
	return blas.NoTrans
}
