package bls

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/isfinite"
	"blskernel/mat"
)

// A Regressor is a broad learning system that approximates numbers: feature maps, fitted to the first
// training set and frozen, and an output layer W that learns from every batch by an incremental
// pseudoinverse.
//
//	prediction = [A, 1] W + 1·y0ᵀ    (l×c), or A W with NoIntercept
//
// # The intercept
//
// The output layer of the paper has no intercept. Here A has a column of ones beside it, so that W has a
// row more, and the means y0 of the first batch of targets are subtracted from all targets and added to
// all predictions. The rows that are there never change, so the update of the pseudoinverse is as exact
// as without the column; centring the columns of A would change every row with every batch.
// For a ridge lambda = 0 the result is the least-squares solution with a free intercept. For
// lambda > 0 the ridge pulls the intercept, like all weights, but towards y0 and not towards 0. In either
// case targets shifted by a constant have predictions shifted by the same constant. Where the
// nodes nearly span a constant by themselves, the column raises the condition number of A.
//
// # What the feature maps do not see
//
// With the zero value of Features.Scaling every sample is standardised by the mean and standard
// deviation of its own features, as Algorithm 1 says. Neither reaches the nodes: x, 2x and x+1 have one
// and the same prediction, and one feature alone becomes zero. That suits images and curves. For a
// table of d quantities, whose levels and sizes matter, set it to ScaleColumns, as the example does:
// each column is then standardised by its mean and deviation over the first batch.
//
// Where the paper's standardisation has to stay, two constant columns, 0 and 1, beside features of
// comparable scale let it see level and size: the two constants become (0-m)/s and (1-m)/s, which
// determine m and s, so nothing is lost.
//
// # Options and use
//
// The fields are options, and Fit reads them; a change shows at the next Fit. The zero value is ready to
// use: 100 feature nodes and no enhancement nodes, an intercept, and the true pseudoinverse by
// blsupdate.Improved on the default backend.
//
// With more feature nodes than features, or many enhancement nodes on few features, the columns of A are
// dependent to working precision. The true pseudoinverse of such a matrix rests on the decision which
// singular values are zero, and blsupdate.Large, which Improved takes for large batches unless
// Update.Form is Small, loses digits to it. A small Update.Lambda, 2⁻³⁰ for example, which is the
// paper's, avoids both at the price of a less close fit.
//
// Predict, Score, Expand, and what returns or encodes parts of the model may be called from several
// goroutines at once. Fit and PartialFit must not run at the same time as any other method. The methods whose
// names end in Context stop when theirs is done: they then return an error that wraps
// context.Cause(ctx), and the model is what it was. A copy of a fitted Regressor shares its model with
// the original until one of them is fitted anew.
type Regressor struct {
	// Backend computes all products; nil stands for blskernel.Default(). Features.Backend and
	// Update.Backend are for those who want another one for that part; where they are nil they stand for
	// this one.
	Backend blskernel.Backend
	// Features are the settings of the feature maps. Set EnhancementNodes for anything but a function
	// linear in the standardised sample.
	Features FeatureOptions
	// Method is the way to update the output layer. The zero value is blsupdate.Improved.
	Method blsupdate.Method
	// Update are the settings of the output layer. With Lambda > 0 the first batch must have at least as
	// many samples as [A, 1] has columns.
	Update blsupdate.Options
	// NoIntercept leaves out the column of ones and the means, as in the paper: predictions are A W.
	NoIntercept bool

	model *model
}

// Fit forgets what was learned and starts a model from the samples X and the targets Y.
//
//	shapes: X l×d, one sample a row; Y l×c.
//	reads/writes: X and Y are neither modified nor kept. On an error the model is what it was.
//	cost, memory: those of Classifier.Fit, with k+1 for k.
//	errors: those of FitFeatures and blsupdate.New; *ShapeError for a Y without columns or with
//	another number of rows than X; *NotFiniteError for a NaN or an infinity in Y.
func (r *Regressor) Fit(x, y *mat.Dense) error {
	return r.FitContext(context.Background(), x, y)
}

