package experiment

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
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset"
)

// A paperRun is a run of the command.
type paperRun struct {
	*paperFlags
	ui.Streams
	*ui.Printer
	backend blskernel.Backend
	out     *lines
	bar     *ui.Progress

	rates       *blsupdate.Rates
	mnist, norb images
}

// all runs all tables.
func (r *paperRun) all(ctx context.Context) (err error) {
	if r.predict && slices.ContainsFunc(r.tables, func(n int) bool { return n != 1 }) {
		if r.rates, err = ratesFor(ctx, r.backend, false, r.Printer, r.bar); err != nil {
			return err
		}
	}
	for _, n := range r.tables {
		if n == 1 {
			err = r.flops(ctx)
		} else {
			err = r.table(ctx, n)
		}
		if err != nil {
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

// experiment turns the flags into one of Tables 2 to 9, with the first of the trials.
func (r *paperRun) experiment(n int) (*bench.Paper, error) {
	t, _ := bench.LookupPaperTable(n)
	t = t.Scaled(r.size)
	data, err := r.load(t)
	if err != nil {
		return nil, err
	}
	if r.heldOut > 0 {
		if t, data, err = holdOut(t, data, r.heldOut); err != nil {
			return nil, err
		}
	}
	p := &bench.Paper{
		Table: t, HeldOut: r.heldOut, Scale: r.size, Data: data.data, Train: data.train, Test: data.test,
		Update: blsupdate.Options{Workspace: t.Workspace(), Backend: r.backend}, Retrain: r.retrain, Rates: r.rates,
	}
	if constants := zcaConstants[r.zca]; constants != nil {
		p.Whitening = &dataset.ZCAOptions{RowConstant: constants[0], EigenvalueConstant: constants[1], Backend: r.backend}
	}
	runs := r.runs
	if data.test == nil {
		runs = 1 // there is no accuracy that could differ
	}
	for i := range uint64(runs) {
		p.Seeds = append(p.Seeds, r.seed+i)
	}
	return p, nil
}

// take gives p the hyper-parameters of a trial, and the methods. A resumed run keeps its own methods:
// the planner may choose another one, since the rates of the machine have been measured anew.
func (r *paperRun) take(p *bench.Paper, t trial) error {
	p.Update.Lambda, p.Shrink = float64(t.lambda), t.shrink
	choice, err := bench.PlanVariant(p.Table, p.Train.Classes, p.Update, p.Rates)
	if err != nil {
		return err
	}
	if err := r.choose(p, choice, choice); err != nil {
		return err
	}
	earlier, ok := r.out.earlier(p.Head())
	if !ok {
		return nil
	}
	// A file from before Repeat was kept names the planner's choice only if it was asked for.
	if v, err := bench.ParseVariant(earlier.Planner); err == nil && (earlier.Repeat != "" || slices.Contains(r.methods, planner)) {
		choice = v
	}
	repeat, err := bench.ParseVariant(earlier.Repeated())
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	if err := r.choose(p, choice, repeat); err != nil || !r.byDefault() || earlier.Repeat == "" {
		return err
	}
	if p.Variants, err = parseVariants(earlier.Methods); err != nil {
		return err
	}
	p.Planner, p.Repeat = slices.Index(p.Variants, choice), max(0, slices.Index(p.Variants, repeat))
	return nil
}

// choose gives p the methods of the flags, the planner's choice, and repeat for the runs after the
// first, or else the last method.
func (r *paperRun) choose(p *bench.Paper, choice, repeat bench.Variant) (err error) {
	if p.Variants, err = r.variants(p.Table, choice); err != nil {
		return err
	}
	p.Planner, p.Repeat = slices.Index(p.Variants, choice), slices.Index(p.Variants, repeat)
	if p.Repeat < 0 {
		p.Repeat = len(p.Variants) - 1
	}
	return nil
}

// say prints text, except with --json.
func (r *paperRun) say(text string) error {
	if r.json {
		return nil
	}
	r.bar.Clear()
	_, err := io.WriteString(r.Out, text)
	return err
}

// table runs one of Tables 2 to 9, for every trial.
func (r *paperRun) table(ctx context.Context, n int) error {
	p, err := r.experiment(n)
	if err != nil {
		return err
	}
	began := time.Now()
	if len(r.trials) == 1 {
		if err := r.take(p, r.trials[0]); err != nil {
			return err
		}
		t := newPaperTable(p.Head())
		_, err := r.rows(ctx, p, paperShow{
			begin: func(done []bench.TableRow) error {
				text := t.head(r.backend)
				for _, row := range done {
					text += t.row(row)
				}
				return r.say(text)
			},
			row: func(row bench.TableRow) error { return r.say(t.row(row)) },
			of:  1, began: began,
		})
		if err != nil {
			return err
		}
		return r.Do(func() error { return r.say(t.foot()) })
	}
	var found search
	for i, t := range r.trials {
		if err := r.take(p, t); err != nil {
			return err
		}
		head := p.Head()
		rows, err := r.rows(ctx, p, paperShow{
			begin: func([]bench.TableRow) error {
				if i > 0 {
					return nil
				}
				return r.say(aboutTable(head) + backendLine(r.backend) + "\n")
			},
			doing: t.String() + ", ", before: i, of: len(r.trials), began: began,
		})
		if err != nil {
			return err
		}
		found.add(t, head, rows)
	}
	return r.Do(func() error { return r.say(found.table()) })
}

// paperShow is what is printed of a run of a table.
type paperShow struct {
	begin func(done []bench.TableRow) error
	row   func(bench.TableRow) error // nil for none
	doing string                     // before what is being done

	before, of int       // number of this run, and of all
	began      time.Time // of the first one
}

// rows runs a table, or the rest of it, and returns all of its rows.
func (r *paperRun) rows(ctx context.Context, p *bench.Paper, show paperShow) ([]bench.TableRow, error) {
	head := p.Head()
	beside := func(t bench.TableHead) bool {
		return (t.Lambda != head.Lambda || t.Shrink != head.Shrink) && t.SameSettings(head) &&
			slices.Contains(r.trials, trial{ui.Ridge(t.Lambda), t.Shrink})
	}
	done, warning, err := r.out.rows(head, beside)
	if err != nil {
		return nil, err
	}
	err = r.Do(func() error {
		if _, err := io.WriteString(r.Err, warning); err != nil {
			return err
		}
		return show.begin(done)
	})
	if err != nil {
		return nil, err
	}
	all := slices.Clone(done)
	p.Done = done
	err = p.Run(ctx, func(row bench.TableRow) error {
		begins := len(all) == len(done) && r.out.begins(head)
		all = append(all, row)
		return r.Do(func() error {
			if begins {
				if err := r.out.line("table", head); err != nil {
					return err
				}
			}
			if err := r.out.line("row", row); err != nil || show.row == nil {
				return err
			}
			return show.row(row)
		})
	}, func(done, total float64, doing string) {
		share := (float64(show.before) + done/total) / float64(show.of)
		r.Show(share, fmt.Sprintf("table %d%s, %s%s", head.Table, timeLeft(time.Since(show.began), share), show.doing, doing))
	})
	return all, err
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
func (r *paperRun) flops(ctx context.Context) error {
	scaled := func(n int) int { return max(1, int(math.Round(float64(n)*r.size))) }
	l, k := scaled(flopsL), scaled(flopsK)
	for _, q := range []int{scaled(flopsMany), scaled(flopsFew)} {
		if r.out.read != nil && slices.ContainsFunc(r.out.read.Flops, func(c bench.FlopsCase) bool {
			return c.L == l && c.K == k && c.Q == q && c.Backend == r.backend.Name()
		}) {
			continue
		}
		c, err := bench.PaperFlops(ctx, l, k, q, blsupdate.Options{Backend: r.backend}, r.seed)
		if err != nil {
			return err
		}
		err = r.Do(func() error {
			if err := r.out.line("flops", c); err != nil || r.json {
				return err
			}
			return printFlops(r.Out, c)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
