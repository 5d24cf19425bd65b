package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"blskernel"
	"blskernel/bench"
	"blskernel/blsupdate"

	"github.com/spf13/cobra"
)

// planSettings are the flags of plan.
type planSettings struct {
	l, k, q, c      int
	lambda          ridge
	needs           blsupdate.Needs
	memory          int64
	backend         string
	threads         int
	calibrate, json bool
	measure         bool
}

func newPlan(s streams) *cobra.Command {
	set := planSettings{l: 10000, k: 1000, q: 1000, c: 10, lambda: 0x1p-30, needs: blsupdate.Needs{Batches: 1, Digits: 6}}
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Say which method learns such batches fastest, and why",
		Long: `Predict the time that every method and form takes for batches of q samples, after l
samples, in a model of k nodes and c targets, and name the fastest that does all
that is needed. The prediction is the flop model with the rates of this machine, which
are measured once for each backend and number of threads in a minute or two, and kept
in the user's cache folder, or in $BLSKERNEL_CACHE.`,
		Example: `  blskernel plan --k 5100 --q 10000 --l 10000
  blskernel plan --k 1000 --q 1 --l 5000 --batches 1000
  blskernel plan --k 1000 --q 100 --l 5000 --lambda 0 --condition 1e7
  blskernel plan --k 1000 --q 100 --l 5000 --batches 50 --weights-at-end --merging
  blskernel plan --k 1000 --q 100 --l 10000 --measure`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return set.run(cmd.Context(), s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&set.q, "q", set.q, "samples of a batch")
	f.IntVar(&set.k, "k", set.k, "nodes")
	f.IntVar(&set.l, "l", set.l, "samples before the first batch")
	f.IntVar(&set.c, "c", set.c, "targets")
	f.Var(&set.lambda, "lambda", "ridge")
	f.IntVar(&set.needs.Batches, "batches", set.needs.Batches, "number of batches to come")
	f.BoolVar(&set.needs.WeightsAtEnd, "weights-at-end", false, "the weights are wanted after the last batch only")
	f.BoolVar(&set.needs.Removal, "removal", false, "samples will be removed")
	f.BoolVar(&set.needs.Merging, "merging", false, "models will be merged")
	f.BoolVar(&set.needs.RidgeChange, "ridge-change", false, "the ridge will be changed")
	f.BoolVar(&set.needs.Nodes, "nodes", false, "nodes will be added")
	f.BoolVar(&set.needs.Forgetting, "forgetting", false, "old samples will be forgotten")
	f.BoolVar(&set.needs.Pseudoinverse, "pseudoinverse", false, "the pseudoinverse itself is wanted")
	f.Float64Var(&set.needs.Condition, "condition", 0, "condition number of [A; sqrt(lambda) I]; 0 for unknown")
	f.Float64Var(&set.needs.Digits, "digits", set.needs.Digits, "correct decimal digits of the weights that are wanted, where the condition number is known")
	f.Int64Var(&set.memory, "memory", 0, "MB that the model may take; 0 for no bound")
	f.StringVar(&set.backend, "backend", "", "pure or openblas; by default $BLSKERNEL_BACKEND, else openblas where it can be had, else pure")
	f.IntVar(&set.threads, "threads", 0, "most threads to use; 0 for all processors")
	f.BoolVar(&set.calibrate, "calibrate", false, "measure the rates anew")
	f.BoolVar(&set.measure, "measure", false, "then update models by all methods that will do, of random rows, and compare the times")
	f.BoolVar(&set.json, "json", false, "print one JSON object")
	return cmd
}

func (set *planSettings) run(ctx context.Context, s streams) error {
	for _, check := range []struct {
		flag               string
		value, least, most int
	}{
		{"q", set.q, 1, mostFlopsSize}, {"k", set.k, 1, mostNodes}, {"l", set.l, 1, mostSamples}, {"c", set.c, 1, mostNodes},
		{"batches", set.needs.Batches, 1, mostSamples}, {"threads", set.threads, 0, mostSamples}, {"memory", int(min(set.memory, mostSamples)), 0, mostSamples - 1},
	} {
		if check.value < check.least || check.value > check.most {
			return usageError{fmt.Errorf("--%s is %d; want %d to %d", check.flag, check.value, check.least, check.most)}
		}
	}
	if set.measure && (set.needs.Batches > 1 || set.needs.WeightsAtEnd || set.json) {
		return usageError{errors.New("--measure is for one batch with the weights after it, and prints no JSON: leave out --batches, --weights-at-end and --json")}
	}
	b, err := lookupBackend("backend", set.backend)
	if err != nil {
		return err
	}
	blskernel.SetThreads(set.threads)
	needs := set.needs
	needs.Lambda, needs.Backend, needs.Memory = float64(set.lambda), b, set.memory*1e6
	// What can be wrong with the flags is found before rates are measured.
	needs.Rates = blsupdate.ConstantRates(1e9, 1e9)
	var none *blsupdate.PlanError
	var option *blsupdate.OptionError
	if _, err := blsupdate.Plan(set.q, set.k, set.l, set.c, needs); errors.As(err, &option) {
		return usageError{err}
	} else if err != nil && !errors.As(err, &none) {
		return err
	}
	shown := newProgress(s.err, set.json)
	defer shown.clear()
	err = attend(ctx, shown, func(ctx context.Context, here func(func() error) error) (err error) {
		needs.Rates, err = ratesFor(ctx, b, set.calibrate, shown, here)
		return err
	})
	if err != nil {
		return err
	}
	shown.clear()
	choice, err := blsupdate.Plan(set.q, set.k, set.l, set.c, needs)
	if err != nil && !errors.As(err, &none) {
		return err
	}
	if set.json {
		return errors.Join(json.NewEncoder(s.out).Encode(newPlanned(choice, err == nil)), failure(err))
	}
	if _, werr := io.WriteString(s.out, choice.Explain()); werr != nil {
		return werr
	}
	if err == nil && set.measure {
		err = set.compare(ctx, choice, needs.Rates, shown, s.out)
	}
	return failure(err)
}

// mostOver is how many times the predicted time of the choice others may take to be measured.
const mostOver = 20

// compare measures the valid candidates and says how the choice did.
func (set *planSettings) compare(ctx context.Context, choice blsupdate.Choice, rates *blsupdate.Rates, shown *progress, w io.Writer) error {
	var settings []bench.Setting
	for _, c := range choice.Candidates {
		if c.Valid() && c.Seconds <= mostOver*choice.Seconds {
			setting := bench.Setting{Method: c.Method, Options: c.Options, L: set.l, K: set.k, Q: set.q, C: set.c}
			if c.Method == choice.Method && c.Options.Form == choice.Options.Form {
				settings = append([]bench.Setting{setting}, settings...) // the first is what the others are compared with
			} else {
				settings = append(settings, setting)
			}
		}
	}
	var m bench.Measured
	err := attend(ctx, shown, func(ctx context.Context, here func(func() error) error) (err error) {
		updates := 0
		m, err = bench.Measure(ctx, settings, rates, 0, 1, func() {
			if updates++; updates%len(settings) == 0 && updates/len(settings)%10 == 1 {
				_ = here(func() error {
					shown.show(1-float64(len(settings))/float64(len(settings)+updates), "updates")
					return nil
				})
			}
		})
		return err
	})
	if err != nil {
		return err
	}
	shown.clear()
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

// failure is the error of a plan without a valid method; the reasons have been printed.
func failure(err error) error {
	var none *blsupdate.PlanError
	if errors.As(err, &none) {
		return errors.New("no method does all that is needed")
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
