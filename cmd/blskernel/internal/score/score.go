// Package score reports the quality of predictions, by comparison with known labels or targets.
package score

import (
	"context"
	"encoding/json"
	"errors"

	"blskernel/bls"
	"blskernel/bls/metrics"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/mat"
)

// A Score compares predictions with the known labels or targets, batch by batch.
type Score interface {
	// add adds the predictions of b. outside[i] says how far row i lies outside the learned rows.
	add(m *model.Model, b *stream.Batch, scores *mat.Dense, outside []float64) error
	// Quality returns the quality of the predictions so far, or an error if all rows have weight 0.
	Quality() (Quality, error)
}

// A Quality is the result of a Score, as text and as JSON.
type Quality interface {
	String() string
	Brief() string // in one line
	Group(by string, all []Group)
	measures() []named
}

var errWeightless = errors.New("all rows have weight 0, so there is nothing to measure")

// New returns an empty score of predictions by m. rows is the expected number of rows, -1 if unknown.
func New(m *model.Model, rows int64) (Score, error) { return newScore(m, rows, 1) }

// newScore is New for a score that may use only 1/share of the memory of a score from New.
func newScore(m *model.Model, rows int64, share int) (Score, error) {
	if m.Classifier != nil {
		return newClassScore(m, rows, share)
	}
	names := m.TargetNames()
	return &errorScore{names: names, targets: make([]metrics.Errors, len(names))}, nil
}

// Sketch removes the numbers for individual classes from q and returns it.
func Sketch(q Quality) Quality {
	if c, ok := q.(*Classification); ok {
		c.Classes, c.Confusion, c.Confused = nil, nil, nil
	}
	return q
}

// Add lets m predict b and adds the predictions to the score. It counts the rows far outside in far.
func Add(ctx context.Context, m *model.Model, to Score, b *stream.Batch, far *Far) error {
	if b.Labels == nil && b.Y == nil {
		return model.ErrNoTargets
	}
	scores, err := m.Scores(ctx, b)
	if err != nil {
		return err
	}
	outside, err := far.Count(ctx, m, b)
	if err != nil {
		return err
	}
	return to.add(m, b, scores, outside)
}

// maxNoted bounds the bytes of a score in a model file: a score of thousands of targets is left out.
const maxNoted = 1 << 16

// Note replaces the note called name in meta with value as JSON. A value that does not fit is left out.
func Note(meta *modelfile.Metadata, name string, value any) error {
	delete(meta.Notes, name)
	text, err := json.Marshal(value)
	if err == nil && len(text) <= maxNoted {
		if meta.Notes == nil {
			meta.Notes = map[string]string{}
		}
		meta.Notes[name] = string(text)
		if meta.Check() != nil {
			delete(meta.Notes, name)
		}
	}
	return err
}

// Noted returns the score of the held-out rows from the notes of m, or nil if there is none.
func Noted(m *model.Model) Quality {
	text, ok := m.Metadata.Notes[session.NoteHoldout]
	if !ok {
		return nil
	}
	var q Quality = &Regression{}
	if m.Classifier != nil {
		q = &Classification{}
	}
	if json.Unmarshal([]byte(text), q) != nil {
		return nil // from another program
	}
	return q
}

// Far counts the rows that lie far outside what a model has learned.
type Far struct{ far, rows int }

// Count counts the rows of b that lie far outside. It returns how far outside each row of b lies.
func (f *Far) Count(ctx context.Context, m *model.Model, b *stream.Batch) ([]float64, error) {
	outside, err := m.OutsideContext(ctx, b.X)
	for _, r := range outside {
		if f.rows++; r > bls.FarOutside {
			f.far++
		}
	}
	return outside, err
}

// Tell prints a note if any row that was predicted lies far outside.
func (f *Far) Tell(r *ui.Reporter) {
	f.tell(r, 0, "what the model has learned, where predictions are extrapolated: let the model learn such rows")
}

// TellLearned prints a note if more than 1% of the new rows lie far outside the rows learned before.
func (f *Far) TellLearned(r *ui.Reporter) {
	f.tell(r, 0.01, "the rows learned before, where the feature maps do not fit: do all rows have the same units, and are they in random order?")
}

func (f *Far) tell(r *ui.Reporter, share float64, what string) {
	if float64(f.far) > share*float64(f.rows) {
		r.Warn("of %s, %s far outside %s", ui.Count(f.rows, "row"), ui.Count(f.far, "lies", "lie"), what)
	}
}
