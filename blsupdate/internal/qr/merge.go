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

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	gonummat "gonum.org/v1/gonum/mat"
)

// merge reduces [R1 z1; R2 z2] to [R z; 0 rest], and takes the ridge of the other state, which came
// with R2, off again, so that the receiver's stays. In a direction in which neither has rows h is
// lambda2/(lambda1 + lambda2) then: harmless for shards of one ridge, where it is 1/2, and a
// *LeverageError where the receiver has no ridge. States that are started with lambda = 0, which they
// may from any number of rows, are merged without any loss.
func (s *State) Merge(other state.State) (state.Outcome, error) {
	o := other.(*State)
	size, err := bounded(s.Size.Plus(o.Size))
	if err != nil {
		return state.Outcome{}, err
	}
	square, right := memory.Floats(s.K, s.K), memory.Floats(s.K, s.C)
	bytes := memory.Sum(square, right, right) // of the new R and z, and of the other z, which is overwritten
	if o.Lambda > 0 {
		bytes = max(bytes, memory.Sum(square, right, s.loweringBytes()))
	}
	if err := s.Reserve(api.QR, api.ActionMerge, 0, bytes); err != nil {
		return state.Outcome{}, err
	}
	next := *s
	next.R, next.Z = gonummat.DenseCopyOf(s.R), gonummat.DenseCopyOf(s.Z)
	next.Count += o.Count
	next.Size, next.w = size, nil
	next.NoteLoss(o.Lost)
	s.Counter.Enter(cost.StepTriangle)
	mustNotFail(lapack.MergeTriangles(s.Counter, next.R, next.Z, o.R, gonummat.DenseCopyOf(o.Z)))
	s.Counter.Leave()
	if o.Lambda > 0 {
		if err := next.lower(o.Lambda, api.ActionMerge); err != nil {
			return state.Outcome{}, err
		}
	}
	*s = next
	return state.Outcome{Model: cost.QRMerge(s.K, s.C, o.Lambda > 0)}, nil
}

// setLambda adds the difference of the ridges to RᵀR: with its root times I as rows where it is
// positive, and by lower where it is negative.
func (s *State) SetLambda(lambda float64) (state.Outcome, error) {
	switch {
	case lambda > s.Lambda:
		root := math.Sqrt(lambda - s.Lambda)
		size := state.NewNorms(s.K, s.C)
		for j := range size.A {
			size.A[j] = root
		}
		size, err := bounded(s.Size.Plus(size))
		if err != nil {
			return state.Outcome{}, err
		}
		if err := s.Reserve(api.QR, api.ActionRidge, 0, memory.Sum(memory.Floats(s.K, s.K), memory.Floats(s.K, s.C))); err != nil {
			return state.Outcome{}, err
		}
		s.Counter.Enter(cost.StepTriangle)
		mustNotFail(lapack.MergeTriangles(s.Counter, s.R, s.Z, dense.ScaledIdentity(s.K, root), mat.NewDense(s.K, s.C, nil)))
		s.Counter.Leave()
		s.Size, s.Lambda, s.w = size, lambda, nil
		return state.Outcome{Model: cost.QRMerge(s.K, s.C, false)}, nil
	case lambda < s.Lambda:
		if err := s.Reserve(api.QR, api.ActionRidge, 0, s.loweringBytes()); err != nil {
			return state.Outcome{}, err
		}
		next := *s
		next.Lambda = lambda
		if err := next.lower(s.Lambda-lambda, api.ActionRidge); err != nil {
			return state.Outcome{}, err
		}
		*s = next
		return state.Outcome{Model: cost.QRLower(s.K, s.C)}, nil
	default:
		return state.Outcome{}, nil
	}
}

// loweringBytes returns the memory that lower needs: for Pᵀ beside I - PPᵀ.
func (s *State) loweringBytes() int64 {
	return memory.Sum(memory.Floats(s.K, s.K), memory.Triangle(s.K))
}

// lower replaces R and z by those for RᵀR - by I: it removes the rows sqrt(by) I, whose targets are
// zero, for which P = sqrt(by) R⁻ᵀ. The ridge that is to remain, and the samples, are in s already. As
// in remove, what cannot be done is a *LeverageError, of the action that asks for it, and R and z are
// then unchanged.
func (s *State) lower(by float64, action api.Action) error {
	if err := state.CheckRemains(s.Lambda, s.Count, s.K, action); err != nil {
		return err
	}
	s.Counter.Enter(cost.StepLeverage)
	defer s.Counter.Leave()
	pt := gonummat.DenseCopyOf(s.R)
	if err := lapack.InvertTriangle(s.Counter, pt); err != nil {
		return &api.LeverageError{Action: action}
	}
	x := pt.RawMatrix()
	floats.Scale(math.Sqrt(by), x.Data)
	rest := dense.IdentityPacked(s.K)
	s.Counter.Dsprk(blas.Trans, s.K, s.K, -1, x.Data, x.Stride, 1, rest.RawSymPacked().Data)
	err := s.shrink(rest, nil, nil)
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
