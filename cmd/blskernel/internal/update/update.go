// Package update implements the command update.
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

// updating has the flags of update in addition to the flags of every run.
type updating struct {
	learner.Learner
	path    string // of the model that the update starts with
	restart bool
	again   bool
	only    bool // labels of the model
	forget  float64
	ridge   *float64 // nil where it stays
}

// New returns the command update.
func New(s ui.Streams) *cobra.Command {
	up := updating{forget: 1}
	cmd := &cobra.Command{
		Use:   "update MODEL [flags] FILE...",
		Short: "Let a model learn from more rows",
		Long: `Let a model learn from more rows: the weights become those of a fit to all rows, with the feature
maps of the first training. The rows that it has learned are not needed.

The model file is replaced as a whole, once all rows have been learned and the new file is on the
disk; then the command says so on standard output. If it is stopped before, the file is as before,
or as the last --checkpoint made it. The same command with --resume then goes on from that
checkpoint, or from the first row without one. It does not repeat the last update if that was
finished. It reads the rows up to the checkpoint again, which must be those that were learned; rows
after it may have changed. No run can resume from standard input or a pipe. No other process can
change the model meanwhile.

A label that the model does not have is a new class, and the command says so. The weights become those
of a model that knew all classes from the start. With --known-labels it is an error.

--forget 0.99 lets all rows so far count 0.99 times what they did, once, before the first row: with
one update a day, what was learned d days ago counts 0.99^d. With gram and qr the ridge stays; with the
other methods it shrinks as the rows do. --lambda changes the ridge, as if it had been so from the
start.

--score predicts each batch before it is learned. The running score, the accuracy or, of a regression, R2
in which no row counts for more than four, is printed and kept in the model; each row counts 0.1% less
than the next one. The command says when the score falls by more than chance explains, as where the data
are no longer what they were: see --forget.

Where a model is calibrated for predict --interval, --set and --probabilities, the predictions from before
a batch is learned renew that: the last 5000 rows count. --lambda ends the calibration before.

The model lists the files that it has learned, by the hash of their bytes. The same file again is an
error, unless --again is given.

Columns are matched by name if the model and the data have names, else by order, as by predict. Data
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
	up.In.Register(cmd, "training", "as many as in the training")
	up.In.RegisterWeight(cmd)
	up.RegisterCheckpoint(cmd, "go on from the last checkpoint of the same update, if there is one")
	f.BoolVar(&up.again, "again", false, "learn a file whose bytes the model has learned before, so that its rows count twice")
	f.BoolVar(&up.only, "known-labels", false, "a label that the model does not have is an error, not a new class")
	ui.Parsed(cmd, &up.forget, "forget", "1", "before the first row, multiply the weight of all rows so far by this, as 0.99", parseForget)
	ui.Parsed(cmd, &up.ridge, "lambda", "", "before the first row, change the ridge to this, as 1e-6 or 2^-30; 0 for least squares; by gram and qr only", parseRidge)
	f.BoolVar(&up.Scoring, "score", false, "score the rows before they are learned, keep the running score in the model, and say when it falls")
	f.BoolVar(&up.restart, "restart", false, "learn all rows although the model is an unfinished checkpoint")
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
		up.In.Closed = "leave the row out, or leave out --known-labels for a new class"
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
		up.Manifest.Set("model", up.path)
	}
	resumed, err := up.loadModel(ctx)
	if err != nil {
		return err
	}
	if !resumed && !up.again {
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
		up.Log(modelfile.Operation{Kind: modelfile.OpUpdate, Lambda: up.ridge, Factor: up.forget})
	}
	return up.LearnAll(ctx)
}

// refuseLearned returns an error if the model has learned one of the files.
func (up *updating) refuseLearned() error {
	for _, file := range up.In.Paths {
		i, err := up.In.FindLearned(up.Model, file, false)
		if err != nil {
			return err
		}
		if i >= 0 {
			l := up.Model.Metadata.Learned[i]
			return ui.Usagef("%s has learned the %s of %q before, as %q: learn them once more by --again, or leave the file out", up.path, ui.Count(l.Rows, "row"), file, l.Name)
		}
	}
	return nil
}

// reweigh scales down the weight of the rows so far, and changes the ridge.
func (up *updating) reweigh() error {
	err := session.Explain(up.Model.Reweigh(up.forget, up.ridge), "")
	if err != nil && up.ridge != nil {
		return fmt.Errorf("--lambda: %w", err)
	}
	return err
}

// loadModel loads the model that the update starts with, and reports whether it is the last checkpoint
// of this update, in the output file.
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
		return false, ui.Usagef("--resume: %s is not of this update, %s: give another --out, or leave out --resume", from, differs)
	case up.Resume && what == "" && up.Manifest.SameData(meta):
		return false, ui.Usagef("--resume: %s has learned this data by an update that was finished, and is not this one: %s; leave out --resume to learn it once more", from, differs)
	case what == "" || up.restart:
		return false, nil
	case meta.Notes[session.NoteOnce] != "":
		return false, ui.Usagef("%s is %s, and no run can resume from it, since %s cannot be read again: learn these rows all the same with --restart", from, what, meta.Notes[session.NoteOnce])
	case up.Resume:
		return false, ui.Usagef("--resume: %s is %s, of another run (%s): finish that run, or use --restart", from, what, differs)
	default:
		return false, ui.Usagef("%s is %s: finish that by its command with --resume, or learn these rows all the same with --restart", from, what)
	}
}
