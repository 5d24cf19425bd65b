package bls

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// A Regressor is a broad learning system that predicts numbers.
//
//	prediction = [A, 1] W + 1·y0ᵀ    (l×c), or A W with NoIntercept
//
// For options, concurrency and copies see Classifier.
//
// The output layer of the paper has no intercept. Here A has a column of ones. The means y0 of the
// first batch of targets are subtracted from all targets and added to all predictions. Since y0 is
// fixed, learned rows never change, and updates stay as exact as without the column. For lambda = 0
// the result is the least-squares solution with a free intercept. For lambda > 0 the ridge pulls the
// intercept towards y0 and the other weights towards 0. In either case a constant added to the targets
// is added to the predictions. If the nodes nearly span a constant, the column of ones raises cond(A).
//
// ScaleSamples, the scaling of Algorithm 1, gives x, 2x and x+1 the same prediction, and maps a sample
// with one feature to zero. With features of comparable scale, two additional constant columns, 0 and
// 1, preserve level and size: they become (0-m)/s and (1-m)/s.
//
// With more feature nodes than features, or many enhancement nodes on few features, the columns of A
// are dependent to working precision. Without a ridge the methods that solve for W then fail. The true
// pseudoinverse of Improved depends on which singular values count as zero, and the forms
// blsupdate.Paper and Large lose digits in large batches. A small Update.Lambda, such as the paper's
// 2⁻³⁰, avoids all of this at the price of a looser fit.
type Regressor struct {
	// Backend computes all products; nil stands for blskernel.Default(). It is also used for
	// Features.Backend and Update.Backend if they are nil.
	Backend blskernel.Backend
	// Features are the settings of the feature maps.
	Features FeatureOptions
	// Method updates the output layer, as in Classifier.
	Method blsupdate.Method
	// Update holds the settings of the output layer, as in Classifier; [A, 1] has k+1 columns.
	Update blsupdate.Options
	// NoIntercept leaves out the column of ones and the means, as the paper does.
	NoIntercept bool
	// LogTargets = 1 makes the model learn the logarithms of the targets, so that it minimizes
	// relative errors. Predictions are min(factor·exp([A, 1] W + 1·y0ᵀ), 10·largest). For
	// each target, factor is Duan's smearing estimate from the held-out rows, and largest is the
	// largest value learned. Methods that learn return a *TargetError for a target that is not
	// positive, and Weights, Center, Expand and Updater refer to the logarithms. With None the
	// model learns the targets themselves. 0 lets Fit choose: logarithms if all targets are
	// positive, with a skewness of at least 1 that logarithms reduce, and if the held-out loss is
	// at least a tenth smaller. If Fit chooses nothing else, 0 means None.
	LogTargets int
	// ExpectedRows and Validate are as in Classifier; the score of the choice is R².
	ExpectedRows int
	Validate     bool

	*model // nil before the first Fit
}

// Fit is Classifier.Fit with the targets Y (l×c). With an intercept, k+1 takes the place of k.
//
//	errors: as FitFeatures and blsupdate.New; *ShapeError if Y has no columns or not l rows;
//	*NotFiniteError for a NaN or an infinity in Y; with LogTargets = 1, *TargetError for a y <= 0.
func (r *Regressor) Fit(x, y *mat.Dense) error {
	return r.FitContext(background, x, y, nil)
}

// PartialFit is Classifier.PartialFit with the targets Y (q×c). It returns no *LabelError.
func (r *Regressor) PartialFit(x, y *mat.Dense) error {
	return r.PartialFitContext(background, x, y, nil)
}

// Predict returns the predictions (l×c) for the samples X (l×d). Cost and errors are as in
// Classifier.DecisionFunction.
func (r *Regressor) Predict(x *mat.Dense) (*mat.Dense, error) {
	return r.PredictContext(background, x)
}

// PredictContext is like Predict but stops when ctx is done.
func (r *Regressor) PredictContext(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	return r.eachScores(ctx, x, nil)
}

// Score returns the coefficient of determination R², the mean over the targets j of
//
//	1 - Σᵢ(y[i][j] - p[i][j])² / Σᵢ(y[i][j] - ȳ[j])²
//
// where p are the predictions for X and ȳ the means of the columns of Y. It is 1 for predictions
// without error, 0 for a model no better than ȳ, and negative for a worse one. As in scikit-learn, a
// constant target counts as 1 if its predictions are exact to the last bit, and as 0 otherwise.
//
//	shapes: X l×d, Y l×c, l at least 2.
//	errors: as Predict; *ShapeError and *NotFiniteError for Y; blsupdate.ErrOverflow if differences
//	between targets and predictions, or R² itself, overflow.
func (r *Regressor) Score(x, y *mat.Dense) (float64, error) {
	return r.ScoreContext(background, x, y, nil)
}

