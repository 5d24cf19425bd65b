package model

import (
	"context"
	"fmt"

	"blskernel/bls"
	"blskernel/dataset/stream"
	"blskernel/internal/linalg/factor"
)

// Importance returns the column names of the data, and how much the predictions for the rows of a batch
// depend on each column. All inputs of a categorical column are permuted together. Importance replaces
// opt.Groups with the columns, and opt.Weights with the weights of the batch.
//
//	errors: *Error; ErrNoTargets; the errors of Importance of package bls.
func (m *Model) Importance(ctx context.Context, b *stream.Batch, opt bls.ImportanceOptions) (names []string, all *bls.Importances, err error) {
	cells, known := m.Columns()
	opt.Groups, opt.Weights = nil, b.Weights
	left := factor.Indices(cells.Inputs())
	for i := range cells {
		name := fmt.Sprintf("column %d", i+1)
		if known != nil {
			name = known[i]
		}
		names = append(names, name)
		n := cells[i].Inputs()
		opt.Groups, left = append(opt.Groups, left[:n]), left[n:]
	}
	switch {
	case b.Labels == nil && m.Classifier != nil || b.Y == nil && m.Classifier == nil:
		return nil, nil, ErrNoTargets
	case m.Classifier == nil:
		all, err = m.Regressor.ImportanceContext(ctx, b.X, b.Y, opt)
	default:
		labels := make([]int, len(b.Labels))
		for i := range labels {
			var ok bool
			if labels[i], ok, err = m.ClassOf(b, i); err != nil {
				return nil, nil, err
			} else if !ok {
				labels[i] = -1 // an unknown class, always a miss
			}
		}
		all, err = m.Classifier.ImportanceContext(ctx, b.X, labels, opt)
	}
	return names, all, m.Located(b, err)
}
