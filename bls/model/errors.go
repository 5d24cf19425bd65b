package model

import (
	"errors"

	"blskernel/dataset/stream"
)

// ErrNoTargets is returned if rows need labels or targets but have none.
var ErrNoTargets = errors.New("the data has no labels or targets: name their columns or their file")

// A Remedy is the advice that fixes an error.
type Remedy string

// The advice on the errors of this package.
const (
	DropRow        Remedy = "remove the row if it is an outlier, or scale the values down"
	SmallerUnits   Remedy = "scale the values down"
	ExcludeColumn  Remedy = ", or leave the column out" // follows one of the two above
	AddClass       Remedy = "add the class to the model, or leave the row out"
	OtherTarget    Remedy = "is this the right label column?"
	SaveUTF8       Remedy = "save the file as UTF-8"
	PositiveTarget Remedy = "leave the row out, or train a model on the targets themselves"
)

// An Error reports rows that a model cannot learn or predict.
type Error struct {
	Place string // the file and line; may be empty
	Row   int    // index in the batch if the model can learn the other rows; else -1
	What  string // what is wrong
	Do    Remedy // what to do about it
	Many  bool   // there are too many new classes
}

func (e *Error) Error() string { return e.With(string(e.Do)) }

// With returns the text of Error with do as the advice, which can name a program's flags.
func (e *Error) With(do string) string {
	text := e.What
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	if do != "" {
		text += ": " + do
	}
	return text
}

func labelError(b *stream.Batch, row int, labelsIn, what string, do Remedy) *Error {
	return &Error{Place: labelPlace(b, row, labelsIn), Row: -1, What: what, Do: do}
}
