package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/dataset"
)

// A paperJob is a run of the command under way.
type paperJob struct {
	*paperSettings
	changed bool
	backend blskernel.Backend
	out     *results
	streams
	shown   *progress
	machine result.Machine
	begun   bool // the line of the machine is out

	mnist, norb sets
}

func (j *paperJob) work(ctx context.Context, here func(func() error) error) error {
	var rates *blsupdate.Rates
	var err error
	if j.predict && slices.ContainsFunc(j.tables, func(n int) bool { return n != 1 }) {
		if rates, err = ratesFor(ctx, j.backend, false, j.shown, here); err != nil {
			return err
		}
	}
	j.machine = result.Here(j.command, j.backend)
	for _, n := range j.tables {
		if n == 1 {
			err = j.flops(ctx, here)
		} else {
			err = j.table(ctx, here, n, rates)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// line keeps a line of results, and prints it where that is wanted. The first line comes after that of the machine: a file
// of which all is done already stays as it is.
func (j *paperJob) line(kind string, v any) error {
	if !j.begun {
		j.begun = true
		if err := j.line("machine", j.machine); err != nil {
			return err
		}
	}
	if j.json {
		if err := result.Write(j.streams.out, kind, v); err != nil {
			return err
		}
	}
	return j.out.write(kind, v)
}

// experiment turns the flags into one of Tables 2 to 9.
func (j *paperJob) experiment(n int, rates *blsupdate.Rates, here func(func() error) error) (*bench.Paper, error) {
	t, _ := bench.LookupPaperTable(n)
	t = t.Scaled(j.scale)
	data, err := j.load(t, here)
	if err != nil {
		return nil, err
	}
	if j.heldOut > 0 {
		if t, data, err = holdOut(t, data, j.heldOut); err != nil {
			return nil, err
		}
	}
	p := &bench.Paper{
		Table: t, Shrink: j.shrink, HeldOut: j.heldOut, Scale: j.scale, Data: data.data, Train: data.train, Test: data.test,
		Update: blsupdate.Options{Lambda: float64(j.lambda), Workspace: t.Workspace(), Backend: j.backend}, Retrain: j.retrain, Rates: rates,
	}
	if j.zca {
		p.Whitening = &dataset.ZCAOptions{Backend: j.backend}
	}
	runs := j.runs
	if data.test == nil {
		runs = 1 // there is no accuracy that could differ
	}
	for i := range uint64(runs) {
		p.Seeds = append(p.Seeds, j.seed+i)
	}
	choice, err := bench.PlanVariant(t, p.Train.Classes, p.Update, rates)
	if err != nil {
		return nil, err
	}
	p.Variants, p.Planner, err = j.variants(t, j.changed, choice)
	return p, err
}

// table runs one of Tables 2 to 9.
func (j *paperJob) table(ctx context.Context, here func(func() error) error, n int, rates *blsupdate.Rates) error {
	p, err := j.experiment(n, rates, here)
	if err != nil {
		return err
	}
	head := p.Head()
	var begun bool
	if p.Done, begun, err = j.out.done(head, j.machine); err != nil {
		return err
	}
	printer := newPaperTable(head)
	show := func(text string) error {
		if j.json {
			return nil
		}
		j.shown.clear()
		_, err := fmt.Fprint(j.streams.out, text)
		return err
	}
	err = here(func() error {
		if !begun {
			if err := j.line("table", head); err != nil {
				return err
			}
		}
		text := printer.head(j.backend)
		for _, row := range p.Done {
			text += printer.row(row)
		}
		return show(text)
	})
	if err != nil {
		return err
	}
	began := time.Now()
	err = p.Run(ctx, func(row bench.TableRow) error {
		return here(func() error {
			if err := j.line("row", row); err != nil {
				return err
			}
			return show(printer.row(row))
		})
	}, func(done, total float64, doing string) {
		_ = here(func() error {
			j.shown.show(done/total, fmt.Sprintf("table %d, %s%s", n, doing, timeLeft(time.Since(began), done/total)))
			return nil
		})
	})
	if err != nil {
		return err
	}
	return here(func() error { return show(printer.foot()) })
}

// leastKnown is the share of the work from which on the time that is left can be told.
const leastKnown = 0.03

// timeLeft says how long the rest takes if it goes on as before.
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

// The sizes at which Table 1 is counted, times --scale.
const flopsL, flopsK, flopsMany, flopsFew = 4000, 500, 1000, 300

// flops counts Table 1.
func (j *paperJob) flops(ctx context.Context, here func(func() error) error) error {
	scaled := func(n int) int { return max(1, int(math.Round(float64(n)*j.scale))) }
	for _, q := range []int{scaled(flopsMany), scaled(flopsFew)} {
		if j.out.hasFlops(scaled(flopsL), scaled(flopsK), q, j.backend.Name()) {
			continue
		}
		c, err := bench.PaperFlops(ctx, scaled(flopsL), scaled(flopsK), q, blsupdate.Options{Backend: j.backend}, j.seed)
		if err != nil {
			return err
		}
		err = here(func() error {
			if err := j.line("flops", c); err != nil || j.json {
				return err
			}
			j.shown.clear()
			return printFlops(j.streams.out, c)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
