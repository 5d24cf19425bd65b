package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"blskernel"
	"blskernel/bench"
	"blskernel/blsupdate"

	"github.com/spf13/cobra"
)

// flopsSettings are the flags of flops.
type flopsSettings struct {
	methods         []string
	form            string
	solve           bool
	l, k, q, c      int
	lambda          ridge
	changedLambda   bool
	seed            uint64
	backends        []string
	threads         int
	validate, model bool
	calibrate, json bool
}

func newFlops(s streams) *cobra.Command {
	set := flopsSettings{form: "auto", l: 4000, k: 1000, q: 500, c: 10, seed: 1}
	for _, m := range blsupdate.Methods() {
		set.methods = append(set.methods, m.String())
	}
	cmd := &cobra.Command{
		Use:   "flops",
		Short: "Show the flops and times of an update, by the model and as measured",
		Long: `Add q random rows to a model of l samples, k nodes and c targets, ask for the weights,
and print for each step the flops by the model, those that the backend was really
asked for, the time predicted from the rates of this machine, and the time measured.
What the flops leave out, such as copies, is in the predicted times.

With --validate the settings are a grid: every method and form, k from 250 to 2000,
q from 1 to 8000, on every backend that can be had. It ends with the median and the
95th percentile of the deviation of the predicted from the measured times, and with
status 1 if any flops were not those of the model.

The rates are measured once for each backend and number of threads, which takes a
minute or two, and kept in the user's cache folder, or in $BLSKERNEL_CACHE.`,
		Example: `  blskernel flops --method gram,qr --k 2000 --q 1000
  blskernel flops --method improved --form compressed --l 10000 --k 1000 --q 4000
  blskernel flops --model --k 5100 --q 10000 --l 50000
  blskernel flops --validate
  blskernel flops --validate --backends pure --calibrate --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"method", "form", "solve", "l", "k", "q", "c", "lambda", "model"} {
				if set.validate && cmd.Flags().Changed(name) {
					return usageError{fmt.Errorf("--%s says nothing to --validate, which has settings of its own", name)}
				}
			}
			set.changedLambda = cmd.Flags().Changed("lambda")
			return set.run(cmd.Context(), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&set.methods, "method", set.methods, "methods")
	f.StringVar(&set.form, "form", set.form, "form of the update: auto, paper, small, large or compressed")
	f.BoolVar(&set.solve, "solve", false, "let improved solve for B instead of multiplying by an inverse")
	f.IntVar(&set.l, "l", set.l, "samples before the update")
	f.IntVar(&set.k, "k", set.k, "nodes")
	f.IntVar(&set.q, "q", set.q, "samples added")
	f.IntVar(&set.c, "c", set.c, "targets")
	f.Var(&set.lambda, "lambda", "ridge; by default 0 for original and improved and 1e-3 for the others")
	f.Uint64Var(&set.seed, "seed", set.seed, "seed of the random rows")
	f.BoolVar(&set.model, "model", false, "print the model alone, and run nothing")
	f.BoolVar(&set.validate, "validate", false, "compare predicted and measured times over a grid of settings")
	f.BoolVar(&set.calibrate, "calibrate", false, "measure the rates anew")
	f.StringSliceVar(&set.backends, "backends", nil, "backends; by default the selected one, and with --validate all that can be had")
	f.IntVar(&set.threads, "threads", 0, "most threads to use; 0 for all processors")
	f.BoolVar(&set.json, "json", false, "print JSON objects, one a line, for the settings and, with --validate, the agreement")
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
		flag        string
		value, most int
	}{{"l", set.l, mostFlopsSize}, {"k", set.k, mostNodes}, {"q", set.q, mostFlopsSize}, {"c", set.c, mostNodes}} {
		if check.value < 1 || check.value > check.most {
			return nil, usageError{fmt.Errorf("--%s is %d; want 1 to %d", check.flag, check.value, check.most)}
		}
	}
	form, err := blsupdate.ParseForm(set.form)
	if err != nil {
		return nil, usageError{fmt.Errorf("--form is %q; want auto, paper, small, large or compressed", set.form)}
	}
	methods, err := parseMethods("method", set.methods)
	if err != nil {
		return nil, err
	}
	var settings []bench.Setting
	for _, m := range methods {
		lambda := float64(set.lambda)
		if !set.changedLambda && m != blsupdate.Original && m != blsupdate.Improved {
			lambda = 1e-3
		}
		opt := blsupdate.Options{Lambda: lambda, Form: form, Solve: set.solve, Backend: b}
		if err := blsupdate.CheckStart(m, opt, set.l, set.k); err != nil && !set.model {
			return nil, usageError{fmt.Errorf("--l is %d, fewer samples than the %d nodes: %v cannot start from them with lambda = %v", set.l, set.k, m, &set.lambda)}
		}
		settings = append(settings, bench.Setting{Method: m, Options: opt, L: set.l, K: set.k, Q: set.q, C: set.c})
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
	shown := newProgress(s.err, set.json)
	defer shown.clear()
	unequal := 0
	err = attend(ctx, shown, func(ctx context.Context, here func(func() error) error) error {
		for i, b := range backends {
			rates, err := ratesFor(ctx, b, set.calibrate, shown, here)
			if err != nil {
				return err
			}
			var costs []bench.Cost
			err = bench.Validate(ctx, grids[i], rates, set.seed, func(c bench.Cost) error {
				costs = append(costs, c)
				return here(func() error {
					shown.clear()
					if err := printer.print(c); err != nil {
						return err
					}
					shown.show(float64(len(costs))/float64(len(grids[i])), b.Name())
					return nil
				})
			})
			if err != nil {
				return err
			}
			agreement := bench.Agree(costs)
			unequal += agreement.Unequal
			if set.validate {
				if err := here(func() error { shown.clear(); return printer.sum(b.Name(), agreement) }); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil && unequal > 0 {
		err = fmt.Errorf("in %d settings the flops counted are not those of the model", unequal)
	}
	return err
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
		return s.Options.Resolve(shape)
	case blsupdate.RidgeInverse, blsupdate.InverseCholesky:
		return s.Options.Form
	default:
		return blsupdate.Auto
	}
}

// ratesFor returns the rates of a backend, measured now where there are none yet or new ones are wanted.
func ratesFor(ctx context.Context, b blskernel.Backend, anew bool, shown *progress, here func(func() error) error) (*blsupdate.Rates, error) {
	if !anew {
		if rates, err := blsupdate.LoadRates(b); err == nil {
			return rates, nil
		}
	}
	rates, err := blsupdate.MeasureRates(ctx, b, func(done float64) {
		_ = here(func() error { shown.show(done, "measuring the rates of "+b.Name()); return nil })
	})
	if err != nil {
		return nil, err
	}
	return rates, errors.Join(rates.Save())
}
