package blsupdate

import (
	"context"
	"errors"
	"math"

	"blskernel/internal/interrupt"
	"blskernel/internal/isfinite"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonummat "gonum.org/v1/gonum/mat"
)

// add brings F and W up to date by q more rows.
func (s *inverseCholesky) add(ctx context.Context, ax, ya *mat.Dense) (done, error) {
	size, err := s.size.with(ax, ya).safe()
	if err != nil {
		return done{}, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return done{}, err
	}
	next := *s
	next.size = size
	q := rowsOf(ax)
	form := inverseCholeskyForm(s.opt.Form, q, s.k)
	large := false
	if form == Large {
		large, err = next.addLarge(ctx, ax, ya)
	} else {
		_, err = next.byRows(ctx, 1, ax, ya, 1)
	}
	if err != nil {
		return done{}, err
	}
	*s = next
	return done{model: inverseCholeskyAddition(form, q, s.k, s.c, large), form: form}, nil
}

// mostKernel is the norm of SᵀS, the size of the new rows as the old ones see it, up to which I + SᵀS
// is formed: its error is eps times the norm, which where S adds nothing is an error of that size
// relative to the I. For larger rows U is the triangle of a QR factorization of [I; S], with an error
// of eps times the root of the norm. They are not unusual: as long as there are hardly more rows than
// nodes, or a small ridge is all there is in some direction, nearly all new rows are.
const mostKernel = 1e4

// addLarge updates F by a matrix of order k: with S = Ax F and UᵀU = I + SᵀS,
//
//	F := F U⁻¹,   W := W + F (I + SᵀS)⁻¹Sᵀ(Ya - Ax W).
//
// F U⁻¹ is a solution for its transpose, in place: L := U⁻ᵀL for L = Fᵀ. It returns whether the rows
// are large.
func (s *inverseCholesky) addLarge(ctx context.Context, ax, ya *mat.Dense) (large bool, err error) {
	if err := s.roomForLarge(ActionAdd, rowsOf(ax)); err != nil {
		return false, err
	}
	seen, err := s.seen(ctx, ax)
	if err != nil {
		return false, err
	}
	before := s.frobenius()
	if large = s.squaredNorm(seen) > mostKernel; large {
		err = s.addSeenByQR(ctx, seen, ax, ya)
	} else {
		err = s.addSeen(ctx, seen, ax, ya)
	}
	if err != nil {
		return large, err
	}
	s.normL = s.frobenius()
	switch {
	case !(s.normL < math.MaxFloat64/4):
		return large, ErrOverflow
	case s.normL > mostGrown*before:
		return large, &ConditionError{What: "I + F'Ax'Ax F", Err: errGrown, Instead: []Method{QR}}
	}
	return large, nil
}

// roomForLarge asks for the memory of an addition or a removal of q rows in the form Large: for I + SᵀS beside S, and
// beside the new F.
func (s *inverseCholesky) roomForLarge(action Action, q int) error {
	return s.room(InverseCholesky, action, q, memory.Sum(memory.Triangle(s.k), memory.Floats(max(q, s.k), s.k)))
}

// mostGrown is the factor of the norm of F from which on an addition is refused. In exact arithmetic no addition makes
// it larger. The error of U relative to its columns is some eps, so that rows 1/eps times as large as the old ones see
// themselves leave nothing of the I in I + SᵀS: F then grows by any factor where it should stay what it is. By 1% it
// has errors that no later rows take away.
const mostGrown = 1.01

var errGrown = errors.New("the inverse factor has grown, which added rows cannot bring about: they are too large beside the others")

