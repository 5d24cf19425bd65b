package bls

import (
	"cmp"
	"context"
	"io"
	"slices"

	"blskernel"
	"blskernel/bls/internal/choice"
	"blskernel/bls/metrics"
	"blskernel/blsupdate"
	"blskernel/internal/io/memory"
	"blskernel/mat"
)

// maxInferredClasses bounds the number of classes that Fit infers from labels with gaps. A column of
// large numbers then causes an error rather than the allocation of a huge matrix of targets.
const maxInferredClasses = 1 << 12

// A Classifier is a broad learning system that predicts classes. Its feature maps are fitted to the
// first training set and then frozen; its output layer W (k×c) learns from every batch.
//
//	scores = A W,  predicted class = index of the largest score
//
// As in the paper, the targets are +1 for the class and -1 for the others, and there is no intercept.
//
// The fields are options that Fit reads; a change takes effect at the next Fit. Fit chooses the fields
// that are zero. The zero value suits any table; for images, set Features.Scaling to ScaleSamples.
//
//	Features.EnhancementNodes  200 to 2000, depending on the numbers of rows and columns
//	Features.Groups            10; more for tables of more than 500 columns
//	Features.Direct            1 for tables of at most 500 columns
//	Features.Scaling, Relevance, Steps, Shrink; Update.Lambda; Method
//	                           the best on rows held out from at most 4096: see Choice
//	Classes                    1 + the largest label of the first batch
//
// The choice depends only on the options and the samples: it is the same on every machine. Fit then
// learns all rows, including the held-out ones. For Original and Improved, which compute the
// pseudoinverse, a zero Lambda means no ridge.
//
// If Lambda is set, and also Shrink where enhancement nodes use it, Fit chooses nothing on held-out
// rows. A zero Scaling then means ScaleColumns, and a zero Relevance, Steps or Direct means None; but
// Direct is 1, as above, if Steps is 1 or the model is linear with a ridge.
//
// Methods that change a model, such as Fit and Calibrate, must not run concurrently with any other;
// methods that predict, count or write may run concurrently. Assigning a fitted Classifier copies the
// fields but shares the model, until Fit or Refit replaces it in one of the two; Clone makes an
// independent model. So a server can predict while a clone of its model learns, and then swap the two.
type Classifier struct {
	// Backend computes all products; nil stands for blskernel.Default(). It is also used for
	// Features.Backend and Update.Backend if they are nil.
	Backend blskernel.Backend
	// Features are the settings of the feature maps.
	Features FeatureOptions
	// Method is the algorithm that updates the output layer. For 0, Fit uses blsupdate.Gram, or QR
	// if QR predicts better or the ridge is too small for Gram.
	Method blsupdate.Method
	// Update holds the settings of the output layer. Lambda may be None. The first batch must have
	// at least k samples for Improved and Original with Lambda > 0, and for RidgeInverse and
	// InverseCholesky without a ridge.
	Update blsupdate.Options
	// Classes is c, the number of classes. 0 stands for 1 + the largest label so far. A new label
	// must be below 4096, unless all smaller numbers are classes or labels of the same call.
	Classes int
	// ClassWeight sets how much the rows of each class count: Unweighted or Balanced.
	ClassWeight ClassWeight
	// ExpectedRows is the total number of samples to be learned; 0 stands for the number given
	// to Fit. It affects the number of nodes, the smallest ridge, and which rows are held out.
	ExpectedRows int
	// Validate makes Fit hold out rows even if all settings are given, for Choice and for
	// calibrated probabilities.
	Validate bool

	*model // nil before the first Fit
}

// Fit trains a new model on the samples X and their labels, and discards the old one.
//
//	shapes: X l×d, one sample per row; labels l, each from 0 to c-1.
//	reads/writes: reads X and labels and keeps neither. On an error the model is unchanged.
//	cost: FitFeatures, Transform and blsupdate.New. A choice of settings adds the maps, nodes and
//	normal equations of at most 4096 rows and 3000 nodes (d more with Direct). It also takes about
//	35 Cholesky factorizations if l > 4096, otherwise 140.
//	memory: the maps, A (8lk bytes), and blsupdate.StateBytes for the model, which grows with l only
//	for Improved and Original. A choice holds its nodes twice, or up to 6 times for at most 1024
//	rows; its normal equations (4k² bytes) 6 times, or 12 or 13 times for at most 4096 rows.
//	errors: as FitFeatures and blsupdate.New; *ShapeError unless there is one label for each sample;
//	*LabelError for a label out of range; *OptionError for Classes < 0.
func (c *Classifier) Fit(x *mat.Dense, labels []int) error {
	return c.FitContext(background, x, labels, nil)
}

