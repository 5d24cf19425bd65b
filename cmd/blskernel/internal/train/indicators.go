package train

import (
	"context"
	"math"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
)

// chooseIndicators adds indicators of missing cells to the columns with gaps if a fit to the first rows
// then scores better on the m rows that it holds out. The error must fall by more than the fraction
// 1/√m, since less may be chance. If one fit held out fewer rows, since it chose relevance or QR, the
// error must fall by more than half. It adds none if a model file has no room for their names.
func (tr *training) chooseIndicators(ctx context.Context, r *stream.Reader) error {
	plain := r.Selection()
	if plain.Missing != stream.MissingMean {
		return nil
	}
	with := plain
	with.Columns = plain.Columns.Indicate(tr.gaps)
	meta := modelfile.Metadata{Columns: with.Columns, Inputs: with.Columns.InputNames(plain.Columns.Names(r.Inputs()))}
	if with.Columns == nil || tr.Recordable(meta) != nil {
		return nil
	}
	before := tr.tryFirst(ctx, r, plain)
	after := tr.tryFirst(ctx, r, with)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	least := 1 / math.Sqrt(float64(after.HeldOut))
	if after.HeldOut != before.HeldOut {
		least = 0.5
	}
	if min(before.HeldOut, after.HeldOut) > 0 && 1-after.Score < (1-before.Score)*(1-least) {
		tr.Warn("added inputs that mark missing cells: held-out rows score %.4f with them and %.4f without", after.Score, before.Score)
		return nil // r has them
	}
	return r.Select(plain)
}

// tryFirst selects the columns of s, fits a model to the first rows, and returns its settings and
// held-out score. On failure it returns the zero value, and the training reports the error later.
func (tr *training) tryFirst(ctx context.Context, r *stream.Reader, s stream.Selection) (c bls.Choice) {
	if err := r.Select(s); err != nil {
		return c
	}
	b, err := r.Peek(bls.ChoiceRows)
	if err != nil {
		return c
	}
	if b = tr.Holdout.Rest(b, 0); b == nil {
		return c
	}
	var f modelfile.File
	if tr.labeled {
		if f.Metadata.Classes, err = model.ClassesOf(b, ""); err != nil {
			return c
		}
	}
	f.Classifier, f.Regressor = tr.estimator(len(f.Metadata.Classes), 0)
	m := model.New(&f)
	m.FixMaps = true
	if err := m.Learn(ctx, b); err != nil {
		return c
	}
	return m.Choice()
}
