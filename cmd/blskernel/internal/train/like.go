package train

import (
	"cmp"
	"context"
	"slices"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// inheritedFlags are the flags of train that --like takes from its model.
var inheritedFlags = []string{
	"task", "classes", "groups", "group-nodes", "enhancement", "shrink", "scale", "lambda", "method", "seed",
	"direct", "relevance", "steps", "log-targets",
	"class-weight", "tune", "holdout", "cv", "exclude", "missing",
}

// checkLike returns an error for a flag that conflicts with --like.
func checkLike(cmd *cobra.Command) error {
	for _, name := range inheritedFlags {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return ui.Usagef("--like takes the feature maps and settings of its model: leave out --%s", name)
		}
	}
	return nil
}

// trainLike learns the data alone with the maps, columns, settings and classes of another model, or
// resumes from a checkpoint.
func (tr *training) trainLike(ctx context.Context) error {
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
		tr.Model = m
	}
	r, err := tr.In.OpenMatched(ctx, tr.Model, true)
	if err != nil {
		return err
	}
	meta := &tr.Model.Metadata
	meta.Batch = tr.In.BatchRows(r, meta.Batch, tr.Model.Updater().Targets())
	first := meta.Batch
	if resumed {
		tr.Known = meta.Progress.Rows
	} else { // some methods need as many rows as nodes
		first = cmp.Or(tr.first, max(first, 2*tr.Model.Updater().Nodes()))
	}
	tr.Start(ctx, r, first, meta.Batch)
	defer tr.Stop()
	if !resumed {
		lambda := tr.Model.Updater().Lambda()
		tr.Log(modelfile.Operation{Kind: modelfile.OpLike, Lambda: &lambda})
	}
	return tr.LearnAll(ctx)
}

// emptyCopy returns the metadata for a model like the one of meta that has learned nothing.
func emptyCopy(meta *modelfile.Metadata) (like modelfile.Metadata, err error) {
	like = *meta
	like.Software = "blskernel " + ui.Version()
	like.Progress, like.Learned, like.Notes, like.Log = nil, nil, session.Lasting(meta), nil
	for _, op := range meta.Log { // whose maps it has
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