// FitContext is Fit that looks at ctx as Classifier.FitContext does. If ctx is done the model is what
// it was, and the error wraps context.Cause(ctx).
func (r *Regressor) FitContext(ctx context.Context, x, y *mat.Dense) error {
	if err := checkTargets(x, 0, y, 0); err != nil {
		return err
	}
	m, err := startModel(ctx, settings{backend: r.Backend, features: r.Features, method: r.Method, update: r.Update, intercept: !r.NoIntercept}, x, y)
	if err != nil {
		return err
	}
	r.model = m
	return nil
}

// PartialFit learns from more samples: for Update.Lambda = 0 the weights become those of a
// least-squares fit to all samples so far, but for rounding, with the feature maps of the first
// batch; blsupdate.Options says how far that holds for Lambda > 0. A Regressor that is not fitted
// is fitted by Fit.
//
//	shapes: X q×d, Y q×c.
//	reads/writes: X and Y are neither modified nor kept. On an error the model is what it was.
//	cost: that of Transform and of Updater.AddInputs, about 6qkl flops for l samples before.
//	errors: *ShapeError, *NotFiniteError, *OverflowError, and those of AddInputs.
func (r *Regressor) PartialFit(x, y *mat.Dense) error {
	return r.PartialFitContext(context.Background(), x, y)
}

// PartialFitContext is PartialFit that looks at ctx before each panel of rows and each step of the
// update. If ctx is done the model is what it was, and the error wraps context.Cause(ctx).
func (r *Regressor) PartialFitContext(ctx context.Context, x, y *mat.Dense) error {
	if r.model == nil {
		return r.FitContext(ctx, x, y)
	}
	if err := checkTargets(x, r.model.inputs(), y, r.model.targets()); err != nil {
		return err
	}
	return r.model.add(ctx, x, y)
}

// Predict returns the predictions (l×c) for the samples X (l×d).
//
//	reads/writes: X is neither modified nor kept; the result is new storage.
//	cost: that of Transform and 2lkc flops. memory: the result, and a panel of rows of some 10 MB.
//	errors: ErrNotFitted; *ShapeError for X without rows or with another number of columns than d;
//	*NotFiniteError for a NaN or an infinity in X; *OverflowError for a prediction beyond float64.
func (r *Regressor) Predict(x *mat.Dense) (*mat.Dense, error) {
	return r.PredictContext(context.Background(), x)
}

// PredictContext is Predict that looks at ctx as Classifier.DecisionFunctionContext does. If ctx is
// done it returns an error that wraps context.Cause(ctx).
func (r *Regressor) PredictContext(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	return r.model.scores(ctx, x)
}

// Score returns the coefficient of determination R², the mean over the targets j of
//
//	1 - Σᵢ(y[i][j] - p[i][j])² / Σᵢ(y[i][j] - ȳ[j])²
//
// where p are the predictions for X and ȳ the means of the columns of Y. It is 1 for predictions without
// error, 0 for a model that does no better than ȳ, and negative for a worse one. A target that is
// constant in Y has no variance to explain and counts as 1 if it is predicted to the last bit and as 0
// otherwise, as in scikit-learn.
//
//	shapes: X l×d, Y l×c, l at least 2.
//	errors: those of Predict; *ShapeError and *NotFiniteError for Y; blsupdate.ErrOverflow where
//	differences of targets and predictions, or R² itself, are beyond float64.
func (r *Regressor) Score(x, y *mat.Dense) (float64, error) {
	return r.ScoreContext(context.Background(), x, y)
}

