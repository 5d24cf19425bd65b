// Package model provides models that learn and predict rows of tables, with labels, named columns,
// columns of words and missing cells. A model lists the files that it has learned. The command
// blskernel, the prediction server and the fit on Apache Beam use it to read and write models.
//
// A label that is new to a model becomes a new class when it is learned, unless [Model.Closed] is set.
// The weights are as if the model had known all classes from the start ([bls.Classifier.Relabel]).
//
// An [Error] holds its advice as a [Remedy], so that a program can name its own flags.
package model

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
	"blskernel/dataset/stream"
	"blskernel/internal/io/names"
	"blskernel/mat"
)

const (
	Classification = "classification"
	Regression     = "regression"
)

// MaxNode bounds the nodes and targets of a learned row, so that no sum of products of two of them
// overflows: 2^63 rows make at most 1e19 · 1e280.
const MaxNode = 1e140

// A Model is the content of a model file: a Classifier with the labels of its classes, or a Regressor.
// Several goroutines may predict at once; all other methods need exclusive use. The zero value has no
// model, and its methods panic.
type Model struct {
	*modelfile.File
	modelfile.Learner
	classes Classes

	LabelsIn string                             // the file of the labels; empty if the file of the inputs has them
	Closed   bool                               // Learn rejects a label that is new to the model, as Remove and Calibrate always do
	Gained   func(place string, added []string) // called with the new classes and the place of the first; may be nil
	Tune     bool                               // the first batch chooses the settings with Tune of package bls
	Refit    bool                               // the next batch replaces all that was learned before
	FixMaps  bool                               // the first batch fixes the feature maps, even if it has few rows

	// Calibrating predicts each batch before learning it, and adds the errors to the calibration.
	Calibrating bool
}

// New returns the model in f, fitted or not. If f lists no labels, the class numbers are the labels.
func New(f *modelfile.File) *Model {
	m := &Model{File: f, Learner: f.Learner()}
	if f.Classifier == nil {
		return m
	}
	labels := f.Metadata.Classes
	if labels == nil {
		for i := range f.Classifier.NumClasses() {
			labels = append(labels, strconv.Itoa(i))
		}
	}
	m.classes = NewClasses(labels)
	return m
}

// Kind returns Classification or Regression.
func (m *Model) Kind() string {
	if m.Classifier != nil {
		return Classification
	}
	return Regression
}

// Labels returns the labels of the classes as they are in the data, by class number, or nil for
// regression. The caller must not change them.
func (m *Model) Labels() []string { return m.classes.labels }

// Class returns the number of the class with the given label, and whether there is one.
func (m *Model) Class(label string) (number int, ok bool) { return m.classes.Number(label) }

// TargetNames returns the names of the targets of a regressor. For data without names they are y1, y2,
// ..., or nil if the model cannot be fitted to the rows that it keeps.
func (m *Model) TargetNames() []string {
	u := m.Updater()
	if u == nil || len(m.Metadata.Targets) == u.Targets() {
		return m.Metadata.Targets
	}
	names := make([]string, u.Targets())
	for i := range names {
		names[i] = "y" + strconv.Itoa(i+1)
	}
	return names
}

// Columns returns how the columns of the data become the inputs, and the names of the columns, if any.
func (m *Model) Columns() (cells stream.Columns, names []string) {
	read := m.Metadata.Options()
	if cells = read.Columns; cells == nil {
		cells = make(stream.Columns, m.FittedFeatures().Inputs()) // of numbers
	}
	return cells, read.Inputs
}

// Learn learns a batch, the first or a later one. On an error the model has learned none of the rows,
// but it may have gained their classes.
//
//	errors: *Error, for one row if its Row is not negative; ErrNoTargets; the errors of PartialFit,
//	Refit and Tune of package bls.
func (m *Model) Learn(ctx context.Context, b *stream.Batch) error {
	classes, err := m.targets(ctx, b)
	if err != nil {
		return err
	}
	if c := m.Classifier; c != nil {
		err = learn(ctx, m, b, classes, c.TuneContext, c.PartialFitContext, c.CalibratePartialFitContext, c.FitContext, c.RefitContext)
	} else {
		r := m.Regressor
		err = learn(ctx, m, b, b.Y, r.TuneContext, r.PartialFitContext, r.CalibratePartialFitContext, r.FitContext, r.RefitContext)
	}
	return m.explained(ctx, b, err)
}

