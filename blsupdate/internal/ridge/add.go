package ridge

import (
	"context"
	"math"

	"blskernel"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/internal/linalg/floats"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// Add updates Q and W for the q new rows in ax, with the targets ya.
func (s *State) Add(ctx context.Context, ax, ya *mat.Dense) (out state.Outcome, err error) {
	next, rows := *s, s.rows() // before a single block changes Q in place
	if next.Size, err = s.Size.With(ax, ya, s.Lambda).Safe(); err != nil {
		return out, err
	}
	q := dense.Rows(ax)
	form := cost.RidgeForm(s.Options.Form, q, s.K, s.C)
	if err := s.reserve(types.ActionAdd, form, q); err != nil {
		return out, err
	}
	next.NoteWeights(q)
	var fit []float64
	if form == types.Large {
		fit, err = next.addLarge(ctx, ax, ya)
	} else {
		_, err = next.eachBlock(ctx, 1, ax, ya, 0)
	}
	if err != nil {
		return out, err
	}
	next.noteRows()
	next.NoteWeights(q)
	next.NoteGain(q, 1, &s.Inverse, rows, fit)
	if next.Reach().RCond() <= state.Recedes {
		next.Rows = state.Receded(next.Rows, s.Size.A, next.Size.A, rows)
	}
	*s = next
	return state.Outcome{Model: cost.RidgeAdd(s.Options, form, q, s.K, s.C), Form: form}, nil
}

// Remove updates Q and W block by block. Q grows by a factor of up to 1/(1-h): see types.LeverageError.
func (s *State) Remove(ax, ya *mat.Dense) (out state.Outcome, err error) {
	q := dense.Rows(ax)
	if err := s.CheckLeft(q); err != nil {
		return out, err
	}
	limit, err := state.RemovalLimit(s.Reach().RCond(), 2)
	if err != nil {
		return out, err
	}
	if err := s.reserve(types.ActionRemove, types.Small, q); err != nil {
		return out, err
	}
	next := *s
	next.Size = s.Size.Scaled(1) // a copy, to which the residuals of the rows are added
	rest, err := next.eachBlock(context.Background(), -1, ax, ya, limit)
	if err != nil {
		return out, err
	}
	v := make([]float64, s.K)
	rest, err = next.CheckParts(rest, limit, ax, 1, func(u []float64) []float64 {
		next.Counter.Dspmv(blas.Upper, s.K, next.Gain, next.data(), u, 1, 0, v, 1)
		return v
	})
	if err != nil {
		return out, err
	}
	next.Size = next.Size.Without(ax, ya, s.Lambda, rest, state.CloseRest, nil)
	next.noteRows()
	next.NoteWeights(q)
	next.NoteGain(q, rest, &s.Inverse, next.rows(), nil)
	*s = next
	return state.Outcome{Model: cost.RidgeAdd(s.Options, types.Small, q, s.K, s.C)}, nil
}

// eachBlock adds rows (sign = 1) or removes them (-1) block by block, by Woodbury's formula: with P =
// Ax Q, UᵀU = I + sign Ax Pᵀ and T = U⁻ᵀP,
//
//	W := W + sign TᵀU⁻ᵀ(Ya - Ax W),   Q := Q - sign TᵀT.
//
// An explicit inverse of UᵀU, as the formula is often written, makes the error a hundred times as
// large. One block changes Q and W in place; several change copies, since a later block may fail.
//
// In a removal the smallest eigenvalue of UᵀU is 1-h of the block. If it is below limit, eachBlock
// returns a *LeverageError. rest is the product of 1-h over the blocks, at most 1-h of all rows. In an
// addition it is 1.
func (s *State) eachBlock(ctx context.Context, sign float64, ax, ya *mat.Dense, limit float64) (rest float64, err error) {
	q := dense.Rows(ax)
	blocks := cost.RidgeBlocks(q, s.K)
	rest = 1
	if blocks > 1 {
		s.Q, s.W = dense.CopySym(s.Q), dense.Copy(s.W)
	}
	for i := range blocks {
		if err := s.Enter(ctx, cost.StepP); err != nil {
			return 0, err
		}
		from, to := cost.BlockRange(q, blocks, i)
		x, y := dense.RowRange(ax, from, to), dense.RowRange(ya, from, to)
		u, t, least, err := s.gain(sign, x, limit)
		if err != nil {
			return 0, err
		}
		rest *= least
		if err := s.Enter(ctx, cost.StepWeights); err != nil {
			return 0, err
		}
		if err := s.apply(sign, u, t, x, y); err != nil {
			return 0, err
		}
	}
	return rest, nil
}

// gain returns the factor U, T = U⁻ᵀAx Q, and 1-h of a block of rows, or 1 in an addition.
func (s *State) gain(sign float64, ax *mat.Dense, limit float64) (u *lapack.Cholesky, t *mat.Dense, rest float64, err error) {
	q := dense.Rows(ax)
	t = mat.NewDense(q, s.K, nil)
	TimesPacked(&s.Base, s.Gain, s.Q, ax, t)
	s.Counter.Enter(cost.StepKernel)
	inner := mat.NewSymPacked(q, nil)
	dense.Gemmtp(s.Counter, sign, ax, t, 0, inner)
	inner.AddDiagonal(1)
	s.Counter.Enter(cost.StepFactor)
	u, rest, err = s.KernelFactor(inner, "I + Ax Q Ax'", limit)
	if err == nil && u.SolveUTo(t, t, true) != nil {
		err = types.ErrOverflow
	}
	return u, t, rest, err
}

// apply computes W += sign TᵀU⁻ᵀ(Ya - Ax W) and Q -= sign TᵀT in place, unless that could overflow.
func (s *State) apply(sign float64, u *lapack.Cholesky, t, ax, ya *mat.Dense) error {
	e := s.Residual(ax, ya, s.W)
	if u.SolveUTo(e, e, true) != nil {
		return types.ErrOverflow
	}
	state.AddLengths(s.Size.Rest, s.FittedBy(sign, e))
	// No element of TᵀE or TᵀT is larger than the product of the norms of two columns.
	size := dense.LargestOf(dense.ColumnNorms(t))
	bound, maxW := s.BoundX+size*size/s.Gain, s.BoundW+float64(size*dense.LargestOf(dense.ColumnNorms(e)))
	if !(max(bound, maxW) < math.MaxFloat64/4) {
		return types.ErrOverflow
	}
	s.BoundX, s.BoundW = bound, maxW
	dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, sign, t, e, 1, s.W)
	s.Counter.Enter(cost.StepQ)
	AddOuter(&s.Base, -sign/s.Gain, t, s.Q)
	return nil
}

