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

// Count counts the rows of a batch, and returns how far each lies outside.
func (f *Far) Count(ctx context.Context, m *model.Model, b *stream.Batch) ([]float64, error) {
	outside, err := m.OutsideContext(ctx, b.X)
	for _, r := range outside {
		if f.rows++; r > bls.FarOutside {
			f.far++
		}
	}
	return outside, err
}

// Tell prints a note if there are such rows.
func (f *Far) Tell(r *ui.Reporter) {
	if f.far > 0 {
		r.Warn("%d of %s lie far outside what the model has learned, and their predictions are extrapolated: let it learn such rows", f.far, ui.Count(f.rows, "row"))
	}
}
