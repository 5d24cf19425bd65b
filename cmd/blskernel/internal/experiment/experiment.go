// Package experiment has the commands that compare methods and backends: demo, paper, report, bench,
// flops and plan.
package experiment

import (
	"context"
	"fmt"
	"slices"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/elementary"

	"github.com/spf13/cobra"
)

// parseVariants returns the methods of --method with their forms, as improved/large/solve.
func parseVariants(names []string) ([]bench.Variant, error) {
	var variants []bench.Variant
	for _, name := range names {
		v, err := bench.ParseVariant(name)
		switch {
		case err != nil:
			return nil, ui.Usagef("--method: %w", err)
		case slices.Contains(variants, v):
			return nil, ui.Usagef("--method has %v twice", v)
		}
		variants = append(variants, v)
	}
	return variants, nil
}

// The help texts of the sizes of a model of random rows.
const (
	lUsage = "samples before the update"
	kUsage = "nodes"
	qUsage = "samples that an update adds"
	cUsage = "targets"
)

// aboutRates is the part of a help text about the rates of the machine.
const aboutRates = `The rates of a machine are measured once for each backend and number of threads, by flops or with
--calibrate, in at most 20 seconds. They are kept in the user's cache folder, or in $BLSKERNEL_CACHE. No
model depends on them.`

// The reasons for a measurement of rates.
const (
	askedFor  = "--calibrate is given"
	noneKnown = "there are none of this machine"
)

// calibrateFlag adds --calibrate.
func calibrateFlag(cmd *cobra.Command, v *bool) {
	cmd.Flags().BoolVar(v, "calibrate", false, "measure the rates of this machine anew")
}

// measuredRates measures the rates of a backend for a reason that it tells, and warns if they are not
// kept.
func measuredRates(ctx context.Context, b blskernel.Backend, why string, r *ui.Reporter) (*blsupdate.Rates, error) {
	where := "cannot be kept, for want of a folder: set " + blsupdate.EnvCache
	if name := blsupdate.RatesFile(b); name != "" {
		where = "will be kept in " + name
	}
	r.Warn("measuring the rates of %s with threads: %d, since %s; this takes at most 20 s and wants the machine for itself, and they %s",
		b.Name(), blskernel.Threads(), why, where)
	told := -1
	tell := func(done float64) {
		if twentieth := int(20 * done); twentieth != told { // of thousands of calls
			told = twentieth
			r.Show(done, "measuring the rates of "+b.Name())
		}
	}
	rates, err := blsupdate.MeasureRates(ctx, b, tell)
	if err != nil {
		return nil, err
	}
	if unsaved := rates.Unsaved(); unsaved != nil {
		r.Warn("%v", unsaved)
	}
	return rates, nil
}

// emit prints v as a line of JSON of that kind, or else the text.
func emit(r *ui.Reporter, kind string, v any, text string) error {
	if r.JSON {
		return r.Do(func() error { return result.Write(r.Out, kind, v) })
	}
	return r.Print(text)
}

// gflops writes a speed in four digits, with no more than three decimals.
func gflops(v float64) string {
	decimals := 3
	if v >= 1 {
		decimals = max(0, 3-int(elementary.Log10(v)))
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// seconds writes a time with three digits.
func seconds(s float64) string { return fmt.Sprintf("%.3g", s) }

// gigaflops writes a number of flops.
func gigaflops(flops float64) string { return ui.Significant(flops / 1e9) }

// backendLine says what computes.
func backendLine(b blskernel.Backend) string {
	return fmt.Sprintf("backend    %s, threads: %d\n", b.Name(), blskernel.Threads())
}
