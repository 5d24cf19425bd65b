package learn

import (
	"errors"
	"fmt"
	"strings"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

var (
	errNoRows    = errors.New("the data has no rows")
	errNoTargets = ui.Usagef("the data has no labels or targets: name their column by --target, or their file by --targets-file")
)

// inFlags writes what an error of package stream advises as flags.
func inFlags(err error) error {
	fault, ok := err.(*stream.Error)
	if !ok {
		return err
	}
	return fault.With(func(r stream.Remedy) string {
		flag := "--" + strings.ToLower(r.Option.String())
		if r.Option == stream.OptionTargets {
			flag = "--target"
		}
		return strings.TrimSpace(flag + " " + r.Value)
	})
}

// unreadableLabel reports a label that is not UTF-8, which no model can hold.
func unreadableLabel(label, place string) error {
	return fmt.Errorf("%s: the label %q is not UTF-8: save the file as UTF-8", place, label)
}

// labelPlace returns the place of a label: with the inputs, or by its number in a file of labels.
func labelPlace(b *stream.Batch, i int, labels string) string {
	if labels == "" {
		return b.Where(i).String()
	}
	return fmt.Sprintf("%s, sample %d (its inputs are in %s)", shown(labels), b.Number(i), b.Where(i))
}

// explainLearning adds to an error of a model the flags that help.
func explainLearning(err error) error {
	var rank *blsupdate.RankError
	var scale *bls.ScaleError
	var condition *blsupdate.ConditionError
	var memory *blsupdate.MemoryError
	switch {
	case errors.As(err, &rank) && rank.Lambda > 0:
		return fmt.Errorf("the first batch has %d rows, fewer than the %d nodes, and the method cannot start from so few with --lambda above 0: raise --first, lower --enhancement, --group-nodes or --groups, or take --method qr", rank.Samples, rank.Nodes)
	case errors.As(err, &rank):
		return fmt.Errorf("%d rows do not determine the weights of %d nodes: raise --lambda above 0, lower --enhancement, --group-nodes or --groups, or take --method improved, which keeps a matrix of rows x nodes", rank.Samples, rank.Nodes)
	case errors.As(err, &scale):
		return fmt.Errorf("%w (here: another --seed or more --enhancement)", err)
	case errors.As(err, &condition):
		return fmt.Errorf("the nodes are dependent to working precision (%s): raise --lambda, take --method qr, or leave out columns that depend on others", condition.What)
	case errors.As(err, &memory):
		return fmt.Errorf("%w (here: lower --enhancement, --group-nodes or --groups, --first or --batch, or take --method gram, whose memory does not grow with the rows)", err)
	}
	return err
}
