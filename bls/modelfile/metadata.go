package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"blskernel/dataset/stream"
)

// Metadata describes a model beyond its numbers. All fields are optional: Write omits empty ones, and
// Read returns nil for empty slices and maps.
//
// It is one JSON object of at most 1 MiB, with text in UTF-8 and times in UTC to the nanosecond. Read
// rejects unknown fields, which would be lost when the file is written again. A program adds its own
// values to Notes.
type Metadata struct {
	Created time.Time `json:"created,omitzero"` // when the first file of the model was written
	Changed time.Time `json:"changed,omitzero"` // when this file was written
	// Software names the program that wrote the file, with its version. A *VersionError shows it.
	Software string `json:"software,omitempty"`

	Inputs  []string `json:"inputs,omitempty"`  // the names of the d inputs, in their order
	Classes []string `json:"classes,omitempty"` // the label of each class in the data; empty for the numbers 0 to c-1
	Targets []string `json:"targets,omitempty"` // the names of the target columns; for a classifier, of the label column

	// Columns describe how the columns of the data become the inputs; empty if all are numbers
	// without missing cells. Missing says what happens to a sample with a missing cell: "mean",
	// "drop", or "" for an error.
	Columns stream.Columns `json:"columns,omitempty"`
	Missing string         `json:"missing,omitempty"`
	// Decimal and Thousands are the separators of numbers in text, one character each. Empty means
	// a decimal point, and no thousands separator.
	Decimal   string   `json:"decimal,omitempty"`
	Thousands string   `json:"thousands,omitempty"`
	Exclude   []string `json:"exclude,omitempty"` // the columns that are not inputs, as they were named in training
	Runs      []int    `json:"runs,omitempty"`    // alternating counts of consecutive columns left out and used as inputs, without targets and weights
	// TargetNotations describe how the numbers of each target are written in text; empty if all
	// are written as Decimal and Thousands say.
	TargetNotations []stream.Notation `json:"target_notations,omitempty"`
	NA              []string          `json:"na,omitempty"` // additional words that mark a missing cell

	Batch    int       `json:"batch,omitempty"`    // the number of rows read at a time, below 2³¹
	Progress *Progress `json:"progress,omitempty"` // of the training run, for a program that continues it

	Learned []Learned `json:"learned,omitempty"` // the files that the model has learned; if there are many, only the latest
	Log     Log       `json:"log,omitempty"`     // the operations that made the model; if there are many, only the latest

	Notes map[string]string `json:"notes,omitempty"` // anything else
}

// Progress is the state of a training run, from which a program can continue it.
type Progress struct {
	Rows    int64    `json:"rows,omitempty"`    // the rows processed so far, including rows held out
	Sources []string `json:"sources,omitempty"` // the names of the sources, in the order of reading
	Done    bool     `json:"done,omitempty"`    // whether all rows are learned
}

// A Learned describes a file whose rows a model has learned or unlearned.
type Learned struct {
	Name string `json:"name"` // the name of the file without its folder
	Size int64  `json:"size"` // in bytes
	Rows int64  `json:"rows"` // how many rows were learned or unlearned
	Hash string `json:"hash"` // the XXH64 of the content, in hexadecimal

	Removed bool `json:"removed,omitempty"` // whether the rows were unlearned
}

// Options returns the options for reading data for the model, without the targets. Named columns are
// found by name, in any order. But a name that is a number, such as 2019, is read as a position: only
// Match of package bls/model finds such a name.
func (m *Metadata) Options() stream.Options {
	missing, _ := stream.ParseMissing(m.Missing) // Check rejects others
	opt := stream.Options{Inputs: m.Columns.Names(m.Inputs), Columns: m.Columns, Missing: missing, NA: m.NA, TargetNotations: m.TargetNotations,
		Labels: m.Classes, Fixed: true}
	if opt.Inputs == nil {
		opt.Exclude = m.Exclude
	}
	for _, r := range m.Decimal {
		opt.Decimal = r
	}
	for _, r := range m.Thousands {
		opt.Thousands = r
	}
	return opt
}

// Check returns a *MetadataError for metadata that cannot be written: text that is not UTF-8, times
// beyond the year 9999, numbers out of range, two classes with the same label, or more than 1 MiB in
// all. Write calls it; call it yourself before a long training run.
func (m *Metadata) Check() error {
	_, err := m.encode()
	return err
}

