package predict

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/npy"
	"blskernel/mat"
)

func isNPY(name string) bool { return strings.EqualFold(filepath.Ext(name), ".npy") }

// A predictionWriter writes predictions in the order of the rows, as CSV, JSON or a NumPy array.
type predictionWriter struct {
	labels  []string // of the classes; nil for regression
	name    string   // of the column of labels
	numbers []string // the targets in regression, or the classes with numbers to write
	kind    string   // of the numbers: "score", "probability", "set" or "interval"; "" for targets or none
	kept    []string // columns of the data

	buffer *bufio.Writer
	file   *atomicfile.File // nil for standard output

	// row writes the prediction of row n: the kept cells, any label, and the scores or targets.
	row func(n int64, kept []string, label string, values []float64) error
	// end completes the content of the file; nil if there is nothing to do.
	end func() error
}

func (p *prediction) newWriter(m *model.Model, kept []string) (*predictionWriter, error) {
	w := &predictionWriter{buffer: bufio.NewWriter(p.Out), kept: kept}
	flag := ""
	switch { // these flags are mutually exclusive
	case p.scores:
		flag, w.kind = "scores", "score"
	case p.chances:
		flag, w.kind = "probabilities", "probability"
	case p.set > 0:
		flag, w.kind = "set", "set"
	}
	if m.Classifier == nil {
		if flag != "" {
			return nil, ui.Usagef("--%s is for classes, but the model is for regression: leave it out", flag)
		}
		w.numbers = m.TargetNames()
		if p.interval > 0 {
			w.kind = "interval"
			w.numbers = slices.Concat(w.numbers, prefixed("lower:", w.numbers), prefixed("upper:", w.numbers))
		}
	} else {
		if p.interval > 0 {
			return nil, ui.Usagef("--interval is for regression, but the model is a classifier: use --set")
		}
		w.labels, w.name = m.Labels(), "class"
		if len(m.Metadata.Targets) == 1 {
			w.name = m.Metadata.Targets[0]
		}
		if w.kind != "" {
			w.numbers = w.labels
		}
	}
	if err := ui.CheckUnique("keep", kept); err != nil && p.JSON {
		return nil, ui.Usagef("%w, but a JSON object has only one value for each name: keep only one of the columns, or leave out --json", err)
	}
	if p.out != "" {
		file, err := atomicfile.Create(p.FS, p.out)
		if err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
		w.file, w.buffer = file, bufio.NewWriterSize(file, 1<<16)
	}
	begin := w.beginCSV
	switch {
	case isNPY(p.out):
		begin = w.beginNPY
	case p.JSON:
		begin = w.beginJSON
	}
	if err := begin(); err != nil {
		w.abort()
		return nil, err
	}
	return w, nil
}

func prefixed(prefix string, names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = prefix + name
	}
	return out
}

// rows writes the predictions of a batch. classes is nil for regression.
func (w *predictionWriter) rows(b *stream.Batch, classes []int, scores *mat.Dense) error {
	l, _ := scores.Dims()
	for i := range l {
		label := ""
		if w.labels != nil {
			label = w.labels[classes[i]]
		}
		n := len(w.kept)
		if err := w.row(b.Number(i), b.Kept[i*n:(i+1)*n], label, scores.RawRowView(i)); err != nil {
			return err
		}
	}
	if w.file != nil {
		return nil
	}
	return w.buffer.Flush() // a reader may be waiting
}

func (w *predictionWriter) commit() error {
	if err := w.buffer.Flush(); err != nil || w.file == nil {
		return err
	}
	if w.end != nil {
		if err := w.end(); err != nil {
			return err
		}
	}
	return w.file.Commit()
}

// abort leaves the output file as it was, unless it has been committed.
func (w *predictionWriter) abort() {
	if w.file != nil {
		w.file.Abort()
	}
}

