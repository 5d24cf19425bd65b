package bls

import (
	"context"

	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// Expand returns what PartialFit gives the output layer to learn from: the nodes A of the samples X,
// and the targets Y of the labels, +1 for the class of a sample and -1 for the others. An output layer
// that learns them elsewhere, by blsupdate.New, AddInputs and Merge, learns what c would have, and
// WithUpdater makes a model of it.
//
//	shapes: X q×d, labels q, each from 0 to c-1 with the c of the fit; A is q×k and Y is q×c.
//	reads/writes: X and labels are neither modified nor kept; A and Y are new storage. The output layer
//	is not changed, and nothing of it is read but its sizes.
//	cost, memory: those of Features.Transform, and Y.
//	errors: ErrNotFitted; *ShapeError, *NotFiniteError, *LabelError, *OverflowError and *MemoryError as
//	PartialFit has them.
func (c *Classifier) Expand(x *mat.Dense, labels []int) (a, y *mat.Dense, err error) {
	return c.ExpandContext(context.Background(), x, labels)
}

// ExpandContext is Expand that looks at ctx before each panel of rows. If ctx is done it returns an
// error that wraps context.Cause(ctx).
func (c *Classifier) ExpandContext(ctx context.Context, x *mat.Dense, labels []int) (a, y *mat.Dense, err error) {
	if c.model == nil {
		return nil, nil, ErrNotFitted
	}
	if y, err = labelTargets(x, c.model.inputs(), labels, c.model.targets()); err != nil {
		return nil, nil, err
	}
	return c.model.rows(ctx, x, y)
}

// Expand returns what PartialFit gives the output layer to learn from: the nodes of the samples X with
// the column of ones, and the targets Y without the means y0 of the first batch, which Center has. With
// NoIntercept it is the nodes and a copy of Y. An output layer that learns them elsewhere, by
// blsupdate.New, AddInputs and Merge, learns what r would have, and WithUpdater makes a model of it.
//
//	shapes: X q×d, Y q×c; A is q×(k+1), or q×k with NoIntercept, and Ya is q×c.
//	reads/writes: X and Y are neither modified nor kept; A and Ya are new storage. The output layer is
//	not changed, and nothing of it is read but its sizes.
//	cost, memory: those of Features.Transform, and Ya.
//	errors: ErrNotFitted; *ShapeError, *NotFiniteError, *OverflowError and *MemoryError as PartialFit
//	has them; blsupdate.ErrOverflow where Y - 1·y0ᵀ is beyond float64.
func (r *Regressor) Expand(x, y *mat.Dense) (a, ya *mat.Dense, err error) {
	return r.ExpandContext(context.Background(), x, y)
}

// ExpandContext is Expand that looks at ctx before each panel of rows. If ctx is done it returns an
// error that wraps context.Cause(ctx).
func (r *Regressor) ExpandContext(ctx context.Context, x, y *mat.Dense) (a, ya *mat.Dense, err error) {
	if r.model == nil {
		return nil, nil, ErrNotFitted
	}
	if err := checkTargets(x, r.model.inputs(), y, r.model.targets()); err != nil {
		return nil, nil, err
	}
	if a, ya, err = r.model.rows(ctx, x, y); err != nil {
		return nil, nil, err
	}
	if ya == y {
		ya = gonum.DenseCopyOf(y)
	}
	return a, ya, nil
}
