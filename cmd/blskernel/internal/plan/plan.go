// Package plan implements the plan command, which finds the fastest method.
package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/experiment"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/names"

	"github.com/spf13/cobra"
)

type planFlags struct {
	ui.Reporter
	ui.Compute
	l, k, q, c int
	lambda     float64
	needs      blsupdate.Needs
	memory     int
	calibrate  bool
}

// New returns the plan command.
func New(s ui.Streams) *cobra.Command {
	x := planFlags{l: 10000, k: 1000, q: 1000, c: 10, lambda: 0x1p-30, needs: blsupdate.Needs{Batches: 1}}
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Find the fastest method for batches of a given size, and say why",
		Long: `Predict the time that every method and form takes for batches of q samples, after l samples, in a
model of k nodes and c targets, and name the fastest one that meets all needs. The last line gives the
time of starting anew from all l+q samples instead of adding the first batch. The predictions come from
the flop model and the rates of this machine, or from built-in rates until this machine is measured.

` + experiment.AboutRates,
		Example: `  blskernel plan --k 5100 --q 10000 --l 10000
  blskernel plan --k 1000 --q 1 --l 5000 --batches 1000 --calibrate
  blskernel plan --k 1000 --q 100 --l 5000 --lambda 0 --condition 1e7
  blskernel plan --k 1000 --q 100 --l 5000 --batches 50 --weights-at-end --merging`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return x.do(cmd.Context(), s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	ui.Int(cmd, &x.l, "l", 1, ui.MaxSamples, experiment.UsageL)
	ui.Int(cmd, &x.k, "k", 1, ui.MaxNodes, experiment.UsageK)
	ui.Int(cmd, &x.q, "q", 1, ui.MaxSize, experiment.UsageQ)
	ui.Int(cmd, &x.c, "c", 1, ui.MaxNodes, experiment.UsageC)
	ui.LambdaFlag(cmd, &x.lambda, "")
	ui.Int(cmd, &x.needs.Batches, "batches", 1, ui.MaxSamples, "number of batches to come")
	f.BoolVar(&x.needs.WeightsAtEnd, "weights-at-end", false, "compute the weights only after the last batch")
	f.BoolVar(&x.needs.Removal, "removal", false, "samples will be removed")
	f.BoolVar(&x.needs.Merging, "merging", false, "models will be merged")
	f.BoolVar(&x.needs.RidgeChange, "ridge-change", false, "the ridge will change")
	f.BoolVar(&x.needs.Nodes, "nodes", false, "nodes will be added")
	f.BoolVar(&x.needs.Forgetting, "forgetting", false, "old samples will be forgotten")
	f.BoolVar(&x.needs.Pseudoinverse, "pseudoinverse", false, "the pseudoinverse itself is needed")
	f.Float64Var(&x.needs.Condition, "condition", 0, "condition number of [A; sqrt(lambda) I]; 0 if it is unknown")
	f.Float64Var(&x.needs.Digits, "digits", 6, "number of correct decimal digits that the weights must have, if the condition number is known")
	ui.Int(cmd, &x.memory, "memory", 0, ui.MaxSamples, "maximum memory of the model, in MB; 0 for no limit")
	experiment.CalibrateFlag(cmd, &x.calibrate)
	x.Compute.Register(cmd)
	x.Reporter.Register(cmd, "one JSON object")
	return cmd
}

func (x *planFlags) do(ctx context.Context, s ui.Streams) error {
	b, err := x.Lookup()
	if err != nil {
		return err
	}
	needs := x.needs
	needs.Lambda, needs.Backend, needs.Memory = x.lambda, b, int64(x.memory)*1e6
	// Find wrong flags before the rates are measured.
	needs.Rates = blsupdate.ConstantRates(1e9, 1e9)
	var none *blsupdate.PlanError
	var option *blsupdate.OptionError
	if _, err := blsupdate.Plan(x.q, x.k, x.l, x.c, needs); errors.As(err, &option) {
		return ui.Usagef("--%s is %v; want %s", strings.ToLower(option.Option), option.Value, option.Want)
	} else if err != nil && !errors.As(err, &none) {
		return err
	}
	if err := x.Begin(s); err != nil {
		return err
	}
	err = x.Attend(ctx, func(ctx context.Context) (err error) {
		needs.Rates, err = experiment.Rates(ctx, b, x.calibrate, false, &x.Reporter)
		return err
	})
	if err != nil {
		return err
	}
	return x.show(needs)
}

// show prints the plan, and returns an error if no method meets all needs. The plan says why.
func (x *planFlags) show(needs blsupdate.Needs) error {
	choice, err := blsupdate.Plan(x.q, x.k, x.l, x.c, needs)
	var none *blsupdate.PlanError
	if err != nil && !errors.As(err, &none) {
		return err
	}
	p, text := newPlanned(choice, needs.Rates), choice.Explain()
	if err != nil {
		err = errors.New("no method meets all needs; the plan says why")
	} else {
		all := x.l + x.q
		method, took := newStart(choice, needs.Rates, blsupdate.Shape{L: all, K: x.k, C: x.c})
		p["start_method"], p["start_seconds"] = method, took
		text += fmt.Sprintf("Starting anew from %d samples would take %s s with %s.\n", all, names.Significant(took, 3), method)
	}
	return errors.Join(x.Object(p), x.Print(text), err)
}

// newStart returns the fastest method for a new start with the shape s, among the candidates of c that
// meet all needs, and the seconds that the start and the weights take.
func newStart(c blsupdate.Choice, rates *blsupdate.Rates, s blsupdate.Shape) (method string, least float64) {
	for _, x := range c.Candidates {
		if x.Options.Lambda == 0 && s.L < s.K { // Original and Improved then start from an SVD
			s.Start, s.Rank = blsupdate.StartSVD, s.L
		}
		t := 0.0
		for _, action := range []blsupdate.Action{blsupdate.ActionStart, blsupdate.ActionWeights} {
			t += rates.Seconds(blsupdate.Model(x.Method, action, x.Options, s)...)
		}
		if x.Valid() && (method == "" || t < least) {
			method, least = x.Method.String(), t
		}
	}
	return method, least
}

// newPlanned returns c as a JSON object: all candidates, the fields of the chosen one, and the rates.
func newPlanned(c blsupdate.Choice, rates *blsupdate.Rates) map[string]any {
	p, candidates := map[string]any{}, []any{}
	for _, x := range c.Candidates {
		as := map[string]any{
			"method": x.Method.String(), "form": x.Options.Form.String(), "solve": x.Options.Solve, "seconds": x.Seconds,
			"flops": x.Flops, "memory_bytes": x.Memory, "error_power": x.Power,
		}
		if x.WhyNot != "" {
			as["why_not"] = x.WhyNot
		}
		candidates = append(candidates, as)
		if x.Valid() && x.Method == c.Method && x.Options.Form == c.Options.Form && x.Options.Solve == c.Options.Solve {
			maps.Copy(p, as)
		}
	}
	p["rates"], p["measured"], p["candidates"] = rates.String(), rates.Measured(), candidates
	return p
}
