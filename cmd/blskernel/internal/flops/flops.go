// Package flops implements the flops command, which shows the flops and times of updates.
package flops

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/report"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/experiment"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/names"

	"github.com/spf13/cobra"
)

type flopsFlags struct {
	ui.Reporter
	methods, backends   []string
	l, k, q, c          int
	lambda              float64
	anyLambda           bool // whether --lambda is not given
	seed                uint64
	threads, rounds     int
	validate, calibrate bool
}

// New returns the flops command.
func New(s ui.Streams) *cobra.Command {
	x := flopsFlags{
		methods: ui.Methods(), l: 4000, k: 1000, q: 500, c: 10,
	}
	cmd := &cobra.Command{
		Use:   "flops",
		Short: "Show the flops and times of updates, by the model and as measured",
		Long: `Add q random rows to a model of l samples, k nodes and c targets, compute the weights, and print for
each step the flops by the flop model, the flops requested from the backend, the time predicted from
the rates of this machine, and the measured time. Predicted times include what flops leave out, such
as copies. Several updates are measured. The output shows the update whose predicted time deviates from
the measured time by the median amount, and its l.

With --validate the settings form a grid: every form of every method of --method, k from 250 to 2000,
q from 1 to 8000, on every available backend. The grid is measured three times, and the median of each
setting counts. Before a short update, other updates run for some milliseconds without being measured.
The output shows how far predicted times deviate from measured times: the median and the 95th percentile
for each method, for updates of at least 0.5 ms and for shorter ones. --json prints every setting.

The FMA peak is measured before and after every update, and an update during which it moved by more than
5% is left out. If more than a quarter of all updates is left out, or every update of a method, there are
no figures and the exit status is 1. It is also 1 if counted flops differ from the flop model.

` + experiment.AboutRates,
		Example: `  blskernel flops --method gram,qr --k 2000 --q 1000
  blskernel flops --method original,improved/large,improved/large/solve --l 4000 --k 2000 --q 4000 --rounds 5
  blskernel flops --validate
  blskernel flops --validate --method gram,qr --backend pure --calibrate --json`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"l", "k", "q", "c", "lambda"} {
				if x.validate && cmd.Flags().Changed(name) {
					return ui.Usagef("--%s has no effect with --validate, which has its own settings: leave out one of the two flags", name)
				}
			}
			x.anyLambda = !cmd.Flags().Changed("lambda")
			return x.do(cmd.Context(), ui.CommandLine(cmd, !x.validate), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	ui.MethodFlag(cmd, &x.methods)
	ui.Int(cmd, &x.l, "l", 1, ui.MaxSize, experiment.UsageL)
	ui.Int(cmd, &x.k, "k", 1, ui.MaxNodes, experiment.UsageK)
	ui.Int(cmd, &x.q, "q", 1, ui.MaxSize, experiment.UsageQ)
	ui.Int(cmd, &x.c, "c", 1, ui.MaxNodes, experiment.UsageC)
	ui.LambdaFlag(cmd, &x.lambda, "; by default 0 for original and improved and 1e-3 for the others")
	ui.Int(cmd, &x.rounds, "rounds", 0, ui.MaxNodes, "measure at most this many undisturbed updates, and report the median one; 0 for 31")
	ui.SeedFlag(cmd, &x.seed)
	f.BoolVar(&x.validate, "validate", false, "compare predicted and measured times over a grid of settings")
	experiment.CalibrateFlag(cmd, &x.calibrate)
	ui.BackendsFlag(cmd, &x.backends, "; by default the selected backend, with --validate all available ones")
	ui.ThreadsFlag(cmd, &x.threads)
	x.Reporter.Register(cmd, "JSON lines, whose key \"kind\" is machine or cost,")
	return cmd
}

func (x *flopsFlags) settings(b blskernel.Backend) ([]bench.Setting, error) {
	variants, err := experiment.ParseVariants(x.methods)
	if err != nil {
		return nil, err
	}
	if x.validate {
		return slices.DeleteFunc(bench.ValidationGrid(b), func(s bench.Setting) bool {
			return !slices.ContainsFunc(variants, func(v bench.Variant) bool { return v.Method == s.Method })
		}), nil
	}
	var settings []bench.Setting
	for _, v := range variants {
		s := bench.Setting{Method: v.Method, L: x.l, K: x.k, Q: x.q, C: x.c}
		s.Options = blsupdate.Options{Form: v.Form, Solve: v.Solve, Backend: b, Lambda: x.lambda}
		if x.anyLambda && s.Method != blsupdate.Original && s.Method != blsupdate.Improved {
			s.Options.Lambda = 1e-3
		}
		if err := blsupdate.CheckStart(s.Method, s.Options, x.l, x.k); err != nil {
			return nil, ui.Usagef("%v: %w", s.Method, experiment.Explain(err, "--l"))
		}
		settings = append(settings, s)
	}
	return settings, nil
}

func (x *flopsFlags) do(ctx context.Context, command string, s ui.Streams) error {
	if len(x.backends) == 0 && x.validate {
		x.backends = blskernel.Names()
	}
	backends, err := ui.LookupBackends(x.backends, x.threads)
	if err != nil {
		return err
	}
	var grids [][]bench.Setting
	for _, b := range backends {
		grid, err := x.settings(b)
		if err != nil {
			return err
		}
		grids = append(grids, grid)
	}
	if err := x.Begin(s); err != nil {
		return err
	}
	machine := result.Here(command, backends...)
	if err := experiment.Emit(&x.Reporter, "machine", machine, ""); err != nil {
		return err
	}
	return x.Attend(ctx, func(ctx context.Context) error {
		unequal := 0
		for i, b := range backends {
			rates, err := experiment.Rates(ctx, b, x.calibrate, true, &x.Reporter)
			if err != nil {
				return err
			}
			passes := 1
			if x.validate {
				passes = validationPasses
			}
			m, err := bench.Measure(ctx, grids[i], rates, passes, cmp.Or(x.rounds, maxRounds), x.seed, func(done float64) { x.Show(done, b.Name()) })
			if err == nil {
				unequal += bench.Agree(m.Costs).Unequal
				err = x.measured(m, &machine, b.Name())
			}
			if err != nil {
				return err
			}
		}
		if unequal > 0 {
			return fmt.Errorf("the counted flops differ from the flop model in %d of the settings", unequal)
		}
		return nil
	})
}

// validationPasses is how often --validate measures the grid. maxRounds, which --rounds 0 stands for,
// is the largest number of undisturbed updates of a setting in each pass over the settings.
const validationPasses, maxRounds = 3, 31

// measured prints m, the measurements of a backend on a machine. With --validate it returns an error
// if no figures can be computed from m.
func (x *flopsFlags) measured(m bench.Measured, on *result.Machine, backend string) error {
	var counted result.File
	for _, c := range m.Costs {
		text := ""
		if !x.validate {
			text = costTable(c)
		} else if c.Disturbed() {
			continue
		}
		counted.Costs = append(counted.Costs, result.On[bench.Cost]{Machine: on, Value: c})
		if err := experiment.Emit(&x.Reporter, "cost", c, text); err != nil {
			return err
		}
	}
	if !x.validate {
		if m.Unknown != "" {
			x.Warn("the times of %s are unreliable, since %s", backend, m.Unknown)
		}
		return nil
	}
	text := fmt.Sprintf("%s: left out %d of %d updates, since the FMA peak moved by more than 5%% during them\n", backend, m.LeftOut, m.Updates)
	if err := x.Print(text); err != nil {
		return err
	}
	if m.Unknown != "" {
		return fmt.Errorf("%s: no figures, since %s: repeat the measurement on a quieter machine", backend, m.Unknown)
	}
	return x.Print(experiment.Tables(report.PredictionSection([]*result.File{&counted})))
}

func costTable(c bench.Cost) string {
	cells := [][]string{{"step", "flops", "Gflop by model", "counted", "predicted, s", "measured, s", "GFLOP/s"}}
	for _, s := range slices.Concat(c.Steps, []bench.CostStep{c.Total}) {
		cells = append(cells, []string{
			s.Step, s.Formula, names.Significant(s.Model/1e9, 4), names.Significant(s.Counted/1e9, 4),
			names.Significant(s.PredictedSeconds, 3), names.Significant(s.MeasuredSeconds, 3), names.Significant(s.Counted/s.MeasuredSeconds/1e9, 4),
		})
	}
	return fmt.Sprintf("%s: l = %d, k = %d, q = %d, c = %d, backend %s\n%s\n",
		c.Variant(), c.L, c.K, c.Q, c.C, c.Backend, ui.Aligned(cells))
}
