package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/mat"
)

// A learner is the model of a file, which learns from batches whatever kind it is.
type learner struct {
	*modelfile.File
	numbers  map[string]int // of the labels of its classes; nil for a regression
	labelsIn string         // file that has the labels of the data, empty where that of the inputs has them
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
		return classification
	}
	return regression
}

// describe says in words what the model is.
func (l *learner) describe() string {
	return fmt.Sprintf("%s, %s, %s, k = %d nodes", l.kind(), countedTargets(l.kind(), l.updater().Targets()),
		counted(l.features().Inputs(), "input"), l.features().Nodes())
}

// countedTargets writes the number of classes or targets of a kind of model.
func countedTargets(kind string, c int) string {
	if kind == classification {
		return countedAs(c, "class", "classes")
	}
	return counted(c, "target")
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
		return placed(b, l.Regressor.PartialFitContext(ctx, b.X, b.Y))
	}
	if b.Labels == nil {
		return errNoTargets
	}
	classes, err := l.numbersOf(b)
	if err != nil {
		return err
	}
	return placed(b, l.Classifier.PartialFitContext(ctx, b.X, classes))
}

// placed says in which file and line the row is that an error of a batch is about.
func placed(b *stream.Batch, err error) error {
	var overflow *bls.OverflowError
	if !errors.As(err, &overflow) || overflow.Row < 0 {
		return err
	}
	return fmt.Errorf("%s: %s would be beyond the largest number: remove the row if it is far beyond the others, or use smaller units", b.Where(overflow.Row), overflow.What)
}

// errNoTargets says that there is nothing to learn.
var errNoTargets = usageError{errors.New("the data has no labels or targets: name their column by --target, or their file by --targets-file")}

// An unknownLabelError says that a row has a label that is none of the model's.
type unknownLabelError struct {
	label string
	place string // of the label
	known []string
}

func (e *unknownLabelError) Error() string {
	return fmt.Sprintf("%s: the label %q is none of the %s of the model (%s)", e.place, e.label, countedAs(len(e.known), "class", "classes"), someOf(e.known))
}

// An unreadableLabelError says that a label is not UTF-8, so that no model can have it.
type unreadableLabelError struct{ label, place string }

func (e *unreadableLabelError) Error() string {
	return fmt.Sprintf("%s: the label %q is not UTF-8: save the file as UTF-8", e.place, e.label)
}

// labelPlace says where the label of a row of a batch stands: with the inputs, or in a file of labels, of
// which the number among all samples is known.
func labelPlace(b *stream.Batch, i int, labels string) string {
	if labels == "" {
		return b.Where(i).String()
	}
	if labels == standardInput {
		labels = "standard input"
	}
	return fmt.Sprintf("%s, sample %d (its inputs are in %s)", labels, b.First+int64(i)+1, b.Where(i))
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
		if !ok && !utf8.ValidString(label) {
			return nil, &unreadableLabelError{label, labelPlace(b, i, l.labelsIn)}
		}
		if !ok {
			return nil, &unknownLabelError{label: label, place: labelPlace(b, i, l.labelsIn), known: l.labels()}
		}
		classes[i] = n
	}
	return classes, nil
}

// scores returns what the model makes of a batch: for a classification the scores of all classes, else
// the predicted targets.
func (l *learner) scores(ctx context.Context, b *stream.Batch) (scores *mat.Dense, err error) {
	if l.Classifier != nil {
		scores, err = l.Classifier.DecisionFunctionContext(ctx, b.X)
	} else {
		scores, err = l.Regressor.PredictContext(ctx, b.X)
	}
	return scores, placed(b, err)
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

// classesOf returns the classes with the largest scores of a batch.
func classesOf(scores *mat.Dense, b *stream.Batch) ([]int, error) {
	classes := bls.ArgMax(scores)
	if i := slices.Index(classes, -1); i >= 0 {
		return nil, fmt.Errorf("%s: the scores are no numbers: the values are too large for the model", b.Where(i))
	}
	return classes, nil
}
