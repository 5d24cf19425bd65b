package bench

import (
	"context"
	"fmt"

	"blskernel/bls"
	"blskernel/blsupdate"
)

// resume brings the run to where it was after the steps that are done. The garbage that it leaves, all
// rows of A among it, is collected when the next step begins.
func (r *incrementalRun) resume(ctx context.Context) error {
	copy(r.seconds, r.Resume.TotalSeconds)
	if _, err := r.expand(r.samples(0)); err != nil { // for the maps, which the first samples decide
		return err
	}
	_, last := r.samples(r.Resume.Steps - 1)
	a, err := r.expand(0, last)
	if err != nil {
		return err
	}
	y, err := bls.OneHot(r.Train.LabelsInt(0, last), r.Train.Classes)
	if err != nil {
		return err
	}
	r.keep(a, y)
	for _, i := range r.order(r.Resume.Steps - 1) {
		v := r.Variants[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		r.tell(fmt.Sprintf("%v, anew from samples 1 to %d", v, last))
		if r.updaters[i], err = blsupdate.New(v.Method, a, y, v.options(r.Update)); err != nil {
			return fmt.Errorf("%v, samples 1 to %d: %w", v, last, err)
		}
		r.did(r.updaters[i].Report().Model())
	}
	return nil
}
