package bls

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"blskernel/bls/internal/choice"
	"blskernel/blsupdate"
	"blskernel/internal/io/codec"
	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// CalibrationRows is the largest number of rows that a calibration keeps; older rows are dropped. With
// more than 209 targets or classes a calibration keeps fewer rows, but at least 100.
const CalibrationRows = 5000

// leftOutRows is the largest number of rows that a calibration on learned rows predicts as if left out.
const leftOutRows = 2000

// calibrationRows returns the largest number of rows that a calibration keeps for c targets or classes.
func calibrationRows(c int) int { return max(100, min(CalibrationRows, 1<<20/max(c, 1))) }

// A CalibrationError reports that a calibration is missing, or has too few rows for the coverage, or
// that none of the given rows can calibrate the model.
type CalibrationError struct {
	Rows int // the number of rows of the calibration; 0 if there is none
	Want int // the number of rows that the coverage needs; 0 if none of the given rows can be used
}

func (e *CalibrationError) Error() string {
	if e.Rows == 0 && e.Want == 0 {
		return "bls: none of the last rows can calibrate the model: each has weight 0, has a score or error that overflows, " +
			"or was learned with a leverage of about 1; give rows of positive weight that the model has not learned"
	}
	if e.Rows == 0 {
		return "bls: the model was never calibrated, or a later change discarded its calibration (Remove, Refit, Merge, WithUpdater, a new lambda, " +
			"or any change while the model keeps its samples): calibrate it on rows that it has not learned"
	}
	return fmt.Sprintf("bls: this coverage needs at least %d calibration rows, but the model has %d: calibrate it on more rows, of which it keeps at most %d, or ask for a lower coverage", e.Want, e.Rows, CalibrationRows)
}

// A calibration holds the errors of predictions. Either the model had not learned the predicted rows,
// or it predicted each row as if that row had been left out.
type calibration struct {
	lambda float64 // of the model when rows were last added

	// rows are never modified. Element 0 of a row is its weight. Element 1 is s = (1 + x Q xᵀ)^½,
	// the standard deviation of the row's error in units of the noise. Here x are the nodes of the
	// row, and Q = (AᵀA + lambda I)⁻¹ excludes the row. For classification, element 2 is the class.
	// The errors of the targets or the scores of the classes begin at index first.
	rows [][]float64
}

// first returns the index of the first error or score in a row of a calibration.
func (m *model) first() int {
	if m.constant {
		return 3
	}
	return 2
}

// calibrate replaces the calibration with rows for the last samples of in or, if more is true, adds
// these rows. learned says whether the model has learned the samples; if not, calibrate also renews the
// smearing factors, from all rows of the calibration. On an error m is unchanged.
func (m *model) calibrate(ctx context.Context, in sampleSet, learned, more bool) error {
	if m == nil {
		return ErrNotFitted
	}
	var err error
	if m.constant {
		err = cmp.Or(checkRows(in.x, m.inputs(), labelColumn, len(in.labels), 1), checkLabels(in.labels, m.targets()))
	} else {
		err = checkTargets(in.x, m.inputs(), in.y, m.targets(), nil)
	}
	if err == nil {
		err = cmp.Or(checkWeights(in.weights, in.rows()), m.ready(ctx))
	}
	if err != nil {
		return err
	}
	factors := in.weights
	if learned && m.settings.classWeight == Balanced && m.counts != nil {
		if factors = balanced(m.counts, in.labels, in.weights); factors == nil {
			return blsupdate.ErrOverflow
		}
	}
	rows, err := m.observe(ctx, in, learned, factors)
	if err != nil || len(rows) == 0 && more {
		return err
	}
	if len(rows) == 0 {
		return &CalibrationError{}
	}
	m.extendCalibration(rows, more)
	if !learned {
		m.renewSmearing()
	}
	return nil
}

const slopeRows = 100 // the fewest rows whose slope replaces a slope that was fitted to other rows

