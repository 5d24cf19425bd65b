package blsupdate

import (
	"context"
	"math"

	"blskernel/internal/interrupt"
	"blskernel/mat"
)

// An addition is one update on its way: what is computed from the state before the state is touched.
type addition struct {
	u *pseudoinverse
	way
	q  int
	ax []float64 // Ax, q×k
	ya []float64 // Ya, q×c

	kept  int            // rows of D that are kept
	d     []float64      // those rows, kept×q
	dbar  []float64      // Dbarᵀ = DᵀA⁺ᵀ, q×k
	inner *mat.SymPacked // DᵀD, q×q: at once in Original, when it is needed in Improved
	ct    []float64      // Cᵀ = Ax - DᵀA, q×k, where it is computed
	bt    []float64      // Bᵀ, q×k
	rest  float64        // 1 - h of a removal
}

// A way is how B is found where C is zero.
type way struct {
	form  Form // Small, Large or, to choose between them by the size of every part of the batch, Paper
	solve bool // see Options.Solve
}

func (u *pseudoinverse) add(ctx context.Context, ax, ya *mat.Dense) (done, error) {
	d, err := u.addBatch(ctx, ax, ya)
	if err == nil && u.keys != nil {
		u.keys = append(u.keys, rowKeys(ya, ax)...)
	}
	return d, err
}

// addBatch adds a batch in the form that the options say.
func (u *pseudoinverse) addBatch(ctx context.Context, ax, ya *mat.Dense) (done, error) {
	shape := u.shape(rowsOf(ax))
	form := Small
	if u.method == Improved {
		form = Resolve(u.opt, shape.Shape)
	}
	if form == Compressed {
		return u.addCompressed(ctx, ax, ya, shape.Shape)
	}
	if u.method == Improved && u.opt.Form == Paper {
		form = Paper
	}
	parts, err := u.addRows(ctx, compact(ax), compact(ya), shape.Q, way{form, u.method == Improved && u.opt.Solve})
	if err != nil {
		return done{}, err
	}
	d, models := u.sum(parts)
	d.model = mergeModels(additionSteps, models)
	return d, nil
}

// shape returns the sizes of an update by q rows as far as they are known beforehand.
func (u *pseudoinverse) shape(q int) addedShape {
	return addedShape{Shape: Shape{L: u.p.count, K: u.k, Q: q, C: u.c}, checkC: u.computesC()}
}

// A part is what was done about a batch, or a part of it.
type part struct {
	way   // its form Small or Large, or Auto where C is not zero
	shape addedShape
}

// sum returns what was done in all parts together, and the model of each.
func (u *pseudoinverse) sum(parts []part) (d done, models [][]StepFlops) {
	for _, p := range parts {
		if !p.shape.split {
			d.rankC += p.shape.rankC
			d.form = max(d.form, p.form)
		}
		models = append(models, additionModel(u.method, p.form, Options{Solve: p.solve, Workspace: u.opt.Workspace}, p.shape))
	}
	return d, models
}

// addRows brings the state up to date with q rows and returns what was done. On an error the state is
// what it was. It takes over ax and changes ya.
func (u *pseudoinverse) addRows(ctx context.Context, ax, ya []float64, q int, how way) ([]part, error) {
	s := &addition{u: u, way: how, q: q, ax: ax, ya: ya}
	shape := u.shape(q)
	s.kept = keptRows(u.opt, shape.L, q)
	if s.form == Paper {
		s.form = Resolve(Options{Form: Paper}, shape.Shape)
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
	c, err := s.outsidePart()
	if err != nil {
		return nil, err
	}
	if err := interrupt.Check(ctx); err != nil {
		return nil, err
	}
	shape.rankC = c.rank
	switch {
	case 0 < c.rank && c.rank < q:
		// First the rows that complete the row space, then those that lie in it.
		shape.split = true
		return u.addParts(ctx, s, s.leadingRows(c.rank), part{s.way, shape}, how)
	case c.rank == q:
		s.form = Auto
		s.beyond(c)
	case s.form == Large:
		err = s.large(ctx)
	default:
		size := s.innerNorm()
		if !(size <= math.MaxFloat64) {
			return nil, ErrOverflow
		}
		shape.large = size > largeNorm && q > 1
		switch {
		case !shape.large:
			err = s.small()
		case s.kept == shape.L:
			err = s.smallOrthogonal()
		default: // where D is not kept; a single row needs no help
			shape.split = true
			return u.addParts(ctx, s, firstHalf(q), part{s.way, shape}, how)
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
	s.commit(w, shape.rankC)
	return []part{{s.way, shape}}, nil
}