// PartialFit learns from more samples. Without a ridge the weights become, up to rounding, the
// least-squares fit to all samples so far, with the feature maps of the first batch. blsupdate.Options
// explains how far this holds with a ridge.
//
// If c is not fitted, PartialFit starts a new model. While there are few samples (see KeptRows), the
// model equals the result of Fit on all of them, bit for bit. After that the feature maps are fixed.
//
// A label of c or more adds all classes up to that label, unless Classes is set or the label is too
// large for Fit. The weights become as if the model had had these classes from the start.
//
//	shapes: X q×d, labels q, each from 0 to c-1, or larger for a new class.
//	reads/writes: reads X and labels, and copies them while samples are few. On an error the model
//	is unchanged.
//	cost: Transform and Updater.AddInputs, whose cost grows with the number of earlier samples only
//	for Improved and Original.
//	memory: a copy of the output layer if there are new classes or possible outliers.
//	errors: *ShapeError, *NotFiniteError, *LabelError, *OverflowError, *MemoryError; *OutlierError
//	for a sample far beyond the learned ones; errors of AddInputs and, while samples are few, Fit.
func (c *Classifier) PartialFit(x *mat.Dense, labels []int) error {
	return c.PartialFitContext(background, x, labels, nil)
}

// DecisionFunction returns the scores A W (l×c) of the samples X (l×d). They approximate +1 for the
// class of a sample and -1 for the others; they are not probabilities, and may lie outside [-1,1].
//
//	reads/writes: reads X; the result is new storage.
//	cost: Transform and 2lkc flops.
//	memory: the result, and a panel of rows of some 10 MB.
//	errors: ErrNotFitted; *ShapeError if X has no rows or not d columns; *NotFiniteError for a NaN
//	or an infinity in X; *OverflowError if a result overflows; *MemoryError if the scores do not fit
//	into memory.
func (c *Classifier) DecisionFunction(x *mat.Dense) (*mat.Dense, error) {
	return c.DecisionFunctionContext(background, x)
}

// DecisionFunctionContext is like DecisionFunction but stops when ctx is done. It cannot interrupt the
// solve for W in the first prediction after an update, which takes k³/3 flops with blsupdate.Gram.
func (c *Classifier) DecisionFunctionContext(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	return c.eachScores(ctx, x, nil)
}

// Predict returns each sample's class: the index of its largest score; ties go to the lowest index. It
// has the cost and errors of DecisionFunction, but holds the scores of only one panel of rows.
func (c *Classifier) Predict(x *mat.Dense) ([]int, error) {
	return c.PredictContext(background, x)
}

