package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/mat"
)

// A learner is the model of a file, which learns from batches whatever kind it is.
type learner struct {
	*modelfile.File
	numbers map[string]int // of the labels of its classes; nil for a regression
}

// newLearner returns the learner of a file.
func newLearner(f *modelfile.File) *learner {
	l := &learner{File: f}
	if f.Classifier != nil {
		l.numbers = map[string]int{}
		for i, label := range l.labels() {
			l.numbers[label] = i
		}
	}
	return l
}

// labels returns the labels of the classes as they are in the data.
func (l *learner) labels() []string {
	if l.Metadata.Classes != nil {
		return l.Metadata.Classes
	}
	c := l.Classifier.Classes
	if u := l.updater(); u != nil {
		c = u.Targets()
	}
	return countedLabels(c)
}

// countedLabels returns the labels 0 to c-1.
func countedLabels(c int) []string {
	labels := make([]string, c)
	for i := range labels {
		labels[i] = strconv.Itoa(i)
	}
	return labels
}

// updater returns the output layer.
func (l *learner) updater() blsupdate.Updater {
	if l.Classifier != nil {
		return l.Classifier.Updater()
	}
	return l.Regressor.Updater()
}

// features returns the feature maps.
func (l *learner) features() *bls.Features {
	if l.Classifier != nil {
		return l.Classifier.FittedFeatures()
	}
	return l.Regressor.FittedFeatures()
}

// kind says in a word what the model does.
func (l *learner) kind() string {
	if l.Classifier != nil {
		return "classification"
	}
	return "regression"
}

// describe says in words what the model is.
func (l *learner) describe() string {
	c := l.updater().Targets()
	what := fmt.Sprintf("classification, %s", countedAs(c, "class", "classes"))
	if l.Classifier == nil {
		what = fmt.Sprintf("regression, %s", counted(c, "target"))
	}
	return fmt.Sprintf("%s, %s, k = %d nodes", what, counted(l.features().Inputs(), "input"), l.features().Nodes())
}

// determined returns an error if what was learned does not determine the weights.
func (l *learner) determined() error {
	_, err := l.weights()
	return err
}

// weights returns W.
func (l *learner) weights() (*mat.Dense, error) {
	if l.Classifier != nil {
		return l.Classifier.Weights()
	}
	return l.Regressor.Weights()
}

// learn goes on with a batch, or starts with it. The model is what it was if that fails.
func (l *learner) learn(ctx context.Context, b *stream.Batch) error {
	if l.Classifier == nil {
		if b.Y == nil {
			return errNoTargets
		}
		return l.Regressor.PartialFitContext(ctx, b.X, b.Y)
	}
	if b.Labels == nil {
		return errNoTargets
	}
	classes, err := l.numbersOf(b)
	if err != nil {
		return err
	}
	return l.Classifier.PartialFitContext(ctx, b.X, classes)
}

// errNoTargets says that there is nothing to learn.
var errNoTargets = usageError{errors.New("the data has no labels or targets: name their column by --target, or their file by --targets-file")}

// An unknownLabelError says that a row has a label that is none of the model's.
type unknownLabelError struct {
	label string
	row   int64 // from 1
	known []string
}

func (e *unknownLabelError) Error() string {
	const most = 10
	known := strings.Join(e.known[:min(most, len(e.known))], ", ")
	if len(e.known) > most {
		known += ", ..."
	}
	return fmt.Sprintf("row %d has the label %q, which is none of the %s of the model (%s)", e.row, e.label, countedAs(len(e.known), "class", "classes"), known)
}

// countedAs writes a number of things whose plural is not that of counted.
func countedAs(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// numbersOf returns the number of the class of each label.
func (l *learner) numbersOf(b *stream.Batch) ([]int, error) {
	classes := make([]int, len(b.Labels))
	for i, label := range b.Labels {
		n, ok := l.numbers[label]
		if !ok {
			return nil, &unknownLabelError{label: label, row: b.First + int64(i) + 1, known: l.labels()}
		}
		classes[i] = n
	}
	return classes, nil
}

// scores returns what the model makes of samples: for a classification the scores of all classes, else
// the predicted targets.
func (l *learner) scores(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	if l.Classifier != nil {
		return l.Classifier.DecisionFunctionContext(ctx, x)
	}
	return l.Regressor.PredictContext(ctx, x)
}

// targetNames returns the names of the targets of a regression, y1, y2, ... where the data had none.
func (l *learner) targetNames() []string {
	if c := l.updater().Targets(); len(l.Metadata.Targets) != c {
		names := make([]string, c)
		for i := range names {
			names[i] = "y" + strconv.Itoa(i+1)
		}
		return names
	}
	return l.Metadata.Targets
}

// sortedLabels returns each of the labels once, in the order of the numbers if all are numbers, else of
// the alphabet.
func sortedLabels(seen map[string]bool) []string {
	labels := make([]string, 0, len(seen))
	values := map[string]float64{}
	for label := range seen {
		labels = append(labels, label)
		if v, err := strconv.ParseFloat(label, 64); err == nil {
			values[label] = v
		}
	}
	slices.Sort(labels)
	if len(values) == len(labels) {
		slices.SortStableFunc(labels, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
	}
	return labels
}

// classesOf returns the classes with the largest scores.
func classesOf(scores *mat.Dense, first int64) ([]int, error) {
	classes := bls.ArgMax(scores)
	if i := slices.Index(classes, -1); i >= 0 {
		return nil, fmt.Errorf("the scores of row %d are no numbers: its values are too large for the model", first+int64(i)+1)
	}
	return classes, nil
}
