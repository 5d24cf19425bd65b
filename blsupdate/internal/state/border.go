package state

import (
	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/internal/isfinite"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// A border is what p new columns H are to the old ones, by the solution D of (AᵀA + lambda I) D = AᵀH.
type border struct {
	*Base
	a, h  *mat.Dense
	D     []float64 // Dᵀ, p×k
	C     []float64 // C = H - A D, l×p
	apply func(g, d []float64)
}

// newBorder returns an empty border; apply computes Dᵀ = GᵀR⁻¹ for p×k matrices, where R = AᵀA + lambda
// I.
func (b *Base) NewBorder(a, h *mat.Dense, apply func(g, d []float64)) *border {
	l, p := h.Dims()
	return &border{Base: b, a: a, h: h, D: make([]float64, p*b.K), C: make([]float64, l*p), apply: apply}
}

// solve computes D and C, and corrects them once: D += R⁻¹(AᵀC - lambda D). With an R⁻¹ that has an
// error of eps κ² the first D does, too, and what is wrong with it would be in C.
func (b *border) Solve(lambda float64) error {
	l, p := b.h.Dims()
	k, a, h := b.K, b.a.RawMatrix(), b.h.RawMatrix()
	g, more := make([]float64, p*k), make([]float64, p*k)
	for i := range l {
		copy(b.C[i*p:], h.Data[i*h.Stride:i*h.Stride+p])
	}
	for round := range 2 {
		b.Counter.Enter(cost.StepBorder)
		if round > 0 {
			copy(g, b.D)
		}
		b.Counter.Dgemm(blas.Trans, blas.NoTrans, p, k, l, 1, b.C, p, a.Data, a.Stride, -lambda, g, k)
		b.Counter.Enter(cost.StepNodesD)
		b.apply(g, more)
		floats.Add(b.D, more)
		b.Counter.Enter(cost.StepNodesC)
		b.Counter.Dgemm(blas.NoTrans, blas.Trans, l, p, k, -1, a.Data, a.Stride, more, k, 1, b.C, p)
	}
	if isfinite.First(b.D) >= 0 || isfinite.First(b.C) >= 0 {
		return api.ErrOverflow
	}
	return nil
}

// project returns CᵀY, p×c.
func (b *border) Project(y *mat.Dense) (*mat.Dense, error) {
	l, p := b.h.Dims()
	v, ry := mat.NewDense(p, b.Base.C, nil), y.RawMatrix()
	b.Counter.Dgemm(blas.Trans, blas.NoTrans, p, b.Base.C, l, 1, b.C, p, ry.Data, ry.Stride, 0, v.RawMatrix().Data, b.Base.C)
	if isfinite.First(v.RawMatrix().Data) >= 0 {
		return nil, api.ErrOverflow
	}
	return v, nil
}

// weights returns [W - D W2; W2].
func (b *border) Weights(w, w2 *mat.Dense) *mat.Dense {
	p, c := w2.Dims()
	all := mat.NewDense(b.K+p, c, append(dense.Compact(w), dense.Compact(w2)...))
	b.Counter.Dgemm(blas.Trans, blas.NoTrans, b.K, c, p, -1, b.D, b.K, w2.RawMatrix().Data, c, 1, all.RawMatrix().Data, c)
	return all
}
