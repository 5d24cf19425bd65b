// Package merge implements the merge command, which merges models that have learned different rows.
package merge

import (
	"context"
	"errors"
	"fmt"
	"os"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/vfs"

	"github.com/spf13/cobra"
)

type merging struct {
	session.Session
	out   string
	again bool
}

// New returns the merge command.
func New(s ui.Streams) *cobra.Command {
	var mg merging
	cmd := &cobra.Command{
		Use:   "merge --out MODEL FIRST OTHER...",
		Short: "Merge models that have learned different rows with the same feature maps",
		Long: `Merge models with the same feature maps: the weights become the weights of a fit to the rows of all
models. 'blskernel train --like FIRST' makes models with the maps of FIRST from other rows, on any
machine. Only the methods gram and qr can merge. The ridge and the settings come from FIRST;
if FIRST still keeps its rows, since they are few, both come from the first model that keeps none.

The result has the classes of all models, beginning with the classes of FIRST. A model counts as having
no rows of a class that it lacks. It is an error if two models have learned the same file, unless --again
is given.`,
		Example: `  blskernel train --like monday.bls --out tuesday.bls tuesday.csv
  blskernel merge --out week.bls monday.bls tuesday.bls`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("want at least two models to merge")
			}
			return nil
		},
	}
	ui.OutFlag(cmd, &mg.out, "file for the merged model")
	cmd.Flags().BoolVar(&mg.again, "again", false, "merge models even if they have learned the same file, so that its rows count twice")
	return mg.Command(cmd, s, "one JSON object", mg.do)
}

func (mg *merging) do(ctx context.Context, paths []string) error {
	if mg.out == "" {
		return ui.Usagef("--out is missing: name the file for the merged model")
	}
	infos := make([]os.FileInfo, len(paths))
	for i, path := range paths {
		infos[i], _ = vfs.Stat(mg.FS, path) // loading reports an error
		for j, other := range paths[:i] {
			if !mg.again && os.SameFile(infos[j], infos[i]) {
				return ui.Usagef("%q and %q are the same model, so its rows would count twice: name it only once", other, path)
			}
		}
	}
	unlock, err := mg.Lock(&mg.out, "")
	if err != nil {
		return err
	}
	defer unlock()
	sum, err := mg.LoadWhole(ctx, paths[0])
	if err != nil {
		return err
	}
	rows := int64(0)
	for _, path := range paths[1:] {
		other, err := mg.LoadWhole(ctx, path)
		if err != nil {
			return err
		}
		if err := mg.add(sum, other, paths[0], path); err != nil {
			return err
		}
		rows += int64(other.Updater().Samples())
	}
	return mg.Save(mg.out, sum, rows, "merged "+ui.Count(len(paths), "model"))
}

// add merges other, which was loaded from path, into sum, which was loaded from first.
func (mg *merging) add(sum, other *model.Model, first, path string) error {
	err := sum.Merge(other, mg.again)
	var differ *model.MergeError
	var twice *model.TwiceError
	switch {
	case errors.As(err, &differ) && differ.What == "kinds":
		return fmt.Errorf("%s is for %s and %s for %s, so they cannot be merged", first, sum.Kind(), path, other.Kind())
	case errors.As(err, &differ):
		return fmt.Errorf("%s and %s have different %s, so they cannot be merged: train one of them again on its own rows with 'blskernel train --like OTHER', where OTHER is the other model", first, path, session.Differing(differ))
	case errors.As(err, &twice):
		return ui.Usagef("%s has learned the file %q, as has a model named before it: use --again to merge the models anyway", path, twice.Name)
	case err != nil:
		return fmt.Errorf("%s: %w", path, session.Advice{}.Explain(err))
	}
	meta := &sum.Metadata
	meta.Progress, meta.Notes = nil, session.Lasting(meta) // the other notes are about one of the models
	for _, name := range []string{session.NoteWeight, session.NoteClassWeight} {
		if note := other.Metadata.Notes[name]; note != "" && meta.Notes[name] == "" {
			meta.Notes[name] = note
		}
	}
	return nil
}