// ScoreContext is Score with sample weights, at least one positive; nil means all ones. It stops when
// ctx is done.
func (r *Regressor) ScoreContext(ctx context.Context, x, y *mat.Dense, weights []float64) (float64, error) {
	if r.model == nil {
		return 0, ErrNotFitted
	}
	if err := checkTargets(x, r.inputs(), y, r.targets(), nil); err != nil {
		return 0, err
	}
	l, c := y.Dims()
	if l < 2 {
		const want = "at least two rows, since R² divides by the variance of Y"
		return 0, &ShapeError{Op: "bls", Matrix: "Y", Rows: l, Cols: c, Want: want}
	}
	if err := checkJudged(weights, l); err != nil {
		return 0, err
	}
	p, err := r.PredictContext(ctx, x)
	if err != nil {
		return 0, err
	}
	score := determination(r.backend, y, p, weights)
	if math.IsNaN(score) || math.IsInf(score, 0) {
		return 0, blsupdate.ErrOverflow
	}
	return score, nil
}

// determination returns R² of the predictions p of y, both l×c, averaged over the columns. nil weights
// stand for ones. It divides norms rather than sums of squares, so it works unless a norm itself
// overflows or underflows. If a norm overflows, the result is NaN.
func determination(bk blskernel.Backend, y, p *mat.Dense, weights []float64) float64 {
	l, c := y.Dims()
	var residual mat.Dense
	residual.Sub(y, p)
	spread, err := weigh(&residual, deviations(y, columnMeans(y, weights)), weights)
	if err != nil {
		return math.NaN()
	}
	norm := func(m *mat.Dense, j int) float64 {
		raw := m.RawMatrix()
		return bk.Dnrm2(l, raw.Data[j:], raw.Stride)
	}
	var sum float64
	for j := range c {
		e, v := norm(&residual, j), norm(spread, j)
		switch {
		case math.IsNaN(e-e) || math.IsNaN(v-v):
			return math.NaN()
		case v > 0:
			sum += 1 - float64((e/v)*(e/v))
		case e == 0:
			sum++
		}
	}
	return sum / float64(c)
}

// Center returns y0, the means of the first batch of targets, or of their logarithms with LogTargets.
// It returns nil with NoIntercept and before the first Fit.
func (r *Regressor) Center() []float64 { return slices.Clone(r.orEmpty().center) }

// Encode writes the fitted model, like Classifier.Encode.
func (r *Regressor) Encode(w io.Writer) error { return r.encode(w, kindRegressor) }

// DecodeRegressor reads what Regressor.Encode wrote, like DecodeClassifier.
func DecodeRegressor(r io.Reader, b blskernel.Backend) (*Regressor, error) {
	m, err := decodeModel(r, kindRegressor, b)
	return m.regressor(), err
}

func (r *Regressor) options() settings {
	return settings{backend: r.Backend, features: r.Features, method: r.Method, update: r.Update,
		intercept: !r.NoIntercept, validate: r.Validate, log: r.LogTargets, rows: r.ExpectedRows}
}

func (m *model) regressor() *Regressor {
	if m == nil {
		return nil
	}
	s := m.settings
	return &Regressor{Backend: s.backend, Features: s.features, Method: s.method, Update: s.update,
		NoIntercept: !s.intercept, LogTargets: s.log, ExpectedRows: s.rows, Validate: s.validate, model: m}
}

// checkTargets returns an error unless x (l×inputs) and y (l×c) are finite and the weights pass
// checkWeights. If inputs or c is 0, x or y may have any positive number of columns.
func checkTargets(x *mat.Dense, inputs int, y *mat.Dense, c int, weights []float64) error {
	if y == nil || y.IsEmpty() {
		return &ShapeError{Op: "bls", Matrix: "Y", Want: "at least one row and one column"}
	}
	rows, cols := y.Dims()
	if err := checkRows(x, inputs, "Y", rows, cols); err != nil {
		return err
	}
	if c != 0 && cols != c {
		want := fmt.Sprintf("%d×%d, with a column for each target of the fit", rows, c)
		return &ShapeError{Op: "bls", Matrix: "Y", Rows: rows, Cols: cols, Want: want}
	}
	return cmp.Or(checkFinite("Y", y), checkWeights(weights, rows))
}
