// Package update implements the update command, which lets a model learn from more rows.
package update

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/flagvalue"
	"blskernel/cmd/blskernel/internal/learner"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/vfs"

	"github.com/spf13/cobra"
)

// updating holds the flags of update, in addition to the flags of every run.
type updating struct {
	learner.Learner
	path    string // of the model that the update starts with
	restart bool
	only    bool // whether a label that the model does not have is an error
	forget  float64
	ridge   *float64 // the new ridge; nil keeps the current one
}

// New returns the update command.
func New(s ui.Streams) *cobra.Command {
	up := updating{forget: 1}
	cmd := &cobra.Command{
		Use:   "update MODEL [flags] FILE...",
		Short: "Let a model learn from more rows",
		Long: `Let a model learn from more rows: its weights become the weights of a fit to all rows, with the feature
maps of the first training. The rows that the model learned before are not needed.

The model file is replaced as a whole, once all rows have been learned and the new file is on disk;
the command then reports this on standard output. If the command is stopped before that, the file stays
as it was, or as the last --checkpoint left it. The same command with --resume then continues from that
checkpoint, or from the first row if there is none. It does not repeat an update that was finished. It
reads the rows up to the checkpoint again. These rows must be the same, but later rows may have changed.
No run can resume from standard input or a pipe. While an update runs, no other process can change the
model.

A label that the model does not have becomes a new class, and a note says so. The weights are then as if
the model had known all classes from the start. With --known-labels such a label is an error.

--forget 0.99 multiplies the weights of all rows so far by 0.99, once, before the first new row. With one
update a day, rows learned d days ago count 0.99^d. With gram and qr the ridge stays; with the other
methods it shrinks like the weights. --lambda changes the ridge, as if the ridge had had that value from
the start.

--score predicts each batch before learning it. The running score is printed and kept in the model. It
is the accuracy or, for regression, R2 with each squared error limited to four times the variance of the
target. Each row counts 0.1% less than the next one. Rows of weight 0 do not count; the weights of other
rows make no difference to the score. A note reports a fall of the score that chance does not explain,
for example because the data has changed: see --forget.

If a model is calibrated for predict --interval, --set and --probabilities, each batch is predicted before
it is learned, and the predictions renew the calibration. At most the last 5000 rows count. --lambda
discards the calibration. So does every update of a model that still keeps its rows because they are
few, unless the fit to all rows calibrates the model.

The model lists the files that it has learned, by a hash of their bytes. It is an error to learn a file
again, unless --again is given.

Columns are matched by name if the model and the data have names, otherwise by order, as in predict. Data
without rows is an error and leaves the model unchanged.`,
		Example: `  blskernel update iris.bls more.csv
  blskernel update iris.bls --out newer.bls more.csv
  blskernel update log.bls --forget 0.99 --score today.csv
  blskernel update big.bls --checkpoint 100000 --resume day1.csv.gz day2.csv.gz
  tail -n 1000 log.csv | blskernel update log.bls --header absent --target 51 -`,
		Args: session.ModelFirst(math.MaxInt),
	}
	f := cmd.Flags()
	ui.OutFlag(cmd, &up.Out, "file for the new model; by default it replaces the old one")
	up.In.Register(cmd, "training", "as many as in training")
	up.In.RegisterWeight(cmd)
	up.RegisterCheckpoint(cmd, "continue from the last checkpoint of the same update, if there is one")
	f.BoolVar(&up.In.Again, "again", false, "learn a file even if the model has already learned the same bytes, so that its rows count twice")
	f.BoolVar(&up.only, "known-labels", false, "treat a label that the model does not have as an error, not as a new class")
	ui.Parsed(cmd, &up.forget, "forget", "1", "before the first row, multiply the weights of all rows so far by this factor, such as 0.99", parseForget)
	ui.Parsed(cmd, &up.ridge, "lambda", "", "before the first row, change the ridge to this value, such as 1e-6 or 2^-30; 0 for least squares; only with gram and qr", parseRidge)
	f.BoolVar(&up.Scoring, "score", false, "score the rows before they are learned, keep the running score in the model, and print a note if the score falls")
	f.BoolVar(&up.restart, "restart", false, "learn all rows, even if the model is a checkpoint of an unfinished run")
	return up.Command(cmd, s, "one JSON object, and one for each checkpoint,", func(ctx context.Context, args []string) error {
		return up.do(ctx, cmd, args[0], args[1:])
	})
}

var parseForget = ui.Number("want a number above 0 and at most 1, such as 0.99", func(v float64) bool { return v > 0 && v <= 1 })