// addLarge computes, by two symmetric inverses,
//
//	Q := (Q⁻¹ + AxᵀAx)⁻¹,   W := W + Q Axᵀ(Ya - Ax W).
//
// The inverse of the unsymmetric I + Q AxᵀAx by LU would have an error of eps κ³. The errors of the new
// Q affect all of the change ΔW of W: fit has the norms of the columns of R ΔW, with RᵀR = Q⁻¹.
func (s *State) addLarge(ctx context.Context, ax, ya *mat.Dense) (fit []float64, err error) {
	q := dense.Rows(ax)
	s.Counter.Enter(cost.StepG)
	g, err := s.invert(ctx, s.inverse(), "Q")
	if err != nil {
		return nil, err
	}
	err = state.EachPanel(ctx, q, func(from, to int) error {
		dense.Sprk(s.Counter, 1, dense.RowRange(ax, from, to), 1, g)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.Counter.Enter(cost.StepQ)
	if s.Q, err = s.invert(ctx, g, state.GramMatrix); err != nil {
		return nil, err
	}
	s.Gain, s.BoundX = 1, dense.LargestOf(s.data())

	v, innovation := mat.NewDense(s.K, s.C, nil), make([]float64, s.C)
	err = s.EachPanel(ctx, cost.StepWeights, q, func(from, to int) error {
		x := dense.RowRange(ax, from, to)
		e := s.Residual(x, dense.RowRange(ya, from, to), s.W)
		state.AddLengths(innovation, s.FittedBy(1, e))
		dense.Gemm(s.Counter, blas.Trans, blas.NoTrans, 1, x, e, 1, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	old := s.W
	s.W = dense.Copy(s.W)
	w := s.W.RawMatrix().Data
	s.Counter.Dspmm(blas.Left, s.K, s.C, 1, s.data(), v.RawMatrix().Data, s.C, 1, w, s.C)
	if floats.FirstNonFinite(w) >= 0 {
		return nil, types.ErrOverflow
	}
	s.BoundW = dense.LargestOf(w)
	change := dense.Copy(s.W)
	change.Sub(s.W, old)
	fit = state.Products(v, change)
	s.noteFit(q, innovation, fit)
	for t, square := range fit {
		fit[t] = math.Sqrt(max(0, square))
	}
	return fit, nil
}

// noteFit completes RSS and Size.Rest for q added rows. For each column e of Ya - Ax W, whose norm is
// in innovation, eᵀe' = eᵀe - fits for the new residual e'. RSS has eᵀe; Rest includes rounding errors.
func (s *State) noteFit(q int, innovation, fits []float64) {
	s.NoteSquares(-1, fits)
	for t, length := range innovation {
		blur := math.Sqrt(state.Unit(q, s.K)) * length
		left := detmath.Hypot(state.Leg(length, math.Sqrt(max(0, fits[t]))), blur)
		s.Size.Rest[t] = state.Capped(detmath.Hypot(s.Size.Rest[t], left))
	}
}

func (s *State) invert(ctx context.Context, m *mat.SymPacked, what string) (*mat.SymPacked, error) {
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	factor, err := s.Factor(m, what, types.QR)
	if err != nil {
		return nil, err
	}
	inverse, err := factor.InverseInPlace()
	if err != nil {
		return nil, &types.ConditionError{What: what, Err: err, Instead: []types.Method{types.QR}}
	}
	return inverse, nil
}

// TimesPacked computes P = alpha X S for S of order k, by the kind of product that cost.ProductKind
// selects. P is q×k and contiguous.
func TimesPacked(b *state.Base, alpha float64, s *mat.SymPacked, x, p *mat.Dense) {
	q, data, rx, rp := x.RawMatrix().Rows, s.RawSymPacked().Data, x.RawMatrix(), p.RawMatrix()
	kind := cost.ProductKind(b.Options.Backend, q)
	call := cost.Operation{Kind: kind, M: q, N: b.K}.Routine()
	switch kind {
	case cost.Spmv:
		b.Counter.Begin(call).Dspmv(blas.Upper, b.K, alpha, data, rx.Data, 1, 0, rp.Data, 1)
	case cost.SpmmStrips:
		timesStrips(b.Counter.Begin(call), b.K, q, alpha, data, rx.Data, rx.Stride, rp.Data)
	default:
		b.Counter.Dspmm(blas.Right, q, b.K, alpha, data, rx.Data, rx.Stride, 0, rp.Data, b.K)
	}
}

// stripRows is the number of rows of S unpacked at a time. Strips of 16 to 64 rows take the same time.
const stripRows = 32

// timesStrips computes P = alpha X S by strips of rows of S. It unpacks each strip as a dense matrix
// [S11 S12], where S11 is symmetric, and adds X1 S11 + X2 S12ᵀ to P1 and X1 S12 to P2.
func timesStrips(b blskernel.Backend, k, q int, alpha float64, s, x []float64, ldx int, p []float64) {
	clear(p[:q*k])
	strip := make([]float64, min(stripRows, k)*k)
	for i := 0; i < k; i += stripRows {
		n, width := min(stripRows, k-i), k-i
		for r := range n {
			row := s[block.PackedRow(k, i+r)+i+r:][:width-r]
			copy(strip[r*width+r:], row)
			for j := 1; j < n-r; j++ {
				strip[(r+j)*width+r] = row[j]
			}
		}
		b.Dgemm(blas.NoTrans, blas.NoTrans, q, width, n, alpha, x[i:], ldx, strip, width, 1, p[i:], k)
		if width > n {
			b.Dgemm(blas.NoTrans, blas.Trans, q, n, width-n, alpha, x[i+n:], ldx, strip[n:], width, 1, p[i:], k)
		}
	}
}

// AddOuter computes S += alpha TᵀT for S of order k, by the kind of operation that cost.RankKind
// selects. T is q×k and contiguous.
func AddOuter(b *state.Base, alpha float64, t *mat.Dense, s *mat.SymPacked) {
	q, rt, data := t.RawMatrix().Rows, t.RawMatrix().Data, s.RawSymPacked().Data
	kind := cost.RankKind(b.Options.Backend, q)
	call := cost.Operation{Kind: kind, M: q, N: b.K}.Routine()
	switch kind {
	case cost.Spr:
		b.Counter.Begin(call).Dspr(blas.Upper, b.K, alpha, rt, 1, data)
	case cost.SprkRows:
		on := b.Counter.Begin(call)
		for i := range b.K {
			row := data[block.PackedRow(b.K, i)+i:][:b.K-i]
			on.Dgemv(blas.Trans, q, b.K-i, alpha, rt[i:], b.K, rt[i:], b.K, 1, row, 1)
		}
	default:
		b.Counter.Dsprk(blas.Trans, b.K, q, alpha, rt, b.K, 1, data)
	}
}
