package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"

	"github.com/spf13/cobra"
)

// growthSettings are the flags of growth.
type growthSettings struct {
	conditions  []string
	lambdas     []string
	methods     []string
	seeds, k, l int
	backend     string
	threads     int
	json        bool
	out         string
	resume      bool
}

// mostSeeds is far beyond what changes a maximum.
const mostSeeds = 1000

func newGrowth(s streams) *cobra.Command {
	set := growthSettings{
		conditions: []string{"1e2", "1e3", "1e4", "1e5", "1e6", "1e7", "1e8", "1e9", "1e10", "1e11", "1e12"},
		lambdas:    []string{"0", "2^-30", "1e-3"}, seeds: 5, k: 40, l: 200,
	}
	for _, v := range bench.GrowthVariants() {
		set.methods = append(set.methods, v.String())
	}
	cmd := &cobra.Command{
		Use:   "growth",
		Short: "Show how rounding errors grow with the condition number, method by method",
		Long: `Start models from half of the samples, update them with a tenth, a tenth and the rest,
and compare the weights with those of a solution in numbers of 256 bits, whose own error
is below 1e-31. A is random with singular values from 1 down to 1/condition in equal
ratios, and the targets are random signs. The table has the relative error of the weights
in the norm, the largest of all seeds, for each condition number and method; kappa is
the condition number of [A; sqrt(lambda) I], the largest at any step. An error beyond
the bound that the method is held to has a ! behind it. Where a method refuses, that is
in the table, and its error below it.

With lambda > 0 there are no errors of original and improved. They do not solve the
ridge problem, and what their weights differ by from its solution is not rounding but a
bias of about lambda over the square of the smallest singular value of A.

With --out every line is on disk as soon as it is finished, and after an interruption
--resume goes on from the last one.`,
		Example: `  blskernel growth
  blskernel growth --lambda 0 --condition 1e4,1e8 --seeds 20
  blskernel growth --methods improved/large,improved/large/solve --lambda 0
  blskernel growth --k 100 --l 1000 --json --backend pure
  blskernel growth --out growth.jsonl`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return set.run(cmd.Context(), fullCommandLine(cmd), s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&set.conditions, "condition", set.conditions, "condition numbers of A")
	f.StringSliceVar(&set.lambdas, "lambda", set.lambdas, "ridges, as 1e-6 or 2^-30")
	f.StringSliceVar(&set.methods, "methods", set.methods, "methods, with forms or without")
	f.IntVar(&set.seeds, "seeds", set.seeds, "problems for each condition number and ridge")
	f.IntVar(&set.k, "k", set.k, "nodes")
	f.IntVar(&set.l, "l", set.l, "samples after the last update")
	f.StringVar(&set.backend, "backend", "", "pure or openblas; by default $BLSKERNEL_BACKEND, else openblas where it can be had, else pure")
	f.IntVar(&set.threads, "threads", 0, "most threads to use; 0 for all processors")
	f.BoolVar(&set.json, "json", false, "print JSON objects, one a line, with a key \"kind\": machine or growth")
	f.StringVar(&set.out, "out", "", "file for the JSON lines, which must not exist yet")
	f.BoolVar(&set.resume, "resume", false, "go on with the lines that --out has")
	return cmd
}

// experiment turns the flags into an experiment, or says which flag is wrong.
func (set *growthSettings) experiment() (*bench.Growth, error) {
	for _, check := range []struct {
		flag               string
		value, least, most int
	}{
		{"seeds", set.seeds, 1, mostSeeds}, {"k", set.k, 2, bench.MostGrowthNodes},
		{"l", set.l, max(10, 2*set.k), bench.MostGrowthSamples}, {"threads", set.threads, 0, mostSamples},
	} {
		if check.value < check.least || check.value > check.most {
			return nil, usageError{fmt.Errorf("--%s is %d; want %d to %d", check.flag, check.value, check.least, check.most)}
		}
	}
	if set.resume && set.out == "" {
		return nil, errResume
	}
	conditions, err := set.parseConditions()
	if err != nil {
		return nil, err
	}
	lambdas, err := set.parseLambdas()
	if err != nil {
		return nil, err
	}
	variants, err := parseVariants("methods", set.methods)
	if err != nil {
		return nil, err
	}
	g := &bench.Growth{Conditions: conditions, Lambdas: lambdas, Variants: variants, Nodes: set.k, Samples: set.l, Seeds: set.seeds}
	if !slices.ContainsFunc(lambdas, func(lambda float64) bool {
		return slices.ContainsFunc(variants, func(v bench.Variant) bool { return g.RidgeSolver(v, lambda) })
	}) {
		return nil, usageError{errors.New("--methods has only original and improved, which with --lambda above 0 have a bias and no rounding to be seen: add --lambda 0 or other methods")}
	}
	if g.Backend, err = lookupBackend("backend", set.backend); err != nil {
		return nil, err
	}
	blskernel.SetThreads(set.threads)
	return g, nil
}

// parseConditions returns the condition numbers.
func (set *growthSettings) parseConditions() ([]float64, error) {
	if len(set.conditions) == 0 {
		return nil, usageError{errors.New("--condition is empty; want at least one number")}
	}
	var conditions []float64
	for _, text := range set.conditions {
		c, err := strconv.ParseFloat(text, 64)
		if err != nil || !(c >= 1 && c <= bench.MostCondition) {
			return nil, usageError{fmt.Errorf("--condition has %q; want 1 to %g", text, bench.MostCondition)}
		}
		conditions = append(conditions, c)
	}
	if c, ok := duplicate(conditions); ok {
		return nil, usageError{fmt.Errorf("--condition has %g twice", c)}
	}
	return conditions, nil
}

// parseLambdas returns the ridges.
func (set *growthSettings) parseLambdas() ([]float64, error) {
	if len(set.lambdas) == 0 {
		return nil, usageError{errors.New("--lambda is empty; want at least one number")}
	}
	var lambdas []float64
	for _, text := range set.lambdas {
		var r ridge
		if err := r.Set(text); err != nil {
			return nil, usageError{fmt.Errorf("--lambda has %q: %w", text, err)}
		}
		if r > 1 {
			return nil, usageError{fmt.Errorf("--lambda has %v; want at most 1, the square of the largest singular value of A", &r)}
		}
		lambdas = append(lambdas, float64(r))
	}
	if v, ok := duplicate(lambdas); ok {
		return nil, usageError{fmt.Errorf("--lambda has %g twice", v)}
	}
	return lambdas, nil
}

func (set *growthSettings) run(ctx context.Context, command string, s streams) error {
	g, err := set.experiment()
	if err != nil {
		return err
	}
	return points[[]bench.GrowthPoint]{
		out: set.out, resume: set.resume, json: set.json, table: newGrowthTable(g),
		machine: func() result.Machine { return result.Here(command, g.Backend) },
		keep: func(out *results, points []bench.GrowthPoint) error {
			for _, p := range points {
				if err := out.line("growth", p); err != nil {
					return err
				}
			}
			return nil
		},
		known: func(part *result.File) int {
			g.Done = append(g.Done, part.Growth...)
			return len(part.Growth)
		},
		done: g.Known,
		run:  g.Run,
	}.show(ctx, s)
}
