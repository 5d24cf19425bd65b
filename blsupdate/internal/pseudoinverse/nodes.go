package pseudoinverse

import (
	"cmp"
	"slices"

	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/blsupdate/types"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/detmath"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
)

// A widening is an addition of nodes in progress. It holds results computed before the state changes.
type widening struct {
	u       *State
	l, p    int
	a, h, y *mat.Dense

	d  *mat.Dense // D = A⁺H, k×p
	c  *mat.Dense // C = H - A D, l×p, the part of the new columns outside the column space of A
	qr *lapack.QR // of C, if l >= p
	r  *mat.Dense // its R
	bt *mat.Dense // Bᵀ, l×p
	z  *mat.Dense // D (I + DᵀD)⁻¹, k×p, if C is zero

	condition float64 // an estimate of the condition number of [D; I], if C is zero

	// With a ridge: bd is sqrt(lambda) D (CᵀC + lambda DᵀD + lambda I)⁻¹, k×p, and grown bounds the
	// norm of the new columns of the inverse: see ridge.
	bd    *mat.Dense
	grown float64

	how   cost.NodesStrategy
	doubt bool // whether C = 0 was a close decision
}

// AddNodes appends columns to A by Greville's theorem for several columns,
//
//	A⁺ := [A⁺ - D B; B],   W := [W - D B Y; B Y]
//
// with B = C⁺ if C has full column rank, and B = (I + DᵀD)⁻¹DᵀA⁺ if C is zero. Otherwise the columns
// are added in two parts: as many as the rank of C, which span the new directions, and then the others,
// which lie in the column space. For C = 0, B Y is (I + DᵀD)⁻¹DᵀW.
//
// With a ridge, where A A⁺ is not a projection, B is (CᵀC + lambda DᵀD + lambda I)⁻¹Cᵀ for any C. Then
// A⁺ becomes the ridge inverse of [A H] if it was the ridge inverse of A. After updates by rows A⁺
// deviates from the ridge inverse as Options.Lambda describes.
func (u *State) AddNodes(a, h, y *mat.Dense) (out state.Outcome, err error) {
	if err := cmp.Or(u.checkChanged(u.Samples, u.K+dense.Cols(h)), u.inOrder(a, y)); err != nil {
		return out, err
	}
	next, model, err := u.widened(a, h, y)
	if err != nil {
		return out, err
	}
	next.setKnown(y, a, h)
	if u.Lambda == 0 {
		out.RankC = next.rank - u.rank
	}
	*u = *next
	out.Model = model
	return out, nil
}

