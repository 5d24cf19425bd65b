package score

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"blskernel/bls/metrics"
	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/floats"
)

// A Before is the score of rows that were predicted before they were learned. It is also JSON output.
type Before struct {
	Score float64 `json:"score"`
	Rows  int64   `json:"rows"`
}

func (b *Before) String() string {
	return fmt.Sprintf("score %.4f on %s, each counting 0.1%% less than the next one", b.Score, ui.Count(b.Rows, "row"))
}

// BeforeOf returns the running score that m keeps, or nil if there is none.
func BeforeOf(m *model.Model) *Before {
	if r := running(m); r.Rows > 0 {
		return &Before{r.Score(), r.Rows}
	}
	return nil
}

func running(m *model.Model) *metrics.Running {
	r := &metrics.Running{}
	text := m.Metadata.Notes[session.NoteRunning]
	if json.Unmarshal([]byte(text), r) != nil || m.Classifier == nil && len(r.Targets) != m.Updater().Targets() {
		return &metrics.Running{} // missing, or from another program
	}
	return r
}

// LearnScored lets m predict b, adds the result to the running score, and then lets m learn b. The
// notes of m keep the score if it fits. fall describes a fall of the score; it is empty for none. Rows
// of weight 0 are not scored, and all others count once, since the test for a fall counts rows.
func LearnScored(ctx context.Context, m *model.Model, b *stream.Batch) (fall string, err error) {
	scores, err := m.Scores(ctx, b)
	if err != nil {
		return "", err
	}
	var rows []int
	for i := range scores.RawMatrix().Rows {
		if floats.Weight(b.Weights, i) > 0 {
			rows = append(rows, i)
		}
	}
	r := running(m)
	switch {
	case len(rows) == 0:
	case m.Classifier == nil:
		r.AddTargets(block.PickRows(b.Y, rows), block.PickRows(scores, rows))
	default:
		predicted, err := model.ArgMax(scores, b)
		if err != nil {
			return "", err
		}
		right := make([]bool, len(rows))
		for at, i := range rows {
			known, ok := m.Class(b.Labels[i])
			right[at] = ok && known == predicted[i]
		}
		r.AddClasses(right)
	}
	if err := m.Learn(ctx, b); err != nil {
		return "", err
	}
	if f := r.Fall(); f != nil {
		fall = fmt.Sprintf("the last %s rows score %.2f, the %s before them %.2f: to give old rows less weight, use --forget", thousands(f.Rows), f.Score, thousands(f.Before), f.WasBefore)
	}
	return fall, Note(&m.Metadata, session.NoteRunning, r)
}

func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