// extendCalibration replaces the calibration with rows or, if more is true, appends rows to it. It
// keeps only the last calibrationRows, and fits the slope of a classifier to them. A slope that was
// fitted to other rows stays until there are slopeRows rows, since fewer rows determine a slope poorly.
func (m *model) extendCalibration(rows [][]float64, more bool) {
	renews := !more
	if more {
		all := slices.Concat(m.calibration.rows, rows)
		renews, rows = len(all) >= slopeRows || m.slope == m.fittedSlope(), all
	}
	m.calibration = calibration{m.updater.Lambda(), rows[max(0, len(rows)-calibrationRows(m.targets())):]}
	if renews {
		m.slope = cmp.Or(m.fittedSlope(), m.slope)
	}
}

// calibrateFit calibrates a new model if Fit held rows out. If the choice returned calibration rows,
// calibrateFit keeps them, with sample weights in place of sample numbers. Otherwise it leaves each of
// the last samples out, if the method can do so. factors are the weights used to learn the samples.
func (m *model) calibrateFit(ctx context.Context, in sampleSet, factors []float64) error {
	held := m.calibration.rows
	m.calibration.rows = nil
	switch {
	case m.choice.Rows == 0:
	case held != nil:
		for _, row := range held {
			row[0] = floats.Weight(in.weights, int(row[0]))
			if m.approximates() {
				row[1] = 1 // as for the rows that PredictInterval predicts
			}
			m.withoutRows(row)
		}
		m.extendCalibration(slices.DeleteFunc(held, func(row []float64) bool { return row[0] == 0 || !floats.Finite(row) }), false)
	default:
		rows, err := m.observe(ctx, in, true, factors)
		if err == nil {
			m.extendCalibration(rows, false)
		} else if ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// withoutRows sets the score of each class without rows to -1, as if the class were added later.
func (m *model) withoutRows(row []float64) {
	for class, n := range m.counts {
		if n.rows == 0 {
			row[3+class] = -1
		}
	}
}

// observe returns calibration rows for the last samples of in with a positive weight. If learned is
// true, the model has learned them with the weights in factors, and each is predicted as if left out.
func (m *model) observe(ctx context.Context, in sampleSet, learned bool, factors []float64) ([][]float64, error) {
	l, d := in.x.Dims()
	most := calibrationRows(m.targets())
	if learned {
		most = min(most, leftOutRows)
	}
	var picked []int // the last samples of positive weight
	for i := l - 1; i >= 0 && len(picked) < most; i-- {
		if floats.Weight(in.weights, i) > 0 {
			picked = append(picked, i)
		}
	}
	slices.Reverse(picked)
	y, err := in.y, error(nil)
	if !m.constant {
		if y, err = m.learned(y, in.weights); err != nil {
			return nil, err
		}
	}
	plain, err := m.plain(ctx)
	if err != nil || len(picked) == 0 {
		return nil, err
	}
	var rows [][]float64
	x := in.x.Slice(picked[0], picked[len(picked)-1]+1, 0, d).(*mat.Dense)
	if x.RawMatrix().Rows > len(picked) {
		x = block.PickRows(in.x, picked)
	}
	at := 0
	_, err = plain.eachScores(ctx, x, func(a, scores *mat.Dense) error {
		q, err := m.leverages(ctx, a, learned)
		if err != nil {
			return err
		}
		for i, q := range q {
			sample := picked[at]
			weight, h := floats.Weight(in.weights, sample), 0.0
			if learned {
				h = float64(floats.Weight(factors, sample) * q)
			}
			rest := 1 - h
			row := []float64{weight, math.Sqrt(1 + q/rest)}
			if m.constant {
				row = append(row, float64(in.labels[sample]))
			}
			row = append(row, scores.RawRowView(i)...)
			for j, s := range row[m.first():] {
				value := &row[m.first()+j]
				switch {
				case !m.constant:
					*value = (y.At(sample, j) - s) / rest
				case in.labels[sample] == j: // y - (y-s)/(1-h)
					*value = s - float64((1-s)*(h/rest))
				default:
					*value = s - float64((-1-s)*(h/rest))
				}
			}
			m.withoutRows(row)
			if at++; rest >= choice.MinRest && floats.Finite(row) {
				rows = append(rows, row)
			}
		}
		return nil
	})
	return rows, moved(err, func(row int) int { return picked[row] })
}

// approximates reports whether the method only approximates Q, and so knows no leverages.
func (m *model) approximates() bool {
	by := m.updater.Method()
	return m.updater.Options().Lambda > 0 && (by == blsupdate.Improved || by == blsupdate.Original)
}

// leverages returns x Q xᵀ, but at least 0, for each row x of nodes, where Q = (AᵀA + lambda I)⁻¹. If
// the method only approximates Q, it returns zeros or, if exact is true, blsupdate.ErrApproximate.
func (m *model) leverages(ctx context.Context, nodes *mat.Dense, exact bool) ([]float64, error) {
	m.mu.Lock() // the updater caches Q
	defer m.mu.Unlock()
	if !exact && m.approximates() {
		return make([]float64, nodes.RawMatrix().Rows), nil
	}
	q, err := m.updater.LeverageContext(ctx, nodes)
	for i, v := range q {
		q[i] = max(0, v)
	}
	return q, err
}

// scores returns the scores, classes and weights of the rows. It leaves out classes without rows, which
// must not affect the slope, and renumbers the others.
func (c calibration) scores() (scores *mat.Dense, labels []int, weights []float64) {
	number, known := slices.Repeat([]int{-1}, len(c.rows[0])-3), 0
	for class := range number {
		if slices.ContainsFunc(c.rows, func(row []float64) bool { return int(row[2]) == class }) {
			number[class] = known
			known++
		}
	}
	scores, weights = mat.NewDense(len(c.rows), known, nil), c.weights()
	for i, row := range c.rows {
		labels = append(labels, number[int(row[2])])
		for class, s := range row[3:] {
			if number[class] >= 0 {
				scores.Set(i, number[class], s)
			}
		}
	}
	return scores, labels, weights
}

// weights returns the weights of the rows, all divided by a power of two if a sum might overflow.
func (c calibration) weights() []float64 {
	const far = 900 // 5000·2⁹⁰⁰ times any number of classes is finite
	out, largest := make([]float64, len(c.rows)), 0.0
	for i, row := range c.rows {
		out[i] = row[0]
		largest = max(largest, row[0])
	}
	if _, exp := math.Frexp(largest); exp > far {
		for i, w := range out {
			out[i] = math.Ldexp(w, -exp)
		}
	}
	return out
}

// threshold returns the smallest t for which the rows with miss(row) <= t have at least the fraction
// coverage of the total weight. The total includes one more row, with the mean weight and an infinite
// miss. It returns a *CalibrationError if no t suffices.
//
//	source: Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005; Lei et al.,
//	Distribution-free predictive inference for regression, JASA 113 (2018) 1094-1111.
func (c calibration) threshold(coverage float64, miss func(row []float64) float64) (float64, error) {
	if !(coverage > 0 && coverage < 1) {
		return 0, &OptionError{Op: "bls", Option: "the coverage", Value: coverage, Want: "a number above 0 and below 1"}
	}
	type missed struct{ by, weight float64 }
	all, total := make([]missed, len(c.rows)), 0.0
	for i, w := range c.weights() {
		all[i] = missed{miss(c.rows[i]), w}
		total += w
	}
	slices.SortStableFunc(all, func(a, b missed) int { return cmp.Compare(a.by, b.by) })
	n := float64(len(all))
	left := float64(float64(coverage*total)*((n+1)/n)) - float64(1e-9*total) // allows for rounding
	for _, row := range all {
		if left -= row.weight; left <= 0 {
			return row.by, nil
		}
	}
	return 0, &CalibrationError{Rows: len(all), Want: max(1, int(math.Ceil(coverage/(1-coverage)-1e-9)))}
}

// relabeled returns the calibration for the given number of classes after class i has become to[i].
// Scores s and t of merged classes become 1 + s + t, like their targets; a new class has the score -1.
func (c calibration) relabeled(to []int, classes int) calibration {
	out := calibration{lambda: c.lambda}
	for _, row := range c.rows[max(0, len(c.rows)-calibrationRows(classes)):] {
		with := slices.Repeat([]float64{-1}, 3+classes)
		with[0], with[1], with[2] = row[0], row[1], float64(to[int(row[2])])
		for class, s := range row[3:] {
			if sum := &with[3+to[class]]; *sum == -1 {
				*sum = s
			} else {
				*sum += 1 + s
			}
		}
		out.rows = append(out.rows, with)
	}
	return out
}

func (c *calibration) code(x *codec.Coder, first int) {
	x.Float("the lambda of the calibration", &c.lambda, codec.IsLength)
	n, width := len(c.rows), 0
	if n > 0 {
		width = len(c.rows[0])
	}
	x.Int("the number of rows of the calibration", &n, CalibrationRows)
	x.Int("the length of a row of the calibration", &width, maxNodes)
	x.Check(n > 0 && width > first && n <= calibrationRows(width-first) && codec.Fits(n, width), "the calibration is %d×%d, which is not a valid size", n, width)
	if x.Failed() {
		return
	}
	var all *mat.Dense
	if !x.Reading() {
		all = mat.NewDense(n, width, nil)
		for i, row := range c.rows {
			all.SetRow(i, row)
		}
	}
	x.Dense("the calibration", &all, n, width)
	for i := 0; i < n && !x.Failed(); i++ {
		row := all.RawRowView(i)
		valid := row[0] > 0 && row[1] >= 1
		if first == 3 {
			valid = valid && row[2] >= 0 && row[2] < float64(width-3) && row[2] == math.Trunc(row[2])
		}
		x.Check(valid, "row %d of the calibration begins with %v, which is not valid", i, row[:first])
		if x.Reading() {
			c.rows = append(c.rows, row)
		}
	}
}

// Calibrate measures the errors of predictions on rows that the model has not learned, for PredictProba
// and PredictSet. The rows replace the previous calibration; only the last CalibrationRows are used.
//
// If Fit chooses settings or Validate is set, Fit also calibrates the model. It predicts the last rows
// as if each had been left out (see CalibrateLearned), if the method can do so. If relevances weight
// the columns and QR was not chosen, it instead uses the rows that the choice held out, predicts each
// as if left out, and takes relevances from the other folds. Remove, Refit, Merge, SetLambda with
// another lambda and WithUpdater discard the calibration; PartialFit and Forget keep it, and
// CalibratePartialFit extends it. If a model keeps its samples (see KeptRows), every change renews the
// calibration as Fit does.
//
// The slope of PredictProba minimizes the mean log loss of the rows, with their weights divided by s²,
// where s is the square root in PredictSet. As in Platt scaling, each label counts as a distribution
// that spreads 1/(l+2) evenly over all classes, so the slope is finite even if no prediction is wrong.
// If the method only approximates s², s is 1; leave out rows far outside the learned ones. The slope
// remains if all rows are of one class, or if fewer than 100 were added after a discarded calibration.
//
//	shapes: X l×d, labels l, each from 0 to c-1. A few hundred rows are enough.
//	cost: DecisionFunction, blsupdate.Updater.Leverage, and at most 64 passes over the scores.
//	memory: 8(c+3) bytes for each row used, which the model keeps and Encode writes.
//	errors: as DecisionFunction; *ShapeError unless there is one label for each sample; *LabelError;
//	*CalibrationError if all rows have weight 0, or if scores or errors overflow in all rows used.
//	On an error the calibration is unchanged.
func (c *Classifier) Calibrate(x *mat.Dense, labels []int) error {
	return c.CalibrateContext(background, x, labels, nil)
}

// CalibrateContext is Calibrate with sample weights; nil means all ones. It stops when ctx is done.
func (c *Classifier) CalibrateContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	return c.calibrate(ctx, sampleSet{x: x, labels: labels, weights: weights}, false, false)
}

// PartialCalibrate is like Calibrate but extends the calibration. It returns no *CalibrationError.
func (c *Classifier) PartialCalibrate(x *mat.Dense, labels []int) error {
	return c.PartialCalibrateContext(background, x, labels, nil)
}

// PartialCalibrateContext is PartialCalibrate with weights and a context, as in CalibrateContext.
func (c *Classifier) PartialCalibrateContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	return c.calibrate(ctx, sampleSet{x: x, labels: labels, weights: weights}, false, true)
}