// ScoreContext is Score that looks at ctx as PredictContext does.
func (r *Regressor) ScoreContext(ctx context.Context, x, y *mat.Dense) (float64, error) {
	if r.model == nil {
		return 0, ErrNotFitted
	}
	if err := checkTargets(x, r.model.inputs(), y, r.model.targets()); err != nil {
		return 0, err
	}
	if l, c := y.Dims(); l < 2 {
		return 0, &ShapeError{Op: "bls", Matrix: "Y", Rows: l, Cols: c, Want: "at least two rows, since R² compares with the variance of Y"}
	}
	p, err := r.PredictContext(ctx, x)
	if err != nil {
		return 0, err
	}
	score := determination(y, p)
	if math.IsNaN(score) || math.IsInf(score, 0) {
		return 0, blsupdate.ErrOverflow
	}
	return score, nil
}

// Weights returns a copy of the weights W of the output layer: (k+1)×c, where the last row is that of
// the column of ones, or k×c with NoIntercept.
//
//	errors: ErrNotFitted; those of blsupdate.Updater.Weights.
func (r *Regressor) Weights() (*mat.Dense, error) { return r.model.copyWeights() }

// Center returns y0, the means of the first batch of targets, which are added to [A, 1] W. It is nil with
// NoIntercept and if the model is not fitted.
func (r *Regressor) Center() []float64 {
	if r.model == nil {
		return nil
	}
	return slices.Clone(r.model.center)
}

// FittedFeatures returns the feature maps of the model, nil if it is not fitted.
func (r *Regressor) FittedFeatures() *Features { return r.model.maps() }

// Updater returns the output layer, for what it tells: Samples, Nodes, Targets, Condition, Report. It
// is nil if the model is not fitted. It belongs to the model, which must not be in use at the same
// time, and which a method of it that changes something would put out of step.
func (r *Regressor) Updater() blsupdate.Updater { return r.model.output() }

// Encode writes the fitted model: the options that Fit read, the feature maps and the state of the
// output layer, so that what DecodeRegressor returns goes on to the bit as r would have. It writes
// neither the backends nor a checksum; package bls/modelfile has the latter.
//
//	cost, memory, errors, contexts: those of Classifier.Encode.
func (r *Regressor) Encode(w io.Writer) error { return r.model.encode(w, kindRegressor) }

// DecodeRegressor reads what Regressor.Encode wrote, up to the end of r. The fields of the result are
// the options that Fit had read, or those of WithUpdater, with b for Backend; nil stands for
// blskernel.Default().
//
//	errors, memory: those of DecodeClassifier.
func DecodeRegressor(r io.Reader, b blskernel.Backend) (*Regressor, error) {
	m, err := decodeModel(r, kindRegressor, b)
	if err != nil {
		return nil, err
	}
	return m.regressor(), nil
}

// regressor returns a Regressor with the model m, whose fields are its settings.
func (m *model) regressor() *Regressor {
	s := m.settings
	return &Regressor{Backend: s.backend, Features: s.features, Method: s.method, Update: s.update, NoIntercept: !s.intercept, model: m}
}

// checkTargets returns an error unless x and y have as many rows, x the given number of columns and
// y c of them (any, at least one, where that is 0), and only finite elements.
func checkTargets(x *mat.Dense, inputs int, y *mat.Dense, c int) error {
	if y == nil || y.IsEmpty() {
		return &ShapeError{Op: "bls", Matrix: "Y", Want: "at least one row and one column"}
	}
	rows, cols := y.Dims()
	if err := checkRows(x, inputs, "Y", rows, cols); err != nil {
		return err
	}
	if c != 0 && cols != c {
		return &ShapeError{Op: "bls", Matrix: "Y", Rows: rows, Cols: cols, Want: fmt.Sprintf("%d columns, as the targets of the fit", c)}
	}
	for i := range rows {
		row := y.RawRowView(i)
		if j := isfinite.First(row); j >= 0 {
			return &NotFiniteError{Op: "bls", Matrix: "Y", Row: i, Col: j, Value: row[j]}
		}
	}
	return nil
}
