package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/ui"

	"gonum.org/v1/gonum/stat"
)

// A trial is a pair of hyper-parameters to choose.
type trial struct {
	lambda ui.Ridge
	shrink float64
}

// String names the trial.
func (t trial) String() string { return fmt.Sprintf("lambda = %s, s = %v", &t.lambda, t.shrink) }

// parseTrials returns all pairs of the values of --lambda and --shrink.
func parseTrials(lambdas, shrinks []string) ([]trial, error) {
	ridges, err := parseEach("lambda", "a number above 0, as 1e-6 or 2^-18", lambdas, func(s string) (float64, bool) {
		var r ui.Ridge
		err := r.Set(s)
		return float64(r), err == nil && r > 0
	})
	if err != nil {
		return nil, err
	}
	scales, err := parseEach("shrink", fmt.Sprintf("a number above 0, at most %v", mostShrink), shrinks, func(s string) (float64, bool) {
		v, err := strconv.ParseFloat(s, 64)
		return v, err == nil && v > 0 && v <= mostShrink
	})
	if err != nil {
		return nil, err
	}
	var trials []trial
	for _, lambda := range ridges {
		for _, shrink := range scales {
			trials = append(trials, trial{ui.Ridge(lambda), shrink})
		}
	}
	return trials, nil
}

// parseEach returns the values of a flag, which must differ.
func parseEach(flag, want string, texts []string, parse func(string) (float64, bool)) ([]float64, error) {
	if len(texts) == 0 {
		return nil, ui.Usagef("--%s is empty; want %s", flag, want)
	}
	var values []float64
	for _, text := range texts {
		v, ok := parse(text)
		if !ok {
			return nil, ui.Usagef("--%s has %q; want %s", flag, text, want)
		}
		values = append(values, v)
	}
	return values, ui.CheckUnique(flag, values)
}

// A search compares trials by the accuracy after the last update, on the held-out samples.
type search struct {
	head     bench.TableHead // of any of them
	outcomes []outcome
}

// An outcome is the result of a trial.
type outcome struct {
	trial
	method     string
	accuracies []float64 // by seed
}

// add adds the rows of a trial.
func (s *search) add(t trial, h bench.TableHead, rows []bench.TableRow) {
	s.head = h
	o := outcome{trial: t, method: h.Repeated()}
	for _, r := range rows {
		if i := slices.IndexFunc(r.Cells, func(c bench.TableCell) bool { return c.Method == o.method }); r.Step == h.Updates && i >= 0 && r.Cells[i].Accuracy != nil {
			o.accuracies = append(o.accuracies, *r.Cells[i].Accuracy)
		}
	}
	s.outcomes = append(s.outcomes, o)
}

// table prints the trials, best first.
func (s *search) table() string {
	slices.SortStableFunc(s.outcomes, func(a, b outcome) int { return cmp.Compare(mean(b.accuracies), mean(a.accuracies)) })
	var text strings.Builder
	fmt.Fprintf(&text, "Accuracy at %d samples, %%, best first:\n", s.head.Initial+s.head.Updates*s.head.Batch)
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "lambda\ts\tmethod\truns\tmean\tstd. dev.\tleast\tmost\t")
	for _, o := range s.outcomes {
		if len(o.accuracies) == 0 {
			continue
		}
		least, most := slices.Min(o.accuracies), slices.Max(o.accuracies)
		fmt.Fprintf(w, "%s\t%v\t%s\t%d\t%.2f\t%s\t%.2f\t%.2f\t\n", &o.lambda, o.shrink, o.method, len(o.accuracies), mean(o.accuracies), deviation(o.accuracies), least, most)
	}
	_ = w.Flush() // into memory
	text.WriteString("\n")
	return text.String()
}

// mean returns the mean, NaN of nothing.
func mean(x []float64) float64 { return stat.Mean(x, nil) }

// deviation writes the standard deviation, a dash for one value.
func deviation(x []float64) string {
	if len(x) < 2 {
		return ui.Hundredths(math.NaN())
	}
	return ui.Hundredths(stat.StdDev(x, nil))
}
