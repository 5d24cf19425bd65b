// Package gram implements Gram, which keeps AᵀA and AᵀY.
package gram

import (
	"context"
	"errors"
	"math"
	"slices"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/codec"
	"blskernel/internal/io/memory"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// State holds G = AᵀA and T = AᵀY, without the ridge, which is added to a copy of G to solve for W. The
// cost of an update does not depend on l.
type State struct {
	state.Base
	g    *mat.SymPacked // G, k×k
	t    *mat.Dense     // T, k×c
	size state.Norms

	factor *lapack.Cholesky // of G + lambda I; nil while it is not known
	w      *mat.Dense       // W; nil while it is not known

	refined []float64 // the norms of the residuals if Refine computed W, else nil

	factored *mat.SymPacked // storage for the factor, which the next factor reuses, or nil
}

// Start computes G and T from the rows a with the targets y.
func (s *State) Start(ctx context.Context, a, y *mat.Dense) (out state.Outcome, err error) {
	s.g, s.t = mat.NewSymPacked(s.K, nil), mat.NewDense(s.K, s.C, nil)
	s.Sums.RSS = make([]float64, s.C)
	if s.size, err = state.NewNorms(s.K, s.C, true).With(a, y, s.Lambda).Safe(); err != nil {
		return out, err
	}
	out.Model = cost.GramAdd(dense.Rows(a), s.K, s.C)
	return out, s.learn(ctx, s.g, s.t, a, y)
}

// Add computes G += AxᵀAx and T += AxᵀYa, on copies if ctx may stop it midway.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	q, g, t := dense.Rows(ax), s.g, s.t
	size, err := s.size.With(ax, ya, s.Lambda).Safe()
	if err != nil {
		return out, err
	}
	if state.ManyPanels(ctx, q) {
		bytes := memory.Sum(memory.Triangle(s.K), memory.Floats(s.K, s.C))
		if err := s.Reserve(types.ActionAdd, q, bytes); err != nil {
			return out, err
		}
		g, t = dense.CopySym(g), dense.Copy(t)
	}
	if err := s.learn(ctx, g, t, ax, ya); err != nil {
		return out, err
	}
	s.g, s.t, s.size = g, t, size
	s.changed()
	return state.Outcome{Model: cost.GramAdd(q, s.K, s.C)}, nil
}

func (s *State) learn(ctx context.Context, g *mat.SymPacked, t, ax, ya *mat.Dense) error {
	return state.EachPanel(ctx, dense.Rows(ax), func(from, to int) error {
		s.update(g, t, 1, dense.RowRange(ax, from, to), dense.RowRange(ya, from, to))
		return nil
	})
}

func (s *State) update(g *mat.SymPacked, t *mat.Dense, sign float64, ax, ya *mat.Dense) {
	s.Counter.Enter(cost.StepG)
	dense.Sprk(s.Counter, sign, ax, 1, g)
	s.Counter.Enter(cost.StepT)
	dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, sign, ax, ya, 1, t)
}

// Forget multiplies G, T and the ridge by factor. W does not change.
func (s *State) Forget(factor float64) error {
	dense.Scale(factor, s.g.RawSymPacked().Data)
	s.t.Scale(factor, s.t)
	s.Lambda *= factor
	s.size = s.size.Scaled(math.Sqrt(factor))
	w := s.w
	s.changed()
	s.w = w
	return nil
}

// Merge adds G and T of the other state.
func (s *State) Merge(other state.State) (out state.Outcome, err error) {
	o := other.(*State)
	size, err := s.size.Plus(o.size).Safe()
	if err != nil {
		return out, err
	}
	s.size = size
	dense.Add(s.g.RawSymPacked().Data, 1, o.g.RawSymPacked().Data)
	s.t.Add(s.t, o.t)
	s.changed()
	return out, nil
}

// SetLambda replaces the ridge. If the ridge changes, W and the factor must be recomputed.
func (s *State) SetLambda(lambda float64) (out state.Outcome, err error) {
	if lambda != s.Lambda {
		s.Lambda = lambda
		s.changed()
	}
	return out, nil
}