// CalibrateLearned is Calibrate on rows that the model has learned. Each row is scored as if the model
// had not learned it: y - (y - s)/(1 - h) for its targets y, scores s and leverage h. Only the last
// 2000 rows are used, and of these only rows with h <= 1 - 1e-6. With ClassWeight Balanced, unless the
// model keeps its samples, pass only rows from the most recent learning call, with no Merge or Relabel
// since: earlier rows were learned with other weights.
//
//	errors: as Calibrate, and *CalibrationError if h is too large in every row;
//	blsupdate.ErrApproximate for Improved and Original with a ridge.
func (c *Classifier) CalibrateLearned(x *mat.Dense, labels []int) error {
	return c.CalibrateLearnedContext(background, x, labels, nil)
}

// CalibrateLearnedContext is CalibrateLearned with a context, as in CalibrateContext, and the weights
// with which the samples were learned, each multiplied by all factors of Forget since then.
func (c *Classifier) CalibrateLearnedContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	return c.calibrate(ctx, sampleSet{x: x, labels: labels, weights: weights}, true, false)
}

// CalibratePartialFit predicts the samples, then learns them as PartialFit does, and adds the errors of
// the predictions to the calibration, which thus follows the model.
//
//	cost: PartialFit and Calibrate, with one solution for the weights in each call.
//	errors: as PartialFit. Samples that the model cannot predict are only learned.
func (c *Classifier) CalibratePartialFit(x *mat.Dense, labels []int) error {
	return c.CalibratePartialFitContext(background, x, labels, nil)
}

