// Package calibrate implements the calibrate command, which measures prediction errors on new rows.
package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"

	"github.com/spf13/cobra"
)

type calibrating struct {
	session.Session
	in  input.Input
	out string
}

// New returns the calibrate command.
func New(s ui.Streams) *cobra.Command {
	var c calibrating
	cmd := &cobra.Command{
		Use:   "calibrate MODEL [flags] FILE...",
		Short: "Measure how far predictions are off, on new rows",
		Long: `Measure how far the predictions of a model are off, on rows that are new to the model and have labels
or targets. predict --interval, --set and --probabilities use the result, which replaces the previous
calibration. At most the last 5000 rows count, and a few hundred are enough. The predictions do not change,
except by a factor, fitted to these rows, if the model has learned logarithms of the targets.

train calibrates a model on its own rows, each predicted as if it had been left out. update adds the rows
that it learns, each predicted before it was learned. Use calibrate after remove, merge or update
--lambda, which discard the calibration, and for rows unlike the training rows.

The model file stores the errors of the calibration rows, or their labels and scores. Columns are matched
as in predict.`,
		Example: `  blskernel calibrate price.bls recent.csv
  blskernel predict price.bls --interval 0.9 houses.csv`,
		Args: session.ModelFirst(math.MaxInt),
	}
	ui.OutFlag(cmd, &c.out, "file for the new model; by default it replaces the old one")
	c.in.Register(cmd, "test", input.DefaultBatch)
	c.in.RegisterWeight(cmd)
	return c.Command(cmd, s, "one JSON object", c.do)
}

func (c *calibrating) do(ctx context.Context, args []string) error {
	path := args[0]
	if err := c.in.Begin(args[1:], &c.Session); err != nil {
		return err
	}
	unlock, err := c.Lock(&c.out, path)
	if err != nil {
		return err
	}
	defer unlock()
	m, err := c.LoadWhole(ctx, path)
	if err != nil {
		return err
	}
	for _, file := range c.in.Paths {
		if i, err := c.in.FindLearned(m, file, false); err != nil {
			return err
		} else if i >= 0 {
			return ui.Usagef("%s has learned the rows of %q, so it predicts them better than new rows: calibrate it with rows that it has not learned", path, file)
		}
	}
	m.Closed, c.in.Closed = true, "leave the row out, or let the model learn other rows with this label first"
	r, err := c.in.OpenMatched(ctx, m, true)
	if err != nil {
		return err
	}
	as := model.NewRows
	var unfit *bls.CalibrationError // of the last batch, if none has calibrated the model
	rows, err := c.in.Each(ctx, r, m.Updater().Targets(), "calibrating, ", func(b *stream.Batch) error {
		err := m.Calibrate(ctx, b, as)
		if errors.As(err, &unfit) {
			return nil // the rows of another batch may count
		}
		if err == nil {
			as, unfit = model.MoreRows, nil
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case unfit != nil:
		return unfit
	case rows == 0:
		return fmt.Errorf("%w: %s is unchanged", session.ErrNoRows, path)
	}
	return c.Save(c.out, m, rows, "calibrated on "+ui.Count(rows, "row"))
}