// seen returns S = Ax F, in new storage.
func (s *inverseCholesky) seen(ctx context.Context, ax *mat.Dense) (*mat.Dense, error) {
	defer s.counter.Leave()
	seen := gonummat.DenseCopyOf(ax)
	err := s.eachPanel(ctx, StepS, rowsOf(ax), func(from, to int) error {
		x := seen.RawMatrix().Data[from*s.k : to*s.k]
		s.timesF(x, to-from, false)
		if isfinite.First(x) >= 0 {
			return ErrOverflow
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return seen, nil
}

// addSeen adds rows by the Cholesky factor of I + SᵀS. For q <= k, W is brought up to date by a matrix
// of order q,
//
//	W += F Sᵀ(I + S Sᵀ)⁻¹(Ya - Ax W),
//
// which is the more accurate the larger the new rows are.
func (s *inverseCholesky) addSeen(ctx context.Context, seen, ax, ya *mat.Dense) error {
	q, k, c := rowsOf(seen), s.k, s.c
	defer s.counter.Leave()
	x := seen.RawMatrix().Data
	inner := mat.NewSymPacked(k, nil)
	err := s.eachPanel(ctx, StepKernel, q, func(from, to int) error {
		s.counter.Dsprk(blas.Trans, k, to-from, 1, x[from*k:], k, 1, inner.RawSymPacked().Data)
		return nil
	})
	if err != nil {
		return err
	}
	inner.AddDiagonal(1)
	if err := s.enter(ctx, StepFactor); err != nil {
		return err
	}
	factor, err := s.definiteFactor(inner, "I + F'Ax'Ax F")
	if err != nil {
		return err
	}

	v := mat.NewDense(k, c, nil)
	rv := v.RawMatrix().Data
	most := contextRows
	if q <= k {
		most = q
	}
	err = interrupt.EachPanel(ctx, q, most, func(from, to int) error {
		s.counter.Enter(StepWeights)
		e := s.residual(rowRange(ax, from, to), rowRange(ya, from, to), s.w)
		if q <= k {
			if err := s.gainSolve(1, seen, e); err != nil {
				return err
			}
		}
		s.counter.Dgemm(blas.Trans, blas.NoTrans, k, c, to-from, 1, x[from*k:], k, e.RawMatrix().Data, c, 1, rv, c)
		return nil
	})
	if err != nil {
		return err
	}
	if q <= k {
		s.fTimes(rv)
	} else if err := factor.SolveUTo(v, v, true); err != nil {
		return ErrOverflow
	}

	if err := s.enter(ctx, StepF); err != nil {
		return err
	}
	if err := s.shrink(factor); err != nil {
		return err
	}
	s.counter.Enter(StepWeights)
	if q > k {
		s.fTimes(rv)
	}
	return s.addWeights(1, rv)
}

// gainSolve overwrites E by (I + sign S Sᵀ)⁻¹E.
func (s *inverseCholesky) gainSolve(sign float64, seen, e *mat.Dense) error {
	q, x := rowsOf(seen), seen.RawMatrix().Data
	inner := mat.NewSymPacked(q, nil)
	s.counter.Dgemmtp(blas.NoTrans, blas.Trans, q, s.k, sign, x, s.k, x, s.k, 0, inner.RawSymPacked().Data)
	inner.AddDiagonal(1)
	factor, err := s.definiteFactor(inner, "I + Ax F F'Ax'")
	if err != nil {
		return err
	}
	if err := factor.SolveTo(e, e); err != nil {
		return ErrOverflow
	}
	return nil
}

// shrink computes F := F U⁻¹ on a copy.
func (s *inverseCholesky) shrink(factor *lapack.Cholesky) error {
	s.l = s.cloneL()
	if err := factor.SolveUTriangle(s.l); err != nil {
		return ErrOverflow
	}
	return nil
}

// addWeights adds sign V to W, on a copy.
func (s *inverseCholesky) addWeights(sign float64, v []float64) error {
	s.w = gonummat.DenseCopyOf(s.w)
	w := s.w.RawMatrix().Data
	for i, x := range v {
		w[i] += sign * x
	}
	if isfinite.First(w) >= 0 {
		return ErrOverflow
	}
	s.mostW = largestOf(w)
	return nil
}

// addSeenByQR adds rows by the triangle U and z = Qᵀ[0; E] of a QR factorization of [I; S], with E = Ya
// - Ax W:
//
//	F := F U⁻¹,   W := W + F z.
func (s *inverseCholesky) addSeenByQR(ctx context.Context, seen, ax, ya *mat.Dense) error {
	defer s.counter.Leave()
	u, z := multipleOfIdentity(s.k, 1), mat.NewDense(s.k, s.c, nil)
	err := eachPanel(ctx, rowsOf(ax), func(from, to int) error {
		s.counter.Enter(StepWeights)
		e := s.residual(rowRange(ax, from, to), rowRange(ya, from, to), s.w)
		s.counter.Enter(StepFactor)
		if lapack.AppendRows(s.counter, u, z, rowRange(seen, from, to), e) != nil {
			return ErrOverflow
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.enter(ctx, StepF); err != nil {
		return err
	}
	s.l = s.cloneL()
	if err := lapack.SolveTriangular(s.counter, s.l, u, true); err != nil {
		return triangleError("I + F'Ax'Ax F", err)
	}
	l := s.l.RawMatrix().Data
	for i := range s.k {
		clear(l[i*s.k+i+1 : (i+1)*s.k]) // of zeros with a sign
	}
	s.counter.Enter(StepWeights)
	s.fTimes(z.RawMatrix().Data)
	return s.addWeights(1, z.RawMatrix().Data)
}