// widened returns the state with the new columns, without changing u, and the steps of the flop model.
func (u *State) widened(a, h, y *mat.Dense) (next *State, model []cost.StepFlops, err error) {
	l, p := h.Dims()
	s := &widening{u: u, l: l, p: p, a: a, h: h, y: y}
	s.project()
	if !dense.Finite(s.c, s.d) {
		return nil, nil, types.ErrOverflow
	}
	if u.Lambda > 0 {
		s.how.Ridge, s.how.Rank = true, p
		err = s.ridge()
	} else if err = s.decide(); err == nil {
		s.how.Split = 0 < s.how.Rank && s.how.Rank < p
		switch {
		case s.how.Split:
			u.Counter.Enter(cost.StepRank)
			c := s.c
			if s.r != nil {
				c = s.r // whose columns have the same inner products
			}
			next, model, err = u.widenedInParts(a, h, y, dense.LeadingColumns(u.Counter, c, s.how.Rank))
		case s.how.Rank == p: // Bᵀ = (C⁺)ᵀ = Q R⁻ᵀ
			u.Counter.Enter(cost.StepNodesB)
			s.bt = s.qr.QInPlace()
			err = s.solveTriangle(s.bt, s.r)
		default:
			err = s.inside()
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if !s.how.Split {
		next, err = s.state()
	}
	return next, cost.MergeModels(cost.PseudoinverseNodes(cost.Shape{L: l, K: u.K, P: p, C: u.C}, s.how), model), err
}

// widenedInParts adds the columns with the indices in first, then the others, and restores their order.
func (u *State) widenedInParts(a, h, y *mat.Dense, first []int) (*State, []cost.StepFlops, error) {
	order := completed(first, dense.Cols(h))
	columns := dense.Transposed(h)
	h1 := dense.Transposed(block.PickRows(columns, order[:len(first)]))
	h2 := dense.Transposed(block.PickRows(columns, order[len(first):]))
	half, model, err := u.widened(a, h1, y)
	if err != nil {
		return nil, nil, err
	}
	next, more, err := half.widened(dense.Beside(a, h1), h2, y)
	if err != nil {
		return nil, nil, err
	}
	next.reorderNodes(u.K, order)
	return next, cost.MergeModels(model, more), nil
}

// canceled is the norm of a column of C, relative to the column of H, below which C is projected
// again. accurateReach is the condition of A above which C is always projected again, since A D
// inherits the error of D, eps κ².
const (
	canceled      = 0.1
	accurateReach = 300
)

// project computes D and C. If a column of C is much shorter than the column of H, or if A is
// ill-conditioned, rounding errors are a large part of C, and C is projected off the column space of A
// once more. With a ridge A A⁺ is not a projection, and C is left as it is.
func (s *widening) project() {
	u := s.u
	s.d, s.c = mat.NewDense(u.K, s.p, nil), dense.Copy(s.h)
	s.projectInto(cost.StepNodesD, cost.StepNodesC, s.d)
	norms, lengths := dense.ColumnNorms(s.h), dense.ColumnNorms(s.c)
	for j, length := range lengths {
		if u.Lambda == 0 && (length < canceled*norms[j] || u.reaches().Scaled > accurateReach) {
			s.how.Refined = true
		}
	}
	if s.how.Refined {
		again := mat.NewDense(u.K, s.p, nil)
		s.projectInto(cost.StepNodesAgain, cost.StepNodesAgain, again)
		s.d.Add(s.d, again)
	}
}

func (s *widening) projectInto(stepD, stepC cost.Step, d *mat.Dense) {
	counter := s.u.Counter
	counter.Enter(stepD)
	s.u.p.blockwise(func(first int, plus *mat.Dense) {
		rows := dense.RowRange(s.c, first, first+dense.Rows(plus))
		dense.Gemm(counter, blas.Trans, blas.NoTrans, 1, plus, rows, 1, d)
	})
	counter.Enter(stepC)
	dense.Gemm(counter, blas.NoTrans, blas.NoTrans, -1, s.a, d, 1, s.c)
}

// nodesUnits is the rounding error assumed for C, in units of state.Unit, the error of a single sum.
const nodesUnits = 4

// errors returns two kinds of errors of the columns of C. sums are the errors of the sums C = H - A D,
// as in state.Border.Errors. inside are the errors within the column space of A, namely A times the
// error of D: the relative error of A⁺ times H, and κ times the errors of the sums.
func (s *widening) errors() (sums, inside []float64) {
	b := state.Border{Base: &s.u.Base, D: dense.Transposed(s.d), C: s.c}
	unit, scaled := nodesUnits*state.Unit(s.l, s.u.K), s.u.reaches().Scaled
	share := max(unit*scaled, s.u.size.Drift)
	sums, inside = b.Errors(s.u.size.Lengths(s.u.Lambda), unit, 1), dense.ColumnNorms(s.h)
	dense.Scale(share, inside)
	if s.how.Refined { // the part that two projections leave
		dense.Scale(share, inside)
	} else {
		dense.Add(inside, scaled, sums)
	}
	return sums, inside
}

// factors returns bounds on the errors of the new weights, one for each target, in units of eps κ. The
// bounds are ‖B‖ times rest, the norms of the residuals, or ‖B‖‖Y‖ if C is projected once. For C = 0
// the bounds are ‖W‖ times the condition number of [D; I], which magnifies the errors of D in Z.
func (s *widening) factors(rest []float64) []float64 {
	norms, factor := rest, dense.Norm(s.bt.RawMatrix().Data)
	switch {
	case s.z != nil:
		norms, factor = dense.ColumnNorms(s.u.w), s.condition
	case !s.how.Refined:
		norms = s.u.size.Y
	}
	norms = slices.Clone(norms)
	dense.Scale(factor, norms)
	return norms
}

func (s *widening) state() (*State, error) {
	u, k, p := s.u, s.u.K, s.p
	wide, next := k+p, *u

	u.Counter.Enter(cost.StepNodesW)
	next.w = mat.NewDense(wide, u.C, nil)
	above, below := dense.RowRange(next.w, 0, k), dense.RowRange(next.w, k, wide)
	above.Copy(u.w)
	switch {
	case s.how.Ridge:
		s.ridgeWeights(below)
	case s.how.Refined && s.how.Rank == p: // Cᵀ(A W) is zero, apart from rounding errors in C
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, s.bt, u.Residual(s.a, s.y, u.w), 0, below)
	case s.z != nil: // B Y = Zᵀ(A⁺Y), and W has smaller errors than A⁺Y
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, s.z, u.w, 0, below)
	default:
		dense.Gemm(u.Counter, blas.Trans, blas.NoTrans, 1, s.bt, s.y, 0, below)
	}
	dense.Gemm(u.Counter, blas.NoTrans, blas.NoTrans, -1, s.d, below, 1, above)
	if !dense.Finite(next.w) {
		return nil, types.ErrOverflow
	}

	u.Counter.Enter(cost.StepNodesPseudoinverse)
	next.p = rows{cols: wide}
	overflows := false
	u.p.blockwise(func(first int, old *mat.Dense) {
		n := dense.Rows(old)
		block, b := mat.NewDense(n, wide, nil), dense.RowRange(s.bt, first, first+n)
		dense.Place(block, 0, 0, old)
		dense.Place(block, 0, k, b)
		dense.Gemm(u.Counter, blas.NoTrans, blas.Trans, -1, b, s.d, 1, block.Slice(0, n, 0, k).(*mat.Dense))
		overflows = overflows || !dense.Finite(block)
		next.p.blocks = append(next.p.blocks, rowBlock{block.RawMatrix().Data, n})
		next.p.count += n
	})
	if overflows {
		return nil, types.ErrOverflow
	}

	next.K = wide
	errs, inside := s.errors()
	next.size = u.size.WithNodes(s.l, dense.ColumnNorms(s.h), errs)
	dense.Add(errs, 1, inside)
	// ErrR does not get these errors: the current residuals, extended by sqrt(lambda) W with a
	// ridge, are orthogonal to them. Drift accounts for the residuals of later rows.
	for j, v := range inside {
		next.size.ErrA[k+j] = state.Capped(next.size.ErrA[k+j] + v)
	}
	before, after := dense.ColumnNorms(u.ResidualAfter(s.a, s.y, u.w)), next.Refitted(next.w, s.y, s.a, s.h)
	if u.Lambda == 0 && u.rank+s.how.Rank == wide {
		next.size.Refit(u.size, u.reaches(), 0, u.w, before, after)
	} else { // the bounds without Gain take the residuals of removed rows from Rest
		for t, v := range u.size.Rest {
			next.size.Rest[t] = state.Capped(detmath.Hypot(after[t], state.Leg(v, before[t])))
		}
	}
	next.size.ErrWeights(nodesUnits*state.Unit(p, wide), u.Lambda, next.w)
	next.noteReach()
	if !s.how.Ridge {
		next.noteWeights(s.factors(before))
	}
	next.noteWeights(dense.ColumnNorms(next.w))
	if u.Lambda > 0 { // the new columns may be smaller than the first ones
		plain := detmath.Hypot(u.reaches().Plain, s.grown)
		next.prior.share = max(u.prior.share, nodesDrift*shareOf(float64(u.Lambda*plain*plain)))
		if !u.prior.exact(s.l) {
			next.prior.widen(dense.Frobenius(s.h), dense.Frobenius(s.d), below)
		} else { // the model equals one started with all nodes
			next.prior.reset(u.Lambda, s.l, u.C)
		}
	}
	reach, lengths := next.reaches(), next.size.Lengths(u.Lambda)
	next.size.Drift = state.Capped(u.size.Drift + reach.Spread(lengths, slices.Concat(make([]float64, k), inside)))
	if !s.how.Refined && !s.how.Ridge { // otherwise B multiplies the residuals
		next.size.ErrNodes(reach, lengths, errs)
	}
	next.rank += s.how.Rank
	next.doubt = u.doubt || s.doubt
	next.norm = detmath.Hypot(u.norm, dense.Frobenius(s.h))
	next.drift = max(u.drift, nodesDrift)
	next.a = rows{cols: wide}
	if next.computesC() {
		next.a.append(dense.Compact(dense.Beside(s.a, s.h)))
	}
	if s.how.Ridge {
		next.remember(detmath.Hypot(u.worst.plus, s.grown))
	} else {
		next.remember(next.p.norm())
	}
	// The new weights inherit the errors of W, which below full rank only the power of κ covers.
	if u.rank == u.K && next.rank < wide && !(next.Condition().Error >= u.Condition().Error) {
		next.worst.power = 2
	}
	return &next, nil
}

// reorderNodes moves node k+i to position k+order[i], with its norms and errors.
func (u *State) reorderNodes(k int, order []int) {
	moved := make([]float64, len(order))
	reorder := func(nodes []float64) {
		for j, to := range order {
			moved[to] = nodes[k+j]
		}
		copy(nodes[k:], moved)
	}
	for _, r := range []rows{u.p, u.a} {
		r.blockwise(func(_ int, m *mat.Dense) {
			for i := range dense.Rows(m) {
				reorder(m.RawRowView(i))
			}
		})
	}
	for _, of := range [][]float64{u.size.A, u.size.ErrA, u.size.ErrR, u.reach} {
		reorder(of)
	}
	w := slices.Clone(u.w.RawMatrix().Data)
	for j, to := range order {
		copy(u.w.RawRowView(k+to), w[(k+j)*u.C:])
	}
}