// PredictContext is like Predict but stops when ctx is done.
func (c *Classifier) PredictContext(ctx context.Context, x *mat.Dense) ([]int, error) {
	var out []int
	_, err := c.eachScores(ctx, x, func(_, scores *mat.Dense) error {
		out = append(out, ArgMax(scores)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Score returns the accuracy: the fraction, from 0 to 1, of samples whose predicted class is their
// label. A label outside 0 to c-1 counts as a wrong prediction.
//
//	errors: as DecisionFunction; *ShapeError unless there is one label for each sample.
func (c *Classifier) Score(x *mat.Dense, labels []int) (float64, error) {
	return c.ScoreContext(background, x, labels, nil)
}

// ScoreContext is Score with sample weights, at least one positive; nil means all ones. It stops when
// ctx is done.
func (c *Classifier) ScoreContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) (float64, error) {
	predicted, err := c.PredictContext(ctx, x)
	if err != nil {
		return 0, err
	}
	l := len(predicted)
	if err := cmp.Or(checkCount(l, labelColumn, len(labels), 1), checkJudged(weights, l)); err != nil {
		return 0, err
	}
	return metrics.Accuracy(labels, predicted, weights), nil
}

// NumClasses returns c, the number of classes that the model distinguishes, or 0 before the first Fit.
func (c *Classifier) NumClasses() int {
	if c.model == nil {
		return 0
	}
	return c.targets()
}

// ClassCounts returns the number of rows learned for each class. It returns nil before the first Fit,
// and if the numbers are unknown, as after WithUpdater.
func (c *Classifier) ClassCounts() []float64 {
	var out []float64
	for _, n := range c.orEmpty().counts {
		out = append(out, n.rows)
	}
	return out
}

// Encode writes the fitted model: the options that Fit read, the feature maps and the state of the
// output layer, without the backends. A decoded model predicts and learns bit for bit as c does.
// Package bls/modelfile adds a checksum. Predictions may run concurrently, and a slow w does not block
// them. To make Encode stop, return an error from w.
//
//	cost: writing all numbers. Encode first solves for the weights if necessary, so that the bytes
//	are the same before and after a prediction.
//	memory: about 100 KB, plus a copy of the output layer if it does not determine the weights.
//	errors: ErrNotFitted; as blsupdate.Encode; an error of w.
func (c *Classifier) Encode(w io.Writer) error { return c.encode(w, kindClassifier) }

// DecodeClassifier reads what Classifier.Encode wrote, and not a byte more. The fields of the result
// are the options of Fit or WithUpdater, with the ridge of SetLambda; its Backend is b, and nil stands
// for blskernel.Default().
//
//	errors: *FormatError if r ends too early, or holds invalid values; an error of r.
//	memory: at most 12n bytes plus 256 KiB for n bytes of r, whatever sizes r declares.
func DecodeClassifier(r io.Reader, b blskernel.Backend) (*Classifier, error) {
	m, err := decodeModel(r, kindClassifier, b)
	return m.classifier(), err
}

func (c *Classifier) options() settings {
	return settings{backend: c.Backend, features: c.Features, method: c.Method, update: c.Update,
		classes: c.Classes, classWeight: c.ClassWeight, validate: c.Validate, rows: c.ExpectedRows}
}

func (m *model) classifier() *Classifier {
	if m == nil {
		return nil
	}
	s := m.settings
	return &Classifier{Backend: s.backend, Features: s.features, Method: s.method, Update: s.update,
		Classes: s.classes, ClassWeight: s.classWeight, ExpectedRows: s.rows,
		Validate: s.validate, model: m}
}

// inferClasses returns the number of classes after learning labels: 1 + the largest label, but at least
// 1 and at least have, the number so far. If labels skip a new class, they add classes only up to
// maxInferredClasses, and targets rejects larger labels.
func inferClasses(labels []int, have int) int {
	distinct := slices.Compact(slices.Sorted(slices.Values(labels)))
	at, _ := slices.BinarySearch(distinct, have)
	distinct = distinct[at:]
	if len(distinct) == 0 {
		return max(1, have)
	}
	largest := distinct[len(distinct)-1]
	if largest >= maxInferredClasses && largest-have >= len(distinct) {
		return max(have, maxInferredClasses)
	}
	return largest + 1
}

// OneHot returns the targets Y (l×c) for classification: y[i][j] is 1 if labels[i] = j, else -1.
//
//	shapes: labels l, at least one, each from 0 to classes-1.
//	errors: *OptionError for classes < 1; *LabelError for a label out of range; *ShapeError if
//	labels is empty; *MemoryError if Y does not fit into memory.
func OneHot(labels []int, classes int) (*mat.Dense, error) { return targets(labels, classes, false) }

// targets is like OneHot, but if constant is true, a column of ones, the constant target, comes first.
func targets(labels []int, classes int, constant bool) (*mat.Dense, error) {
	if classes < 1 {
		return nil, &OptionError{Op: "bls", Option: "classes", Value: classes, Want: "a positive number"}
	}
	if len(labels) == 0 {
		return nil, &ShapeError{Op: "bls", Matrix: "Y", Cols: classes, Want: "at least one row: there are no labels"}
	}
	if err := checkLabels(labels, classes); err != nil {
		return nil, err
	}
	first := 0
	if constant {
		first = 1
	}
	cols := first + classes
	if err := memory.Check(memory.Floats(len(labels), cols), "bls", "use fewer rows at once, or fewer classes",
		"the target matrix of %d samples and %d classes", len(labels), classes); err != nil {
		return nil, err
	}
	y := mat.NewDense(len(labels), cols, slices.Repeat([]float64{-1}, len(labels)*cols))
	for i, label := range labels {
		if constant {
			y.Set(i, 0, 1)
		}
		y.Set(i, first+label, 1)
	}
	return y, nil
}

// ArgMax returns, for each row of scores (l×c), the index of its largest element; ties go to the lowest
// index. It ignores NaN; for a row of only NaN the index is -1, which is not a label.
func ArgMax(scores *mat.Dense) []int {
	out := make([]int, scores.RawMatrix().Rows)
	for i := range out {
		out[i] = choice.ArgMax(scores.RawRowView(i))
	}
	return out
}