// MapTargets maps AᵀY and W to the new targets. The factor remains valid.
func (s *State) MapTargets(t *mat.Dense, keep bool) (out state.Outcome, err error) {
	size, err := s.size.Mapped(t, keep).Safe()
	if err != nil {
		return out, err
	}
	mapped, w, out, err := s.MapSolved(s.t, s.w, t, keep)
	if err != nil {
		return out, err
	}
	s.t, s.w, s.size, s.C, s.refined = mapped, w, size, dense.Cols(mapped), nil
	return out, nil
}

// AddNodes appends AᵀH and HᵀH to G, and HᵀY to T.
func (s *State) AddNodes(a, h, y *mat.Dense) (out state.Outcome, err error) {
	l, p := h.Dims()
	size, err := s.size.WithNodes(l, dense.ColumnNorms(h), make([]float64, p)).Safe()
	if err != nil {
		return out, err
	}
	wide := s.K + p
	side, corner, t := mat.NewDense(s.K, p, nil), mat.NewSymPacked(p, nil), mat.NewDense(wide, s.C, nil)
	dense.Place(t, 0, 0, s.t)
	s.Counter.Enter(cost.StepBorder)
	dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, a, h, 0, side)
	dense.Sprk(s.Counter, 1, h, 0, corner)
	s.Counter.Enter(cost.StepT)
	dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, h, y, 0, dense.RowRange(t, s.K, wide))

	out.Model = cost.GramNodes(cost.Shape{L: l, K: s.K, P: p, C: s.C})
	s.g, s.t, s.K, s.size = dense.Bordered(s.g, side, corner), t, wide, size
	s.changed()
	return out, nil
}

// Condition reports how accurate W is, from the current G + lambda I. The factorization counts as one
// more change. After Refine, W has the errors of a least-squares solution from A itself, and the part
// of the earlier errors that two corrections leave.
func (s *State) Condition() state.Condition {
	factor, _, err := s.factorize(0)
	if err != nil || s.w == nil {
		return state.Condition{Power: 2, Error: math.Inf(1)}
	}
	lengths := s.size.Lengths(s.Lambda)
	reach := state.ReachOf(lengths, factor.Solver())
	none := make([]float64, s.C)
	solved := state.Norms{A: lengths, Y: none, ErrA: make([]float64, s.K), ErrY: none, ErrR: make([]float64, s.K), Gain: none, Squared: true}
	solved.Err(state.Unit(s.K, s.K)) // of the factorization, relative to the matrix with the ridge
	c := state.Condition{RCond: reach.RCond(), Power: 2, Error: s.size.Error(reach, s.Lambda, s.w) + solved.Error(reach, 0, s.w)}
	c.Grown = s.size.Grown(s.Samples, reach, s.Lambda)
	c.Rebuilt = s.size.Rebuilt(s.Samples, reach, s.Lambda, s.w)
	if s.refined != nil {
		exact := state.Norms{A: lengths, Y: s.size.Y, ErrA: make([]float64, s.K), ErrY: make([]float64, s.C), ErrR: make([]float64, s.K), Rest: s.refined, Gain: s.size.Gain}
		exact.Err(state.Unit(s.Samples, s.K))
		c.Error = exact.Error(reach, 0, s.w) + float64(c.Error*c.Error*c.Error)
	}
	return c
}

// Code writes or reads G, T and W. W is needed since solving again may not reproduce it after Forget or
// Refine. The factor is recomputed.
func (s *State) Code(x *codec.Coder) {
	dense.CodeSym(x, "A'A", &s.g, s.K)
	x.Dense("A'Y", &s.t, s.K, s.C)
	if x.Reading() {
		s.size.Squared = true
	}
	s.size.Code(x, s.K, s.C)
	if x.Present(s.w != nil) {
		x.Dense("W", &s.w, s.K, s.C)
	}
	if x.Present(s.refined != nil) {
		x.Lengths("a norm of a residual of Refine", &s.refined, s.C)
	}
}

func (s *State) changed() { s.w, s.factor, s.refined = nil, nil, nil }

