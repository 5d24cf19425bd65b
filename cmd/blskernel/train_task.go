package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"blskernel/dataset/stream"
)

// looked is the number of rows by which a task is guessed.
const looked = 1000

// errTask asks for the task.
var errTask = usageError{fmt.Errorf("--task is missing: the targets could be the numbers of classes as well as quantities; want --task %s or --task %s", classification, regression)}

// decideTask says in the options whether the targets are labels: by --task, else by what is certain
// about them.
func (tr *training) decideTask(ctx context.Context) error {
	switch {
	case tr.set.task != "":
		tr.options.Classes = tr.set.task == classification
		return nil
	case tr.set.source.guess() == stream.IDX || tr.set.scan:
		tr.options.Classes = true
		return nil
	case tr.set.source.fromInput():
		return usageError{fmt.Errorf("--task is missing: want --task %s or --task %s", classification, regression)}
	}
	labels, err := tr.lookAt(ctx)
	if err != nil {
		return err
	}
	task := taskOf(labels)
	if task == "" {
		return errTask
	}
	tr.options.Classes = task == classification
	tr.talk.explain("the targets are those of a %s", task)
	return nil
}

// lookAt returns the targets of the first rows as text. What cannot be labels, several targets and an
// array of numbers with fractions, is read as numbers.
func (tr *training) lookAt(ctx context.Context) ([]string, error) {
	b, err := tr.firstBatch(ctx, true)
	if err == nil {
		return b.Labels, nil
	}
	var fault *stream.Error
	if !errors.As(err, &fault) {
		return nil, err
	}
	b, again := tr.firstBatch(ctx, false)
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

// firstBatch returns the first rows, with labels or with numbers.
func (tr *training) firstBatch(ctx context.Context, classes bool) (*stream.Batch, error) {
	opt := tr.options
	opt.Classes = classes
	r, err := openSource(ctx, tr.set.source.paths, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Outputs() == 0 {
		return nil, errNoTargets
	}
	b, err := r.Next(looked)
	if errors.Is(err, io.EOF) {
		err = errors.New("the data has no rows")
	}
	return b, err
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
func (tr *training) scanClasses(ctx context.Context) ([]string, error) {
	r, err := openSource(ctx, tr.set.source.paths, tr.options)
	if err != nil {
		return nil, err
	}
	if r.Outputs() == 0 {
		_ = r.Close()
		return nil, errNoTargets
	}
	batches := readAhead(ctx, r, 0, tr.set.batch, tr.set.batch)
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
		for _, label := range f.batch.Labels {
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