// explained is like Located, but for an overflow it returns an *Error for the first row whose nodes
// overflow or exceed ±MaxNode, if there is one.
func (m *Model) explained(ctx context.Context, b *stream.Batch, err error) error {
	if errors.Is(err, blsupdate.ErrOverflow) && m.FittedFeatures() != nil {
		if large := m.checkNodes(ctx, b); large != nil {
			return large
		}
	}
	return m.Located(b, err)
}

// targets returns the class numbers of the rows of a batch, or nil for regression. New labels become
// classes; if m.Closed is set, they are an error. Without targets the error is ErrNoTargets.
func (m *Model) targets(ctx context.Context, b *stream.Batch) ([]int, error) {
	switch {
	case m.Classifier != nil && b.Labels == nil || m.Classifier == nil && b.Y == nil:
		return nil, ErrNoTargets
	case m.Classifier == nil:
		return nil, nil
	}
	return m.numbers(ctx, b)
}

// known is like targets, but a label that is new to the model is an error.
func (m *Model) known(ctx context.Context, b *stream.Batch) ([]int, error) {
	defer func(was bool) { m.Closed = was }(m.Closed)
	m.Closed = true
	return m.targets(ctx, b)
}

func learn[Y, R any](ctx context.Context, m *Model, b *stream.Batch, y Y,
	tune func(context.Context, *mat.Dense, Y, bls.TuneOptions) (R, error),
	partialFit, calibratePartialFit, fit, refit func(context.Context, *mat.Dense, Y, []float64) error,
) error {
	if m.Tune {
		if _, err := tune(ctx, b.X, y, bls.TuneOptions{Weights: b.Weights}); err != nil {
			return err
		}
		m.Tune = false
	}
	run := partialFit
	switch {
	case m.Refit:
		run = refit
	case m.FixMaps:
		run = fit
	case m.Calibrating:
		run = calibratePartialFit
	}
	err := run(ctx, b.X, y, b.Weights)
	m.Refit, m.FixMaps = m.Refit && err != nil, m.FixMaps && err != nil
	return err
}

// A Calibration says how Calibrate uses the rows of a batch.
type Calibration int

const (
	NewRows     Calibration = iota // rows that the model has not learned; they replace the calibration
	MoreRows                       // rows that the model has not learned; they extend the calibration
	LearnedRows                    // rows that the model has learned; they replace the calibration
)

// Calibrate calibrates the model on the rows of a batch. On an error the calibration is unchanged.
//
//	errors: *Error; ErrNoTargets; the errors of Calibrate and CalibrateLearned of package bls.
func (m *Model) Calibrate(ctx context.Context, b *stream.Batch, rows Calibration) error {
	classes, err := m.known(ctx, b)
	if err != nil {
		return err
	}
	if c := m.Classifier; c != nil {
		do := [...]func(context.Context, *mat.Dense, []int, []float64) error{
			c.CalibrateContext, c.PartialCalibrateContext, c.CalibrateLearnedContext}[rows]
		err = do(ctx, b.X, classes, b.Weights)
	} else {
		r := m.Regressor
		do := [...]func(context.Context, *mat.Dense, *mat.Dense, []float64) error{
			r.CalibrateContext, r.PartialCalibrateContext, r.CalibrateLearnedContext}[rows]
		err = do(ctx, b.X, b.Y, b.Weights)
	}
	return m.explained(ctx, b, err)
}

// Remove unlearns the rows of a batch. On an error the model is unchanged.
//
//	errors: *Error; ErrNoTargets; the errors of Remove of package bls.
func (m *Model) Remove(ctx context.Context, b *stream.Batch) error {
	rows := b.X.RawMatrix().Rows
	if u := m.Updater(); u != nil && rows > u.Samples() {
		learned := u.Samples()
		return &Error{Place: b.Where(0).String(), Row: -1, What: fmt.Sprintf("the model has only %s left, fewer than the rows to remove", names.Count(learned, "sample"))}
	}
	classes, err := m.known(ctx, b)
	if err != nil {
		return err
	}
	if m.Classifier != nil {
		err = m.Classifier.RemoveContext(ctx, b.X, classes, b.Weights)
	} else {
		err = m.Regressor.RemoveContext(ctx, b.X, b.Y, b.Weights)
	}
	var unknown *blsupdate.UnknownRowError
	if errors.As(err, &unknown) {
		return &Error{Place: b.Where(unknown.Row).String(), Row: -1, What: "the model has not learned this row with the same label or targets and the same weight, or the row has already been removed"}
	}
	return m.Located(b, err)
}