func (m *Metadata) encode() ([]byte, error) {
	if err := m.checkValues(); err != nil {
		return nil, err
	}
	utc := *m
	utc.Created, utc.Changed = m.Created.UTC(), m.Changed.UTC()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(utc); err != nil {
		return nil, &MetadataError{Field: "times", What: err.Error()}
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(text) > maxMetadata {
		what := fmt.Sprintf("%d bytes as JSON; want at most %d: leave out columns, or shorten the names or the notes", len(text), maxMetadata)
		return nil, &MetadataError{Field: "metadata", What: what}
	}
	return text, nil
}

// decodeMetadata decodes and checks the JSON text in r, which the caller has limited to maxMetadata.
func decodeMetadata(r io.Reader) (Metadata, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return Metadata{}, err
	}
	var m Metadata
	if !bytes.HasPrefix(text, []byte("{")) {
		return Metadata{}, errors.New("the metadata is not a JSON object")
	}
	if !utf8.Valid(text) {
		return Metadata{}, errors.New("the metadata is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return Metadata{}, fmt.Errorf("the metadata: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Metadata{}, errors.New("the metadata is more than one JSON object")
	}
	// Write encodes given values in one way only, without repeated or capitalized fields.
	again, err := m.encode()
	if err != nil {
		return Metadata{}, err
	}
	if !bytes.Equal(again, text) {
		return Metadata{}, errors.New("the metadata is not encoded as Write encodes it")
	}
	return m, nil
}

func (m *Metadata) checkValues() error {
	for _, part := range []struct {
		field string
		texts []string
	}{{"software", []string{m.Software}}, {"inputs", m.Inputs}, {"classes", m.Classes}, {"targets", m.Targets}, {"exclude", m.Exclude},
		{"decimal", []string{m.Decimal}}, {"na", m.NA}, {"thousands", []string{m.Thousands}}} {
		if err := checkTexts(part.field, part.texts...); err != nil {
			return err
		}
	}
	if err := checkLearned("learned", m.Learned); err != nil {
		return err
	}
	if len(m.Log) > MaxLog {
		return &MetadataError{Field: "log", What: fmt.Sprintf("%d operations; want at most %d", len(m.Log), MaxLog)}
	}
	for i := range m.Log {
		if err := m.Log[i].check(); err != nil {
			return err
		}
	}
	for key, text := range m.Notes {
		if err := checkTexts("notes", key, text); err != nil {
			return err
		}
	}
	labels := slices.Sorted(slices.Values(m.Classes))
	for i, label := range labels {
		if i > 0 && label == labels[i-1] {
			return &MetadataError{Field: "classes", What: fmt.Sprintf("two classes have the label %.100q", label)}
		}
	}
	if err := m.Columns.Check(); err != nil {
		return &MetadataError{Field: "columns", What: err.Error()}
	}
	if n := m.Columns.Inputs(); n > 0 && len(m.Inputs) > 0 && n != len(m.Inputs) {
		return &MetadataError{Field: "columns", What: fmt.Sprintf("the columns make %d inputs, but %d inputs are named", n, len(m.Inputs))}
	}
	switch missing, err := stream.ParseMissing(m.Missing); {
	case err != nil || m.Missing != "" && m.Missing != missing.String() || m.Missing == stream.MissingError.String():
		return &MetadataError{Field: "missing", What: fmt.Sprintf("%.40q; want \"mean\", \"drop\" or \"\"", m.Missing)}
	case missing == stream.MissingMean && !m.Columns.Filled():
		return &MetadataError{Field: "columns", What: "missing is \"mean\", but a column has no value to fill in"}
	case utf8.RuneCountInString(m.Decimal) > 1 || utf8.RuneCountInString(m.Thousands) > 1:
		return &MetadataError{Field: "decimal", What: fmt.Sprintf("decimal is %.40q and thousands %.40q; want at most one character in each", m.Decimal, m.Thousands)}
	}
	for _, n := range m.TargetNotations {
		if err := n.Check(); err != nil {
			return &MetadataError{Field: "target_notations", What: fmt.Sprintf("a notation %v", err)}
		}
	}
	left := math.MaxInt32
	for _, n := range m.Runs {
		if n < 0 || n > left {
			return &MetadataError{Field: "runs", What: fmt.Sprintf("a run has %d columns; want 0 or more in each run, and fewer than 2³¹ in all runs together", n)}
		}
		left -= n
	}
	if m.Batch < 0 || m.Batch > math.MaxInt32 { // an int may have 32 bits where the file is read
		return &MetadataError{Field: "batch", What: fmt.Sprintf("%d rows; want 0 to 2³¹-1", m.Batch)}
	}
	if p := m.Progress; p != nil {
		if p.Rows < 0 {
			return &MetadataError{Field: "progress", What: fmt.Sprintf("%d rows; want 0 or more", p.Rows)}
		}
		return checkTexts("progress", p.Sources...)
	}
	return nil
}

// checkTexts returns a *MetadataError for field if a string is not UTF-8, since JSON would change it.
func checkTexts(field string, list ...string) error {
	for _, text := range list {
		if !utf8.ValidString(text) {
			return &MetadataError{Field: field, What: fmt.Sprintf("%.100q is not UTF-8", text)}
		}
	}
	return nil
}
