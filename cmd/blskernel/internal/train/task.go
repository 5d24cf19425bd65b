package train

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

// peeked is the number of rows from which the task is inferred.
const peeked = 1000

// decideTask takes the targets for labels or numbers: by --task, else by the first rows.
func (tr *training) decideTask(r *stream.Reader) error {
	task := tr.task
	switch {
	case task != "":
	case r.Heading().Format == stream.IDX:
		task = model.Classification
	default:
		var err error
		if task, err = tr.peekTask(r); errors.Is(err, io.EOF) {
			return session.ErrNoRows
		}
		if err != nil {
			return err
		}
		if task == "" {
			return ui.Usagef("--task is missing: the targets could be numbers of classes or quantities; want --task %s or --task %s",
				model.Classification, model.Regression)
		}
		tr.Explain("the targets suggest a %s", task)
	}
	tr.labeled = task == model.Classification
	if err := selectClasses(r, tr.labeled); err != nil || !tr.labeled || tr.images || len(tr.classes) > 0 {
		return err
	}
	return tr.refuseQuantity(r)
}

// different returns the number of different labels, and whether they look like a quantity or like row
// numbers: many, with fractions or more than half as many as rows.
func (tr *training) different(labels []string) (n int, quantity bool) {
	seen, fractions := map[string]bool{}, false
	for _, label := range labels {
		v, ok := tr.In.Options.Number(label)
		if !ok {
			return 0, false
		}
		seen[label] = true
		fractions = fractions || isFraction(v)
	}
	return len(seen), len(seen) > model.FewLabels && (fractions || 2*len(seen) > len(labels))
}

// maxWords is the largest number of classes of words that do not repeat.
const maxWords = 64

// distinct returns the number of different labels.
func distinct(labels []string) int {
	seen := map[string]bool{}
	for _, label := range labels {
		seen[label] = true
	}
	return len(seen)
}

// checkClasses returns an error if the first rows alone are of too many classes, before a large first
// batch is read. It leaves the data at its beginning.
func (tr *training) checkClasses(r *stream.Reader) error {
	const enough = 2 * model.MaxClasses
	if !tr.labeled || len(tr.classes) > 0 || max(tr.first, tr.rest) <= enough {
		return nil
	}
	b, err := r.Peek(enough)
	if err != nil {
		return nil // learning meets the error again
	}
	return tooManyClasses(distinct(b.Labels))
}

// tooManyClasses returns an error for more classes than a model can have.
func tooManyClasses(n int) error {
	if n <= model.MaxClasses {
		return nil
	}
	return ui.Usagef("the labels are of %d classes; want at most %d: is --target the right column, or the task a regression?", n, model.MaxClasses)
}

// refuseQuantity returns an error if the labels of the first rows are numbers of a quantity or of the
// rows. It leaves the data at its beginning.
func (tr *training) refuseQuantity(r *stream.Reader) error {
	b, err := r.Peek(peeked)
	if err != nil {
		return nil // learning meets the error again
	}
	n, quantity := tr.different(b.Labels)
	if !quantity {
		return nil
	}
	return ui.Usagef("%s has %d different numbers in the first %d rows, so they are no classes: use --task regression to predict a quantity, or name another --target; if they are classes, list them by --classes",
		targetColumn(r), n, len(b.Labels))
}

// targetColumn names the column of the labels.
func targetColumn(r *stream.Reader) string {
	if names := r.Targets(); len(names) == 1 {
		return fmt.Sprintf("the column %q", names[0])
	}
	return "the target"
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

// peekTask returns the task that the targets of the first rows suggest, or an empty string, and leaves
// the data at its beginning. Words are a classification. Numbers with a fraction among them are a
// regression, and so is what can only be read as numbers, such as several targets. Whole numbers are
// classes where few differ and a quantity where most do, which it says; words among numbers are
// neither.
func (tr *training) peekTask(r *stream.Reader) (string, error) {
	peek := func(classes bool) (*stream.Batch, error) {
		if err := selectClasses(r, classes); err != nil {
			return nil, err
		}
		return r.Peek(peeked)
	}
	b, err := peek(true)
	var fault *stream.Error
	if err == nil {
		switch words, known := tr.words(b.Labels); words {
		case known:
			n := distinct(b.Labels)
			if n > maxWords && 2*n > len(b.Labels) {
				return "", ui.Usagef("%s has %d different words in the first %d rows, such as %.40q: use --task classification if they are classes, write numbers without other signs, or name another --target",
					targetColumn(r), n, len(b.Labels), b.Labels[0])
			}
			return model.Classification, nil
		case 0:
		default:
			return "", nil
		}
	} else if !errors.As(err, &fault) {
		return "", err
	}
	// The fractions of an array are no labels, and Peek leaves them out.
	numbers, again := peek(false)
	switch {
	case again == nil && (err != nil || slices.ContainsFunc(numbers.Y.RawMatrix().Data, isFraction)):
		return model.Regression, nil
	case err != nil:
		return "", err
	}
	n, quantity := tr.different(b.Labels)
	switch {
	case quantity:
		tr.Warn("%s has %d different whole numbers in the first %d rows, and is taken for a quantity: use --task classification if they are classes", targetColumn(r), n, len(b.Labels))
		return model.Regression, nil
	case n <= model.FewLabels:
		tr.Warn("%s has whole numbers, %d different ones in the first rows, and they are taken for classes: use --task regression to predict a quantity", targetColumn(r), n)
		return model.Classification, nil
	}
	return "", nil
}

// words returns the number of labels that are not numbers, missing labels aside.
func (tr *training) words(labels []string) (words, known int) {
	for _, label := range labels {
		switch v, ok := tr.In.Options.Number(label); {
		case !ok:
			words++
			known++
		case !math.IsNaN(v):
			known++
		}
	}
	if known == 0 {
		return len(labels), len(labels)
	}
	return words, known
}

func isFraction(v float64) bool { return v == v && v != math.Trunc(v) }
