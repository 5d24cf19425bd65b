package speed

import (
	"math"

	"blskernel"

	"gonum.org/v1/gonum/blas"
)

func dgemv(args string, s Shape, r *source) *Problem {
	tA := blas.Transpose(args[0])
	a := r.matrix(s.M, s.N)
	in, out := s.N, s.M
	if tA != blas.NoTrans {
		in, out = out, in
	}
	x, y := r.vector(in), make([]float64, out)
	return &Problem{
		call:      func(be blskernel.Backend) { be.Dgemv(tA, s.M, s.N, 1, a.data, a.ld(), x, 1, 0, y, 1) },
		poison:    y,
		result:    func([]float64) []float64 { return y },
		expected:  func([]float64) []float64 { return a.times(tA, x) },
		terms:     in,
		magnitude: float64(in) / 4,
	}
}

// dger adds the same x·yᵀ again and again: elements grow by at most 1/4 a call.
func dger(_ string, s Shape, r *source) *Problem {
	x, y, a := r.vector(s.M), r.vector(s.N), r.rightSide(s.M, s.N)
	return &Problem{
		call:   func(be blskernel.Backend) { be.Dger(s.M, s.N, 1, x, 1, y, 1, a.data, a.ld()) },
		reset:  a.reset,
		reads:  true,
		signs:  s.N,
		result: func(t []float64) []float64 { return a.times(blas.NoTrans, t) },
		expected: func(t []float64) []float64 {
			z := a.times(blas.NoTrans, t)
			reference.Daxpy(s.M, reference.Ddot(s.N, y, 1, t, 1), x, 1, z, 1)
			return z
		},
		terms:     s.N + 2,
		magnitude: 0.75 * float64(s.N),
	}
}

func ddot(_ string, s Shape, r *source) *Problem {
	x, y := r.vector(s.N), r.vector(s.N)
	var dot float64
	return &Problem{
		call:      func(be blskernel.Backend) { dot = be.Ddot(s.N, x, 1, y, 1) },
		reset:     func() { dot = math.NaN() },
		result:    func([]float64) []float64 { return []float64{dot} },
		expected:  func([]float64) []float64 { return []float64{reference.Ddot(s.N, x, 1, y, 1)} },
		terms:     s.N,
		magnitude: float64(s.N) / 4,
	}
}

// daxpy adds the same x again and again: elements grow by at most 1/2 a call.
func daxpy(_ string, s Shape, r *source) *Problem {
	x, y := r.vector(s.N), r.rightSide(1, s.N)
	return &Problem{
		call:   func(be blskernel.Backend) { be.Daxpy(s.N, 1, x, 1, y.data, 1) },
		reset:  y.reset,
		reads:  true,
		result: func([]float64) []float64 { return y.data },
		expected: func([]float64) []float64 {
			z := append([]float64(nil), y.data...)
			reference.Daxpy(s.N, 1, x, 1, z, 1)
			return z
		},
		terms:     1,
		magnitude: 1,
	}
}