// factorize returns the Cholesky factor of G + lambda I, and its steps if it is new. It first checks
// that there is memory for more bytes, in addition to any new storage for the factor.
func (s *State) factorize(more int64) (*lapack.Cholesky, []cost.StepFlops, error) {
	g := s.factored
	if g == nil || g.SymmetricDim() != s.K {
		g = new(mat.SymPacked)
		more = memory.Sum(more, memory.Triangle(s.K))
	}
	if err := s.Reserve(types.ActionWeights, 0, more); err != nil {
		return nil, nil, err
	}
	if s.factor != nil {
		return s.factor, nil, nil
	}
	s.factored = g
	s.Counter.Enter(cost.StepFactor)
	g.CopySym(s.g)
	g.AddDiagonal(s.Lambda)
	factor, err := s.Factor(g, state.GramMatrix, types.QR)
	if err == nil {
		err = s.checkPivots(g)
	}
	if err != nil {
		return nil, nil, err
	}
	s.factor = factor
	return factor, []cost.StepFlops{cost.GramFactor(s.K)}, nil
}

// checkPivots returns an error if a pivot of the factor u is within its rounding error, or if squares
// underflow. A pivot is the length of the part of its column of [A; sqrt(lambda) I] outside the span of
// the earlier columns. Its square over the diagonal element of G + lambda I has a rounding error of up
// to a few eps sqrt(k), of either sign, so half of all singular matrices have a computed factor.
func (s *State) checkPivots(u *mat.SymPacked) error {
	noise := 10 * dense.Eps * math.Sqrt(float64(s.K))
	for j := range s.K {
		diagonal, pivot := s.g.At(j, j)+s.Lambda, u.At(j, j)
		if diagonal < dense.SmallestSquare || !(pivot*pivot > noise*diagonal) {
			return &types.ConditionError{What: state.GramMatrix, RCond: pivot * pivot / diagonal, Instead: []types.Method{types.QR}}
		}
	}
	return nil
}

// Weights solves (G + lambda I) W = T.
func (s *State) Weights() (_ *mat.Dense, out state.Outcome, err error) {
	if err := s.CheckDetermined(); err != nil {
		return nil, out, err
	}
	if s.w != nil {
		return s.w, out, nil
	}
	factor, model, err := s.factorize(memory.Floats(s.K, s.C))
	if err != nil {
		return nil, out, err
	}
	s.Counter.Enter(cost.StepSolve)
	w := mat.NewDense(s.K, s.C, nil)
	if factor.SolveTo(w, s.t) != nil {
		return nil, out, types.ErrOverflow
	}
	s.w = w
	return w, state.Outcome{Model: append(model, cost.GramSolve(s.K, s.C))}, nil
}

// RSS returns yᵀy - tᵀw for each target y, with columns t of T and w of W, or Unknown. least is
// LeastErrors times a bound on the error, (f + Σ_j e_j |w_j|)², where f and e_j bound the errors of y
// and of column j of A, each with the rounding errors of the solution for W.
func (s *State) RSS(w *mat.Dense) (rss, least []float64) {
	rss = make([]float64, s.C)
	solved := s.size.Scaled(1)
	solved.A = s.size.Lengths(s.Lambda)
	solved.Err(state.Unit(s.K, s.K))
	for j, spread := range s.Sums.Spread {
		square := spread + float64(s.Sums.Weight*(s.Sums.Mean[j]*s.Sums.Mean[j]))
		for i := range s.K {
			square -= float64(s.t.At(i, j) * w.At(i, j))
		}
		if rss[j] = max(0, square); spread == state.Unknown || !(math.Abs(square) <= math.MaxFloat64) {
			rss[j] = state.Unknown
		}
		err := solved.ErrFit(j, w)
		least = append(least, state.LeastErrors*err*err)
	}
	return rss, least
}

// Covariance returns (G + lambda I)⁻¹, represented by the Cholesky factor of G + lambda I.
func (s *State) Covariance() (c state.Covariance, err error) {
	if err := s.CheckDetermined(); err != nil {
		return c, err
	}
	factor, _, err := s.factorize(0)
	return state.Halves(s.K, func(x *mat.Dense, second bool) error { return factor.SolveURowsTo(x, x, second) }), err
}

