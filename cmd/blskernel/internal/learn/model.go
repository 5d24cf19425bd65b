package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/mat"
)

// The kinds of models, which are the values of --task.
const (
	classification = "classification"
	regression     = "regression"
)

// A learner is a classifier or a regressor.
type learner interface {
	Updater() blsupdate.Updater
	FittedFeatures() *bls.Features
	Weights() (*mat.Dense, error)
	Forget(factor float64) error
	SetLambda(lambda float64) error
	Choice() bls.Choice
}

// A model is the content of a model file.
type model struct {
	*modelfile.File
	learner
	kind     string
	numbers  map[string]int // of the labels of its classes; nil for a regression
	labelsIn string         // file of the labels of the data, empty if they are with the inputs
	anew     bool           // the next batch is learned alone: what was learned before is forgotten
	closed   string         // why labels that are none of the model's are an error; else they are new classes
	note     func(string)   // says that there are new classes
	tune     bool           // before the first batch
}

func newModel(f *modelfile.File) *model {
	m := &model{File: f, learner: f.Regressor, kind: regression, note: func(string) {}}
	if f.Classifier != nil {
		m.learner, m.kind, m.numbers = f.Classifier, classification, map[string]int{}
		for i, label := range m.labels() {
			m.numbers[label] = i
		}
	}
	return m
}

// labels returns the labels of the classes as they are in the data.
func (m *model) labels() []string {
	if m.Metadata.Classes != nil {
		return m.Metadata.Classes
	}
	labels := make([]string, m.Classifier.NumClasses())
	for i := range labels {
		labels[i] = strconv.Itoa(i)
	}
	return labels
}

// A description says what a model is, as text and in JSON.
type description struct {
	Kind    string `json:"kind"`
	Method  string `json:"method"`
	Samples int    `json:"samples"`
	Inputs  int    `json:"inputs"`
	Nodes   int    `json:"nodes"`
	Targets int    `json:"targets"`
}

func (m *model) describe() description {
	u, f := m.Updater(), m.FittedFeatures()
	targets := u.Targets()
	if m.Classifier != nil {
		targets = m.Classifier.NumClasses()
	}
	return description{m.kind, u.Method().String(), u.Samples(), f.Inputs(), f.Nodes(), targets}
}

func (d description) String() string {
	targets := ui.Count(d.Targets, "target")
	if d.Kind == classification {
		targets = ui.Count(d.Targets, "class", "classes")
	}
	return fmt.Sprintf("%s, %s, %s, k = %d nodes", d.Kind, targets, ui.Count(d.Inputs, "input"), d.Nodes)
}

// learn learns a batch, the first one or a further one. On error the model has learned none of its
// rows.
func (m *model) learn(ctx context.Context, b *stream.Batch) error {
	if m.Classifier == nil {
		if b.Y == nil {
			return errNoTargets
		}
		if m.tune {
			if _, err := m.Regressor.TuneContext(ctx, b.X, b.Y, bls.TuneOptions{Weights: b.Weights}); err != nil {
				return m.placed(b, err)
			}
			m.tune = false
		}
		fit := m.Regressor.PartialFitContext
		if m.anew {
			fit = m.Regressor.RefitContext
		}
		return m.learned(ctx, b, fit(ctx, b.X, b.Y, b.Weights))
	}
	classes, err := m.numbersOf(ctx, b)
	if err != nil {
		return err
	}
	if m.tune {
		if _, err := m.Classifier.TuneContext(ctx, b.X, classes, bls.TuneOptions{Weights: b.Weights}); err != nil {
			return m.placed(b, err)
		}
		m.tune = false
	}
	fit := m.Classifier.PartialFitContext
	if m.anew {
		fit = m.Classifier.RefitContext
	}
	return m.learned(ctx, b, fit(ctx, b.X, classes, b.Weights))
}

// learned notes that a batch was learned, unless err says otherwise.
func (m *model) learned(ctx context.Context, b *stream.Batch, err error) error {
	m.anew = m.anew && err != nil
	if errors.Is(err, blsupdate.ErrOverflow) && m.FittedFeatures() != nil {
		if far := m.learnable(ctx, b); far != nil {
			return far
		}
	}
	return m.placed(b, err)
}

// mostNode bounds the nodes whose squares have sums.
const mostNode = 1e140

// learnable returns the error of the first row whose nodes cannot be learned.
func (m *model) learnable(ctx context.Context, b *stream.Batch) error {
	nodes, err := m.FittedFeatures().TransformContext(ctx, b.X)
	if err != nil {
		return m.placed(b, err)
	}
	for i := range b.X.RawMatrix().Rows {
		if slices.ContainsFunc(nodes.RawRowView(i), func(v float64) bool { return math.Abs(v) > mostNode }) {
			return &rowError{i, fmt.Errorf("%s: the nodes are beyond %g, and their squares beyond the largest number: remove the row if it is far beyond the others, or use smaller units", b.Where(i), mostNode)}
		}
	}
	return nil
}

// scores returns the scores of all classes of a batch, or the predicted targets of a regression.
func (m *model) scores(ctx context.Context, b *stream.Batch) (scores *mat.Dense, err error) {
	if m.Classifier != nil {
		scores, err = m.Classifier.DecisionFunctionContext(ctx, b.X)
	} else {
		scores, err = m.Regressor.PredictContext(ctx, b.X)
	}
	return scores, explainLearning(m.placed(b, err))
}

// targetNames returns the names of the targets of a regression, y1, y2, ... if the data had none.
func (m *model) targetNames() []string {
	c := m.Updater().Targets()
	if len(m.Metadata.Targets) == c {
		return m.Metadata.Targets
	}
	names := make([]string, c)
	for i := range names {
		names[i] = "y" + strconv.Itoa(i+1)
	}
	return names
}

// classesOf returns the classes with the largest scores of a batch.
func classesOf(scores *mat.Dense, b *stream.Batch) ([]int, error) {
	classes := bls.ArgMax(scores)
	if i := slices.Index(classes, -1); i >= 0 {
		return nil, fmt.Errorf("%s: the scores are no numbers: the values are too large for the model", b.Where(i))
	}
	return classes, nil
}

// A rowError is about a row of a batch, which the rest can do without.
type rowError struct {
	row int
	err error
}

func (e *rowError) Error() string { return e.err.Error() }
func (e *rowError) Unwrap() error { return e.err }

// placed adds the file and line of the row that an error of a batch is about, and names the column.
func (m *model) placed(b *stream.Batch, err error) error {
	var overflow *bls.OverflowError
	if !errors.As(err, &overflow) || overflow.Row < 0 && overflow.Col < 0 {
		return err
	}
	where, what, do := "", overflow.What, "use smaller units"
	if overflow.Row >= 0 {
		where, do = b.Where(overflow.Row).String()+": ", "remove the row if it is far beyond the others, or use smaller units"
	}
	if overflow.Col >= 0 {
		name := strconv.Itoa(overflow.Col + 1)
		if overflow.Col < len(m.Metadata.Inputs) {
			name = strconv.Quote(m.Metadata.Inputs[overflow.Col])
		}
		what, do = what+" in column "+name, do+", or leave the column out by --exclude"
	}
	err = fmt.Errorf("%s%s would be beyond the largest number: %s", where, what, do)
	if overflow.Row < 0 {
		return err
	}
	return &rowError{overflow.Row, err}
}
