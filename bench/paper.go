package bench

import (
	"math"
	"math/rand/v2"

	"blskernel/blsupdate"
	"blskernel/dataset"
)

// PlanVariant returns the planner's choice for table t, the given number of targets and opt.Lambda. It
// is the method with the fewest flops for all updates and weights, the same on every machine.
func PlanVariant(t PaperTable, targets int, opt blsupdate.Options) (Variant, error) {
	c, err := blsupdate.Plan(t.Batch, t.Nodes, t.Initial, targets, blsupdate.Needs{
		Lambda: opt.Lambda, Batches: t.Updates, Backend: opt.Backend, Rates: blsupdate.ConstantRates(1, math.Inf(1)),
	})
	if err != nil {
		return Variant{}, err
	}
	return Variant{Method: c.Method, Form: c.Options.Form, Solve: c.Options.Solve}, nil
}

// Experiment returns the experiment of the table with recipe r and features drawn from seed. The caller
// sets the data, the variants and the backend.
func (t PaperTable) Experiment(seed uint64, r Recipe) *Incremental {
	e := &Incremental{Initial: t.Initial, Batch: t.Batch, Updates: t.Updates, Features: t.Features()}
	e.Features.Seed, e.Features.Shrink, e.Features.Unscaled, e.Features.Enhancement = seed, r.Shrink, r.Shrink == 0, r.Weights
	e.Update = blsupdate.Options{Workspace: t.Workspace(), Lambda: r.Lambda}
	return e
}

// RandomNORB returns n images of random pixels, each 2×32×32 as in reduced small NORB, with random
// labels of 5 classes. They stand in for NORB where only times are measured.
func RandomNORB(n int, seed uint64) *dataset.Images {
	r := rand.New(rand.NewPCG(seed, 0))
	const rows, cols, classes = 64, 32, 5
	s := &dataset.Images{
		Name: "random images", Rows: rows, Cols: cols, Classes: classes, Synthetic: true,
		Pixels: make([]byte, n*rows*cols), Labels: make([]byte, n),
	}
	for i := range s.Pixels {
		s.Pixels[i] = byte(r.Uint32N(256))
	}
	for i := range s.Labels {
		s.Labels[i] = byte(r.IntN(classes))
	}
	return s
}
