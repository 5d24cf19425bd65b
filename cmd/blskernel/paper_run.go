package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"blskernel"
	"blskernel/bench"
	"blskernel/blsupdate"
	"blskernel/dataset"
)

// A paperJob is a run of the command under way.
type paperJob struct {
	*paperSettings
	backend blskernel.Backend
	out     *results
	streams
	shown *progress

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

// experiment turns the flags into one of Tables 2 to 9, with the first of the trials.
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
		Table: t, HeldOut: j.heldOut, Scale: j.scale, Data: data.data, Train: data.train, Test: data.test,
		Update: blsupdate.Options{Workspace: t.Workspace(), Backend: j.backend}, Retrain: j.retrain, Rates: rates,
	}
	if constants := zcaConstants[j.zca]; constants != nil {
		p.Whitening = &dataset.ZCAOptions{RowConstant: constants[0], EigenvalueConstant: constants[1], Backend: j.backend}
	}
	runs := j.runs
	if data.test == nil {
		runs = 1 // there is no accuracy that could differ
	}
	for i := range uint64(runs) {
		p.Seeds = append(p.Seeds, j.seed+i)
	}
	return p, nil
}

// zcaConstants are those of --zca, of the rows and of the eigenvalues.
var zcaConstants = map[string][]float64{
	bench.ReferenceWhitening: {dataset.ZCARows, dataset.ZCAValues},
	bench.UnitWhitening:      {dataset.ZCAUnitRows, dataset.ZCAUnitValues},
}

// take gives p the hyper-parameters of a trial, and the methods. Where the run goes on with one that
// was begun these are its own: the planner may choose another one by now, since the rates of the
// machine have been measured anew.
func (j *paperJob) take(p *bench.Paper, t trial) error {
	p.Update.Lambda, p.Shrink = float64(t.lambda), t.shrink
	choice, err := bench.PlanVariant(p.Table, p.Train.Classes, p.Update, p.Rates)
	if err != nil {
		return err
	}
	if err := j.choose(p, choice, choice); err != nil {
		return err
	}
	earlier, ok := j.out.earlier(p.Head())
	if !ok {
		return nil
	}
	// A file written before Repeat was kept names the planner's choice only if it was asked for.
	if v, err := bench.ParseVariant(earlier.Planner); err == nil && (earlier.Repeat != "" || slices.Contains(j.methods, planner)) {
		choice = v
	}
	repeat, err := bench.ParseVariant(earlier.Repeated())
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	if err := j.choose(p, choice, repeat); err != nil || !j.byDefault() || earlier.Repeat == "" {
		return err
	}
	if p.Variants, err = parseVariants("methods", earlier.Methods); err != nil {
		return err
	}
	p.Planner, p.Repeat = slices.Index(p.Variants, choice), max(0, slices.Index(p.Variants, repeat))
	return nil
}

// choose gives p the methods of the flags, the choice for the planner's, and repeat for the runs after
// the first: where it is not among them the last one, which who leaves the planner out wants.
func (j *paperJob) choose(p *bench.Paper, choice, repeat bench.Variant) (err error) {
	if p.Variants, err = j.variants(p.Table, choice); err != nil {
		return err
	}
	p.Planner, p.Repeat = slices.Index(p.Variants, choice), slices.Index(p.Variants, repeat)
	if p.Repeat < 0 {
		p.Repeat = len(p.Variants) - 1
	}
	return nil
}

// table runs one of Tables 2 to 9, for every trial.
func (j *paperJob) table(ctx context.Context, here func(func() error) error, n int, rates *blsupdate.Rates) error {
	p, err := j.experiment(n, rates, here)
	if err != nil {
		return err
	}
	show := func(text string) error {
		if j.json {
			return nil
		}
		j.shown.clear()
		_, err := fmt.Fprint(j.streams.out, text)
		return err
	}
	if len(j.trials) == 1 {
		if err := j.take(p, j.trials[0]); err != nil {
			return err
		}
		printer := newPaperTable(p.Head())
		_, err := j.rows(ctx, here, p, paperShow{
			begin: func(done []bench.TableRow) error {
				text := printer.head(j.backend)
				for _, row := range done {
					text += printer.row(row)
				}
				return show(text)
			},
			row: func(row bench.TableRow) error { return show(printer.row(row)) },
			of:  1, began: time.Now(),
		})
		if err != nil {
			return err
		}
		return here(func() error { return show(printer.foot()) })
	}
	var found search
	began := time.Now()
	for i, t := range j.trials {
		if err := j.take(p, t); err != nil {
			return err
		}
		h := p.Head()
		rows, err := j.rows(ctx, here, p, paperShow{
			begin: func([]bench.TableRow) error {
				if i > 0 {
					return nil
				}
				return show(aboutTable(h) + backendLine(j.backend) + "\n")
			},
			doing: t.String() + ", ", before: i, of: len(j.trials), began: began,
		})
		if err != nil {
			return err
		}
		found.add(t, h, rows)
	}
	return here(func() error { return show(found.table()) })
}

// paperShow is what is shown of a run of a table.
type paperShow struct {
	begin func(done []bench.TableRow) error
	row   func(bench.TableRow) error // nil for none
	doing string                     // before what is being done

	before, of int       // runs of those there are
	began      time.Time // of the first one
}

// rows runs a table, or what is left of it, and returns all of its rows.
func (j *paperJob) rows(ctx context.Context, here func(func() error) error, p *bench.Paper, show paperShow) ([]bench.TableRow, error) {
	head := p.Head()
	beside := func(t bench.TableHead) bool {
		other := t.Lambda != head.Lambda || t.Shrink != head.Shrink
		return other && t.SameSettings(head) && slices.ContainsFunc(j.trials, func(s trial) bool { return float64(s.lambda) == t.Lambda && s.shrink == t.Shrink })
	}
	done, warning, err := j.out.rows(head, beside)
	if err != nil {
		return nil, err
	}
	err = here(func() error {
		if warning != "" {
			j.shown.clear()
			if _, err := io.WriteString(j.err, warning); err != nil {
				return err
			}
		}
		return show.begin(done)
	})
	if err != nil {
		return nil, err
	}
	all := slices.Clone(done)
	p.Done = done
	err = p.Run(ctx, func(row bench.TableRow) error {
		begins := len(all) == len(done) && j.out.begins(head)
		all = append(all, row)
		return here(func() error {
			if begins {
				if err := j.out.line("table", head); err != nil {
					return err
				}
			}
			if err := j.out.line("row", row); err != nil || show.row == nil {
				return err
			}
			return show.row(row)
		})
	}, func(done, total float64, doing string) {
		_ = here(func() error {
			share := (float64(show.before) + done/total) / float64(show.of)
			j.shown.show(share, fmt.Sprintf("table %d%s, %s%s", head.Table, timeLeft(time.Since(show.began), share), show.doing, doing))
			return nil
		})
	})
	return all, err
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
			if err := j.out.line("flops", c); err != nil || j.json {
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
