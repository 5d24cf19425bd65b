package learn

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// merging has the flags of merge.
type merging struct {
	command
	out   string
	again bool
}

// NewMerge returns the command merge.
func NewMerge(s ui.Streams) *cobra.Command {
	var mg merging
	cmd := &cobra.Command{
		Use:   "merge --out MODEL FIRST OTHER...",
		Short: "Merge models that have learned other rows with the same feature maps",
		Long: `Merge models of the same feature maps: the weights become those of a fit to the rows of all of them.
'blskernel train --like FIRST' makes models with the maps of FIRST from other rows, on any machine. The
methods gram and qr merge. The ridge and the settings are those of FIRST.

The classes are those of all models, those of FIRST first: a class that one model does not have has no
rows in it. A file that two of them have learned is an error, unless --again is given.`,
		Example: `  blskernel train --like monday.bls --out tuesday.bls tuesday.csv
  blskernel merge --out week.bls monday.bls tuesday.bls`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("want at least two models to merge")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return mg.do(cmd.Context(), args, s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	ui.OutFlag(cmd, &mg.out, "file for the merged model")
	f.BoolVar(&mg.again, "again", false, "merge models that have learned the same file, so that its rows count twice")
	mg.register(cmd, "one JSON object")
	return cmd
}

func (mg *merging) do(ctx context.Context, paths []string, s ui.Streams) error {
	if mg.out == "" {
		return ui.Usagef("--out is missing: name the file for the merged model")
	}
	if err := mg.begin(s); err != nil {
		return err
	}
	unlock, err := mg.lock(&mg.out, "")
	if err != nil {
		return err
	}
	defer unlock()
	sum, err := mg.loadWhole(ctx, paths[0])
	if err != nil {
		return err
	}
	rows := int64(0)
	for _, path := range paths[1:] {
		other, err := mg.loadWhole(ctx, path)
		if err != nil {
			return err
		}
		if err := mg.add(sum, other, paths[0], path); err != nil {
			return err
		}
		rows += int64(other.Updater().Samples())
	}
	return mg.save(mg.out, sum, rows, "merged "+ui.Count(len(paths), "model"))
}

// add merges other, the model at path, into sum, which began as the one at first.
func (mg *merging) add(sum, other *model, first, path string) error {
	a, b := &sum.Metadata, &other.Metadata
	different := func(what string) error {
		return fmt.Errorf("%s and %s have different %s, and cannot be merged: make one like the other by 'blskernel train --like'", first, path, what)
	}
	switch {
	case sum.kind != other.kind:
		return fmt.Errorf("%s is a %s and %s a %s: they cannot be merged", first, sum.kind, path, other.kind)
	case !slices.Equal(a.Inputs, b.Inputs) || !reflect.DeepEqual(a.Columns, b.Columns):
		return different("inputs")
	case !slices.Equal(a.Targets, b.Targets):
		return different("targets")
	}
	for _, l := range b.Learned {
		same := func(o modelfile.Learned) bool { return o.Size == l.Size && o.Hash == l.Hash && !o.Removed }
		if !l.Removed && slices.ContainsFunc(a.Learned, same) && !mg.again {
			return ui.Usagef("%s has learned the file %q, and so has a model before it: merge them all the same by --again", path, l.Name)
		}
	}
	err := sum.merge(other)
	var option *bls.OptionError
	if errors.As(err, &option) {
		return different("feature maps")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, explainLearning(err))
	}
	a.Learned = slices.Concat(a.Learned, b.Learned)
	a.Learned = a.Learned[max(0, len(a.Learned)-mostLearned):]
	a.Progress, a.Notes = nil, lasting(a) // the others are of one of them
	return nil
}

// merge learns what other has learned, with the classes of both. It may give both more classes.
func (m *model) merge(other *model) error {
	if m.Classifier == nil {
		return m.Regressor.Merge(other.Regressor)
	}
	all := m.labels()
	to := make([]int, 0, len(other.numbers))
	for _, label := range other.labels() {
		n, known := m.numbers[label]
		if !known {
			n = len(all)
			m.numbers[label] = n
			all = append(all, label)
		}
		to = append(to, n)
	}
	if !slices.Equal(all, other.labels()) {
		if err := other.Classifier.Relabel(to, len(all)); err != nil {
			return err
		}
	}
	if have := m.Classifier.NumClasses(); len(all) > have {
		if err := m.Classifier.Relabel(upTo(have), len(all)); err != nil {
			return err
		}
		m.Metadata.Classes = all
	}
	return m.Classifier.Merge(other.Classifier)
}
