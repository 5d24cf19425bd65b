// Package score measures predictions: what evaluate prints, and what train prints of the rows it holds
// out.
package score

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/dataset/stream"
	"blskernel/mat"
)

// A Score compares predictions with the known labels or targets, batch by batch.
type Score interface {
	// outside has the distance of each row outside the learned ones.
	add(m *model.Model, b *stream.Batch, scores *mat.Dense, outside []float64) error
	quality() Quality
}

// A Quality is the result of a score, also as JSON.
type Quality interface {
	String() string
	Brief() string // in one line
	Group(by string, all []Group)
	measures() []named
}

// New returns the score of the given number of rows to come, -1 if unknown, before the first.
func New(m *model.Model, rows int64) (Score, error) {
	if m.Classifier != nil {
		return newClassScore(m, rows, 1)
	}
	return newErrorScore(m.TargetNames()), nil
}

// Sketch leaves out the numbers of single classes.
func Sketch(q Quality) Quality {
	if c, ok := q.(*Classification); ok {
		c.Classes, c.Confusion, c.Confused = nil, nil, nil
	}
	return q
}

// weightOf returns the weight of a row of a batch, 1 without weights.
func weightOf(b *stream.Batch, i int) float64 {
	if b.Weights == nil {
		return 1
	}
	return b.Weights[i]
}

// Result returns the quality of the predictions so far, with an error if the rows weigh nothing.
func Result(s Score) (Quality, error) {
	q := s.quality()
	if c, ok := q.(*Classification); ok && math.IsNaN(c.Accuracy) {
		return nil, errors.New("all rows have weight 0, so there is nothing to measure")
	}
	return q, nil
}

// Add adds the predictions of a batch to a score, and counts the rows far outside what was learned.
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

// maxNoted bounds the bytes of a score that a model file keeps: thousands of targets have no room.
const maxNoted = 1 << 16

// Note replaces the score of the rows held out that is kept with the model.
func Note(meta *modelfile.Metadata, q Quality) error {
	if q == nil {
		delete(meta.Notes, session.NoteHoldout)
		return nil
	}
	return note(meta, session.NoteHoldout, q)
}

// note keeps a value as a JSON object if it fits.
func note(meta *modelfile.Metadata, name string, value any) error {
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

// Noted returns the score of the rows held out that a model file has, nil for none.
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
		return nil // of another program
	}
	return q
}
