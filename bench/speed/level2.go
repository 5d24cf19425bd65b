package speed

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

func dsymv(args string, s Shape, r *source) *Problem {
	ul := blas.Uplo(args[0])
	a, x, y := r.matrix(s.N, s.N), r.vector(s.N), make([]float64, s.N)
	return &Problem{
		call:      func(be blskernel.Backend) { be.Dsymv(ul, s.N, 1, a.data, a.ld(), x, 1, 0, y, 1) },
		poison:    y,
		result:    func([]float64) []float64 { return y },
		expected:  func([]float64) []float64 { return a.symTimes(ul, x) },
		terms:     s.N + 1,
		magnitude: float64(s.N) / 4,
	}
}

func dspmv(args string, s Shape, r *source) *Problem {
	ul := blas.Uplo(args[0])
	ap, x, y := r.vector(s.N*(s.N+1)/2), r.vector(s.N), make([]float64, s.N)
	return &Problem{
		call:      func(be blskernel.Backend) { be.Dspmv(ul, s.N, 1, ap, x, 1, 0, y, 1) },
		poison:    y,
		result:    func([]float64) []float64 { return y },
		expected:  func([]float64) []float64 { return packedTimes(ul, s.N, ap, x) },
		terms:     s.N + 1,
		magnitude: float64(s.N) / 4,
	}
}

// dsyr and dspr add the same x·xᵀ again and again: elements grow by at most 1/4 a call.
func dsyr(args string, s Shape, r *source) *Problem {
	ul := blas.Uplo(args[0])
	x, a := r.vector(s.N), r.rightSide(s.N, s.N)
	return updated(s, a, x, func(be blskernel.Backend) { be.Dsyr(ul, s.N, 1, x, 1, a.data, a.ld()) },
		func(t []float64) []float64 { return a.symTimes(ul, t) })
}

func dspr(args string, s Shape, r *source) *Problem {
	ul := blas.Uplo(args[0])
	x, ap := r.vector(s.N), r.rightSide(1, s.N*(s.N+1)/2)
	return updated(s, ap, x, func(be blskernel.Backend) { be.Dspr(ul, s.N, 1, x, 1, ap.data) },
		func(t []float64) []float64 { return packedTimes(ul, s.N, ap.data, t) })
}

// updated is the problem of adding x·xᵀ to a symmetric matrix, by which times multiplies.
func updated(s Shape, a rightSide, x []float64, update func(blskernel.Backend), times func(t []float64) []float64) *Problem {
	return &Problem{
		call:   update,
		reset:  a.reset,
		reads:  true,
		signs:  s.N,
		result: times,
		expected: func(t []float64) []float64 {
			z := times(t)
			reference.Daxpy(s.N, reference.Ddot(s.N, x, 1, t, 1), x, 1, z, 1)
			return z
		},
		terms:     s.N + 2,
		magnitude: 0.75 * float64(s.N),
	}
}
