package train

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/vfs"

	"github.com/spf13/cobra"
)

func (tr *training) loadCheckpoint(ctx context.Context) (err error) {
	if _, err := vfs.Stat(tr.FS, tr.Out); errors.Is(err, fs.ErrNotExist) {
		tr.Explain("%s does not exist, so training starts with the first row", tr.Out)
		return nil
	}
	if tr.Model, err = tr.Load(ctx, tr.Out); err != nil {
		return err
	}
	tr.Model.LabelsIn = input.Shown(tr.In.Options.TargetPath)
	if tr.Model.Metadata.Progress == nil {
		return ui.Usagef("--resume: %s records no run that can be resumed: leave out --resume to train anew and replace the file", tr.Out)
	}
	if why := tr.Manifest.Differs(&tr.Model.Metadata); why != "" {
		return ui.Usagef("--resume: %s belongs to another run (%s): give the flags and files of that run, or leave out --resume to train anew and replace the file", tr.Out, why)
	}
	return nil
}

func (tr *training) goOn(ctx context.Context) error {
	meta := &tr.Model.Metadata
	r, err := tr.In.OpenAgain(ctx, tr.Model)
	if err != nil {
		return err
	}
	tr.In.Options.Exclude = r.Selection().Exclude // for the log
	tr.Known = meta.Progress.Rows
	defer tr.Start(ctx, r, firstOf(meta), meta.Batch)()
	tr.Explain("%s continues after %s", tr.Out, ui.Count(tr.Known, "row"))
	return tr.LearnAll(ctx)
}

// firstOf returns the number of rows in the first batch of the run that wrote a checkpoint.
func firstOf(meta *modelfile.Metadata) int {
	if n := len(meta.Log); n > 0 {
		return cmp.Or(meta.Log[n-1].First, meta.Batch)
	}
	return meta.Batch // of a version without logs
}

// inheritedFlags lists the flags of train whose values --like takes from its model.
var inheritedFlags = []string{
	"task", "classes", "groups", "group-nodes", "enhancement", "shrink", "scale", "lambda", "method", "seed",
	"direct", "relevance", "steps", "log-targets",
	"class-weight", "tune", "holdout", "cv", "exclude", "missing",
}

func checkLike(cmd *cobra.Command) error {
	for _, name := range inheritedFlags {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return ui.Usagef("--like takes the feature maps, columns and settings from its model, and does not allow --%s: leave it out", name)
		}
	}
	return nil
}

// trainLike trains a model with the maps, columns, settings and classes of another model, but only on
// the rows of the data. It may resume from a checkpoint.
func (tr *training) trainLike(ctx context.Context) error {
	tr.In.Trains = false // --like rejects most flags of train
	resumed := tr.Model != nil
	if !resumed {
		m, err := tr.LoadWhole(ctx, tr.like)
		if err != nil {
			return err
		}
		m.Refit = true
		if m.Metadata, err = emptyCopy(&m.Metadata); err != nil {
			return err
		}
		if weight := tr.In.Options.Weight; weight != "" {
			m.Metadata.Notes[session.NoteWeight] = session.Recorded(weight)
		}
		tr.Model = m
	}
	r, err := tr.In.OpenMatched(ctx, tr.Model, true)
	if err != nil {
		return err
	}
	meta := &tr.Model.Metadata
	meta.Batch = tr.In.BatchRows(r, meta.Batch, tr.Model.Updater().Targets())
	// Some methods need as many rows as nodes.
	first := cmp.Or(tr.first, max(meta.Batch, input.Bounded(r, 2*tr.Model.Updater().Nodes(), tr.Model.Updater().Targets())))
	if resumed {
		tr.Known, first = meta.Progress.Rows, firstOf(meta)
	}
	defer tr.Start(ctx, r, first, meta.Batch)()
	if !resumed {
		lambda := tr.Model.Updater().Options().Lambda // what Refit takes, whatever was forgotten
		if given := tr.Model.GivenLambda(); given != 0 {
			lambda = max(0, given)
		}
		tr.Log(modelfile.Operation{Kind: modelfile.OpLike, Lambda: &lambda})
	}
	return tr.LearnAll(ctx)
}

// emptyCopy returns meta for a model without rows: it leaves out the records of the run and the files.
func emptyCopy(meta *modelfile.Metadata) (like modelfile.Metadata, err error) {
	like = *meta
	like.Progress, like.Learned, like.Notes, like.Log = nil, nil, session.Lasting(meta), nil
	for _, op := range meta.Log { // find the operation that made the maps
		if op.Kind == modelfile.OpTrain || op.Kind == modelfile.OpMaps {
			op.Kind = modelfile.OpMaps
			like.Log = modelfile.Log{op}
			break
		}
	}
	like.Inputs, like.Classes, like.Targets = slices.Clone(meta.Inputs), slices.Clone(meta.Classes), slices.Clone(meta.Targets)
	like.Created, err = session.Now()
	return like, err
}
