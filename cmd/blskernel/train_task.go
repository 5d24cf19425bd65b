package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"blskernel/dataset/stream"
)

// looked is the number of rows by which a task is guessed.
const looked = 1000

// errNoRows says that there is nothing to learn from.
var errNoRows = errors.New("the data has no rows")

// errTask asks for the task.
var errTask = usageError{fmt.Errorf("--task is missing: the targets could be the numbers of classes as well as quantities; want --task %s or --task %s", classification, regression)}

// decideTask selects the targets of the data as labels or as numbers: by --task, else by what is certain
// about them.
func (tr *training) decideTask(r *stream.Reader) error {
	switch {
	case tr.set.task != "":
		return tr.selectTask(r, tr.set.task)
	case r.Format() == stream.IDX || tr.set.scan:
		return tr.selectTask(r, classification)
	}
	labels, err := lookAt(r)
	if errors.Is(err, io.EOF) {
		return errNoRows
	}
	if err != nil {
		return err
	}
	task := taskOf(labels)
	if task == "" {
		return errTask
	}
	tr.talk.explain("the targets are those of a %s", task)
	return tr.selectTask(r, task)
}

// selectTask makes the targets labels or numbers.
func (tr *training) selectTask(r *stream.Reader, task string) error {
	tr.classes = task == classification
	return selectClasses(r, tr.classes)
}

// selectClasses makes the targets of data labels or numbers, unless they are.
func selectClasses(r *stream.Reader, classes bool) error {
	columns := r.Selection()
	if columns.Classes == classes {
		return nil
	}
	columns.Classes = classes
	return r.Select(columns)
}

// lookAt returns the targets of the first rows as text, and leaves the data at its beginning. What
// cannot be labels, several targets and an array of numbers with fractions, is read as numbers.
func lookAt(r *stream.Reader) ([]string, error) {
	b, err := peek(r, true)
	if err == nil {
		return b.Labels, nil
	}
	var fault *stream.Error
	if !errors.As(err, &fault) {
		return nil, err
	}
	b, again := peek(r, false)
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

// peek returns the first rows, with labels or with numbers.
func peek(r *stream.Reader, classes bool) (*stream.Batch, error) {
	if err := selectClasses(r, classes); err != nil {
		return nil, err
	}
	return r.Peek(looked)
}

// taskOf returns the task whose targets the labels certainly are, or an empty string: words are those
// of a classification, numbers of which one has a fraction those of a regression.
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

// scanClasses reads the labels of all rows and returns those that there are.
func (tr *training) scanClasses(ctx context.Context, opt stream.Options) ([]string, error) {
	opt.Classes = true
	r, err := openSource(ctx, tr.set.source.paths, opt)
	if err != nil {
		return nil, err
	}
	batch := tr.set.batch.of(r.Dim())
	batches := readAhead(ctx, r, 0, batch, batch)
	defer batches.stop()
	seen := map[string]bool{}
	rows := 0
	for {
		f, _ := batches.take(ctx)
		if errors.Is(f.err, io.EOF) {
			break
		}
		if f.err != nil {
			return nil, f.err
		}
		for i, label := range f.batch.Labels {
			if !utf8.ValidString(label) {
				return nil, &unreadableLabelError{label, labelPlace(f.batch, i, tr.set.source.targetsFile)}
			}
			seen[label] = true
		}
		if len(seen) > mostClasses {
			return nil, usageError{fmt.Errorf("--scan has found more than %d labels: is --target the right column?", mostClasses)}
		}
		rows += len(f.batch.Labels)
		if f.total > 0 {
			tr.talk.shown.show(float64(f.done)/float64(f.total), fmt.Sprintf("looking for classes, %d rows", rows))
		}
	}
	tr.talk.explain("%s in %s", countedAs(len(seen), "class", "classes"), counted(rows, "row"))
	return sortedLabels(seen), nil
}
