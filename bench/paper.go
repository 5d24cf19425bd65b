package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
)

// The data of a table beside MNIST and NORB.
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
	Planner     int                 // the index of the variant that the planner chose, or -1
	Repeat      int                 // the index of the variant of the runs after the first
	Shrink      float64             // s of Algorithm 1; 0 stands for the paper's, bls.DefaultShrink
	Whitening   *dataset.ZCAOptions // as in Incremental
	Update      blsupdate.Options
	Seeds       []uint64 // of the features, one for each run
	Retrain     bool     // measure solutions from scratch in the first run
}

// PlanVariant returns what the planner chooses for the table: the cheapest method that is valid for
// lambda, with the weights after every update. It decides by flops, the same on every machine.
func PlanVariant(t PaperTable, targets int, opt blsupdate.Options) (Variant, error) {
	c, err := blsupdate.Plan(t.Batch, t.Nodes, t.Initial, targets, blsupdate.Needs{
		Lambda: opt.Lambda, Batches: t.Updates, Backend: opt.Backend, Rates: blsupdate.ConstantRates(1, math.Inf(1)),
	})
	if err != nil {
		return Variant{}, err
	}
	return Variant{Method: c.Method, Form: c.Options.Form, Solve: c.Options.Solve}, nil
}

// Run runs the table and calls emit with every row, as Incremental.Run does. progress is told of the
// share of all runs.
func (p *Paper) Run(ctx context.Context, emit func(TableRow) error, progress Progress) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if progress == nil {
		progress = func(float64, float64, string) {}
	}
	var runs []*Incremental
	all := 0.0 // flops of all runs
	for i, seed := range p.Seeds {
		e := p.experiment(i, seed)
		if err := e.Validate(); err != nil {
			return err
		}
		runs = append(runs, e)
		all += e.flops()
	}
	before, peak := 0.0, blsupdate.Peak()
	for _, e := range runs {
		step := -1
		err := e.Run(ctx, func(rows []Row) error {
			step++
			row, was := tableRow(p.Table.Table, e, step, rows), peak
			peak = blsupdate.Peak()
			row.Peak = (was + peak) / 2
			return emit(row)
		}, func(done, _ float64, doing string) {
			if len(p.Seeds) > 1 {
				doing = fmt.Sprintf("seed %d: %s", e.Features.Seed, doing)
			}
			progress(min(before+done, all), all, doing)
		})
		if err != nil {
			return err
		}
		before += e.flops()
	}
	progress(all, all, "finished")
	return nil
}

// experiment returns the i-th run.
func (p *Paper) experiment(i int, seed uint64) *Incremental {
	variants := p.Variants
	if i > 0 {
		variants = p.Variants[p.Repeat : p.Repeat+1]
	}
	t := p.Table
	e := &Incremental{
		Train: p.Train, Test: p.Test, Initial: t.Initial, Batch: t.Batch, Updates: t.Updates,
		Features: t.Features(), Variants: variants, Update: p.Update, Retrain: p.Retrain && i == 0,
	}
	e.Features.Seed, e.Features.Shrink, e.Whitening = seed, p.Shrink, p.Whitening
	e.Features.Backend = p.Update.Backend
	return e
}

// tableRow turns the rows of a step by all variants into one.
func tableRow(table int, e *Incremental, step int, rows []Row) TableRow {
	row := TableRow{
		Table: table, Seed: e.Features.Seed, Step: step, Samples: rows[0].Samples, Retraining: rows[0].Retraining,
		FeatureSeconds: rows[0].FeatureSeconds, FeatureFlops: rows[0].FeatureFlops, WhiteningSeconds: rows[0].WhiteningSeconds,
	}
	for _, r := range rows {
		c := TableCell{
			Method: r.Variant, Form: r.Form, Seconds: r.UpdateSeconds, TotalSeconds: r.TotalSeconds,
			FlopsModel: r.FlopsModel, FlopsCounted: r.FlopsCounted, Steps: r.Steps,
		}
		if accuracy := r.Accuracy; !math.IsNaN(accuracy) {
			c.Accuracy = &accuracy
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}

// Validate returns what is wrong with the settings, or nil. Incremental.Validate checks the sets and
// the sizes; Run calls it for every seed before it begins.
func (p *Paper) Validate() error {
	switch n := len(p.Variants); {
	case p.Train == nil:
		return errors.New("bench: Train is nil; want the training set of the table")
	case n == 0:
		return errors.New("bench: Variants is empty; want at least one")
	case p.Planner < -1 || p.Planner >= n:
		return fmt.Errorf("bench: Planner is %d of %d variants; want an index, or -1 for none", p.Planner, n)
	case p.Repeat < 0 || p.Repeat >= n:
		return fmt.Errorf("bench: Repeat is %d of %d variants; want an index", p.Repeat, n)
	case len(p.Seeds) == 0:
		return errors.New("bench: Seeds is empty; want at least one")
	}
	return cmp.Or(twice("Variants", p.Variants), twice("Seeds", p.Seeds))
}

// twice returns an error if a setting has a value more than once.
func twice[T comparable](name string, values []T) error {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return fmt.Errorf("bench: %s has %v twice", name, v)
		}
	}
	return nil
}

// Head returns the settings of a valid run.
func (p *Paper) Head() TableHead {
	t := p.Table
	h := TableHead{
		Table: t.Table, Title: t.TitleOn(p.Data), Data: p.Data, Scale: p.Scale,
		Initial: t.Initial, Batch: t.Batch, Updates: t.Updates, Nodes: t.Nodes, Targets: p.Train.Classes,
		Lambda: p.Update.Lambda, Shrink: cmp.Or(p.Shrink, bls.DefaultShrink), Whitened: p.Whitening != nil,
		Repeat: p.Variants[p.Repeat].String(), Seeds: p.Seeds,
	}
	if p.Planner >= 0 {
		h.Planner = p.Variants[p.Planner].String()
	}
	if p.Whitening != nil {
		h.Whitening = whiteningName(*p.Whitening)
	}
	for _, v := range p.Variants {
		h.Methods = append(h.Methods, v.String())
	}
	return h
}

// whiteningName names the constants of a whitening.
func whiteningName(opt dataset.ZCAOptions) string {
	rows, values := cmp.Or(opt.RowConstant, dataset.ZCARows), cmp.Or(opt.EigenvalueConstant, dataset.ZCAValues)
	switch {
	case rows == dataset.ZCARows && values == dataset.ZCAValues:
		return ReferenceWhitening
	case rows == dataset.ZCAUnitRows && values == dataset.ZCAUnitValues:
		return UnitWhitening
	default:
		return OtherWhitening
	}
}

// RandomNORB returns n images of random pixels of the size of reduced small NORB, 2×32×32, with random
// labels of 5 classes, to measure times without NORB.
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
