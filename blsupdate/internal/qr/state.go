// Package qr implements QR, which keeps the triangle R with RᵀR = AᵀA + lambda I, and z with R W = z.
package qr

import (
	"context"
	"errors"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/backend"
	"blskernel/internal/memory"
	"blskernel/lapack"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// triangular is the state of the method QR: the upper triangular R with RᵀR = AᵀA + lambda I, and z
// with Rᵀz = AᵀY, so that R W = z. R is that of a QR factorization of [A; sqrt(lambda) I] and z the
// first k rows of QᵀY; neither Q nor A is kept, and AᵀA is never formed, which is why errors grow with
// κ and not with κ². The cost of no update depends on l. The signs of the diagonal of R are of no
// account.
//
// R is changed in place, so before an update it has to be known that nothing in it can fail. All that
// could is overflow, and the norms of the columns tell: orthogonal transformations from the left do not
// change those of [R z; Ax Ya].
type State struct {
	state.Base
	Count int         // samples, l
	R     *mat.Dense  // R, k×k, zero below the diagonal
	Z     *mat.Dense  // z, k×c
	Size  state.Norms // the norms of the columns of R, and bounds on those of z

	w *mat.Dense // R⁻¹z, nil where it has not been asked for since the last change
}

// largestColumn is the norm up to which columns of [R z] and of rows to be added are safe. In the
// routines of package lapack no number on the way is larger than 4n sqrt(1+q) of these norms, for a
// panel of n <= 64 columns and q <= 2²⁰ rows that are treated together: |V| <= 1 and ‖T‖ <= 2 in a
// block reflection I - V T Vᵀ, so that of a column x of norm N the sums in Vᵀx are at most sqrt(1+q) N,
// those in Tᵀ(Vᵀx) at most 2 sqrt(n) times that, and those in V(TᵀVᵀx) another sqrt(n). That is 2¹⁸
// norms, and rounding errors of the norms themselves are far below the factor 2⁵ that is left up to the
// largest number, 2¹⁰²⁴.
const LargestColumn = 0x1p1000

// bounded returns size, and ErrOverflow where a column is too large.
func bounded(size state.Norms) (state.Norms, error) {
	if !(dense.Largest(size.A) < LargestColumn && dense.Largest(size.Y) < LargestColumn) {
		return size, api.ErrOverflow
	}
	return size, nil
}

// newQR starts from R = sqrt(lambda) I and z = 0, to which the rows are added.
func Start(ctx context.Context, base state.Base, a, y *mat.Dense) (*State, state.Outcome, error) {
	s := &State{Base: base, Z: mat.NewDense(base.K, base.C, nil)}
	root := math.Sqrt(s.Lambda)
	s.R = dense.ScaledIdentity(s.K, root)
	size := state.NewNorms(s.K, s.C)
	for j := range size.A {
		size.A[j] = root
	}
	size, err := bounded(size.With(a, y))
	if err != nil {
		return nil, state.Outcome{}, err
	}
	s.Count, s.Size = dense.Rows(a), size
	if err := s.learn(ctx, s.R, s.Z, a, y); err != nil {
		return nil, state.Outcome{}, err
	}
	return s, state.Outcome{Model: cost.QRAdd(s.Count, s.K, s.C)}, nil
}

// add reduces [R z; Ax Ya] to [R' z'; 0 rest].
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (state.Outcome, error) {
	size, err := bounded(s.Size.With(ax, ya))
	if err != nil {
		return state.Outcome{}, err
	}
	q, r, z := dense.Rows(ax), s.R, s.Z
	if state.ManyPanels(ctx, q) {
		r, z = gonummat.DenseCopyOf(r), gonummat.DenseCopyOf(z)
	}
	if err := s.learn(ctx, r, z, ax, ya); err != nil {
		return state.Outcome{}, err
	}
	s.R, s.Z, s.Size, s.w = r, z, size, nil
	s.Count += q
	return state.Outcome{Model: cost.QRAdd(q, s.K, s.C)}, nil
}

// learn brings R and z up to date by rows that are known to be small enough, panel by panel.
func (s *State) learn(ctx context.Context, r, z, ax, ya *mat.Dense) error {
	defer s.Counter.Leave()
	q := dense.Rows(ax)
	rotations := cost.AddedByRotations(q, s.K)
	return state.EachPanel(ctx, q, func(from, to int) error {
		s.Counter.Enter(cost.StepTriangle)
		x, y := dense.RowRange(ax, from, to), gonummat.DenseCopyOf(dense.RowRange(ya, from, to))
		if rotations {
			backend.Begin(s.Counter, cost.Operation{Kind: cost.Chud, M: to - from, N: s.K, K: s.C}.Routine())
			RotateIn(r, z, gonummat.DenseCopyOf(x), y)
		} else {
			mustNotFail(lapack.AppendRows(s.Counter, r, z, x, y))
		}
		return nil
	})
}

// mustNotFail panics where an operation in place fails, which largestColumn rules out.
func mustNotFail(err error) {
	if err != nil {
		panic("blsupdate: an elimination overflows within its bounds")
	}
}

// weights solves R W = z.
func (s *State) Weights() (*mat.Dense, state.Outcome, error) {
	if s.w != nil {
		return s.w, state.Outcome{}, nil
	}
	if err := s.regular(); err != nil {
		return nil, state.Outcome{}, err
	}
	if err := s.Reserve(api.QR, api.ActionWeights, 0, memory.Floats(s.K, s.C)); err != nil {
		return nil, state.Outcome{}, err
	}
	s.Counter.Enter(cost.StepSolve)
	defer s.Counter.Leave()
	w := gonummat.DenseCopyOf(s.Z)
	if err := lapack.SolveTriangular(s.Counter, w, s.R, false); err != nil {
		return nil, state.Outcome{}, api.ErrOverflow
	}
	s.w = w
	return w, state.Outcome{Model: cost.QRSolve(s.K, s.C)}, nil
}

// regular returns an error where R is singular to working precision. |R_jj| is the distance of column j
// of [A; sqrt(lambda) I] from the span of those before it, with an error of some eps times the norm of
// the column; compared with that norm, scales of columns make no difference, as they make none to the
// accuracy of W row by row.
func (s *State) regular() error {
	if s.Lambda == 0 && s.Count < s.K {
		return &api.RankError{Samples: s.Count, Nodes: s.K}
	}
	worst := math.Inf(1)
	for j, length := range s.Size.A {
		d := math.Abs(s.R.At(j, j))
		if !(d > 0 && length > 0) {
			return &api.ConditionError{What: "[A; sqrt(lambda) I]"}
		}
		if length < dense.SmallestNormal {
			return &api.ConditionError{What: "[A; sqrt(lambda) I]", Err: errSubnormal}
		}
		worst = min(worst, d/length)
	}
	if !(worst > float64(s.K)*dense.Eps) {
		return &api.ConditionError{What: "[A; sqrt(lambda) I]", RCond: worst}
	}
	return nil
}

var errSubnormal = errors.New("a column is of numbers below 2^-1022, which have lost digits")

// forget multiplies R and z, whose squares AᵀA and AᵀY are, by the square root.
func (s *State) Forget(factor float64) error {
	root := math.Sqrt(factor)
	s.R.Scale(root, s.R)
	s.Z.Scale(root, s.Z)
	s.Lambda *= factor
	s.Size = s.Size.Scaled(root)
	return nil
}

// condition is that of the present R, with the largest ‖A‖ so far.
func (s *State) Condition() (rcond float64, power int) {
	if s.Lambda == 0 && s.Count < s.K {
		return 0, 1
	}
	return lapack.RCondTriangle(s.Counter, s.R) * s.Size.Shrunk(s.Lambda), 1
}

// measure takes the norms of the columns of R and z anew.
func (s *State) measure() {
	norms := state.Norms{A: dense.ColumnNorms(s.R), Y: dense.ColumnNorms(s.Z), Peak: s.Size.Peak}
	norms.Peak = max(norms.Peak, dense.Norm(norms.A))
	s.Size = norms
}
