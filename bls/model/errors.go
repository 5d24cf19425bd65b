package model

import (
	"errors"
	"strings"

	"blskernel/dataset/stream"
)

// ErrNoTargets is the error for rows that are to be learned without labels or targets.
var ErrNoTargets = errors.New("the data has no labels or targets: name their columns, or their file")

// A Remedy is a set of actions by which a user can mend an error.
type Remedy int

const (
	DropRow        Remedy = 1 << iota // remove the row if it is far beyond the others, or use smaller units
	SmallerUnits                      // use smaller units
	ExcludeColumn                     // or leave the column out
	AddClass                          // add the class to the model, or leave the row out
	OtherTarget                       // is the column of the labels the right one?
	SaveUTF8                          // save the file as UTF-8
	PositiveTarget                    // leave the row out, or train a model of the targets themselves
)

// remedies are the texts of the elements, in their order.
var remedies = []string{
	"remove the row if it is far beyond the others, or use smaller units", "use smaller units", "or leave the column out",
	"add the class to the model, or leave the row out", "is the column of the labels the right one?", "save the file as UTF-8",
	"leave the row out, or train a model of the targets themselves",
}

// String returns the text of all elements.
func (r Remedy) String() string {
	var texts []string
	for i, text := range remedies {
		if r&(1<<i) != 0 {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

// An Error is about rows that a model cannot learn or predict.
type Error struct {
	Place string // the file and line; empty for none
	Row   int    // of the batch, from 0, if the model can do with the rest; else -1
	What  string // is wrong
	Do    Remedy // about it
	Many  bool   // there are too many new classes
}

func (e *Error) Error() string { return e.With(e.Do.String()) }

// With is Error with another text of what can be done, such as one that names flags.
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
