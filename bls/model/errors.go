package model

import (
	"errors"
	"strings"

	"blskernel/dataset/stream"
)

// ErrNoTargets is returned if rows need labels or targets but have none.
var ErrNoTargets = errors.New("the data has no labels or targets: name their columns or their file")

// A Remedy is a set of actions that can fix an error.
type Remedy int

const (
	DropRow        Remedy = 1 << iota // remove the row if it is an outlier, or scale the values down
	SmallerUnits                      // scale the values down
	ExcludeColumn                     // or leave the column out
	AddClass                          // add the class to the model, or leave the row out
	OtherTarget                       // is this the right label column?
	SaveUTF8                          // save the file as UTF-8
	PositiveTarget                    // leave the row out, or train a model on the targets themselves
	OtherWeight                       // give the row a weight closer to the weights of the others, or leave it out
)

// remedies has the advice for each action, in the order of the constants.
var remedies = []string{
	"remove the row if it is an outlier, or scale the values down", "scale the values down", "or leave the column out",
	"add the class to the model, or leave the row out", "is this the right label column?", "save the file as UTF-8",
	"leave the row out, or train a model on the targets themselves",
	"give the row a weight closer to the weights of the others, or leave it out",
}

// String returns the advice for all actions, separated by commas.
func (r Remedy) String() string {
	var texts []string
	for i, text := range remedies {
		if r&(1<<i) != 0 {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

// An Error reports rows that a model cannot learn or predict.
type Error struct {
	Place string // the file and line; may be empty
	Row   int    // index in the batch if the model can learn the other rows; else -1
	What  string // what is wrong
	Do    Remedy // what to do about it
	Many  bool   // there are too many new classes
}

func (e *Error) Error() string { return e.With(e.Do.String()) }

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