// Refine corrects W twice. The first correction leaves an error of eps κ + (eps κ²)², and the second
// leaves only the error of the residual.
func (s *State) Refine(a, y *mat.Dense) (out state.Outcome, err error) {
	defer func(before *mat.Dense) {
		if err != nil {
			s.w = before
		}
	}(s.w)
	w, out, err := s.Weights()
	if err != nil {
		return out, err
	}
	factor, model, err := s.factorize(0) // Forget drops the factor and keeps W
	if err != nil {
		return out, err
	}
	better := dense.Copy(w)
	for range 2 {
		s.Counter.Enter(cost.StepResidual)
		rest, correction := s.Residual(a, y, better), dense.Copy(better)
		dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, a, rest, -s.Lambda, correction)
		s.Counter.Enter(cost.StepCorrection)
		if factor.SolveTo(correction, correction) != nil {
			return out, types.ErrOverflow
		}
		better.Add(better, correction)
	}
	if !dense.Finite(better) {
		return out, types.ErrOverflow
	}
	s.w, s.refined = better, dense.ColumnNorms(s.ResidualAfter(a, y, better))
	out.Model = append(append(out.Model, model...), cost.GramRefine(dense.Rows(a), s.K, s.C)...)
	return out, nil
}

// Remove computes G -= AxᵀAx and T -= AxᵀYa on copies, and keeps the copies and the factor of the new G
// if enough information is left.
//
// An eigenvalue e of Ax (G + lambda I)⁻¹ Axᵀ = V Vᵀ after the removal is h/(1-h) for the eigenvalue h
// before it. The subtraction has errors E_ij = eps d_i d_j for the norms d of the columns of [A;
// sqrt(lambda) I] before it. For a row a and x = (G + lambda I)⁻¹aᵀ they change e by xᵀE x, about
// sqrt(k) eps ‖D x‖² for D = diag(d). That is at most sqrt(k) eps e m for the largest eigenvalue m of
// D (G + lambda I)⁻¹ D, so 1-h = 1/(1+e) changes by at most (1-h) sqrt(k) eps m.
func (s *State) Remove(ax, ya *mat.Dense) (out state.Outcome, err error) {
	q := dense.Rows(ax)
	if err := s.CheckLeft(q); err != nil {
		return out, err
	}
	triangle := memory.Triangle(s.K) // once for the new G, once for its factor
	if err := s.Reserve(types.ActionRemove, q, memory.Sum(triangle, triangle, memory.Floats(s.K, s.C), memory.Floats(q, s.K))); err != nil {
		return out, err
	}
	next := State{Base: s.Base, g: dense.CopySym(s.g), t: dense.Copy(s.t), size: s.size}
	next.update(next.g, next.t, -1, ax, ya)
	factor, model, err := next.factorize(0)
	var short *memory.Error
	if errors.As(err, &short) { // other programs have taken the memory meanwhile
		return out, err
	}
	if err != nil {
		if _, _, err := s.factorize(0); err != nil {
			return out, err // the matrix was already singular before the removal
		}
		return out, &types.LeverageError{Action: types.ActionRemove}
	}
	s.Counter.Enter(cost.StepLeverage)
	v := new(mat.Dense)
	if err := factor.SolveURowsTo(v, ax, false); err != nil {
		return out, &types.LeverageError{Action: types.ActionRemove}
	}
	rest := 1 / (1 + s.SquaredNorm(v))
	solve, d := factor.Solver(), s.size.Lengths(s.Lambda)
	weakest := dense.LargestEigenvalue(s.K, func(x []float64) {
		dense.Multiply(x, d)
		solve(x)
		dense.Multiply(x, d)
	})
	if err := state.CheckRest(types.ActionRemove, rest, state.RestLimit(math.Sqrt(float64(s.K))*rest*weakest)); err != nil {
		return out, err
	}
	next.size = s.size.Without(ax, ya, s.Lambda, 1, state.CloseRest, nil) // the subtracted rows were added before
	*s = next
	out.Model = slices.Concat(cost.GramAdd(q, s.K, s.C), model, []cost.StepFlops{cost.GramLeverage(q, s.K)})
	return out, nil
}
