package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

const (
	// peeked is the number of rows from which the task is inferred.
	peeked = 1000
	// maxWords is the maximum number of words that are taken for classes if most occur only once.
	maxWords = 64
)

// decideTask makes r return the targets as labels or as numbers, as --task says or, without --task, as
// the first rows suggest. The first batch has at least batch rows.
func (tr *training) decideTask(r *stream.Reader, batch int) error {
	task := tr.task
	if tr.images {
		task = cmp.Or(task, model.Classification)
	}
	if task == "" {
		var err error
		if task, err = tr.guessTask(r); err != nil {
			return err
		}
		tr.Explain("the targets suggest %s", task)
	}
	tr.labeled = task == model.Classification
	if err := selectClasses(r, tr.labeled); err != nil {
		return err
	}
	if tr.labeled {
		if tr.log > 0 {
			return ui.Usagef("--log-targets is for numbers, but the task is classification: leave it out")
		}
		return tr.checkLabels(r, batch)
	}
	written := tr.In.Options.TargetNotations
	tr.sayNotations(written, input.NamesOr(r.Targets(), len(written), "target"))
	if tr.classWeight == bls.Balanced {
		return ui.Usagef("--class-weight is for classes, but the task is regression: leave it out")
	}
	return nil
}

// selectClasses makes r return the targets as labels if classes is true, otherwise as numbers.
func selectClasses(r *stream.Reader, classes bool) error {
	columns := r.Selection()
	if columns.Classes == classes {
		return nil
	}
	columns.Classes = classes
	return r.Select(columns)
}

// A glance summarizes the labels of the first rows.
type glance struct {
	rows, different int
	known, words    int // labels that are not missing, and labels that are not numbers
	fractions       bool
}

func (tr *training) glance(labels []string) glance {
	g, seen := glance{rows: len(labels)}, map[string]bool{}
	for _, label := range labels {
		seen[label] = true
		v, number := tr.In.Options.Number(label)
		if !number {
			g.words++
		}
		if !number || !math.IsNaN(v) {
			g.known++
		}
		g.fractions = g.fractions || number && isFraction(v)
	}
	g.different = len(seen)
	return g
}

func isFraction(v float64) bool { return v == v && v != math.Trunc(v) }

// quantity reports whether labels look like a quantity or like row numbers: many different numbers,
// with fractions among them or more than half as many as rows.
func (g glance) quantity() bool {
	return g.words == 0 && g.different > model.FewLabels && (g.fractions || 2*g.different > g.rows)
}

// guessTask returns the task that the targets of the first rows suggest, and rewinds the data. Words
// mean classification, unless they are many and most occur once. Numbers mean regression if one has a
// fraction, and so do targets that can only be read as numbers, such as several columns. Whole numbers
// are classes if few differ and a quantity if most do; a note says so. All else is an error.
func (tr *training) guessTask(r *stream.Reader) (string, error) {
	peek := func(classes bool) (*stream.Batch, error) {
		if err := selectClasses(r, classes); err != nil {
			return nil, err
		}
		return r.Peek(peeked)
	}
	unknown := ui.Usagef("--task is missing, and the targets could be labels or quantities: give --task %s or --task %s",
		model.Classification, model.Regression)
	b, err := peek(true)
	var fault *stream.Error
	if err != nil && !errors.As(err, &fault) {
		return "", err
	}
	var g glance
	if err == nil {
		g = tr.glance(b.Labels)
		switch {
		case g.words < g.known && g.words > 0:
			return "", unknown
		case g.words < g.known:
		case g.different > maxWords && 2*g.different > g.rows:
			return "", ui.Usagef("%s has %d different words in the first %d rows, such as %.40q: if they are classes, use --task classification; if they are numbers, write them without units or other characters; or name another --target",
				targetColumn(r), g.different, g.rows, b.Labels[0])
		default:
			return model.Classification, nil
		}
	}
	// Fractions in an array are not labels, and Peek leaves them out.
	numbers, again := peek(false)
	switch {
	case again == nil && (err != nil || slices.ContainsFunc(numbers.Y.RawMatrix().Data, isFraction)):
		return model.Regression, nil
	case err != nil:
		return "", err
	case g.quantity():
		tr.Warn("%s has %d distinct whole numbers in the first %d rows, and is treated as a quantity: use --task classification if they are classes", targetColumn(r), g.different, g.rows)
		return model.Regression, nil
	case g.different <= model.FewLabels:
		tr.Warn("%s has %s in the first %s, and is treated as classes: use --task regression to predict a quantity", targetColumn(r), ui.Count(g.different, "distinct whole number"), ui.Count(g.rows, "row"))
		return model.Classification, nil
	}
	return "", unknown
}

// checkLabels returns an error if the labels of the first rows look like a quantity or like row
// numbers, or have too many classes. It runs before a large first batch is read, and rewinds the data.
// It ignores a read error, which recurs when the rows are learned.
func (tr *training) checkLabels(r *stream.Reader, batch int) error {
	if len(tr.classes) > 0 {
		return nil
	}
	if !tr.images {
		if b, err := r.Peek(peeked); err == nil {
			if g := tr.glance(b.Labels); g.quantity() {
				return ui.Usagef("%s has %d different numbers in the first %d rows, so they do not look like classes: use --task regression to predict a quantity, or name another --target; if they are classes, list them with --classes",
					targetColumn(r), g.different, g.rows)
			}
		}
	}
	const enough = 2 * model.MaxClasses
	if batch > enough {
		if b, err := r.Peek(enough); err == nil {
			return tooManyClasses(tr.glance(b.Labels).different)
		}
	}
	return nil
}

func tooManyClasses(n int) error {
	if n <= model.MaxClasses {
		return nil
	}
	return ui.Usagef("the labels name %d classes, but a model has at most %d: check that --target names the right column, or use --task regression for a quantity", n, model.MaxClasses)
}

func targetColumn(r *stream.Reader) string {
	if names := r.Targets(); len(names) == 1 {
		return fmt.Sprintf("the column %q", names[0])
	}
	return "the target"
}
