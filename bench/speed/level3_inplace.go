package speed

import (
	"blskernel"

	"gonum.org/v1/gonum/blas"
)

// A rightSide is the B of a product or solution in place, with what it was at first.
type rightSide struct {
	matrix
	initial []float64
}

func (r *source) rightSide(rows, cols int) rightSide {
	b := r.matrix(rows, cols)
	return rightSide{b, append([]float64(nil), b.data...)}
}

func (b rightSide) reset() { copy(b.data, b.initial) }

func dtrmm(args string, s Shape, r *source) *Problem {
	side, ul, tA := blas.Side(args[0]), blas.Uplo(args[1]), blas.Transpose(args[2])
	n := order(args[0], s)
	a, b := r.nearIdentity(n), r.rightSide(s.M, s.N)
	return &Problem{
		call: func(be blskernel.Backend) {
			be.Dtrmm(side, ul, tA, blas.NonUnit, s.M, s.N, 1, a.data, a.ld(), b.data, b.ld())
		},
		reset:  b.reset,
		reads:  true,
		signs:  s.N,
		result: func(t []float64) []float64 { return b.times(blas.NoTrans, t) },
		expected: func(t []float64) []float64 {
			if side == blas.Left {
				return a.triTimes(ul, tA, b.times(blas.NoTrans, t))
			}
			return b.times(blas.NoTrans, a.triTimes(ul, tA, t))
		},
		terms: n + s.N,
		// A row of |T| and a column add up to 1 + spread at most.
		magnitude: (1 + spread) * float64(s.N) / 2,
	}
}

// dtrsm is checked by its residual: B·t before against op(T)·(X·t) after, or X·(op(T)·t).
func dtrsm(args string, s Shape, r *source) *Problem {
	side, ul, tA := blas.Side(args[0]), blas.Uplo(args[1]), blas.Transpose(args[2])
	n := order(args[0], s)
	a, b := r.nearIdentity(n), r.rightSide(s.M, s.N)
	return &Problem{
		call: func(be blskernel.Backend) {
			be.Dtrsm(side, ul, tA, blas.NonUnit, s.M, s.N, 1, a.data, a.ld(), b.data, b.ld())
		},
		reset: b.reset,
		reads: true,
		signs: s.N,
		result: func(t []float64) []float64 {
			if side == blas.Left {
				return a.triTimes(ul, tA, b.times(blas.NoTrans, t))
			}
			return b.times(blas.NoTrans, a.triTimes(ul, tA, t))
		},
		expected: func(t []float64) []float64 { return b.times(blas.NoTrans, t) },
		// A solution by substitution has |B - T·X| <= γ_n |T|·|X|. Blocked ones multiply by
		// inverses of blocks on the diagonal, which costs as much again times the condition of
		// a block, at most (1 + spread)/(1 - spread) < 2: three γ_n in all. X is at most 1/(1 -
		// spread) times B.
		terms:     3*n + s.N,
		magnitude: (1 + spread) / (1 - spread) * float64(s.N) / 2,
	}
}
