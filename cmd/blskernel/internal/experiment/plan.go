package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"blskernel/bench"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// planFlags are the flags of plan.
type planFlags struct {
	ui.Compute
	l, k, q, c               int
	lambda                   ui.Ridge
	needs                    blsupdate.Needs
	memory                   int64
	calibrate, json, measure bool
}

// NewPlan returns the command plan.
func NewPlan(s ui.Streams) *cobra.Command {
	x := planFlags{lambda: 0x1p-30}
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Find the fastest method for batches of a size, and say why",
		Long: `Predict the time that every method and form takes for batches of q samples, after l samples, in a
model of k nodes and c targets, and name the fastest one that meets all needs. The prediction is the
flop model with the rates of this machine.

` + aboutRates,
		Example: `  blskernel plan --k 5100 --q 10000 --l 10000
  blskernel plan --k 1000 --q 1 --l 5000 --batches 1000
  blskernel plan --k 1000 --q 100 --l 5000 --lambda 0 --condition 1e7
  blskernel plan --k 1000 --q 100 --l 5000 --batches 50 --weights-at-end --merging
  blskernel plan --k 1000 --q 100 --l 10000 --measure`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return x.do(cmd.Context(), s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&x.l, "l", 10000, lUsage)
	f.IntVar(&x.k, "k", 1000, kUsage)
	f.IntVar(&x.q, "q", 1000, qUsage)
	f.IntVar(&x.c, "c", 10, cUsage)
	ui.LambdaFlag(cmd, &x.lambda, "")
	f.IntVar(&x.needs.Batches, "batches", 1, "number of batches to come")
	f.BoolVar(&x.needs.WeightsAtEnd, "weights-at-end", false, "compute the weights after the last batch only")
	f.BoolVar(&x.needs.Removal, "removal", false, "samples will be removed")
	f.BoolVar(&x.needs.Merging, "merging", false, "models will be merged")
	f.BoolVar(&x.needs.RidgeChange, "ridge-change", false, "the ridge will change")
	f.BoolVar(&x.needs.Nodes, "nodes", false, "nodes will be added")
	f.BoolVar(&x.needs.Forgetting, "forgetting", false, "old samples will be forgotten")
	f.BoolVar(&x.needs.Pseudoinverse, "pseudoinverse", false, "the pseudoinverse itself is needed")
	f.Float64Var(&x.needs.Condition, "condition", 0, "condition number of [A; sqrt(lambda) I]; 0 for unknown")
	f.Float64Var(&x.needs.Digits, "digits", 6, "correct decimal digits of the weights, if the condition number is known")
	f.Int64Var(&x.memory, "memory", 0, "bound on the memory of the model in MB; 0 for none")
	calibrateFlag(cmd, &x.calibrate)
	f.BoolVar(&x.measure, "measure", false, "then update models of random rows by all valid methods, and compare the times")
	x.Compute.Register(cmd)
	ui.JSONFlag(cmd, &x.json, "one JSON object")
	return cmd
}

func (x *planFlags) do(ctx context.Context, s ui.Streams) error {
	err := ui.CheckRanges(ui.Range{Flag: "q", Value: x.q, Least: 1, Most: ui.MostSize}, ui.Range{Flag: "k", Value: x.k, Least: 1, Most: ui.MostNodes},
		ui.Range{Flag: "l", Value: x.l, Least: 1, Most: ui.MostSamples}, ui.Range{Flag: "c", Value: x.c, Least: 1, Most: ui.MostNodes},
		ui.Range{Flag: "batches", Value: x.needs.Batches, Least: 1, Most: ui.MostSamples},
		ui.Range{Flag: "memory", Value: int(min(x.memory, ui.MostSamples)), Least: 0, Most: ui.MostSamples - 1})
	if err != nil {
		return err
	}
	if x.measure && (x.needs.Batches > 1 || x.needs.WeightsAtEnd || x.json) {
		return ui.Usagef("--measure is for one batch with the weights after it, and prints no JSON: leave out --batches, --weights-at-end and --json")
	}
	b, err := x.Lookup()
	if err != nil {
		return err
	}
	needs := x.needs
	needs.Lambda, needs.Backend, needs.Memory = float64(x.lambda), b, x.memory*1e6
	// Wrong flags are found before rates are measured.
	needs.Rates = blsupdate.ConstantRates(1e9, 1e9)
	var none *blsupdate.PlanError
	var option *blsupdate.OptionError
	if _, err := blsupdate.Plan(x.q, x.k, x.l, x.c, needs); errors.As(err, &option) {
		return ui.Usagef("%w", err)
	} else if err != nil && !errors.As(err, &none) {
		return err
	}
	bar := ui.NewProgress(s.Err, x.json)
	defer bar.Clear()
	err = ui.Attend(ctx, bar, func(ctx context.Context, p *ui.Printer) (err error) {
		needs.Rates, err = ratesFor(ctx, b, x.calibrate, p, bar)
		return err
	})
	if err != nil {
		return err
	}
	bar.Clear()
	choice, err := blsupdate.Plan(x.q, x.k, x.l, x.c, needs)
	if err != nil && !errors.As(err, &none) {
		return err
	}
	if x.json {
		return errors.Join(json.NewEncoder(s.Out).Encode(newPlanned(choice, err == nil)), failure(err))
	}
	if _, err := io.WriteString(s.Out, choice.Explain()); err != nil {
		return err
	}
	if err == nil && x.measure {
		err = x.compare(ctx, choice, needs.Rates, bar, s.Out)
	}
	return failure(err)
}

