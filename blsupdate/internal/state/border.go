package state

import (
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/types"
	"blskernel/internal/linalg/detmath"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A Border relates p new columns H to A through the solution D of (AᵀA + lambda I) D = AᵀH.
type Border struct {
	*Base
	D *mat.Dense // Dᵀ, p×k
	C *mat.Dense // C = H - A D, l×p: the part of H that the old nodes do not explain
}

// NewBorder computes D and C, and corrects them once by D += R⁻¹(AᵀC - lambda D), a term that is zero
// up to rounding. If R⁻¹ has an error of eps κ², so has the first D, and the error would remain in C.
// apply(g, d) computes d = g R⁻¹ for R = AᵀA + lambda I.
func (b *Base) NewBorder(a, h *mat.Dense, apply func(g, d *mat.Dense)) (*Border, error) {
	p := dense.Cols(h)
	s := &Border{Base: b, D: mat.NewDense(p, b.K, nil), C: dense.Copy(h)}
	g, more := mat.NewDense(p, b.K, nil), mat.NewDense(p, b.K, nil)
	for round := range 2 {
		b.Counter.Enter(cost.StepBorder)
		if round > 0 {
			g.Copy(s.D)
		}
		dense.Gemm(b.Counter, blas.Trans, blas.NoTrans, 1, s.C, a, -b.Lambda, g)
		b.Counter.Enter(cost.StepNodesD)
		apply(g, more)
		dense.Add(s.D.RawMatrix().Data, 1, more.RawMatrix().Data)
		b.Counter.Enter(cost.StepNodesC)
		dense.Gemm(b.Counter, blas.NoTrans, blas.Trans, -1, a, more, 1, s.C)
	}
	if !dense.Finite(s.D, s.C) {
		return nil, types.ErrOverflow
	}
	return s, nil
}

// Errors returns the norms of the errors of the new columns. lengths has the norms of the old columns,
// and rcond is 1/κ. Computing C = H - A D contributes unit times Σ_i lengths_i |D_ij|. The error of D
// after one correction contributes unit κ times the norms of the columns of [C; sqrt(lambda) D].
func (s *Border) Errors(lengths []float64, unit, rcond float64) []float64 {
	errs, root := dense.ColumnNorms(s.C), math.Sqrt(s.Lambda)
	for j := range errs {
		d := s.D.RawRowView(j)
		errs[j] = detmath.Hypot(errs[j], root*dense.Norm(d)) / rcond
		for i, v := range d {
			errs[j] += float64(lengths[i] * math.Abs(v))
		}
		errs[j] *= unit
	}
	return errs
}

// Weights returns [W - D W2; W2].
func (s *Border) Weights(w, w2 *mat.Dense) *mat.Dense {
	all := mat.NewDense(s.K+dense.Rows(w2), dense.Cols(w), nil)
	dense.Place(all, 0, 0, w)
	dense.Place(all, s.K, 0, w2)
	dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, -1, s.D, w2, 1, dense.RowRange(all, 0, s.K))
	return all
}

// friendlyRCond is the reciprocal condition number above which weights of new nodes come from Y itself.
const friendlyRCond = 1e-2

// NodeTargets returns the targets for the weights of new nodes. rcond is 1/κ or, in QR, the smallest
// ‖C_j‖/‖H_j‖ or |r_jj|/‖H_j‖ for the R of Corner, if that is smaller. If rcond is large, y1 is Y, and
// w1 is nil: the ridge rows have zero targets. Otherwise rounding leaves a large part of C in the
// column space of A, which would multiply the part of Y that A explains. Then y1 is Y - A W, and w1 is
// W, for the rows sqrt(lambda) D. Both choices give the same weights in exact arithmetic, since W is
// the ridge solution for A:
//
//	CᵀY = Cᵀ(Y - A W) + lambda DᵀW.
//
// model has the additional steps.
func (b *Base) NodeTargets(a, y, w *mat.Dense, rcond float64) (y1, w1 *mat.Dense, model []cost.StepFlops) {
	if rcond >= friendlyRCond {
		return y, nil, nil
	}
	b.Counter.Enter(cost.StepWeights)
	return b.Residual(a, y, w), w, cost.NodesResidual(cost.Shape{L: dense.Rows(a), K: b.K, C: b.C})
}

// Corner returns R and z, which extend a QR factorization from A to [A H]. The caller has divided the
// columns of H, and thus of C and D, by units. R and z belong to the rows [C; sqrt(lambda) D;
// sqrt(lambda) diag(units)⁻¹] with the targets [Y; 0; 0], or [Y; sqrt(lambda) W; 0] if W is not nil. d
// returns D, k×p, which Corner overwrites.
func (b *Base) Corner(c, y, w *mat.Dense, units []float64, d func() *mat.Dense) (r, z *mat.Dense, err error) {
	p, root := len(units), math.Sqrt(b.Lambda)
	r, z = dense.Triangle(p), mat.NewDense(p, b.C, nil)
	for j, unit := range units {
		r.Set(j, j, root/unit)
	}
	err = lapack.AppendRows(b.Counter, r, z, c, dense.Copy(y))
	if err == nil && b.Lambda > 0 {
		rows := d()
		rows.Scale(root, rows)
		targets := mat.NewDense(b.K, b.C, nil)
		if w != nil {
			targets.Scale(root, w)
		}
		err = lapack.AppendRows(b.Counter, r, z, rows, targets)
	}
	return r, z, Overflow(err)
}
