// Package importance implements the importance command, which ranks columns by their influence.
package importance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"blskernel/bls"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"

	"github.com/spf13/cobra"
)

type asking struct {
	session.Session
	in   input.Input
	opt  bls.ImportanceOptions
	rows int
}

const defaultRows = 10000

// New returns the importance command.
func New(s ui.Streams) *cobra.Command {
	a := asking{rows: defaultRows, opt: bls.ImportanceOptions{Repeats: bls.DefaultRepeats}}
	cmd := &cobra.Command{
		Use:   "importance MODEL [flags] FILE...",
		Short: "Show which columns the predictions depend on",
		Long: `Permute the cells of each column among the rows, and print by how much the accuracy or, for regression,
R2 falls: the mean and the standard deviation over the repeats, with bars. The permutations depend
only on --seed. The rows need labels or targets. Give rows that the model has not learned: they show what
matters for new rows.

The score falls by about 0 for a column that does not matter, but also for a column that other columns
repeat: either of two equal columns can replace the other.`,
		Example: `  blskernel importance iris.bls test.csv
  blskernel importance --repeats 50 --json price.bls houses.csv`,
		Args: session.ModelFirst(math.MaxInt),
	}
	ui.Int(cmd, &a.opt.Repeats, "repeats", 1, ui.MaxSamples, "permutations of each column")
	ui.Int(cmd, &a.rows, "rows", 1, ui.MaxSamples, "use at most this many rows, from the beginning")
	ui.SeedFlag(cmd, &a.opt.Seed)
	a.in.Register(cmd, "test", "")
	a.in.Memory = "lower --rows"
	a.in.RegisterWeight(cmd)
	return a.Command(cmd, s, "one JSON object", a.do)
}

// Result is the JSON output of importance.
type Result struct {
	Measure string   `json:"measure"` // accuracy or R2
	Score   float64  `json:"score"`   // before any permutation
	Rows    int      `json:"rows"`
	Repeats int      `json:"repeats"`
	Columns []Column `json:"columns"` // the most important first
}

// A Column says by how much the score falls when the cells of a column are permuted. Mean and Spread
// are the mean and the standard deviation over the repeats.
type Column struct {
	Name   string  `json:"name"`
	Mean   float64 `json:"mean"`
	Spread float64 `json:"spread"`
}

func (a *asking) do(ctx context.Context, args []string) error {
	m, r, err := a.in.OpenFor(ctx, &a.Session, args, true)
	if err != nil {
		return err
	}
	defer r.Close()
	batch, err := r.Next(a.rows)
	if err != nil {
		return session.InFlags(err)
	}
	if _, err := r.Next(1); !errors.Is(err, io.EOF) {
		a.Warn("used only the first %s: raise --rows to use more", ui.Count(batch.X.RawMatrix().Rows, "row"))
	}
	found := &Result{Measure: "R2", Repeats: a.opt.Repeats}
	if m.Classifier != nil {
		found.Measure = "accuracy"
	}
	batch, err = a.in.LearnSkippingBad(batch, func(b *stream.Batch) error {
		names, all, err := m.Importance(ctx, b, a.opt)
		if err != nil {
			return err
		}
		found.Score = all.Score
		for i, name := range names {
			found.Columns = append(found.Columns, Column{name, all.Mean[i], all.Spread[i]})
		}
		return nil
	})
	if err == nil && batch == nil {
		err = session.ErrNoRows
	}
	if err != nil {
		return ui.CauseOf(ctx, err)
	}
	found.Rows = batch.X.RawMatrix().Rows
	slices.SortStableFunc(found.Columns, func(a, b Column) int { return cmp.Compare(b.Mean, a.Mean) })
	return errors.Join(a.Object(found), a.Print(found.String()))
}

// String returns the result as a table with bars.
func (r *Result) String() string {
	const longest = 40
	cells := [][]string{{"column", "falls by", "spread"}}
	for _, c := range r.Columns {
		cells = append(cells, []string{ui.Printable(c.Name), fmt.Sprintf("%.4f", c.Mean), fmt.Sprintf("%.4f", c.Spread)})
	}
	lines := strings.Split(ui.Aligned(cells), "\n")
	for i, c := range r.Columns {
		if n := int(math.Round(longest * c.Mean / r.Columns[0].Mean)); c.Mean > 0 && n > 0 {
			lines[i+1] += "  " + strings.Repeat("█", n)
		}
	}
	return fmt.Sprintf("%s %.4f on %s; %s of each column\n\n%s", r.Measure, r.Score, ui.Count(r.Rows, "row"), ui.Count(r.Repeats, "permutation"), strings.Join(lines, "\n"))
}
