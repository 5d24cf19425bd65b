// Package remove implements the remove command, which unlearns rows.
package remove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"

	"github.com/spf13/cobra"
)

type removing struct {
	session.Session
	in  input.Input
	out string
}

// New returns the remove command.
func New(s ui.Streams) *cobra.Command {
	var rm removing
	cmd := &cobra.Command{
		Use:   "remove MODEL [flags] FILE...",
		Short: "Let a model unlearn rows",
		Long: `Let a model unlearn rows: the output weights become the weights of a fit without these rows. Give the
rows as they were learned, with their labels or targets and weights, in any order and any number of files.

This is not an erasure: the scaling, the feature maps and the settings that the training chose come from
the first rows, and do not change. The methods improved and original keep hashes of their rows, so a row
that was never learned is an error. The other methods subtract whatever they are given. A model with
balanced classes that no longer keeps its rows cannot tell how much a row counts, and removes none. After
update --forget, use --weight to give the rows the weights that they have now.

The model file is replaced as a whole, or not at all. The list of learned files shows which were removed.
It is an error to remove a file a second time, or a file with rows that may already have been removed
with another file, unless --again is given.`,
		Example: `  blskernel remove iris.bls withdrawn.csv
  blskernel remove iris.bls --out without.bls withdrawn.csv`,
		Args: session.ModelFirst(math.MaxInt),
	}
	ui.OutFlag(cmd, &rm.out, "file for the new model; by default it replaces the old one")
	rm.in.Register(cmd, "training", input.DefaultBatch)
	rm.in.RegisterWeight(cmd)
	cmd.Flags().BoolVar(&rm.in.Again, "again", false, "remove the rows of a file even if they were, or may have been, removed before")
	return rm.Command(cmd, s, "one JSON object", rm.do)
}

func (rm *removing) do(ctx context.Context, args []string) error {
	path := args[0]
	if err := rm.in.Begin(args[1:], &rm.Session); err != nil {
		return err
	}
	if err := rm.in.CheckTwice(); err != nil {
		return err
	}
	unlock, err := rm.Lock(&rm.out, path)
	if err != nil {
		return err
	}
	defer unlock()
	m, err := rm.LoadWhole(ctx, path)
	if err != nil {
		return err
	}
	if c := m.Classifier; c != nil && c.ClassWeight == bls.Balanced && m.KeptRows() == 0 {
		return fmt.Errorf("%s was trained with --class-weight balanced and keeps no rows, so it cannot tell how much a row counts: train a new model on the other rows with 'blskernel train --like %[1]s'", path)
	}
	if err := rm.check(m, path); err != nil {
		return err
	}
	m.Closed, rm.in.Closed = true, "leave the row out, since it was never learned"
	r, err := rm.in.OpenMatched(ctx, m, true)
	if err != nil {
		return err
	}
	byFile, batch := input.RowCount{}, rm.in.BatchRows(r, 0, m.Updater().Targets())
	rows, err := rm.in.Each(ctx, r, m.Updater().Targets(), "removing, ", func(b *stream.Batch) error {
		all := maps.Clone(byFile)
		all.Add(b)
		err := rm.checkCounts(m, path, all, false)
		if err == nil {
			err = m.Remove(ctx, b)
		}
		var beyond *model.Error
		if errors.As(err, &beyond) && beyond.Row >= 0 { // the run that learned the file also counted this row
			byFile[b.Where(beyond.Row).Path]++
		} else {
			byFile = all
		}
		return err
	})
	if err == nil && rows == 0 {
		err = fmt.Errorf("%w: %s is unchanged", session.ErrNoRows, path)
	}
	if err = cmp.Or(err, rm.checkCounts(m, path, byFile, true)); err != nil {
		return err
	}
	files := rm.in.ListLearned(m, byFile, true)
	session.EndRun(&m.Metadata) // the record of the run counts the removed rows as learned
	m.Log(modelfile.Operation{Kind: modelfile.OpRemove, Files: files, Read: rm.in.Reading(), Batch: batch, Arithmetic: model.Arithmetic(rm.Backend)})
	err = rm.Save(rm.out, m, rows, "removed "+ui.Count(rows, "row"))
	if session.OnlyFolder(err) {
		return fmt.Errorf("%w; the rows are removed, so do not repeat the removal", err)
	}
	return err
}

// check returns an error if rows were removed before, or may have been, unless --again is given. If the
// model at path does not know its rows, check prints a note for each file not learned as a whole.
func (rm *removing) check(m *model.Model, path string) error {
	var whole, part, unlisted string
	for _, file := range rm.in.Paths {
		i, err := rm.in.FindLearned(m, file, true)
		switch {
		case err != nil:
			return err
		case i >= 0 && !rm.in.Again:
			return ui.Usagef("the rows of %q were removed from %s before: use --again to remove them once more, or leave the file out", file, path)
		case len(m.Metadata.Learned) == 0 || m.KnowsRows():
			continue
		}
		if i, err := rm.in.FindLearned(m, file, false); err == nil && i < 0 {
			rm.Warn("%s is not one of the files that %s has learned as a whole: if this file has rows that were never learned, the weights will be wrong", file, path)
			unlisted = file
		} else if err == nil && part == "" {
			whole, part = file, m.RemovedSince(m.Metadata.Learned[i].Hash)
		}
	}
	if part = cmp.Or(part, unlisted); part != "" && whole != "" && !rm.in.Again {
		return ui.Usagef("%q and %q may have rows in common, which would be removed twice: instead of %[2]q give a file with only its rows that remain to be removed, or use --again if the files have no rows in common", part, whole)
	}
	return nil
}

// checkCounts returns an error if read has more rows of a listed file than the model at path has
// learned, or if all is true and read has fewer.
func (rm *removing) checkCounts(m *model.Model, path string, read input.RowCount, all bool) error {
	for _, file := range rm.in.Paths {
		i, err := rm.in.FindLearned(m, file, false)
		if err != nil || i < 0 {
			continue
		}
		switch learned := m.Metadata.Learned[i].Rows; {
		case read[file] > learned:
			return ui.Usagef("%s has learned only %s of %q and does not record which (for example after --holdout): give a file with only the rows to remove",
				path, ui.Count(learned, "row"), file)
		case all && read[file] < learned:
			return ui.Usagef("%s has learned %s of %q, but %d were read now: use the same flags as when it was learned",
				path, ui.Count(learned, "row"), file, read[file])
		}
	}
	return nil
}