// mostOver bounds the predicted time of a measured candidate, as a multiple of the choice's.
const mostOver = 20

// compare measures the valid candidates against the choice.
func (x *planFlags) compare(ctx context.Context, choice blsupdate.Choice, rates *blsupdate.Rates, bar *ui.Progress, w io.Writer) error {
	var settings []bench.Setting
	for _, c := range choice.Candidates {
		if c.Valid() && c.Seconds <= mostOver*choice.Seconds {
			setting := bench.Setting{Method: c.Method, Options: c.Options, L: x.l, K: x.k, Q: x.q, C: x.c}
			if c.Method == choice.Method && c.Options.Form == choice.Options.Form {
				settings = append([]bench.Setting{setting}, settings...) // the first is what the others are compared with
			} else {
				settings = append(settings, setting)
			}
		}
	}
	var m bench.Measured
	err := ui.Attend(ctx, bar, func(ctx context.Context, p *ui.Printer) (err error) {
		updates := 0
		m, err = bench.Measure(ctx, settings, rates, 0, 1, func() {
			if updates++; updates%len(settings) == 0 && updates/len(settings)%10 == 1 {
				p.Show(1-float64(len(settings))/float64(len(settings)+updates), "updates")
			}
		})
		return err
	})
	if err != nil {
		return err
	}
	bar.Clear()
	fmt.Fprintf(w, "\nMeasured, median of %d rounds:\n\n", m.Rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "method\tpredicted, s\tmeasured, s\ttimes the choice's")
	fastest := 1.0
	for i, c := range m.Costs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.3f\n", c.Variant(), seconds(c.Total.PredictedSeconds), seconds(c.Total.MeasuredSeconds), 1/m.Speed[i])
		fastest = max(fastest, m.Speed[i])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\nThe choice takes %.3f times as long as the fastest.\n", fastest)
	return err
}

// failure replaces the error of a plan without a valid method, whose reasons have been printed.
func failure(err error) error {
	var none *blsupdate.PlanError
	if errors.As(err, &none) {
		return errors.New("no method meets all needs")
	}
	return err
}

// planned is a Choice as JSON.
type planned struct {
	Method     string             `json:"method,omitempty"`
	Form       string             `json:"form,omitempty"`
	Solve      bool               `json:"solve"`
	Seconds    float64            `json:"seconds"`
	Candidates []plannedCandidate `json:"candidates"`
}

type plannedCandidate struct {
	Method  string  `json:"method"`
	Form    string  `json:"form"`
	Solve   bool    `json:"solve"`
	Seconds float64 `json:"seconds"`
	Flops   float64 `json:"flops"`
	Memory  float64 `json:"memory_bytes"`
	Power   int     `json:"error_power"`
	WhyNot  string  `json:"why_not,omitempty"`
}

func newPlanned(c blsupdate.Choice, ok bool) planned {
	p := planned{Candidates: []plannedCandidate{}}
	if ok {
		p.Method, p.Form, p.Solve, p.Seconds = c.Method.String(), c.Options.Form.String(), c.Options.Solve, c.Seconds
	}
	for _, x := range c.Candidates {
		p.Candidates = append(p.Candidates, plannedCandidate{
			x.Method.String(), x.Options.Form.String(), x.Options.Solve, x.Seconds, x.Flops, x.Memory, x.Power, x.WhyNot,
		})
	}
	return p
}
