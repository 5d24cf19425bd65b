package qr

import (
	"cmp"
	"errors"
	"math"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// seminormalCondition is the smallest reciprocal condition number, for columns scaled to equal norms,
// at which corrected seminormal equations are as accurate as a QR factorization.
const seminormalCondition = 1e-7

// nodesUnits is the error of C in units of the error of a sum.
const nodesUnits = 4

var errSeminormal = errors.New("the seminormal equations need a condition number of at most 1e7: use New to start a new model with all nodes")

// AddNodes appends p columns and rows to R, and p rows to z,
//
//	R := [R  R12]    z := [z ]
//	     [0  R22],        [z2].
//
// With the ridge solution D = (AᵀA + lambda I)⁻¹AᵀH (k×p) and C = H - A D, the part of the new columns
// that the old ones do not explain,
//
//	R12 = R D,   R22ᵀR22 = CᵀC + lambda DᵀD + lambda I,   R22ᵀz2 = CᵀY.
//
// R22 and z2 come from a QR factorization of [C; sqrt(lambda) D; sqrt(lambda) I] with the targets [Y;
// 0; 0], so columns that are nearly linear combinations of old ones lose no more digits than they must.
// D comes from the seminormal equations, which need no Q. Corrected once, they are accurate for κ up to
// about 1/sqrt(eps):
//
//	D0 = R⁻¹R⁻ᵀ(AᵀH),   D = D0 + R⁻¹R⁻ᵀ(Aᵀ(H - A D0) - lambda D0).
//
// Without Q the errors of C are at least eps ‖A‖‖D‖, up to eps κ‖H‖. The errors of W are still eps κ,
// but later rows that improve κ do not remove them. Columns of H are scaled by powers of two, as in
// package cholesky.
//
//	source: Björck, Linear Algebra Appl. 88/89, 1987.
func (s *State) AddNodes(a, h, y *mat.Dense) (out state.Outcome, err error) {
	if err := cmp.Or(s.CheckDetermined(), s.regular()); err != nil {
		return out, err
	}
	l, p := h.Dims()
	k := s.K
	norms := dense.ColumnNorms(h)
	size, err := bounded(s.Size.WithNodes(l, norms, make([]float64, p))) // a copy
	if err != nil {
		return out, err
	}
	s.Counter.Enter(cost.StepNodesC)
	// The accuracy of the seminormal equations does not depend on the scales of the columns of R.
	rcond := lapack.RCondTriangle(s.Counter, dense.Equilibrated(s.R, s.Size.A))
	if !(rcond >= seminormalCondition) {
		return out, &types.ConditionError{What: "[A; sqrt(lambda) I] before the new nodes", RCond: rcond, Err: errSeminormal}
	}
	units, reciprocals := dense.Powers(norms)
	rest := dense.Copy(h)
	dense.DivideColumns(rest, units)
	d, err := s.solveNodes(a, rest)
	if err != nil {
		return out, types.ErrOverflow
	}

	errs := s.errNodes(d, reciprocals)
	y1, w1, more := y, (*mat.Dense)(nil), []cost.StepFlops(nil)
	w, share := s.solved(), rcond
	if w != nil {
		size.ErrKept(w)
		for j, v := range dense.ColumnNorms(rest) {
			share = min(share, v*units[j]/norms[j]) // NaN for a column of zeros
		}
		y1, w1, more = s.NodeTargets(a, y, w, share)
	}
	shape, ridge := cost.Shape{L: l, K: k, P: p, C: s.C}, s.Lambda > 0
	corner := func() (r, z *mat.Dense, err error) {
		s.Counter.Enter(cost.StepTriangle)
		return s.Corner(rest, y1, w1, units, func() *mat.Dense { return dense.Copy(d) })
	}
	r22, z2, err := corner()
	if err == nil && w != nil && w1 == nil {
		for j := range p { // new nodes may depend on others only together
			share = min(share, math.Abs(r22.At(j, j))*units[j]/norms[j])
		}
		if y1, w1, more = s.NodeTargets(a, y, w, share); w1 != nil {
			more = cost.Plus(more, cost.NodesAgain(shape, ridge))
			r22, z2, err = corner()
		}
	}
	if err != nil {
		return out, err
	}
	r, side := s.R.RawMatrix(), d.RawMatrix()
	s.Counter.Dtrmm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, k, p, 1, r.Data, r.Stride, side.Data, side.Stride)
	dense.DivideColumns(d, reciprocals)
	dense.DivideColumns(r22, reciprocals)
	// After one correction D has errors of eps κ times the part of H that A does not explain.
	dense.Add(errs, nodesUnits*state.Unit(p, k)/rcond, dense.ColumnNorms(r22))

	next := *s
	next.K += p
	next.Size = size
	next.Size.ErrColumns(errs)
	next.R, next.Z, next.w = dense.Triangle(k+p), mat.NewDense(k+p, s.C, nil), nil
	dense.Place(next.R, 0, 0, s.R)
	dense.Place(next.R, 0, k, d)
	dense.Place(next.R, k, k, r22)
	dense.Place(next.Z, 0, 0, s.Z)
	dense.Place(next.Z, k, 0, z2)
	explained := next.FittedBy(-1, z2)
	next.measure()
	if now := next.solved(); w != nil && now != nil && cmp.Or(next.CheckDetermined(), next.regular()) == nil {
		before, after := dense.ColumnNorms(s.ResidualAfter(a, y, w)), next.Refitted(now, y, a, h)
		next.Size.Refit(s.Size, state.Reach{Scaled: 1 / rcond}, 0, w, before, after)
	} else {
		next.Size.Explained(explained, state.Unit(l, k)/rcond)
	}
	if w1 == nil {
		rcond := lapack.RCondTriangle(s.Counter.Unwrap(), dense.Equilibrated(next.R, next.Size.A))
		next.Size.ErrNodes(state.Reach{Scaled: 1 / rcond}, next.Size.A, errs)
	}
	if _, err := bounded(next.Size); err != nil {
		return out, err
	}
	*s = next
	out.Model = cost.Plus(cost.QRNodes(shape, ridge), more)
	return out, nil
}

