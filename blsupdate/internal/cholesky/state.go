// Package cholesky implements InverseCholesky, which keeps the triangle F with F Fᵀ = (AᵀA + lambda
// I)⁻¹, and W.
package cholesky

import (
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
)

// inverseCholesky is the state of the method InverseCholesky: the upper triangular F with F Fᵀ = (AᵀA +
// lambda I)⁻¹, and W.
//
// F is kept as the rows of L, F = gain Lᵀ: a column of F is what an update goes along, and forgetting,
// F := F/sqrt(mu), takes no pass over it.
type State struct {
	state.Base
	L    *mat.Dense // Fᵀ/gain, k×k, zero above the diagonal, without gaps
	Gain float64
	W    *mat.Dense // W, k×c, without gaps
	size state.Norms

	// The errors in F are those of the worst state so far.
	peak  float64 // the largest ‖F‖/gain, as far as known
	worst float64 // the smallest 1/κ
	noted float64 // normL when that was last estimated

	// Bounds on the Frobenius norm of l, which is measured but for rows that are added one by one, and on the
	// magnitude of elements of W, by which it is known before they are overwritten that nothing will overflow.
	NormL, MostW float64
}

func (s *State) Weights() (*mat.Dense, state.Outcome, error) { return s.W, state.Outcome{}, nil }

// forget divides F by the root of the factor, unless that overflows, which takes directions in which
// nothing has been learned for very long.
func (s *State) Forget(factor float64) error {
	gain := s.Gain / math.Sqrt(factor)
	if !(gain < math.MaxFloat64/max(s.NormL, 1)) {
		return api.ErrOverflow
	}
	s.Gain = gain
	s.Lambda *= factor
	s.size = s.size.Scaled(math.Sqrt(factor))
	if s.Gain > state.MostGain {
		floats.Scale(s.Gain, s.L.RawMatrix().Data)
		s.NormL *= s.Gain
		s.peak *= s.Gain
		s.noted *= s.Gain
		s.Gain = 1
	}
	return nil
}

// cloneL returns a copy of l.
func (s *State) cloneL() *mat.Dense {
	dst, src := mat.NewDense(s.K, s.K, nil), s.L.RawMatrix().Data
	raw := dst.RawMatrix().Data
	for i := range s.K {
		copy(raw[i*s.K:], src[i*s.K:i*s.K+i+1])
	}
	return dst
}

// timesF overwrites the q×k X by X F, or by X Fᵀ if trans is set.
func (s *State) timesF(x []float64, q int, trans bool) {
	t := blas.Trans
	if trans {
		t = blas.NoTrans
	}
	s.Counter.Dtrmm(blas.Right, blas.Lower, t, blas.NonUnit, q, s.K, s.Gain, s.L.RawMatrix().Data, s.K, x, s.K)
}

// fTimes overwrites the k×c X by F X.
func (s *State) fTimes(x []float64) {
	s.Counter.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.NonUnit, s.K, s.C, s.Gain, s.L.RawMatrix().Data, s.K, x, s.C)
}

// condition is that of the worst state of which it is known: of the start, of those after removals and
// added nodes, and of the present one. It is not noted, so that a model does not depend on being asked.
func (s *State) Condition() (rcond float64, power int) {
	now := *s
	now.noteCondition()
	return now.worst, 1
}

// noteCondition estimates 1/κ of the present state, and notes it if it is the smallest: κ = ‖[A;
// sqrt(lambda) I]‖‖F‖ with the largest ‖F‖ so far, because what was rounded of that is still there.
func (s *State) noteCondition() {
	l := s.L.RawMatrix().Data
	square := state.LargestEigenvalue(s.K, func(x []float64) { // of L/normL, so that it neither overflows nor underflows
		s.Counter.Dtrmv(blas.Lower, blas.NoTrans, blas.NonUnit, s.K, l, s.K, x, 1)
		floats.Scale(1/s.NormL, x)
		s.Counter.Dtrmv(blas.Lower, blas.Trans, blas.NonUnit, s.K, l, s.K, x, 1)
		floats.Scale(1/s.NormL, x)
	})
	s.peak = max(s.peak, s.NormL*math.Sqrt(square))
	s.worst, s.noted = s.known(), s.NormL
}

// known returns 1/κ for the worst state as far as is known without a pass over F: with the rows that there are
// now, but ‖F‖ as it was last estimated.
func (s *State) known() float64 {
	kappa := math.Hypot(s.size.Peak, math.Sqrt(s.Lambda)) * s.peak * s.Gain
	return min(s.worst, 1/kappa)
}

// noteRemoval is noteCondition after a removal of so many rows, which has computed normL. For few of
// them its passes over F would take longer than the removal, so it waits until the square of normL,
// which is at least ‖F‖², has doubled.
func (s *State) noteRemoval(rows int) {
	if rows >= state.ManyRemoved || s.NormL > math.Sqrt2*s.noted {
		s.noteCondition()
	}
}

// frobenius returns the Frobenius norm of l, and is not finite where an element is not.
func (s *State) frobenius() float64 {
	var sum float64
	l := s.L.RawMatrix().Data
	for i := range s.K {
		row := l[i*s.K : i*s.K+i+1]
		sum += s.Counter.Ddot(i+1, row, 1, row, 1)
	}
	if !(sum > dense.SmallestSquare && sum < math.MaxFloat64) {
		return dense.Norm(l)
	}
	return math.Sqrt(sum)
}
