package cholesky

import (
	"context"
	"errors"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/internal/isfinite"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"
)

// Add brings F and W up to date by q more rows.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	next := *s
	if next.Size, err = s.Size.With(ax, ya).Safe(); err != nil {
		return out, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return out, err
	}
	q := dense.Rows(ax)
	form := cost.CholeskyForm(s.Options.Form, q, s.K)
	large := false
	if form == api.Large {
		large, err = next.addLarge(ctx, ax, ya)
	} else {
		_, err = next.byRows(ctx, 1, ax, ya, 1)
	}
	if err != nil {
		return out, err
	}
	*s = next
	return state.Outcome{Model: cost.CholeskyAdd(form, q, s.K, s.C, large), Form: form}, nil
}

// mostKernel is the norm of SᵀS, the size of the new rows as the old ones see them, up to which I + SᵀS
// is formed. Its error is eps times the norm, relative to the I where S adds nothing. For larger rows U
// is the triangle of a QR factorization of [I; S], with an error of eps times the root of the norm.
// Nearly all new rows are large as long as there are hardly more rows than nodes, or where only a small
// ridge determines some direction.
const mostKernel = 1e4

// mostGrown is the factor of the norm of F from which an addition is refused. In exact arithmetic no
// addition lets F grow. The error of U is some eps relative to its columns, so rows 1/eps times as
// large as the old ones see themselves leave nothing of the I in I + SᵀS, and F grows where it should
// stay. At 1% it has errors that no later rows remove.
const mostGrown = 1.01

var errGrown = errors.New("the inverse factor has grown, which added rows cannot cause: they are too large beside the others")

// addLarge updates F by a matrix of order k. With S = Ax F and UᵀU = I + SᵀS,
//
//	F := F U⁻¹,   W := W + F (I + SᵀS)⁻¹Sᵀ(Ya - Ax W).
//
// F U⁻¹ is a solution for its transpose in place, L := U⁻ᵀL. It reports whether the rows are large.
func (s *State) addLarge(ctx context.Context, ax, ya *mat.Dense) (large bool, err error) {
	if err := s.reserveLarge(api.ActionAdd, dense.Rows(ax)); err != nil {
		return false, err
	}
	seen, err := s.seen(ctx, ax)
	if err != nil {
		return false, err
	}
	before := s.frobenius()
	if large = s.SquaredNorm(seen) > mostKernel; large {
		err = s.addSeenByQR(ctx, seen, ax, ya)
	} else {
		err = s.applySeen(ctx, 1, seen, ax, ya, func(*lapack.Cholesky) error { return nil })
	}
	if err != nil {
		return large, err
	}
	if s.Most > mostGrown*before {
		return large, &api.ConditionError{What: "I + F'Ax'Ax F", Err: errGrown, Instead: []api.Method{api.QR}}
	}
	return large, nil
}

// reserveLarge checks the memory of q rows in the form Large: for I + SᵀS beside S, or beside the new
// F.
func (s *State) reserveLarge(action api.Action, q int) error {
	return s.Reserve(api.InverseCholesky, action, q, memory.Sum(memory.Triangle(s.K), memory.Floats(max(q, s.K), s.K)))
}

// seen returns S = Ax F.
func (s *State) seen(ctx context.Context, ax *mat.Dense) (*mat.Dense, error) {
	defer s.Counter.Leave()
	seen := dense.Copy(ax)
	err := s.EachPanel(ctx, cost.StepS, dense.Rows(ax), func(from, to int) error {
		x := dense.RowRange(seen, from, to)
		s.timesF(x, false)
		if isfinite.First(x.RawMatrix().Data) >= 0 {
			return api.ErrOverflow
		}
		return nil
	})
	return seen, err
}
