package blsupdate

import (
	"errors"
	"math"

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
func (s *triangular) merge(other state) (done, error) {
	o := other.(*triangular)
	size, err := bounded(s.size.plus(o.size))
	if err != nil {
		return done{}, err
	}
	square, right := memory.Floats(s.k, s.k), memory.Floats(s.k, s.c)
	bytes := memory.Sum(square, right, right) // of the new R and z, and of the other z, which is overwritten
	if o.ridge > 0 {
		bytes = max(bytes, memory.Sum(square, right, s.loweringBytes()))
	}
	if err := s.room(QR, ActionMerge, 0, bytes); err != nil {
		return done{}, err
	}
	next := *s
	next.r, next.z = gonummat.DenseCopyOf(s.r), gonummat.DenseCopyOf(s.z)
	next.count += o.count
	next.size, next.w = size, nil
	next.noteLoss(o.lost)
	s.counter.Enter(StepTriangle)
	mustNotFail(lapack.MergeTriangles(s.counter, next.r, next.z, o.r, gonummat.DenseCopyOf(o.z)))
	s.counter.Leave()
	if o.ridge > 0 {
		if err := next.lower(o.ridge, ActionMerge); err != nil {
			return done{}, err
		}
	}
	*s = next
	return done{model: qrMerger(s.k, s.c, o.ridge > 0)}, nil
}

// setLambda adds the difference of the ridges to RᵀR: with its root times I as rows where it is
// positive, and by lower where it is negative.
func (s *triangular) setLambda(lambda float64) (done, error) {
	switch {
	case lambda > s.ridge:
		root := math.Sqrt(lambda - s.ridge)
		size := newSizes(s.k, s.c)
		for j := range size.a {
			size.a[j] = root
		}
		size, err := bounded(s.size.plus(size))
		if err != nil {
			return done{}, err
		}
		if err := s.room(QR, ActionRidge, 0, memory.Sum(memory.Floats(s.k, s.k), memory.Floats(s.k, s.c))); err != nil {
			return done{}, err
		}
		s.counter.Enter(StepTriangle)
		mustNotFail(lapack.MergeTriangles(s.counter, s.r, s.z, multipleOfIdentity(s.k, root), mat.NewDense(s.k, s.c, nil)))
		s.counter.Leave()
		s.size, s.ridge, s.w = size, lambda, nil
		return done{model: qrMerger(s.k, s.c, false)}, nil
	case lambda < s.ridge:
		if err := s.room(QR, ActionRidge, 0, s.loweringBytes()); err != nil {
			return done{}, err
		}
		next := *s
		next.ridge = lambda
		if err := next.lower(s.ridge-lambda, ActionRidge); err != nil {
			return done{}, err
		}
		*s = next
		return done{model: qrLowering(s.k, s.c)}, nil
	default:
		return done{}, nil
	}
}

// loweringBytes returns the memory that lower needs: for Pᵀ beside I - PPᵀ.
func (s *triangular) loweringBytes() int64 {
	return memory.Sum(memory.Floats(s.k, s.k), memory.Triangle(s.k))
}

// lower replaces R and z by those for RᵀR - by I: it removes the rows sqrt(by) I, whose targets are
// zero, for which P = sqrt(by) R⁻ᵀ. The ridge that is to remain, and the samples, are in s already. As
// in remove, what cannot be done is a *LeverageError, of the action that asks for it, and R and z are
// then unchanged.
func (s *triangular) lower(by float64, action Action) error {
	if err := checkRemains(s.ridge, s.count, s.k, action); err != nil {
		return err
	}
	s.counter.Enter(StepLeverage)
	defer s.counter.Leave()
	pt := gonummat.DenseCopyOf(s.r)
	if err := lapack.InvertTriangle(s.counter, pt); err != nil {
		return &LeverageError{Action: action}
	}
	x := pt.RawMatrix()
	floats.Scale(math.Sqrt(by), x.Data)
	rest := identityPacked(s.k)
	s.counter.Dsprk(blas.Trans, s.k, s.k, -1, x.Data, x.Stride, 1, rest.RawSymPacked().Data)
	err := s.shrink(rest, nil, nil)
	var leverage *LeverageError
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
