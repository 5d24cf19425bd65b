package main

import (
	"context"
	"fmt"
	"slices"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"

	"github.com/spf13/cobra"
)

// flopsSettings are the flags of flops.
type flopsSettings struct {
	methods         []string
	ls, ks, qs, cs  []int
	lambda          ridge
	changedLambda   bool
	seed            uint64
	backends        []string
	threads, rounds int
	validate, model bool
	calibrate, json bool
	command         string // line
}

func newFlops(s streams) *cobra.Command {
	set := flopsSettings{ls: []int{4000}, ks: []int{1000}, qs: []int{500}, cs: []int{10}, seed: 1}
	for _, m := range blsupdate.Methods() {
		set.methods = append(set.methods, m.String())
	}
	cmd := &cobra.Command{
		Use:   "flops",
		Short: "Show the flops and times of updates, by the model and as measured",
		Long: `Add q random rows to a model of l samples, k nodes and c targets, ask for the weights,
and print for each step the flops by the model, those that the backend was really
asked for, the time predicted from the rates of this machine, and the time measured.
What the flops leave out, such as copies, is in the predicted times.

Where there are several methods or sizes their models are updated in turn, round by
round, and what follows the tables compares the times of the first with those of each
other in the same rounds, and the flops. A method may be followed by a form and by
solve: improved/large, improved/compressed/solve, ridge-inverse/small.

With --validate the settings are a grid: every method and form, k from 250 to 2000,
q from 1 to 8000, on every backend that can be had. The grid is gone through three
times, and the median of a setting counts. It ends with the median and the 95th
percentile of the deviation of the predicted from the measured times, and with status
1 if any flops were not those of the model.

The rates are measured once for each backend and number of threads, which takes a
minute or two, and kept in the user's cache folder, or in $BLSKERNEL_CACHE.`,
		Example: `  blskernel flops --method gram,qr --k 2000 --q 1000
  blskernel flops --method original,improved/large,improved/large/solve --l 4000 --k 2000 --q 4000 --rounds 5
  blskernel flops --method gram --k 2000 --q 500 --l 10000,60000
  blskernel flops --model --k 5100 --q 10000 --l 50000
  blskernel flops --validate
  blskernel flops --validate --backends pure --calibrate --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"method", "l", "k", "q", "c", "lambda", "model", "rounds"} {
				if set.validate && cmd.Flags().Changed(name) {
					return usageError{fmt.Errorf("--%s says nothing to --validate, which has settings of its own", name)}
				}
			}
			set.changedLambda = cmd.Flags().Changed("lambda")
			if set.command = fullCommandLine(cmd); set.validate {
				set.command = commandLine(cmd)
			}
			return set.run(cmd.Context(), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&set.methods, "method", set.methods, "methods, with forms or without")
	f.IntSliceVar(&set.ls, "l", set.ls, "samples before the update")
	f.IntSliceVar(&set.ks, "k", set.ks, "nodes")
	f.IntSliceVar(&set.qs, "q", set.qs, "samples added")
	f.IntSliceVar(&set.cs, "c", set.cs, "targets")
	f.Var(&set.lambda, "lambda", "ridge; by default 0 for original and improved and 1e-3 for the others")
	f.IntVar(&set.rounds, "rounds", 0, "updates that are measured; 0 for as many as seem useful")
	f.Uint64Var(&set.seed, "seed", set.seed, "seed of the random rows")
	f.BoolVar(&set.model, "model", false, "print the model alone, and run nothing")
	f.BoolVar(&set.validate, "validate", false, "compare predicted and measured times over a grid of settings")
	f.BoolVar(&set.calibrate, "calibrate", false, "measure the rates anew")
	f.StringSliceVar(&set.backends, "backends", nil, "backends; by default the selected one, and with --validate all that can be had")
	f.IntVar(&set.threads, "threads", 0, "most threads to use; 0 for all processors")
	f.BoolVar(&set.json, "json", false, "print JSON objects, one a line")
	return cmd
}

// mostFlopsSize bounds l, k, q and c: beyond it is a slip of the keyboard.
const mostFlopsSize = 10_000_000

// settings turns the flags into settings on one backend, or says which flag is wrong.
func (set *flopsSettings) settings(b blskernel.Backend) ([]bench.Setting, error) {
	if set.validate {
		return bench.ValidationGrid(b), nil
	}
	for _, check := range []struct {
		flag   string
		values []int
		most   int
	}{{"l", set.ls, mostFlopsSize}, {"k", set.ks, mostNodes}, {"q", set.qs, mostFlopsSize}, {"c", set.cs, mostNodes}, {"rounds", []int{set.rounds + 1}, mostNodes}} {
		for _, v := range check.values {
			if v < 1 || v > check.most {
				return nil, usageError{fmt.Errorf("--%s is %d; want 1 to %d", check.flag, v, check.most)}
			}
		}
	}
	variants, err := parseVariants("method", set.methods)
	if err != nil {
		return nil, err
	}
	var settings []bench.Setting
	for _, c := range set.cs {
		for _, k := range set.ks {
			for _, q := range set.qs {
				for _, l := range set.ls {
					for _, v := range variants {
						s := bench.Setting{Method: v.Method, L: l, K: k, Q: q, C: c}
						s.Options = blsupdate.Options{Form: v.Form, Solve: v.Solve, Backend: b, Lambda: float64(set.lambda)}
						if !set.changedLambda && s.Method != blsupdate.Original && s.Method != blsupdate.Improved {
							s.Options.Lambda = 1e-3
						}
						if err := blsupdate.CheckStart(s.Method, s.Options, l, k); err != nil && !set.model {
							return nil, usageError{fmt.Errorf("--l is %d, fewer samples than the %d nodes: %v cannot start from them with lambda = %v", l, k, s.Method, &set.lambda)}
						}
						settings = append(settings, s)
					}
				}
			}
		}
	}
	return settings, nil
}

// lookup finds the backends.
func (set *flopsSettings) lookup() ([]blskernel.Backend, error) {
	names := set.backends
	if len(names) == 0 {
		names = []string{""}
		if set.validate {
			names = blskernel.Names()
		}
	}
	var backends []blskernel.Backend
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, usageError{fmt.Errorf("--backends has %s twice", name)}
		}
		b, err := lookupBackend("backends", name)
		if err != nil {
			return nil, err
		}
		backends = append(backends, b)
	}
	return backends, nil
}

func (set *flopsSettings) run(ctx context.Context, s streams) error {
	if set.threads < 0 || set.threads > mostSamples {
		return usageError{fmt.Errorf("--threads is %d; want 0 to %d", set.threads, mostSamples)}
	}
	backends, err := set.lookup()
	if err != nil {
		return err
	}
	blskernel.SetThreads(set.threads)
	var grids [][]bench.Setting
	for _, b := range backends {
		grid, err := set.settings(b)
		if err != nil {
			return err
		}
		grids = append(grids, grid)
	}
	printer := costPrinter(costTables{s.out})
	switch {
	case set.json:
		printer = costJSON{s.out}
	case set.validate:
		printer = &costLines{w: s.out}
	}
	if set.model {
		for _, grid := range grids {
			for _, setting := range grid {
				if err := printer.print(modelCost(setting)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if set.json {
		if err := result.Write(s.out, "machine", result.Here(set.command, backends...)); err != nil {
			return err
		}
	}
	shown := newProgress(s.err, set.json)
	defer shown.clear()
	unequal := 0
	err = attend(ctx, shown, func(ctx context.Context, here func(func() error) error) error {
		for i, b := range backends {
			rates, err := ratesFor(ctx, b, set.calibrate, shown, here)
			if err != nil {
				return err
			}
			job := costJob{grid: grids[i], rates: rates, printer: printer, shown: shown, here: here, unequal: &unequal}
			if set.validate {
				err = job.validate(ctx, b.Name(), set.seed)
			} else {
				err = job.compare(ctx, set.rounds, set.seed)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && unequal > 0 {
		err = fmt.Errorf("in %d settings the flops counted are not those of the model", unequal)
	}
	return err
}

// A costJob measures settings on one backend.
type costJob struct {
	grid    []bench.Setting
	rates   *blsupdate.Rates
	printer costPrinter
	shown   *progress
	here    func(func() error) error
	unequal *int
}

// validationPasses is how often the grid is gone through.
const validationPasses = 3

// validate measures the settings one after the other and sums up.
func (j costJob) validate(ctx context.Context, backend string, seed uint64) error {
	var costs []bench.Cost
	measured := func(done float64) {
		_ = j.here(func() error { j.shown.show(done, backend); return nil })
	}
	err := bench.MeasureEach(ctx, j.grid, j.rates, validationPasses, seed, measured, func(c bench.Cost) error {
		costs = append(costs, c)
		return j.here(func() error { j.shown.clear(); return j.printer.print(c) })
	})
	if err != nil {
		return err
	}
	agreement := bench.Agree(costs)
	*j.unequal += agreement.Unequal
	return j.here(func() error { j.shown.clear(); return j.printer.sum(backend, agreement) })
}

// compare measures all settings in turn.
func (j costJob) compare(ctx context.Context, rounds int, seed uint64) error {
	updates := 0
	m, err := bench.Measure(ctx, j.grid, j.rates, rounds, seed, func() {
		if updates++; rounds == 0 && updates > 10*len(j.grid) && updates%(10*len(j.grid)) != 0 {
			return // rounds that are so many are short
		}
		// The number of rounds is known only where it is given; what is shown is then never the end.
		planned := max(rounds+1, 1+updates/len(j.grid)) * len(j.grid)
		_ = j.here(func() error { j.shown.show(float64(updates)/float64(planned+1), "updates"); return nil })
	})
	if err != nil {
		return err
	}
	*j.unequal += bench.Agree(m.Costs).Unequal
	return j.here(func() error {
		j.shown.clear()
		for _, c := range m.Costs {
			if err := j.printer.print(c); err != nil {
				return err
			}
		}
		return j.printer.compare(m)
	})
}

// modelCost is the cost of a setting by the model alone.
func modelCost(s bench.Setting) bench.Cost {
	shape := blsupdate.Shape{L: s.L, K: s.K, Q: s.Q, C: s.C}
	c := bench.Cost{Backend: s.Options.Backend.Name(), Method: s.Method.String(), Form: formOf(s, shape).String(), Solve: s.Options.Solve, L: s.L, K: s.K, Q: s.Q, C: s.C}
	steps := slices.Concat(blsupdate.Model(s.Method, blsupdate.ActionAdd, s.Options, shape), blsupdate.Model(s.Method, blsupdate.ActionWeights, s.Options, shape))
	for _, step := range steps {
		c.Steps = append(c.Steps, bench.CostStep{Step: string(step.Step), Formula: step.Formula, Model: step.Flops()})
	}
	c.Total = bench.CostStep{Step: "total", Model: blsupdate.Total(steps)}
	return c
}

// formOf returns the form that the options of a setting stand for, Auto for a method without forms.
func formOf(s bench.Setting, shape blsupdate.Shape) blsupdate.Form {
	switch s.Method {
	case blsupdate.Improved:
		return blsupdate.Resolve(s.Options, shape)
	case blsupdate.RidgeInverse, blsupdate.InverseCholesky:
		return s.Options.Form
	default:
		return blsupdate.Auto
	}
}

// ratesFor returns the rates of a backend, measured now where there are none yet or new ones are wanted. That they
// cannot be kept is told and no failure.
func ratesFor(ctx context.Context, b blskernel.Backend, anew bool, shown *progress, here func(func() error) error) (*blsupdate.Rates, error) {
	told := -1
	tell := func(done float64) {
		if twentieth := int(20 * done); twentieth != told { // it is told of thousands of points
			told = twentieth
			_ = here(func() error { shown.show(done, "measuring the rates of "+b.Name()); return nil })
		}
	}
	var rates *blsupdate.Rates
	var err, unsaved error
	if anew {
		if rates, err = blsupdate.MeasureRates(ctx, b, tell); err == nil {
			unsaved = rates.Save()
		}
	} else if rates, err = blsupdate.RatesFor(ctx, b, tell); err == nil {
		unsaved = rates.Unsaved()
	}
	if err != nil {
		return nil, err
	}
	if unsaved != nil {
		err = here(func() error {
			shown.clear()
			_, err := fmt.Fprintln(shown.w, unsaved)
			return err
		})
	}
	return rates, err
}
