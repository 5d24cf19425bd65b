package bench

import (
	"context"
	"fmt"
	"math"

	"blskernel/blsupdate"
	"blskernel/dataset"
)

// What the samples of a table may be beside MNIST and NORB.
const (
	SyntheticDigits = "digits" // of package dataset
	RandomImages    = "random" // without classes to be learned
)

// A Paper is a run of one of the paper's Tables 2 to 9: an Incremental for each seed, the first by all
// variants and, since the accuracy does not depend on the method, the others by one alone.
type Paper struct {
	Table       PaperTable
	Scale       float64 // that Table was scaled by
	Data        string  // what Train is: MNIST, NORB, SyntheticDigits or RandomImages
	Train, Test *dataset.Images
	Variants    []Variant
	Planner     int                 // the index of the variant that the planner chose, -1 where its choice is not among them
	Repeat      int                 // the index of the variant of the runs after the first
	Shrink      float64             // s of Algorithm 1; 0 stands for the paper's, bls.DefaultShrink
	HeldOut     int                 // training samples that are the test set: see HoldOut
	Whitening   *dataset.ZCAOptions // as in Incremental
	Update      blsupdate.Options
	Seeds       []uint64         // of the features, one for each run
	Retrain     bool             // measure solutions from scratch in the first run
	Rates       *blsupdate.Rates // as in Incremental
	// Done has the rows of a run before, which was interrupted: they are not run again.
	Done []TableRow
}

// PlanVariant returns what the planner chooses for the table: the cheapest method that is valid for
// lambda, with the weights after every update. Without rates it decides by flops.
func PlanVariant(t PaperTable, targets int, opt blsupdate.Options, rates *blsupdate.Rates) (Variant, error) {
	if rates == nil {
		rates = blsupdate.ConstantRates(1, math.Inf(1))
	}
	c, err := blsupdate.Plan(t.Batch, t.Nodes, t.Initial, targets, blsupdate.Needs{
		Lambda: opt.Lambda, Batches: t.Updates, Backend: opt.Backend, Rates: rates,
	})
	if err != nil {
		return Variant{}, err
	}
	return Variant{Method: c.Method, Form: c.Options.Form, Solve: c.Options.Solve}, nil
}

// Run runs the table and calls emit with every row that is not in p.Done, as Incremental.Run does with
// its rows. The share that progress is told of is that of all runs.
func (p *Paper) Run(ctx context.Context, emit func(TableRow) error, progress Progress) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if progress == nil {
		progress = func(float64, float64, string) {}
	}
	var runs []*Incremental
	var totals []float64 // flops of each run
	for i, seed := range p.Seeds {
		e := p.experiment(i, seed)
		if e == nil {
			continue
		}
		if err := e.Validate(); err != nil {
			return err
		}
		runs = append(runs, e)
		total := 0.0
		for _, flops := range e.plan() {
			total += flops
		}
		totals = append(totals, total)
	}
	before := 0.0
	for i, e := range runs {
		after := 0.0
		for _, total := range totals[i+1:] {
			after += total
		}
		var spent float64
		step, rebuilt := 0, e.Resume != nil
		if rebuilt {
			step = e.Resume.Steps
		}
		err := e.Run(ctx, func(rows []Row) error {
			row := tableRow(p.Table.Table, e, step, rows)
			row.Rebuilt = rebuilt
			step, rebuilt = step+1, false
			return emit(row)
		}, func(done, total float64, doing string) {
			spent = total
			if len(p.Seeds) > 1 {
				doing = fmt.Sprintf("seed %d: %s", e.Features.Seed, doing)
			}
			progress(before+done, before+total+after, doing)
		})
		if err != nil {
			return err
		}
		before += spent
	}
	return nil
}

// experiment returns the i-th run with what is left of it to be done, or nil.
func (p *Paper) experiment(i int, seed uint64) *Incremental {
	variants := p.Variants
	if i > 0 {
		variants = p.Variants[p.Repeat : p.Repeat+1]
	}
	t := p.Table
	e := &Incremental{
		Train: p.Train, Test: p.Test, Initial: t.Initial, Batch: t.Batch, Updates: t.Updates,
		Features: t.Features(), Variants: variants, Update: p.Update, Retrain: p.Retrain && i == 0, Rates: p.Rates,
	}
	e.Features.Seed, e.Features.Shrink, e.Whitening = seed, p.Shrink, p.Whitening
	e.Features.Backend = p.Update.Backend
	var done []TableRow
	for _, row := range p.Done {
		if row.Seed == seed && row.Step == len(done) {
			done = append(done, row)
		}
	}
	switch n := len(done); {
	case n > t.Updates:
		return nil
	case n > 0:
		e.Resume = &Resume{Steps: n}
		for _, c := range done[n-1].Cells {
			e.Resume.TotalSeconds = append(e.Resume.TotalSeconds, c.TotalSeconds)
		}
	}
	return e
}

// tableRow turns the rows of a step by all variants into one.
func tableRow(table int, e *Incremental, step int, rows []Row) TableRow {
	row := TableRow{Table: table, Seed: e.Features.Seed, Step: step, Samples: rows[0].Samples, FeatureSeconds: rows[0].FeatureSeconds, WhiteningSeconds: rows[0].WhiteningSeconds, Retraining: rows[0].Retraining}
	for _, r := range rows {
		c := TableCell{
			Method: r.Variant, Form: r.Form, Seconds: r.UpdateSeconds, TotalSeconds: r.TotalSeconds,
			PredictedSeconds: r.PredictedSeconds, FlopsModel: r.FlopsModel, FlopsCounted: r.FlopsCounted,
		}
		if accuracy := r.Accuracy; !math.IsNaN(accuracy) {
			c.Accuracy = &accuracy
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}
