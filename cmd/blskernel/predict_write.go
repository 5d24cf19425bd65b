package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"blskernel/dataset/stream"
	"blskernel/internal/atomicfile"
	"blskernel/mat"
)

// A predictionWriter writes predictions in the order of the rows.
type predictionWriter interface {
	// rows writes those of a batch.
	rows(b *stream.Batch, scores *mat.Dense) error
	// commit completes the output, abort leaves a file what it was unless it has been committed.
	commit() error
	abort()
}

// isNPY tells whether the name is that of a NumPy file.
func isNPY(name string) bool { return strings.EqualFold(filepath.Ext(name), ".npy") }

// newWriter returns what writes the predictions where the flags want them.
func (set *predictSettings) newWriter(model *learner, s streams) (predictionWriter, error) {
	text := textPredictions{predicted: newPredicted(model, set.scores)}
	to := s.out
	if set.out != "" {
		file, err := atomicfile.Create(s.fs, set.out)
		if err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
		if isNPY(set.out) {
			return newNPYPredictions(text.predicted, file)
		}
		text.file, to = file, file
	}
	text.buffer = bufio.NewWriter(to)
	if set.talk.json {
		return &jsonPredictions{text}, nil
	}
	w := &csvPredictions{textPredictions: text, csv: csv.NewWriter(text.buffer)}
	return w, w.csv.Write(w.head())
}

// predicted says what is predicted.
type predicted struct {
	labels []string // of the classes; nil for a regression
	name   string   // of the column of labels
	names  []string // of the targets of a regression
	scores bool     // whether the scores of the classes are wanted
}

func newPredicted(model *learner, scores bool) predicted {
	if model.Classifier == nil {
		return predicted{names: model.targetNames()}
	}
	p := predicted{labels: model.labels(), name: "class", scores: scores}
	if len(model.Metadata.Targets) == 1 {
		p.name = model.Metadata.Targets[0]
	}
	return p
}

// classes returns the class of each row of a batch, nil for a regression.
func (p predicted) classes(b *stream.Batch, scores *mat.Dense) ([]int, error) {
	if p.labels == nil {
		return nil, nil
	}
	return classesOf(scores, b)
}

// textPredictions is what the writers of text have in common.
type textPredictions struct {
	predicted
	buffer *bufio.Writer
	file   *atomicfile.File // nil for standard output
}

func (w *textPredictions) commit() error {
	if err := w.buffer.Flush(); err != nil {
		return err
	}
	if w.file == nil {
		return nil
	}
	return w.file.Commit()
}

func (w *textPredictions) abort() {
	if w.file != nil {
		w.file.Abort()
	}
}

// flush brings what was written to standard output, where somebody may be waiting for it.
func (w *textPredictions) flush() error {
	if w.file != nil {
		return nil
	}
	return w.buffer.Flush()
}

// csvPredictions writes CSV.
type csvPredictions struct {
	textPredictions
	csv *csv.Writer
}

// head returns the names of the columns.
func (p predicted) head() []string {
	if p.labels == nil {
		return p.names
	}
	head := []string{p.name}
	if p.scores {
		for _, label := range p.labels {
			head = append(head, "score:"+label)
		}
	}
	return head
}

func (w *csvPredictions) rows(b *stream.Batch, scores *mat.Dense) error {
	classes, err := w.classes(b, scores)
	if err != nil {
		return err
	}
	l, _ := scores.Dims()
	var record []string
	for i := range l {
		record = record[:0]
		if w.labels != nil {
			record = append(record, w.labels[classes[i]])
		}
		if w.labels == nil || w.scores {
			for _, v := range scores.RawRowView(i) {
				record = append(record, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		if err := w.csv.Write(record); err != nil {
			return err
		}
	}
	w.csv.Flush()
	if err := w.csv.Error(); err != nil {
		return err
	}
	return w.flush()
}

func (w *csvPredictions) commit() error {
	w.csv.Flush()
	if err := w.csv.Error(); err != nil {
		return err
	}
	return w.textPredictions.commit()
}

// jsonPredictions writes an object for each row.
type jsonPredictions struct{ textPredictions }

// jsonPrediction is the object of a row: a class, with the scores of all if wanted, or values by the
// names of the targets.
type jsonPrediction struct {
	Row    int64              `json:"row"` // from 1
	Class  *string            `json:"class,omitempty"`
	Scores map[string]float64 `json:"scores,omitempty"`
	Values map[string]float64 `json:"values,omitempty"`
}

func (w *jsonPredictions) rows(b *stream.Batch, scores *mat.Dense) error {
	classes, err := w.classes(b, scores)
	if err != nil {
		return err
	}
	byName := func(names []string, values []float64) map[string]float64 {
		m := make(map[string]float64, len(names))
		for i, name := range names {
			m[name] = values[i]
		}
		return m
	}
	encoder := json.NewEncoder(w.buffer)
	l, _ := scores.Dims()
	for i := range l {
		object := jsonPrediction{Row: b.First + int64(i) + 1}
		if w.labels == nil {
			object.Values = byName(w.names, scores.RawRowView(i))
		} else {
			object.Class = &w.labels[classes[i]]
			if w.scores {
				object.Scores = byName(w.labels, scores.RawRowView(i))
			}
		}
		if err := encoder.Encode(object); err != nil {
			return err
		}
	}
	return w.flush()
}
