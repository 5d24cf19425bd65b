package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"blskernel/dataset/stream"
)

// MaxLog is the largest number of operations in a log.
const MaxLog = 2000

// The kinds of operations.
const (
	OpTrain  = "train"  // the feature maps and the settings come from the first rows
	OpMaps   = "maps"   // like train, but the model has learned none of the rows
	OpLike   = "like"   // learns with the feature maps and the settings of another model
	OpUpdate = "update" // learns more rows, after Factor and Lambda are applied
	OpRemove = "remove"
	OpMerge  = "merge" // adds what another model has learned; the Merged operations before it are that model's log
	OpCut    = "cut"   // stands for operations that the log has dropped
)

// An Operation is a step in which a model has learned or unlearned the rows of files, with the settings
// needed to repeat it.
type Operation struct {
	Kind  string    `json:"kind"`
	Files []Learned `json:"files,omitempty"` // in the order of reading; a file that cannot be read again has no hash

	Read    *stream.Options `json:"read,omitempty"`    // how the files were read, besides Metadata; with a TargetPath, the last file has the targets
	First   int             `json:"first,omitempty"`   // rows that were read for the first batch
	Batch   int             `json:"batch,omitempty"`   // rows of each later batch
	Ends    []int64         `json:"ends,omitempty"`    // rows after which a batch ended early, since the data grew later; ascending
	Holdout float64         `json:"holdout,omitempty"` // the share of the rows that were not learned

	Classes int      `json:"classes,omitempty"` // of train: the number of classes in the first batch
	Lambda  *float64 `json:"lambda,omitempty"`  // of train: the given ridge; of like: the ridge of the model; of update: the new ridge, if changed
	Factor  float64  `json:"factor,omitempty"`  // of update: the factor of Forget before its rows
	Fixed   bool     `json:"fixed,omitempty"`   // of train: whether the feature maps were fixed on few rows
	Tuned   bool     `json:"tuned,omitempty"`   // of train: whether the settings were searched for
	Merged  int      `json:"merged,omitempty"`

	Arithmetic string `json:"arithmetic,omitempty"` // the result of model.Arithmetic, on which the bits depend
}

// A Log holds operations in order.
type Log []Operation

// UnmarshalJSON rejects more than MaxLog operations, so that memory stays in proportion to the text.
func (l *Log) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.New("the log is not a JSON array")
	}
	*l = nil
	for d.More() {
		var op Operation
		if err := d.Decode(&op); err != nil {
			return err
		}
		if *l = append(*l, op); len(*l) > MaxLog {
			return fmt.Errorf("the log has more than %d operations", MaxLog)
		}
	}
	return nil
}

// Options returns *Read, or the zero value if Read is nil.
func (op *Operation) Options() stream.Options {
	if op.Read == nil {
		return stream.Options{}
	}
	return *op.Read
}

func (op *Operation) check() error {
	read := op.Options()
	texts := slices.Concat([]string{op.Kind, op.Arithmetic, read.Weight, read.TargetPath, read.InputArray}, read.Inputs, read.Targets, read.Exclude, read.NA)
	if err := checkTexts("log", texts...); err != nil {
		return err
	}
	if op.First < 0 || op.Batch < 0 || op.Merged < 0 || op.Classes < 0 || !(op.Holdout >= 0 && op.Holdout < 1) || !(op.Factor >= 0 && op.Factor <= 1) {
		return &MetadataError{Field: "log", What: fmt.Sprintf("%.40q has first %d, batch %d, merged %d, classes %d, holdout %v, factor %v; "+
			"want 0 or more, holdout below 1, and factor at most 1", op.Kind, op.First, op.Batch, op.Merged, op.Classes, op.Holdout, op.Factor)}
	}
	for i, end := range op.Ends {
		if end <= 0 || i > 0 && end <= op.Ends[i-1] {
			return &MetadataError{Field: "log", What: fmt.Sprintf("a batch ends after %d rows; the ends must be positive and ascending", end)}
		}
	}
	return checkLearned("log", op.Files)
}

func checkLearned(field string, files []Learned) error {
	for _, l := range files {
		if err := checkTexts(field, l.Name, l.Hash); err != nil {
			return err
		}
		if l.Size < 0 || l.Rows < 0 {
			return &MetadataError{Field: field, What: fmt.Sprintf("a file has %d rows and %d bytes; want 0 or more of each", l.Rows, l.Size)}
		}
	}
	return nil
}
