package learn

import (
	"errors"
	"io"
	"math"
	"strconv"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

// peeked is the number of rows that the task is guessed from.
const peeked = 1000

// decideTask takes the targets for labels or numbers: by --task, else by what is certain about them.
func (tr *training) decideTask(r *stream.Reader) error {
	task := tr.task
	switch {
	case task != "":
	case r.Heading().Format == stream.IDX:
		task = classification
	default:
		var err error
		if task, err = peekTask(r); errors.Is(err, io.EOF) {
			return errNoRows
		}
		if err != nil {
			return err
		}
		if task == "" {
			return ui.Usagef("--task is missing: the targets could be numbers of classes or quantities; want --task %s or --task %s",
				classification, regression)
		}
		tr.Explain("the targets are those of a %s", task)
	}
	tr.labeled = task == classification
	return selectClasses(r, tr.labeled)
}

// selectClasses makes the targets labels or numbers.
func selectClasses(r *stream.Reader, classes bool) error {
	columns := r.Selection()
	if columns.Classes == classes {
		return nil
	}
	columns.Classes = classes
	return r.Select(columns)
}

// peekTask returns the task that the targets of the first rows certainly belong to, or an empty string,
// and leaves the data at its beginning. What can only be read as numbers, such as several targets or an
// array of fractions, is a regression.
func peekTask(r *stream.Reader) (string, error) {
	peek := func(classes bool) (*stream.Batch, error) {
		if err := selectClasses(r, classes); err != nil {
			return nil, err
		}
		return r.Peek(peeked)
	}
	b, err := peek(true)
	if err == nil {
		return taskOf(b.Labels), nil
	}
	var fault *stream.Error
	if errors.As(err, &fault) {
		if _, again := peek(false); again == nil {
			return regression, nil
		}
	}
	return "", err
}

// taskOf returns the task that the labels certainly belong to, or an empty string: words are a
// classification, numbers with a fraction among them a regression.
func taskOf(labels []string) string {
	words, fractions := 0, 0
	for _, label := range labels {
		v, err := strconv.ParseFloat(label, 64)
		switch {
		case err != nil:
			words++
		case v != math.Trunc(v):
			fractions++
		}
	}
	switch {
	case words == len(labels):
		return classification
	case words == 0 && fractions > 0:
		return regression
	default:
		return ""
	}
}
