// Package predict implements the predict command, which predicts the labels or targets of samples.
package predict

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/mat"

	"github.com/spf13/cobra"
)

type prediction struct {
	session.Session
	in       input.Input
	out      string
	scores   bool
	chances  bool    // whether to write probabilities
	set      float64 // coverage, 0 for none
	interval float64
}

// New returns the predict command.
func New(s ui.Streams) *cobra.Command {
	var p prediction
	cmd := &cobra.Command{
		Use:   "predict MODEL [flags] FILE...",
		Short: "Predict the labels or targets of samples",
		Long: `Predict the labels or targets of the rows of files, and print them as CSV: the names of the columns,
then a line for each row in order, except rows set aside. Labels are written as in the training data.
Rows are read and written batch by batch, so that memory does not depend on their number.

With --probabilities the probabilities of all classes follow the label. With --scores the scores of all
classes follow: about 1 for the class of a sample and -1 for the others; they are not probabilities. With
--json there is an object for each row, with its number in the data. --keep puts columns of the data,
such as an id that is not an input, in front of the predictions; with --json they are in the object "kept".

With --interval 0.9 the columns lower:TARGET and upper:TARGET follow the targets: the ends of an interval
that holds the target of a new row in 90% of cases. With --set 0.9 a column set:LABEL follows for each
class: 1 if the class is in a set that holds the class of a new row in 90% of cases, otherwise 0. A set is
empty if each class is less likely than the correct class usually is. Both hold on average over rows
like the calibration rows, which also determine the probabilities: see 'blskernel help calibrate'.

Words, missing cells and numbers are read as in training, unless --missing, --decimal or --thousands
say otherwise. Rows that --missing drop leaves out have no prediction. Notes count these rows and, for
each column, the cells that were filled in and the unknown words.

Columns are matched by name if the model and the data have names, otherwise by order. A column of labels
or targets may stay in the data if it has the same name as in training or is named by --target. The
column of weights may then stay, too. Columns that --inputs or --target select are taken in the order
given, or in the model's order if they have the model's names.`,
		Example: `  blskernel predict iris.bls flowers.csv
  blskernel predict iris.bls --scores flowers.csv > scores.csv
  blskernel predict iris.bls --probabilities flowers.csv
  blskernel predict price.bls --interval 0.9 houses.csv
  blskernel predict price.bls --keep id,name houses.csv
  blskernel predict digits.bls --out labels.npy --data mnist
  head -n 100 flowers.csv | blskernel predict iris.bls -`,
		Args: session.ModelFirst(math.MaxInt),
	}
	f := cmd.Flags()
	ui.OutFlag(cmd, &p.out, "file for the predictions: CSV (.csv, .txt) or NumPy (.npy); with --json: .json, .jsonl or .ndjson; by default, and for -, standard output")
	ui.Columns(cmd, &p.in.Options.Keep, "keep", "columns of the data to copy before the predictions, as text: names, numbers from 1, ranges such as 3-7 or 4-")
	f.BoolVar(&p.chances, "probabilities", false, "also write the probabilities of all classes; an .npy file has them instead of the labels")
	f.BoolVar(&p.scores, "scores", false, "also write the scores of all classes; an .npy file has them instead of the labels")
	ui.Parsed(cmd, &p.interval, "interval", "", "also write the ends of an interval that holds the target with this probability, such as 0.9", parseCoverage)
	ui.Parsed(cmd, &p.set, "set", "", "also write a set of classes that holds the label with this probability, such as 0.9; an .npy file has it instead of the labels", parseCoverage)
	p.in.Register(cmd, "test", input.DefaultBatch)
	return p.Command(cmd, s, "one JSON object for each row", p.do)
}

func (p *prediction) do(ctx context.Context, args []string) error {
	if p.scores && p.chances || p.set > 0 && (p.scores || p.chances) {
		return ui.Usagef("--scores, --probabilities and --set are mutually exclusive: use one of them")
	}
	if err := p.checkName(); err != nil {
		return err
	}
	if p.in.Options.Keep != nil && isNPY(p.out) {
		return ui.Usagef("--keep copies text, which an .npy file of predictions cannot hold: leave out --keep, or write a .csv file")
	}
	m, r, err := p.in.OpenFor(ctx, &p.Session, args, false)
	if err != nil {
		return err
	}
	if p.out == "" { // the predictions themselves show the progress
		p.Progress.Quiet = true
		p.Progress.WithoutBar()
	} else if err := p.CheckOut(p.out, false, append([]string{args[0]}, p.in.Sources()...)...); err != nil {
		return errors.Join(err, r.Close())
	}
	out, err := p.newWriter(m, r.Kept())
	if err != nil {
		return errors.Join(err, r.Close())
	}
	defer out.abort()
	if p.chances && !m.Calibrated() {
		p.Warn("the probabilities are only rough, since %s", session.Uncalibrated)
	}
	begun := time.Now()
	var far score.Far
	rows, err := p.in.Each(ctx, r, m.Updater().Targets(), "", func(b *stream.Batch) error {
		scores, err := m.Scores(ctx, b)
		if err != nil {
			return err
		}
		outside, err := far.Count(ctx, m, b)
		if err != nil {
			return err
		}
		var classes []int
		if m.Classifier != nil {
			if classes, err = model.ArgMax(scores, b); err != nil {
				return err
			}
		}
		if scores, err = p.numbers(ctx, m, b, scores, outside); err != nil {
			return err
		}
		return out.rows(b, classes, scores)
	})
	if err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	far.Tell(&p.Reporter)
	p.Explain("predicted %s in %.2f s", ui.Count(rows, "row"), time.Since(begun).Seconds())
	return nil
}

// numbers returns the numbers to print for b: its scores or, if a flag asks for them, probabilities,
// sets or intervals. It may overwrite scores. outside is the result of Far.Count.
func (p *prediction) numbers(ctx context.Context, m *model.Model, b *stream.Batch, scores *mat.Dense, outside []float64) (*mat.Dense, error) {
	switch {
	case p.chances:
		scores = m.Classifier.Probabilities(scores)
		m.Classifier.Temper(scores, outside)
		return scores, nil
	case p.set > 0:
		sets, err := m.Classifier.PredictSetContext(ctx, b.X, p.set)
		if err != nil {
			return nil, err
		}
		scores.Zero()
		for i, set := range sets {
			for _, class := range set {
				scores.Set(i, class, 1)
			}
		}
	case p.interval > 0:
		lower, upper, err := m.Regressor.PredictIntervalContext(ctx, b.X, p.interval)
		if err != nil {
			return nil, err
		}
		var ends, all mat.Dense
		ends.Augment(lower, upper)
		all.Augment(scores, &ends)
		return &all, nil
	}
	return scores, nil
}

var parseCoverage = ui.Number("want a probability above 0 and below 1, such as 0.9", func(v float64) bool { return v > 0 && v < 1 })

// checkName checks the name of --out, and makes p.out empty for standard output.
func (p *prediction) checkName() error {
	if p.out == session.StandardInput {
		p.out = ""
	}
	extension := strings.ToLower(filepath.Ext(p.out))
	switch {
	case p.JSON && !slices.Contains([]string{"", ".json", ".jsonl", ".ndjson", ".txt"}, extension):
		return ui.Usagef("--out is %q; want a name that ends in .jsonl, .ndjson, .json or .txt, since --json is given", p.out)
	case !p.JSON && !slices.Contains([]string{"", ".csv", ".txt", ".npy"}, extension):
		return ui.Usagef("--out is %q; want a name that ends in .csv, .txt or .npy", p.out)
	}
	return nil
}
