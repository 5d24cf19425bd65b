package score

import (
	"context"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

// Far counts the rows that lie far outside what a model has learned.
type Far struct{ far, rows int }

// Reach counts the rows of a batch that the model can predict, and returns how far each reaches.
func (f *Far) Reach(ctx context.Context, m *model.Model, b *stream.Batch) ([]float64, error) {
	reach, err := m.FittedFeatures().ReachContext(ctx, b.X)
	for _, r := range reach {
		if f.rows++; r > bls.FarReach {
			f.far++
		}
	}
	return reach, err
}

// Tell prints a note if there are such rows.
func (f *Far) Tell(r *ui.Reporter) {
	if f.far > 0 {
		r.Warn("%d of %s lie far outside the rows that the feature maps were fitted to, and their predictions are extrapolated: train a model with such rows", f.far, ui.Count(f.rows, "row"))
	}
}
