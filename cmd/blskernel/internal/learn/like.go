package learn

import (
	"cmp"
	"context"
	"slices"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// ofTheModel are the flags of train that --like takes from its model.
var ofTheModel = []string{
	"task", "classes", "groups", "group-nodes", "enhancement", "shrink", "scale", "lambda", "method", "seed",
	"class-weight", "tune", "holdout", "exclude", "missing",
}

// checkLike returns an error for a flag that --like does not go with.
func checkLike(cmd *cobra.Command) error {
	for _, name := range ofTheModel {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return ui.Usagef("--like takes the feature maps and settings of its model: leave out --%s", name)
		}
	}
	return nil
}

// trainLike learns the data alone with the maps, columns, settings and classes of another model, or
// goes on from a checkpoint of that.
func (tr *training) trainLike(ctx context.Context) error {
	resumed := tr.model != nil
	if !resumed {
		m, err := tr.loadWhole(ctx, tr.like)
		if err != nil {
			return err
		}
		m.Refit = true
		if m.Metadata, err = likeness(&m.Metadata); err != nil {
			return err
		}
		tr.model = m
	}
	r, err := tr.openMatched(ctx, tr.model, true)
	if err != nil {
		return err
	}
	meta := &tr.model.Metadata
	meta.Batch = batchRows(tr.batch, meta.Batch, r.Dim(), tr.model.Updater().Targets())
	first := meta.Batch
	if resumed {
		tr.known = meta.Progress.Rows
	} else { // some methods need as many rows as nodes
		first = cmp.Or(tr.first, max(first, 2*tr.model.Updater().Nodes()))
	}
	tr.start(ctx, r, first, meta.Batch)
	defer tr.batches.stop()
	return tr.learnAll(ctx)
}

// likeness returns the metadata for a model like the one of meta that has learned nothing.
func likeness(meta *modelfile.Metadata) (like modelfile.Metadata, err error) {
	like = *meta
	like.Software = "blskernel " + ui.Version()
	like.Progress, like.Learned, like.Notes = nil, nil, lasting(meta)
	like.Inputs, like.Classes, like.Targets = slices.Clone(meta.Inputs), slices.Clone(meta.Classes), slices.Clone(meta.Targets)
	like.Created, err = now()
	return like, err
}

// lasting returns the notes that do not depend on what a model has learned last.
func lasting(meta *modelfile.Metadata) map[string]string {
	if weight := meta.Notes[noteWeight]; weight != "" {
		return map[string]string{noteWeight: weight}
	}
	return nil
}
