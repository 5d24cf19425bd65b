package main

import (
	"errors"
	"fmt"

	"blskernel/bls"
	"blskernel/blsupdate"
)

// explainLearning puts an error of a model that learns in terms of the flags where it is one that they
// can mend.
func explainLearning(err error) error {
	var rank *blsupdate.RankError
	var scale *bls.ScaleError
	var condition *blsupdate.ConditionError
	var shape *blsupdate.ShapeError
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
	case errors.As(err, &shape) && shape.Matrix == "X":
		return fmt.Errorf("the samples have %s; want %s: choose the columns by --inputs, and name the column of the labels or targets by --target", counted(shape.Cols, "input"), shape.Want)
	}
	return err
}
