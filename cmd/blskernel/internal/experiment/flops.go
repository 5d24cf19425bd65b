package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// flopsFlags are the flags of flops.
type flopsFlags struct {
	ui.Reporter
	methods, backends          []string
	ls, ks, qs, cs             []int
	lambda                     ui.Ridge
	anyLambda                  bool // whether --lambda is not given
	seed                       uint64
	threads, rounds            int
	model, validate, calibrate bool
	unequal                    int // settings with other flops than the model
}

// NewFlops returns the command flops.
func NewFlops(s ui.Streams) *cobra.Command {
	x := flopsFlags{
		methods: strings.Split(ui.MethodNames(), ", "), ls: []int{4000}, ks: []int{1000}, qs: []int{500}, cs: []int{10},
	}
	cmd := &cobra.Command{
		Use:   "flops",
		Short: "Show the flops and times of updates, by the model and as measured",
		Long: `Add q random rows to a model of l samples, k nodes and c targets, ask for the weights, and print for
each step the flops by the model, the flops that the backend was asked for, the time predicted from
the rates of this machine, and the time measured. Predicted times include what flops leave out, such
as copies.

Several methods or sizes are updated in turn, round by round. Below their tables stand the speed and
the flops of the first against each other in the same rounds.

With --validate the settings are a grid: every method of --method and form, k from 250 to 2000, q from
1 to 8000, on every backend that is available. The grid is measured three times, and the median of a
setting counts. What is printed are the median and the 95th percentile of the deviation of the
predicted from the measured times, for updates of at least 0.5 ms and for shorter ones; --json also has
every setting. The FMA peak is measured before and after every update, and an update during which it
moved by more than 5% is left out. There are no figures if that is more than a quarter of all, or all
of a method. The status is then 1, and if any counted flops differ from the model.

` + aboutRates,
		Example: `  blskernel flops --method gram,qr --k 2000 --q 1000
  blskernel flops --method original,improved/large,improved/large/solve --l 4000 --k 2000 --q 4000 --rounds 5
  blskernel flops --method gram --k 2000 --q 500 --l 10000,60000
  blskernel flops --model --k 5100 --q 10000 --l 50000
  blskernel flops --validate
  blskernel flops --validate --method gram,qr --backend pure --calibrate --json`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"l", "k", "q", "c", "lambda", "model"} {
				if x.validate && cmd.Flags().Changed(name) {
					return ui.Usagef("--%s has no effect with --validate, which has settings of its own: leave one out", name)
				}
			}
			x.anyLambda = !cmd.Flags().Changed("lambda")
			return x.do(cmd.Context(), ui.CommandLine(cmd, !x.validate), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	ui.MethodFlag(cmd, &x.methods)
	ui.Ints(cmd, &x.ls, "l", 1, ui.MostSize, lUsage)
	ui.Ints(cmd, &x.ks, "k", 1, ui.MostNodes, kUsage)
	ui.Ints(cmd, &x.qs, "q", 1, ui.MostSize, qUsage)
	ui.Ints(cmd, &x.cs, "c", 1, ui.MostNodes, cUsage)
	ui.LambdaFlag(cmd, &x.lambda, "; by default 0 for original and improved and 1e-3 for the others")
	ui.RoundsFlag(cmd, &x.rounds)
	ui.SeedFlag(cmd, &x.seed)
	f.BoolVar(&x.model, "model", false, "print the model alone, and run nothing")
	f.BoolVar(&x.validate, "validate", false, "compare predicted and measured times over a grid of settings")
	calibrateFlag(cmd, &x.calibrate)
	ui.BackendsFlag(cmd, &x.backends, "; by default the selected one, and with --validate all that are available")
	ui.ThreadsFlag(cmd, &x.threads)
	x.Reporter.Register(cmd, "JSON lines with a key \"kind\"")
	return cmd
}

// settings turns the flags into settings on one backend.
func (x *flopsFlags) settings(b blskernel.Backend) ([]bench.Setting, error) {
	variants, err := parseVariants(x.methods)
	if err != nil {
		return nil, err
	}
	if x.validate {
		return slices.DeleteFunc(bench.ValidationGrid(b), func(s bench.Setting) bool {
			return !slices.ContainsFunc(variants, func(v bench.Variant) bool { return v.Method == s.Method })
		}), nil
	}
	var settings []bench.Setting
	for _, c := range x.cs {
		for _, k := range x.ks {
			for _, q := range x.qs {
				for _, l := range x.ls {
					for _, v := range variants {
						s := bench.Setting{Method: v.Method, L: l, K: k, Q: q, C: c}
						s.Options = blsupdate.Options{Form: v.Form, Solve: v.Solve, Backend: b, Lambda: float64(x.lambda)}
						if x.anyLambda && s.Method != blsupdate.Original && s.Method != blsupdate.Improved {
							s.Options.Lambda = 1e-3
						}
						if err := blsupdate.CheckStart(s.Method, s.Options, l, k); err != nil && !x.model {
							return nil, ui.Usagef("--l is %d, fewer samples than the %d nodes: "+
								"%v cannot start from them with lambda = %v", l, k, s.Method, &x.lambda)
						}
						settings = append(settings, s)
					}
				}
			}
		}
	}
	return settings, nil
}

func (x *flopsFlags) do(ctx context.Context, command string, s ui.Streams) error {
	names := x.backends
	if len(names) == 0 {
		names = []string{""}
		if x.validate {
			names = blskernel.Names()
		}
	}
	backends, err := ui.LookupBackends(names, x.threads)
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
	if x.model {
		for _, setting := range slices.Concat(grids...) {
			c := modelCost(setting)
			if err := x.emit("model", c, costTable(c)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := x.emit("machine", result.Here(command, backends...), ""); err != nil {
		return err
	}
	defer x.Progress.Clear()
	err = x.Attend(ctx, func(ctx context.Context) error {
		for i, b := range backends {
			rates, err := x.ratesOf(ctx, b)
			if err != nil {
				return err
			}
			measure := x.measure
			if x.validate {
				measure = x.measureGrid
			}
			if err := measure(ctx, grids[i], rates, b.Name()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && x.unequal > 0 {
		err = fmt.Errorf("in %d settings the flops counted are not those of the model", x.unequal)
	}
	return err
}

// ratesOf returns the rates of this machine, measured if need be or anew.
func (x *flopsFlags) ratesOf(ctx context.Context, b blskernel.Backend) (*blsupdate.Rates, error) {
	if x.calibrate {
		return measuredRates(ctx, b, askedFor, &x.Reporter)
	}
	if rates := blsupdate.RatesFor(b); rates.Measured() {
		return rates, nil
	}
	return measuredRates(ctx, b, noneKnown, &x.Reporter)
}

// emit prints v as a line of JSON of that kind, or else the text.
func (x *flopsFlags) emit(kind string, v any, text string) error {
	if x.JSON {
		return x.Do(func() error { return result.Write(x.Out, kind, v) })
	}
	return x.Print(text)
}

// validationPasses is the number of times that the grid is measured, and validationRounds that of the
// updates that count in each, at most and unless --rounds is given.
const validationPasses, validationRounds = 3, 31

// shortUpdate is the time in seconds below which updates have figures of their own: there a call, a
// worker that wakes up or a line that left the cache are a part of the time.
const shortUpdate = 0.0005

// measureGrid measures the settings one after the other and sums up.
func (x *flopsFlags) measureGrid(ctx context.Context, grid []bench.Setting, rates *blsupdate.Rates, backend string) error {
	show := func(done float64) { x.Show(done, backend) }
	v, err := bench.MeasureEach(ctx, grid, rates, validationPasses, cmp.Or(x.rounds, validationRounds), x.seed, show)
	if err != nil {
		return err
	}
	return x.validation(v, backend)
}

// validation prints what was measured, or returns why there are no figures.
func (x *flopsFlags) validation(v bench.Validation, backend string) error {
	var long, short []bench.Cost
	for _, c := range v.Costs {
		if c.Total.MeasuredSeconds < shortUpdate {
			short = append(short, c)
		} else {
			long = append(long, c)
		}
		if err := x.emit("cost", c, ""); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("%s: %d of %d updates are left out, during which the FMA peak moved by more than 5%%\n", backend, v.LeftOut, v.Updates)
	if err := x.Print(text); err != nil {
		return err
	}
	for _, part := range []struct {
		name  string
		costs []bench.Cost
	}{{"of at least 0.5 ms", long}, {"below 0.5 ms", short}} {
		a := bench.Agree(part.costs)
		x.unequal += a.Unequal
		if v.Unknown != "" || a.Settings == 0 {
			continue
		}
		text := fmt.Sprintf("%s, updates %s: %d settings, the predicted time differs from the measured one by %.1f%% in the median, "+
			"%.1f%% at the 95th percentile, %.1f%% at most; flops counted equal the model's in %d\n",
			backend, part.name, a.Settings, 100*a.Median, 100*a.P95, 100*a.Worst, a.Settings-a.Unequal)
		line := result.Agreement{Backend: backend, Part: part.name, Updates: v.Updates, LeftOut: v.LeftOut, Agreement: a}
		if err := x.emit("agreement", line, text); err != nil {
			return err
		}
	}
	if v.Unknown != "" {
		return fmt.Errorf("%s: no figures, since %s: repeat it on a quieter machine", backend, v.Unknown)
	}
	return nil
}

// A comparison is that of two settings as JSON, the speed and the flops of the first against the other.
type comparison struct {
	First  string  `json:"first"`
	Second string  `json:"second"`
	Speed  float64 `json:"speed"`
	Flops  float64 `json:"flops"`
	Rounds int     `json:"rounds"`
}

// measure measures all settings in turn.
func (x *flopsFlags) measure(ctx context.Context, grid []bench.Setting, rates *blsupdate.Rates, _ string) error {
	updates := 0
	m, err := bench.Measure(ctx, grid, rates, x.rounds, x.seed, func() {
		if updates++; x.rounds == 0 && updates > 10*len(grid) && updates%(10*len(grid)) != 0 {
			return // many rounds are short ones
		}
		// Without --rounds the number of rounds is unknown, and the share never reaches 1.
		planned := max(x.rounds, 1+updates/len(grid)) * len(grid)
		x.Show(float64(updates)/float64(planned+1), "updates")
	})
	if err != nil {
		return err
	}
	x.unequal += bench.Agree(m.Costs).Unequal
	for _, c := range m.Costs {
		if err := x.emit("cost", c, costTable(c)); err != nil {
			return err
		}
	}
	first := m.Costs[0]
	for i, c := range m.Costs[1:] {
		v := comparison{first.Variant(), c.Variant(), m.Speed[i+1], m.Flops[i+1], m.Rounds}
		text := fmt.Sprintf("%s (l = %d, q = %d): %.3f times the speed of %s (l = %d, q = %d), "+
			"%.3f of its flops, median of %d rounds\n",
			v.Second, c.L, c.Q, v.Speed, v.First, first.L, first.Q, 1/v.Flops, v.Rounds)
		if err := x.emit("comparison", v, text); err != nil {
			return err
		}
	}
	return nil
}

// costTable returns a table of the steps of a cost.
func costTable(c bench.Cost) string {
	head := []string{"step", "flops", "Gflop by model"}
	if c.Total.MeasuredSeconds > 0 {
		head = append(head, "counted", "predicted, s", "measured, s", "GFLOP/s")
	}
	cells := [][]string{head}
	for _, s := range slices.Concat(c.Steps, []bench.CostStep{c.Total}) {
		line := []string{s.Step, s.Formula, gigaflops(s.Model)}
		if c.Total.MeasuredSeconds > 0 {
			line = append(line, gigaflops(s.Counted), seconds(s.PredictedSeconds), seconds(s.MeasuredSeconds),
				gigaflops(s.Counted/s.MeasuredSeconds))
		}
		cells = append(cells, line)
	}
	return fmt.Sprintf("%s: l = %d, k = %d, q = %d, c = %d, backend %s\n%s\n",
		c.Variant(), c.L, c.K, c.Q, c.C, c.Backend, ui.Aligned(cells))
}

// modelCost returns the cost of a setting by the model alone.
func modelCost(s bench.Setting) bench.Cost {
	shape := blsupdate.Shape{L: s.L, K: s.K, Q: s.Q, C: s.C}
	form := blsupdate.Auto // of a method without forms
	switch s.Method {
	case blsupdate.Improved:
		form = blsupdate.Resolve(s.Options, shape)
	case blsupdate.RidgeInverse, blsupdate.InverseCholesky:
		form = s.Options.Form
	}
	c := bench.Cost{
		Backend: s.Options.Backend.Name(), Method: s.Method.String(), Form: form.String(), Solve: s.Options.Solve,
		L: s.L, K: s.K, Q: s.Q, C: s.C,
	}
	steps := slices.Concat(blsupdate.Model(s.Method, blsupdate.ActionAdd, s.Options, shape),
		blsupdate.Model(s.Method, blsupdate.ActionWeights, s.Options, shape))
	for _, step := range steps {
		c.Steps = append(c.Steps, bench.CostStep{Step: string(step.Step), Formula: step.Formula, Model: step.Flops()})
	}
	c.Total = bench.CostStep{Step: "total", Model: blsupdate.Total(steps)}
	return c
}
