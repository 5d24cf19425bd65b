package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// retained has the rows of A and Y so far, where an experiment has to go back to them, in storage for all that
// will come.
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
	_, k := r.kept.a.Dims()
	_, c := r.kept.y.Dims()
	a, y := r.kept.a.Slice(0, r.kept.rows, 0, k).(*mat.Dense), r.kept.y.Slice(0, r.kept.rows, 0, c).(*mat.Dense)
	out := new(Retraining)
	for _, from := range []struct {
		method         blsupdate.Method
		what           string
		seconds, flops *float64
	}{
		{blsupdate.Improved, "A⁺ from scratch", &out.PseudoinverseSeconds, &out.PseudoinverseFlops},
		{blsupdate.Gram, "W from scratch", &out.WeightsSeconds, &out.WeightsFlops},
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.tell(from.what)
		runtime.GC() // of the state before, which is as large as this one
		began := time.Now()
		u, err := blsupdate.New(from.method, a, y, Variant{Method: from.method}.options(r.Update))
		if err == nil {
			_, err = u.Weights()
		}
		if err != nil {
			return nil, fmt.Errorf("%s, %d samples: %w", from.what, r.kept.rows, err)
		}
		*from.seconds = time.Since(began).Seconds()
		report := u.Report()
		*from.flops = report.Model() + report.Abandoned
		r.did(*from.flops)
	}
	return out, nil
}
