package qr

import (
	"errors"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/floats"
)

// Merge reduces [R1 z1; R2 z2] to [R z; 0 rest], and removes the ridge of the other state, which came
// with R2. Where neither state has rows in a direction, h is lambda2/(lambda1 + lambda2): 1/2 for equal
// ridges, and a *LeverageError where the receiver has none. States started with lambda = 0, which they
// may be from any number of rows, lose nothing.
func (s *State) Merge(other state.State) (out state.Outcome, err error) {
	o := other.(*State)
	size, err := bounded(s.Size.Plus(o.Size))
	if err != nil {
		return out, err
	}
	bytes := memory.Floats(s.K, s.K+2*s.C) // of the new R and z, and of the other z, which is overwritten
	if o.Lambda > 0 {
		bytes = max(bytes, memory.Sum(memory.Floats(s.K, s.K+s.C), s.loweringBytes()))
	}
	if err := s.Reserve(api.QR, api.ActionMerge, 0, bytes); err != nil {
		return out, err
	}
	next := *s
	next.R, next.Z, next.Size, next.w = dense.Copy(s.R), dense.Copy(s.Z), size, nil
	next.Count += o.Count
	next.NoteLoss(o.Lost)
	s.Counter.Enter(cost.StepTriangle)
	mustNotFail(lapack.MergeTriangles(s.Counter, next.R, next.Z, o.R, dense.Copy(o.Z)))
	if o.Lambda > 0 {
		if err := next.lower(o.Lambda, api.ActionMerge); err != nil {
			return out, err
		}
	}
	*s = next
	out.Model = cost.QRMerge(s.K, s.C, o.Lambda > 0)
	return out, nil
}

// SetLambda adds the difference of the ridges to RᵀR: as rows of its root times I, or by lower.
func (s *State) SetLambda(lambda float64) (out state.Outcome, err error) {
	next := *s
	next.Lambda = lambda
	switch {
	case lambda > s.Lambda:
		root := math.Sqrt(lambda - s.Lambda)
		if next.Size, err = bounded(s.Size.Plus(s.diagonal(root))); err != nil {
			return out, err
		}
		if err := s.Reserve(api.QR, api.ActionRidge, 0, memory.Floats(s.K, s.K+s.C)); err != nil {
			return out, err
		}
		s.Counter.Enter(cost.StepTriangle)
		mustNotFail(lapack.MergeTriangles(s.Counter, s.R, s.Z, dense.ScaledIdentity(s.K, root), mat.NewDense(s.K, s.C, nil)))
		next.w = nil
		out.Model = cost.QRMerge(s.K, s.C, false)
	case lambda < s.Lambda:
		if err := s.Reserve(api.QR, api.ActionRidge, 0, s.loweringBytes()); err != nil {
			return out, err
		}
		if err := next.lower(s.Lambda-lambda, api.ActionRidge); err != nil {
			return out, err
		}
		out.Model = cost.QRLower(s.K, s.C)
	}
	*s = next
	return out, nil
}

// loweringBytes returns the memory that lower needs: for Pᵀ beside I - PPᵀ.
func (s *State) loweringBytes() int64 {
	return memory.Sum(memory.Floats(s.K, s.K), memory.Triangle(s.K))
}

// lower replaces R and z by those for RᵀR - by I. It removes the rows sqrt(by) I, whose targets are
// zero and for which P = sqrt(by) R⁻ᵀ. s already has the ridge that remains, and the samples. After an
// error R and z are unchanged; a *LeverageError names the action.
func (s *State) lower(by float64, action api.Action) error {
	if err := state.CheckRemains(s.Lambda, s.Count, s.K, action); err != nil {
		return err
	}
	s.Counter.Enter(cost.StepLeverage)
	pt := dense.Copy(s.R)
	if lapack.InvertTriangle(s.Counter, pt) != nil {
		return &api.LeverageError{Action: action}
	}
	floats.Scale(math.Sqrt(by), pt.RawMatrix().Data)
	err := s.shrink(pt, nil)
	var leverage *api.LeverageError
	if errors.As(err, &leverage) {
		leverage.Action = action
	}
	if err != nil {
		return err
	}
	s.measure()
	s.w = nil
	return nil
}
