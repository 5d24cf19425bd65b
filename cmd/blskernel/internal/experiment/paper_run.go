package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"blskernel/bench"
	"blskernel/blsupdate"
	"blskernel/dataset"
)

// run runs all tables.
func (x *paper) run(ctx context.Context) error {
	for _, n := range x.tables {
		run := x.table
		if n == 1 {
			run = x.flops
		}
		if err := run(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// zcaConstants are those of --zca, of the rows and of the eigenvalues.
var zcaConstants = map[string][]float64{
	bench.ReferenceWhitening: {dataset.ZCARows, dataset.ZCAValues},
	bench.UnitWhitening:      {dataset.ZCAUnitRows, dataset.ZCAUnitValues},
}

// experiment turns the flags into one of Tables 2 to 9.
func (x *paper) experiment(n int) (*bench.Paper, error) {
	t, _ := bench.LookupPaperTable(n)
	t = t.Scaled(x.size)
	data, err := x.load(t)
	if err != nil {
		return nil, err
	}
	p := &bench.Paper{
		Table: t, Scale: x.size, Data: data.data, Train: data.train, Test: data.test, Shrink: x.shrink,
		Update:  blsupdate.Options{Workspace: t.Workspace(), Lambda: float64(x.lambda), Backend: x.backend},
		Retrain: x.retrain,
	}
	if constants := zcaConstants[x.zca]; constants != nil {
		p.Whitening = &dataset.ZCAOptions{RowConstant: constants[0], EigenvalueConstant: constants[1], Backend: x.backend}
	}
	runs := x.runs
	if data.test == nil {
		runs = 1 // there is no accuracy that could differ
	}
	for i := range uint64(runs) {
		p.Seeds = append(p.Seeds, x.seed+i)
	}
	choice, err := bench.PlanVariant(t, p.Train.Classes, p.Update)
	if err != nil {
		return nil, err
	}
	if p.Variants, err = x.variants(n, choice); err != nil {
		return nil, err
	}
	p.Planner = slices.Index(p.Variants, choice)
	if p.Repeat = p.Planner; p.Repeat < 0 {
		p.Repeat = len(p.Variants) - 1
	}
	return p, nil
}

// table runs one of Tables 2 to 9.
func (x *paper) table(ctx context.Context, n int) error {
	p, err := x.experiment(n)
	if err != nil {
		return err
	}
	head := p.Head()
	t := newPaperTable(head)
	if err := x.Print(t.head(x.backend)); err != nil {
		return err
	}
	began := time.Now()
	err = p.Run(ctx, func(row bench.TableRow) error {
		if row.Step == 0 && row.Seed == head.Seeds[0] {
			if err := x.out.line("table", head); err != nil {
				return err
			}
		}
		if err := x.out.line("row", row); err != nil {
			return err
		}
		return x.Print(t.row(row))
	}, func(done, total float64, doing string) {
		x.Show(done/total, fmt.Sprintf("table %d%s, %s", n, timeLeft(time.Since(began), done/total), doing))
	})
	if err != nil {
		return err
	}
	return x.Print(t.foot())
}

// leastKnown is the least share of the work from which the remaining time is estimated.
const leastKnown = 0.03

// timeLeft returns the remaining time if the work goes on at the same pace.
func timeLeft(since time.Duration, share float64) string {
	if !(share >= leastKnown && share < 1) {
		return ""
	}
	left := time.Duration(float64(since) * (1 - share) / share)
	if left < time.Minute {
		return fmt.Sprintf(", %.0f s left", math.Ceil(left.Seconds()))
	}
	return fmt.Sprintf(", %.0f min left", math.Ceil(left.Minutes()))
}

// The sizes at which Table 1 is counted, times --size.
const flopsL, flopsK, flopsMany, flopsFew = 4000, 500, 1000, 300

// flops counts Table 1.
func (x *paper) flops(ctx context.Context, _ int) error {
	scaled := func(n int) int { return max(1, int(math.Round(float64(n)*x.size))) }
	l, k := scaled(flopsL), scaled(flopsK)
	for _, q := range []int{scaled(flopsMany), scaled(flopsFew)} {
		c, err := bench.PaperFlops(ctx, l, k, q, blsupdate.Options{Backend: x.backend}, x.seed)
		if err != nil {
			return err
		}
		if err := x.out.line("flops", c); err != nil {
			return err
		}
		if err := x.Print(flopsTable(c)); err != nil {
			return err
		}
	}
	return nil
}