// solved returns R⁻¹z, which no step counts, or nil if it is not finite.
func (s *State) solved() *mat.Dense {
	w := dense.Copy(s.Z)
	if lapack.SolveTriangular(s.Counter.Unwrap(), w, s.R, false) != nil || !dense.Finite(w) {
		return nil
	}
	return w
}

// errNodes returns the errors of R D, the new columns of R: nodesUnits times state.Unit times the sums
// over i of |D_ij| times the norm of column i of R. d is D for H with its columns times reciprocals.
func (s *State) errNodes(d *mat.Dense, reciprocals []float64) []float64 {
	errs := make([]float64, len(reciprocals))
	for i, length := range s.Size.A {
		for j, v := range d.RawRowView(i) {
			errs[j] += float64(length * math.Abs(v))
		}
	}
	dense.Scale(nodesUnits*state.Unit(len(errs), s.K), errs)
	for j, r := range reciprocals {
		errs[j] /= r
	}
	return errs
}

// solveNodes returns D, and overwrites h with C = H - A D.
func (s *State) solveNodes(a, h *mat.Dense) (*mat.Dense, error) {
	p := dense.Cols(h)
	d, g := mat.NewDense(s.K, p, nil), mat.NewDense(s.K, p, nil)
	for _, x := range []*mat.Dense{d, g} { // g is the correction
		dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, a, h, 0, x)
		if x == g {
			dense.Add(x.RawMatrix().Data, -s.Lambda, d.RawMatrix().Data)
		}
		for _, trans := range []bool{true, false} {
			if err := lapack.SolveTriangular(s.Counter, x, s.R, trans); err != nil {
				return nil, err
			}
		}
		dense.Gemm(s.Counter, blas.NoTrans, blas.NoTrans, -1, a, x, 1, h)
	}
	d.Add(d, g)
	return d, nil
}