// CalibratePartialFitContext is CalibratePartialFit with weights and a context, like PartialFitContext.
func (c *Classifier) CalibratePartialFitContext(ctx context.Context, x *mat.Dense, labels []int, weights []float64) error {
	return c.partialFit(ctx, x, labels, weights, true)
}

// Calibrate is Classifier.Calibrate with the targets Y (l×c), for PredictInterval. The model keeps the
// errors, and s = (1 + x (AᵀA + lambda I)⁻¹ xᵀ)^½ for the nodes x of each row: the standard deviation
// of its error in units of the noise. For Improved and Original with a ridge, s = 1. With LogTargets,
// Calibrate and PartialCalibrate also compute new smearing factors from all rows of the calibration.
//
//	memory: 8(c+2) bytes for each row used, which the model keeps and Encode writes.
//	errors: the errors of Predict and Leverage and, for Y, PartialFit.
func (r *Regressor) Calibrate(x, y *mat.Dense) error {
	return r.CalibrateContext(background, x, y, nil)
}

// CalibrateContext is Calibrate with weights and a context, as in Classifier.CalibrateContext.
func (r *Regressor) CalibrateContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	return r.calibrate(ctx, sampleSet{x: x, y: y, weights: weights}, false, false)
}

// PartialCalibrate is Classifier.PartialCalibrate with the targets Y (l×c).
func (r *Regressor) PartialCalibrate(x, y *mat.Dense) error {
	return r.PartialCalibrateContext(background, x, y, nil)
}