// beginCSV writes the names of the columns and sets w.row.
func (w *predictionWriter) beginCSV() error {
	head := slices.Clone(w.kept)
	if w.labels != nil {
		head = slices.Concat(head, []string{w.name}, prefixed(w.kind+":", w.numbers))
	} else {
		head = append(head, w.numbers...)
	}
	out := csv.NewWriter(w.buffer) // bufio.NewWriter returns w.buffer itself, so out needs no Flush
	var record []string
	w.row = func(_ int64, kept []string, label string, values []float64) error {
		record = append(record[:0], kept...)
		if w.labels != nil {
			record = append(record, label)
		}
		for i := range w.numbers {
			record = append(record, strconv.FormatFloat(values[i], 'g', -1, 64))
		}
		return out.Write(record)
	}
	return out.Write(head)
}

// A Prediction is the JSON object of a row. It has a class or, for regression, values by target name.
// It has scores, probabilities, a set or intervals if a flag asks for them.
type Prediction struct {
	Row           int64                 `json:"row"` // in the data, from 1; rows set aside count
	Kept          map[string]string     `json:"kept,omitempty"`
	Class         *string               `json:"class,omitempty"`
	Scores        map[string]float64    `json:"scores,omitempty"`
	Probabilities map[string]float64    `json:"probabilities,omitempty"`
	Set           *[]string             `json:"set,omitempty"` // of classes
	Values        map[string]float64    `json:"values,omitempty"`
	Intervals     map[string][2]float64 `json:"intervals,omitempty"` // of the targets: their ends
}

// beginJSON sets w.row. It writes nothing.
func (w *predictionWriter) beginJSON() error {
	encoder := json.NewEncoder(w.buffer)
	w.row = func(n int64, kept []string, label string, values []float64) error {
		cells := make(map[string]string, len(kept))
		for i, name := range w.kept {
			cells[name] = kept[i]
		}
		numbers := make(map[string]float64, len(w.numbers)) // an empty map is left out
		for i, name := range w.numbers {
			numbers[name] = values[i]
		}
		p := Prediction{Row: n, Kept: cells}
		if w.labels != nil {
			p.Class = &label
		}
		switch w.kind {
		case "score":
			p.Scores = numbers
		case "probability":
			p.Probabilities = numbers
		case "set":
			p.Set = &[]string{}
			for i, name := range w.numbers {
				if values[i] == 1 {
					*p.Set = append(*p.Set, name)
				}
			}
		case "interval":
			p.Values, p.Intervals = map[string]float64{}, map[string][2]float64{}
			c := len(w.numbers) / 3
			for i, name := range w.numbers[:c] {
				p.Values[name], p.Intervals[name] = values[i], [2]float64{values[c+i], values[2*c+i]}
			}
		default:
			p.Values = numbers
		}
		return encoder.Encode(p)
	}
	return nil
}

// beginNPY writes a placeholder for the header, sets w.row, and sets w.end, which writes the header.
func (w *predictionWriter) beginNPY() error {
	descr, columns := npy.Float64, len(w.numbers)
	cells := map[string][]byte{} // of the labels
	if columns == 0 {
		descr = npy.LabelType(w.labels)
		for _, label := range w.labels {
			cells[label] = npy.AppendLabel(nil, descr, label)
		}
	}
	var rows int
	var floats []byte
	w.row = func(_ int64, _ []string, label string, values []float64) error {
		rows++
		cell, ok := cells[label]
		if !ok {
			floats = npy.AppendFloats(floats[:0], values)
			cell = floats
		}
		_, err := w.buffer.Write(cell)
		return err
	}
	w.end = func() error {
		_, err := w.file.WriteAt(npyHeader(descr, rows, columns), 0)
		return err
	}
	_, err := w.buffer.Write(npyHeader(descr, math.MaxInt, columns))
	return err
}

// npyHeader returns the header of an array, or of a vector if columns is 0. It has 128 bytes for
// any number of rows, which takes at most 19 digits; the rest takes about 70 bytes.
func npyHeader(descr string, rows, columns int) []byte {
	if columns == 0 {
		return npy.AppendHeader(nil, descr, rows)
	}
	return npy.AppendHeader(nil, descr, rows, columns)
}