// Predict returns the scores of all classes, or the predicted targets, for the rows of x.
//
//	errors: as DecisionFunction and Predict of package bls.
func (m *Model) Predict(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	if m.Classifier != nil {
		return m.Classifier.DecisionFunctionContext(ctx, x)
	}
	return m.Regressor.PredictContext(ctx, x)
}

// Scores is Predict for the rows of a batch. An error about a row is an *Error with its place.
func (m *Model) Scores(ctx context.Context, b *stream.Batch) (*mat.Dense, error) {
	scores, err := m.Predict(ctx, b.X)
	return scores, m.Located(b, err)
}

// ArgMax returns the class with the largest score for each row of a batch.
//
//	errors: *Error for a row whose scores are all NaN.
func ArgMax(scores *mat.Dense, b *stream.Batch) ([]int, error) {
	classes := bls.ArgMax(scores)
	if i := slices.Index(classes, -1); i >= 0 {
		return nil, &Error{Place: b.Where(i).String(), Row: -1, What: "the scores are NaN, since the values are too large for the model", Do: DropRow}
	}
	return classes, nil
}

// FirstLarge returns the index of the first row with a NaN or a number beyond ±MaxNode, or -1.
func FirstLarge(m *mat.Dense) int {
	for i := range m.RawMatrix().Rows {
		if slices.ContainsFunc(m.RawRowView(i), func(v float64) bool { return !(math.Abs(v) <= MaxNode) }) {
			return i
		}
	}
	return -1
}

// checkNodes returns an *Error for the first row of b with nodes that overflow or exceed ±MaxNode.
func (m *Model) checkNodes(ctx context.Context, b *stream.Batch) error {
	nodes, err := m.FittedFeatures().TransformContext(ctx, b.X)
	if err != nil {
		return m.Located(b, err)
	}
	if i := FirstLarge(nodes); i >= 0 {
		return &Error{Place: b.Where(i).String(), Row: i, Do: DropRow,
			What: fmt.Sprintf("the nodes are beyond ±%g, so sums of their products could overflow", MaxNode)}
	}
	return nil
}

// Located returns err or, if it is about a row or column of b, an *Error that names that place.
func (m *Model) Located(b *stream.Batch, err error) error {
	var target *bls.TargetError
	if errors.As(err, &target) {
		what := fmt.Sprintf("the target %v", target.Value)
		if target.Col < len(m.Metadata.Targets) {
			what += fmt.Sprintf(" in column %q", m.Metadata.Targets[target.Col])
		}
		return &Error{Place: b.Where(target.Row).String(), Row: target.Row, Do: PositiveTarget,
			What: what + " is not positive, but the model learns logarithms of the targets"}
	}
	var outlier *bls.OutlierError
	if errors.As(err, &outlier) {
		e := &Error{Place: b.Where(outlier.Row).String(), Row: outlier.Row, Do: DropRow}
		e.What = fmt.Sprintf("the nodes, times the square root of the sample weight, are as large as %.1g", outlier.Size)
		if outlier.Weight != 0 {
			e.What, e.Do = fmt.Sprintf("the weight of the row is %.1g", outlier.Weight), OtherWeight
		}
		e.What += ", so the model's weights would have no correct digits"
		return e
	}
	var overflow *bls.OverflowError
	if !errors.As(err, &overflow) || overflow.Row < 0 && overflow.Col < 0 {
		return err
	}
	e := &Error{Row: overflow.Row, What: overflow.What, Do: SmallerUnits}
	if e.Row >= 0 {
		e.Place, e.Do = b.Where(e.Row).String(), DropRow
	}
	if overflow.Col >= 0 {
		name := strconv.Itoa(overflow.Col + 1)
		if overflow.Col < len(m.Metadata.Inputs) {
			name = strconv.Quote(m.Metadata.Inputs[overflow.Col])
		}
		e.What += " in column " + name
		e.Do |= ExcludeColumn
	}
	e.What += " would overflow"
	return e
}