func parseRidge(text string) (*float64, error) {
	lambda, err := flagvalue.ParseRidge(text)
	return &lambda, err
}

func (up *updating) do(ctx context.Context, cmd *cobra.Command, path string, data []string) error {
	up.path = path
	if up.Resume && up.restart {
		return ui.Usagef("--resume and --restart contradict each other: leave one out")
	}
	if up.only {
		up.In.Closed = "leave the row out, or drop --known-labels to add the class"
	}
	if err := up.Begin(cmd, data); err != nil {
		return err
	}
	unlock, err := up.Lock(&up.Out, up.path)
	if err != nil {
		return err
	}
	defer unlock()
	if up.Out != up.path {
		up.Manifest.SetFile(up.FS, "model", up.path)
	}
	resumed, err := up.loadModel(ctx)
	if err != nil {
		return err
	}
	if !resumed && !up.In.Again {
		if err := up.refuseLearned(); err != nil {
			return err
		}
	}
	r, err := up.In.OpenMatched(ctx, up.Model, true)
	if err != nil {
		return err
	}
	batch := up.In.BatchRows(r, up.Model.Metadata.Batch, up.Model.Updater().Targets())
	if resumed {
		up.Known = up.Model.Metadata.Progress.Rows
	} else if err := up.reweigh(); err != nil {
		return errors.Join(err, r.Close())
	}
	defer up.Start(ctx, r, batch, batch)()
	if !resumed {
		if meta, weight := &up.Model.Metadata, up.In.Options.Weight; weight != "" && meta.Notes[session.NoteWeight] == "" {
			if meta.Notes == nil {
				meta.Notes = map[string]string{}
			}
			meta.Notes[session.NoteWeight] = session.Recorded(weight)
		}
		up.Log(modelfile.Operation{Kind: modelfile.OpUpdate, Lambda: up.ridge, Factor: up.forget})
	}
	return up.LearnAll(ctx)
}

func (up *updating) refuseLearned() error {
	for _, file := range up.In.Paths {
		i, err := up.In.FindLearned(up.Model, file, false)
		if err != nil {
			return err
		}
		if i >= 0 {
			l := up.Model.Metadata.Learned[i]
			return ui.Usagef("%s has already learned %s of %q (recorded as %q): use --again to learn them once more, or leave the file out", up.path, ui.Count(l.Rows, "row"), file, l.Name)
		}
	}
	return nil
}

// reweigh applies --forget to the weights of the rows learned so far, and --lambda to the ridge.
func (up *updating) reweigh() error {
	err := session.Advice{}.Explain(up.Model.Reweigh(up.forget, up.ridge))
	switch {
	case err == nil || up.ridge == nil:
		return err
	case up.forget != 1:
		return fmt.Errorf("--forget or --lambda: %w", err)
	}
	return fmt.Errorf("--lambda: %w", err)
}

// loadModel loads the model that the update starts with: the one at up.path or, with --resume, the
// output file if that exists. resumed reports whether the model is the last checkpoint of this update.
func (up *updating) loadModel(ctx context.Context) (resumed bool, err error) {
	from := up.path
	if up.Resume && up.Out != up.path {
		if _, err := vfs.Stat(up.FS, up.Out); !errors.Is(err, fs.ErrNotExist) {
			from = up.Out
		}
	}
	if up.Model, err = up.Load(ctx, from); err != nil {
		return false, err
	}
	meta := &up.Model.Metadata
	differs := up.Manifest.Differs(meta)
	switch what := session.Unfinished(meta); {
	case up.Resume && meta.Progress != nil && differs == "":
		return true, nil
	case from != up.path:
		return false, ui.Usagef("--resume: %s does not belong to this update (%s): give another --out, or leave out --resume", from, differs)
	case up.Resume && what == "" && up.Manifest.SameData(meta):
		return false, ui.Usagef("--resume: %s has finished another update with files of the same names (%s): leave out --resume to learn these files", from, differs)
	case what == "" || up.restart:
		return false, nil
	case meta.Notes[session.NoteOnce] != "":
		return false, ui.Usagef("%s is %s, and no run can resume from it, since %s cannot be read again: use --restart to learn the rows of this update anyway", from, what, meta.Notes[session.NoteOnce])
	case up.Resume:
		return false, ui.Usagef("--resume: %s is %s, but belongs to another run (%s): finish that run, or use --restart instead of --resume", from, what, differs)
	default:
		return false, ui.Usagef("%s is %s: finish that run with --resume, or use --restart to learn the rows of this update anyway", from, what)
	}
}
