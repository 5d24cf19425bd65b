package learn

import (
	"context"
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
	case r.Format() == stream.IDX || tr.scan:
		task = classification
	default:
		labels, err := peekTargets(r)
		if errors.Is(err, io.EOF) {
			return errNoRows
		}
		if err != nil {
			return err
		}
		if task = taskOf(labels); task == "" {
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

// peekTargets returns the targets of the first rows as text, and leaves the data at its beginning. It
// reads what cannot be labels, several targets or an array of fractions, as numbers.
func peekTargets(r *stream.Reader) ([]string, error) {
	peek := func(classes bool) (*stream.Batch, error) {
		if err := selectClasses(r, classes); err != nil {
			return nil, err
		}
		return r.Peek(peeked)
	}
	b, err := peek(true)
	if err == nil {
		return b.Labels, nil
	}
	var fault *stream.Error
	if !errors.As(err, &fault) {
		return nil, err
	}
	b, again := peek(false)
	if again != nil {
		return nil, err
	}
	var labels []string
	for i := range b.Y.RawMatrix().Rows {
		for _, v := range b.Y.RawRowView(i) {
			labels = append(labels, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return labels, nil
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

// scanClasses reads the labels of all rows and returns each once.
func (tr *training) scanClasses(ctx context.Context) ([]string, error) {
	r, err := tr.reading.open(ctx, true)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	rows, err := tr.each(ctx, r, "looking for classes, ", func(b *stream.Batch) error {
		if err := tr.addLabels(seen, b); err != nil {
			return err
		}
		if len(seen) > mostClasses {
			return ui.Usagef("--scan has found more than %d labels: is --target the right column?", mostClasses)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	tr.Explain("%s in %s", ui.Count(len(seen), "class", "classes"), ui.Count(rows, "row"))
	return sortedLabels(seen), nil
}
