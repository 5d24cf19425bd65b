// Package experiment provides the code shared by the commands that compare methods and backends:
// variants, rates and printed tables.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"blskernel"
	"blskernel/bench"
	"blskernel/bench/report"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset"

	"github.com/spf13/cobra"
)

// ParseVariants parses the values of --method: methods with their forms, such as improved/large/solve.
func ParseVariants(names []string) ([]bench.Variant, error) {
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

// Explain returns err or, for too few samples to start a model, an error whose advice names flags. The
// flag initial sets the number of samples.
func Explain(err error, initial string) error {
	var rank *blsupdate.RankError
	switch {
	case !errors.As(err, &rank):
		return err
	case rank.Lambda > 0:
		return fmt.Errorf("too few samples (%d) for %d nodes with --lambda above 0: raise %s, or set --lambda to 0", rank.Samples, rank.Nodes, initial)
	}
	return fmt.Errorf("too few samples (%d) for %d nodes with --lambda 0: raise %s, set --lambda above 0, or use --method improved", rank.Samples, rank.Nodes, initial)
}

// The help texts of --l, --k, --q and --c, the sizes of an update.
const (
	UsageL = "number of samples before the update"
	UsageK = "number of nodes"
	UsageQ = "number of samples that an update adds"
	UsageC = "number of targets"
)

// AboutRates is the part of a help text about the rates of the machine.
const AboutRates = `The rates of a machine are measured once for each backend and number of threads, by the command
flops or with --calibrate, in at most 20 seconds. They are kept in the user's cache folder, or in
$BLSKERNEL_CACHE. No model depends on them.`

// CalibrateFlag adds --calibrate, which sets *v.
func CalibrateFlag(cmd *cobra.Command, v *bool) {
	cmd.Flags().BoolVar(v, "calibrate", false, "measure the rates of this machine again")
}

// Rates returns the rates of b on this machine, or built-in rates if none are known. It measures the
// rates if calibrate is true, or if measured is true and none are known. Before that it prints the
// reason, and afterwards a warning if it cannot save the rates.
func Rates(ctx context.Context, b blskernel.Backend, calibrate, measured bool, r *ui.Reporter) (*blsupdate.Rates, error) {
	why := "--calibrate is given"
	if !calibrate {
		if known := blsupdate.RatesFor(b); known.Measured() || !measured {
			return known, nil
		}
		why = "no rates of this machine are known"
	}
	where := "cannot be saved: set " + blsupdate.EnvCache + " to a folder"
	if name := blsupdate.RatesFile(b); name != "" {
		where = "will be saved in " + name
	}
	r.Warn("measuring the rates of %s (threads: %d) for up to 20 s, since %s: keep the machine otherwise idle; the rates %s",
		b.Name(), blskernel.Threads(), why, where)
	told := -1
	tell := func(done float64) {
		if twentieth := int(20 * done); twentieth != told { // show at most 20 of the thousands of calls
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

// Emit prints v as a JSON line of the given kind with --json, and text without it.
func Emit(r *ui.Reporter, kind string, v any, text string) error {
	if r.JSON {
		return r.Do(func() error { return result.Write(r.Out, kind, v) })
	}
	return r.Print(text)
}

// BackendLine returns a line with the name of the backend and the number of threads.
func BackendLine(b blskernel.Backend) string {
	return fmt.Sprintf("backend    %s, threads: %d\n", b.Name(), blskernel.Threads())
}

// Tables returns the tables of sections as text.
func Tables(sections ...report.Section) (text string) {
	for _, s := range sections {
		text += "\n" + s.Title + "\n"
		for _, t := range s.Tables {
			text += "\n" + strings.TrimPrefix(t.Title+"\n", "\n") + ui.Aligned(slices.Insert(slices.Clone(t.Rows), 0, t.Columns))
		}
	}
	return text
}

// Digits returns n synthetic digits drawn with the given seed. Their name includes the seed.
func Digits(n int, seed uint64) *dataset.Images {
	images := dataset.Digits(n, seed)
	images.Name = fmt.Sprintf("%s of seed %d", images.Name, seed)
	return images
}
