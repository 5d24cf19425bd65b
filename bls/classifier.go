package bls

import (
	"context"
	"io"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// maxInferredClasses bounds the number of classes that Fit takes from the labels, so that a column of
// something else, such as serial numbers, is an error and not an allocation of l times that many.
const maxInferredClasses = 1 << 12

// A Classifier is a broad learning system that tells classes apart: feature maps, fitted to the first
// training set and frozen, and an output layer W (k×c) that learns from every batch by an incremental
// pseudoinverse.
//
//	scores = A W,  predicted class = index of the largest score
//
// The targets are +1 for the class of a sample and -1 for the others, and there is no intercept, both as
// in the paper.
//
// The fields are options, and Fit reads them; a change shows at the next Fit. The zero value is ready to
// use: 100 feature nodes and no enhancement nodes, which is a classifier linear in the standardised
// sample, the true pseudoinverse by blsupdate.Improved on the default backend, and as many classes as
// the labels of the first batch call for.
//
// With the zero value of Features.Scaling every sample is standardised by itself, so that x, 2x and x+1
// are of one class, which suits images; for a table set it to ScaleColumns. Regressor has more about
// that, and about columns of A that are nearly dependent.
//
// Predict, DecisionFunction, Score, Expand, and what returns or encodes parts of the model may be called
// from several goroutines at once. Fit and PartialFit must not run at the same time as any other method. The
// methods whose names end in Context stop when theirs is done: they then return an error that wraps
// context.Cause(ctx), and the model is what it was. A copy of a fitted Classifier shares its model with
// the original until one of them is fitted anew.
type Classifier struct {
	// Backend computes all products; nil stands for blskernel.Default(). Features.Backend and
	// Update.Backend are for those who want another one for that part; where they are nil they stand for
	// this one.
	Backend blskernel.Backend
	// Features are the settings of the feature maps. Set EnhancementNodes for anything but a linear
	// classifier.
	Features FeatureOptions
	// Method is the way to update the output layer. The zero value is blsupdate.Improved.
	Method blsupdate.Method
	// Update are the settings of the output layer. With Lambda > 0 the first batch must have at least k
	// samples.
	Update blsupdate.Options
	// Classes is c. 0 stands for 1 + the largest label of the first batch, which must then be below
	// 4096.
	Classes int

	model *model
}

// Fit forgets what was learned and starts a model from the samples X and their labels.
//
//	shapes: X l×d, one sample a row; labels l, each from 0 to c-1.
//	reads/writes: X and labels are neither modified nor kept. On an error the model is what it was.
//	cost: that of FitFeatures and Transform, and of blsupdate.New, 3lk² + k³/3 flops at its fastest.
//	memory: for the model 8k(l + c) bytes, since the pseudoinverse is kept, and several times that in
//	between.
//	errors: those of FitFeatures and blsupdate.New; *ShapeError for another number of labels than
//	samples; *LabelError for a label out of range; *OptionError for Classes < 0.
func (c *Classifier) Fit(x *mat.Dense, labels []int) error {
	return c.FitContext(context.Background(), x, labels)
}

// FitContext is Fit that looks at ctx before each panel of rows, each iteration of an autoencoder, and
// each step of the start of the output layer. If ctx is done the model is what it was, and the error
// wraps context.Cause(ctx).
func (c *Classifier) FitContext(ctx context.Context, x *mat.Dense, labels []int) error {
	classes := c.Classes
	if classes == 0 {
		classes = inferClasses(labels)
	}
	y, err := labelTargets(x, 0, labels, classes)
	if err != nil {
		return err
	}
	m, err := startModel(ctx, settings{backend: c.Backend, features: c.Features, method: c.Method, update: c.Update, classes: c.Classes}, x, y)
	if err != nil {
		return err
	}
	c.model = m
	return nil
}

// PartialFit learns from more samples: for Update.Lambda = 0 the weights become those of a
// least-squares fit to all samples so far, but for rounding, with the feature maps of the first
// batch; blsupdate.Options says how far that holds for Lambda > 0. A Classifier that is not fitted
// is fitted by Fit.
//
//	shapes: X q×d, labels q, each from 0 to c-1 with the c of the first batch.
//	reads/writes: X and labels are neither modified nor kept. On an error the model is what it was.
//	cost: that of Transform and of Updater.AddInputs, about 6qkl flops for l samples before.
//	errors: *ShapeError, *NotFiniteError, *LabelError, *OverflowError, and those of AddInputs.
func (c *Classifier) PartialFit(x *mat.Dense, labels []int) error {
	return c.PartialFitContext(context.Background(), x, labels)
}

// PartialFitContext is PartialFit that looks at ctx before each panel of rows and each step of the
// update. If ctx is done the model is what it was, and the error wraps context.Cause(ctx).
func (c *Classifier) PartialFitContext(ctx context.Context, x *mat.Dense, labels []int) error {
	if c.model == nil {
		return c.FitContext(ctx, x, labels)
	}
	y, err := labelTargets(x, c.model.inputs(), labels, c.model.targets())
	if err != nil {
		return err
	}
	return c.model.add(ctx, x, y)
}

// DecisionFunction returns the scores A W (l×c) of the samples X (l×d). They approximate +1 for the
// class of a sample and -1 for the others; they are not probabilities, and may lie outside [-1,1].
//
//	reads/writes: X is neither modified nor kept; the result is new storage.
//	cost: that of Transform and 2lkc flops. memory: the result, and a panel of rows of some 10 MB.
//	errors: ErrNotFitted; *ShapeError for X without rows or with another number of columns than d;
//	*NotFiniteError for a NaN or an infinity in X; *OverflowError for a result beyond float64.
func (c *Classifier) DecisionFunction(x *mat.Dense) (*mat.Dense, error) {
	return c.DecisionFunctionContext(context.Background(), x)
}

// DecisionFunctionContext is DecisionFunction that looks at ctx before each panel of rows. If ctx is
// done it returns an error that wraps context.Cause(ctx). What some methods have to solve for the
// weights at the first prediction after an update, k³/3 flops by blsupdate.Gram, is not interrupted.
func (c *Classifier) DecisionFunctionContext(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	return c.model.scores(ctx, x)
}

// Predict returns the class of each sample, the index of its largest score, the first of them where there
// are several. Its cost and errors are those of DecisionFunction.
func (c *Classifier) Predict(x *mat.Dense) ([]int, error) {
	return c.PredictContext(context.Background(), x)
}

// PredictContext is Predict that looks at ctx as DecisionFunctionContext does.
func (c *Classifier) PredictContext(ctx context.Context, x *mat.Dense) ([]int, error) {
	scores, err := c.model.scores(ctx, x)
	if err != nil {
		return nil, err
	}
	return ArgMax(scores), nil
}

// Score returns the mean accuracy, the share of samples whose prediction is their label, from 0 to 1;
// Accuracy has it in percent. A label that is not the number of a class is a miss.
//
//	errors: those of DecisionFunction; *ShapeError for another number of labels than samples.
func (c *Classifier) Score(x *mat.Dense, labels []int) (float64, error) {
	return c.ScoreContext(context.Background(), x, labels)
}

// ScoreContext is Score that looks at ctx as DecisionFunctionContext does.
func (c *Classifier) ScoreContext(ctx context.Context, x *mat.Dense, labels []int) (float64, error) {
	if c.model == nil {
		return 0, ErrNotFitted
	}
	if err := checkLabels(x, c.model.inputs(), labels); err != nil {
		return 0, err
	}
	predicted, err := c.PredictContext(ctx, x)
	if err != nil {
		return 0, err
	}
	return float64(hits(predicted, labels)) / float64(len(labels)), nil
}

// Weights returns a copy of the weights W (k×c) of the output layer.
//
//	errors: ErrNotFitted; those of blsupdate.Updater.Weights.
func (c *Classifier) Weights() (*mat.Dense, error) { return c.model.copyWeights() }

// FittedFeatures returns the feature maps of the model, nil if it is not fitted.
func (c *Classifier) FittedFeatures() *Features { return c.model.maps() }

// Updater returns the output layer, for what it tells: Samples, Nodes, Targets, Condition, Report. It
// is nil if the model is not fitted. It belongs to the model, which must not be in use at the same
// time, and which a method of it that changes something would put out of step.
func (c *Classifier) Updater() blsupdate.Updater { return c.model.output() }

// Encode writes the fitted model: the options that Fit read, the feature maps and the state of the
// output layer, so that what DecodeClassifier returns goes on to the bit as c would have. It writes
// neither the backends nor a checksum; package bls/modelfile has the latter. Predictions go on meanwhile, however
// slow w is. It takes no context: a w that looks at one, and returns an error, stops it.
//
//	cost: that of a copy, and the solution for the weights where the method solves for them and has not yet, so
//	that what is written is the same before and after a prediction.
//	memory: some 100 KB; the state of the output layer once more where there are no weights to be had.
//	errors: ErrNotFitted; those of blsupdate.Encode and of w.
func (c *Classifier) Encode(w io.Writer) error { return c.model.encode(w, kindClassifier) }

// DecodeClassifier reads what Classifier.Encode wrote, up to the end of r. The fields of the result are
// the options that Fit had read, or those of WithUpdater, with b for Backend; nil stands for
// blskernel.Default().
//
//	errors: *FormatError where r ends too early, or has what no Classifier can be; those of r, which is how a context
//	stops it.
//	memory: whatever r says of sizes, of n bytes that it has no more than 12n bytes and 256 KiB are allocated on the way, what
//	is freed again included.
func DecodeClassifier(r io.Reader, b blskernel.Backend) (*Classifier, error) {
	m, err := decodeModel(r, kindClassifier, b)
	if err != nil {
		return nil, err
	}
	return m.classifier(), nil
}

// classifier returns a Classifier with the model m, whose fields are its settings.
func (m *model) classifier() *Classifier {
	s := m.settings
	return &Classifier{Backend: s.backend, Features: s.features, Method: s.method, Update: s.update, Classes: s.classes, model: m}
}

// labelTargets returns the targets Y of the labels, once x and the labels are found to fit each other.
func labelTargets(x *mat.Dense, inputs int, labels []int, classes int) (*mat.Dense, error) {
	if err := checkLabels(x, inputs, labels); err != nil {
		return nil, err
	}
	return OneHot(labels, classes)
}

// checkLabels is checkRows for labels.
func checkLabels(x *mat.Dense, inputs int, labels []int) error {
	return checkRows(x, inputs, "the column of labels", len(labels), 1)
}

// inferClasses returns 1 + the largest label, and at least 1 and at most maxInferredClasses: labels
// outside of that are found by OneHot.
func inferClasses(labels []int) int {
	largest := 0
	for _, v := range labels {
		largest = max(largest, v)
	}
	return min(largest, maxInferredClasses-1) + 1
}
