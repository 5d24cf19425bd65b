package bench

import (
	"context"
	"fmt"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// retained has the rows of A and Y so far, where an experiment has to go back to them, in storage for
// all that will come.
type retained struct {
	a, y *mat.Dense
	rows int
}

// keep adds rows to those retained, where they are wanted.
func (r *incrementalRun) keep(a, y *mat.Dense) {
	if !r.Retrain {
		return
	}
	q, k := a.Dims()
	_, c := y.Dims()
	kept := &r.kept
	if kept.a == nil {
		all := r.Initial + r.Updates*r.Batch
		kept.a, kept.y = mat.NewDense(all, k, nil), mat.NewDense(all, c, nil)
	}
	kept.a.Slice(kept.rows, kept.rows+q, 0, k).(*mat.Dense).Copy(a)
	kept.y.Slice(kept.rows, kept.rows+q, 0, c).(*mat.Dense).Copy(y)
	kept.rows += q
}

// retrain measures solutions from scratch of all rows so far: of A⁺ and W, and of W alone.
func (r *incrementalRun) retrain(ctx context.Context) (*Retraining, error) {
	a, y := head(r.kept.a, r.kept.rows), head(r.kept.y, r.kept.rows)
	measure := func(what string, f func() (scratchTiming, error)) (scratchTiming, error) {
		if err := ctx.Err(); err != nil {
			return scratchTiming{}, err
		}
		r.tell(what)
		t, err := f()
		if err != nil {
			return scratchTiming{}, fmt.Errorf("%s, %d samples: %w", what, r.kept.rows, err)
		}
		r.did(t.flops)
		return t, nil
	}
	inverse, err := measure("A⁺ from scratch", func() (scratchTiming, error) { return timePseudoinverse(a, y, r.Update) })
	if err != nil {
		return nil, err
	}
	weights, err := measure("W from scratch", func() (scratchTiming, error) { return timeStart(blsupdate.Gram, a, y, r.Update) })
	if err != nil {
		return nil, err
	}
	return &Retraining{
		PseudoinverseSeconds: inverse.seconds, PseudoinverseFlops: inverse.flops, PseudoinverseBy: inverse.by,
		WeightsSeconds: weights.seconds, WeightsFlops: weights.flops,
	}, nil
}
