package speed

import (
	"math"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// dgemmtp computes A·D·Aᵀ with B = D·Aᵀ, where the diagonal D has elements 1 and 1/2: B has no
// rounding errors, and the product is symmetric.
func dgemmtp(args string, s Shape, r *source) *Problem {
	tA, tB := blas.Transpose(args[0]), blas.Transpose(args[1])
	a, b, ap := r.operand(tA, s.N, s.K), r.operand(tB, s.K, s.N), make([]float64, s.N*(s.N+1)/2)
	// at returns the position of element (i, j) of op(X).
	at := func(op blas.Transpose, x matrix, i, j int) int {
		if op != blas.NoTrans {
			i, j = j, i
		}
		return i*x.cols + j
	}
	for p := range s.K {
		d := math.Ldexp(1, -r.IntN(2))
		for i := range s.N {
			b.data[at(tB, b, p, i)] = d * a.data[at(tA, a, i, p)]
		}
	}
	return &Problem{
		call: func(be blskernel.Backend) {
			blskernel.Packed(be).Dgemmtp(tA, tB, s.N, s.K, 1, a.data, a.ld(), b.data, b.ld(), 0, ap)
		},
		poison:    ap,
		signs:     s.N,
		result:    func(t []float64) []float64 { return packedTimes(blas.Upper, s.N, ap, t) },
		expected:  func(t []float64) []float64 { return a.times(tA, b.times(tB, t)) },
		terms:     s.K + s.N,
		magnitude: float64(s.K) * float64(s.N) / 4,
	}
}

func dsprk(args string, s Shape, r *source) *Problem {
	tA := blas.Transpose(args[0])
	a, ap := r.operand(tA, s.N, s.K), make([]float64, s.N*(s.N+1)/2)
	return &Problem{
		call:      func(be blskernel.Backend) { blskernel.Packed(be).Dsprk(tA, s.N, s.K, 1, a.data, a.ld(), 0, ap) },
		poison:    ap,
		signs:     s.N,
		result:    func(t []float64) []float64 { return packedTimes(blas.Upper, s.N, ap, t) },
		expected:  func(t []float64) []float64 { return a.times(tA, a.times(other(tA), t)) },
		terms:     s.K + s.N,
		magnitude: float64(s.K) * float64(s.N) / 4,
	}
}

func dspmm(args string, s Shape, r *source) *Problem {
	side := blas.Side(args[0])
	n := order(args[0], s)
	ap, b, c := r.vector(n*(n+1)/2), r.matrix(s.M, s.N), newMatrix(s.M, s.N)
	return &Problem{
		call: func(be blskernel.Backend) {
			blskernel.Packed(be).Dspmm(side, s.M, s.N, 1, ap, b.data, b.ld(), 0, c.data, c.ld())
		},
		poison: c.data,
		signs:  s.N,
		result: func(t []float64) []float64 { return c.times(blas.NoTrans, t) },
		expected: func(t []float64) []float64 {
			if side == blas.Left {
				return packedTimes(blas.Upper, n, ap, b.times(blas.NoTrans, t))
			}
			return b.times(blas.NoTrans, packedTimes(blas.Upper, n, ap, t))
		},
		terms:     n + s.N,
		magnitude: float64(n) * float64(s.N) / 4,
	}
}