// PartialCalibrateContext is PartialCalibrate with weights and a context, as in CalibrateContext.
func (r *Regressor) PartialCalibrateContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	return r.calibrate(ctx, sampleSet{x: x, y: y, weights: weights}, false, true)
}

// CalibrateLearned is Classifier.CalibrateLearned with the targets Y (l×c): an error e becomes e/(1-h).
func (r *Regressor) CalibrateLearned(x, y *mat.Dense) error {
	return r.CalibrateLearnedContext(background, x, y, nil)
}

// CalibrateLearnedContext is CalibrateLearned with the arguments of Classifier.CalibrateLearnedContext.
func (r *Regressor) CalibrateLearnedContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	return r.calibrate(ctx, sampleSet{x: x, y: y, weights: weights}, true, false)
}

// CalibratePartialFit is Classifier.CalibratePartialFit with the targets Y (l×c).
func (r *Regressor) CalibratePartialFit(x, y *mat.Dense) error {
	return r.CalibratePartialFitContext(background, x, y, nil)
}

// CalibratePartialFitContext is CalibratePartialFit with weights and a context, like PartialFitContext.
func (r *Regressor) CalibratePartialFitContext(ctx context.Context, x, y *mat.Dense, weights []float64) error {
	return r.partialFit(ctx, x, y, weights, true)
}
