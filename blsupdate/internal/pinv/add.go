package pinv

import (
	"context"
	"math"

	"blskernel/blsupdate/internal/api"
	"blskernel/blsupdate/internal/cost"
	"blskernel/blsupdate/internal/dense"
	"blskernel/blsupdate/internal/state"
	"blskernel/internal/interrupt"
	"blskernel/mat"
)

// An addition is one update on its way: what is computed from the state before the state is touched.
type Addition struct {
	U *State
	strategy
	Q  int
	ax []float64 // Ax, q×k
	ya []float64 // Ya, q×c

	kept  int            // rows of D that are kept
	d     []float64      // those rows, kept×q
	dbar  []float64      // Dbarᵀ = DᵀA⁺ᵀ, q×k
	Inner *mat.SymPacked // DᵀD, q×q: at once in Original, when it is needed in Improved
	ct    []float64      // Cᵀ = Ax - DᵀA, q×k, where it is computed
	bt    []float64      // Bᵀ, q×k
	rest  float64        // 1 - h of a removal
}

// A way is how B is found where C is zero.
type strategy struct {
	form  api.Form // Small, Large or, to choose between them by the size of every part of the batch, Paper
	solve bool     // see Options.Solve
}

func (u *State) Add(ctx context.Context, ax, ya *mat.Dense) (state.Outcome, error) {
	d, err := u.addBatch(ctx, ax, ya)
	if err == nil && u.Keys != nil {
		u.Keys = append(u.Keys, RowKeys(ya, ax)...)
	}
	return d, err
}

// addBatch adds a batch in the form that the options say.
func (u *State) addBatch(ctx context.Context, ax, ya *mat.Dense) (state.Outcome, error) {
	shape := u.shape(dense.Rows(ax))
	form := api.Small
	if u.Method == api.Improved {
		form = cost.Resolve(u.Options, shape.Shape)
	}
	if form == api.Compressed {
		return u.addCompressed(ctx, ax, ya, shape.Shape)
	}
	if u.Method == api.Improved && u.Options.Form == api.Paper {
		form = api.Paper
	}
	parts, err := u.addRows(ctx, dense.Compact(ax), dense.Compact(ya), shape.Q, strategy{form, u.Method == api.Improved && u.Options.Solve})
	if err != nil {
		return state.Outcome{}, err
	}
	d, models := u.sum(parts)
	d.Model = cost.MergeModels(cost.PinvAddSteps, models)
	return d, nil
}

// shape returns the sizes of an update by q rows as far as they are known beforehand.
func (u *State) shape(q int) cost.AddedShape {
	return cost.AddedShape{Shape: cost.Shape{L: u.P.Count, K: u.K, Q: q, C: u.C}, CheckC: u.computesC()}
}

// A part is what was done about a batch, or a part of it.
type part struct {
	strategy // its form Small or Large, or Auto where C is not zero
	shape    cost.AddedShape
}

// sum returns what was done in all parts together, and the model of each.
func (u *State) sum(parts []part) (d state.Outcome, models [][]cost.StepFlops) {
	for _, p := range parts {
		if !p.shape.Split {
			d.RankC += p.shape.RankC
			d.Form = max(d.Form, p.form)
		}
		models = append(models, cost.PinvAdd(u.Method, p.form, api.Options{Solve: p.solve, Workspace: u.Options.Workspace}, p.shape))
	}
	return d, models
}

// addRows brings the state up to date with q rows and returns what was done. On an error the state is
// what it was. It takes over ax and changes ya.
func (u *State) addRows(ctx context.Context, ax, ya []float64, q int, how strategy) ([]part, error) {
	s := &Addition{U: u, strategy: how, Q: q, ax: ax, ya: ya}
	shape := u.shape(q)
	s.kept = cost.KeptRows(u.Options, shape.L, q)
	if s.form == api.Paper {
		s.form = cost.Resolve(api.Options{Form: api.Paper}, shape.Shape)
	}

	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	if err := s.project(ctx); err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	c, err := s.rowSpaceResidual()
	if err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	shape.RankC = c.rank
	switch {
	case 0 < c.rank && c.rank < q:
		// First the rows that complete the row space, then those that lie in it.
		shape.Split = true
		return u.addParts(ctx, s, s.leadingRows(c.rank), part{s.strategy, shape}, how)
	case c.rank == q:
		s.form = api.Auto
		s.fullRank(c)
	case s.form == api.Large:
		err = s.large(ctx)
	default:
		size := s.InnerNorm()
		if !(size <= math.MaxFloat64) {
			return nil, api.ErrOverflow
		}
		shape.Large = size > largeNorm && q > 1
		switch {
		case !shape.Large:
			err = s.small()
		case s.kept == shape.L:
			err = s.smallOrthogonal()
		default: // where D is not kept; a single row needs no help
			shape.Split = true
			return u.addParts(ctx, s, firstHalf(q), part{s.strategy, shape}, how)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	w, err := s.newWeights()
	if err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	if err := s.checkOverflow(); err != nil {
		return nil, err
	}
	s.commit(w, shape.RankC)
	return []part{{s.strategy, shape}}, nil
}
