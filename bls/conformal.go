package bls

import (
	"cmp"
	"context"
	"math"
	"slices"

	"blskernel/internal/io/memory"
	"blskernel/internal/linalg/detmath"
	"blskernel/mat"
)

// PredictInterval returns the bounds, l×c, of a prediction interval for each target of X (l×d).
// The interval contains the target of a new row with probability coverage, between 0 and 1:
//
//	prediction ± t (1 + x (AᵀA + lambda I)⁻¹ xᵀ)^½
//
// where x is the row of A. Each of the n absolute errors of the calibration is divided by the square
// root for its row; t is the ⌈(n+1) coverage⌉-th smallest quotient (split conformal
// prediction). So the interval is wide where the weights are uncertain. Its coverage holds for any
// distribution of the errors, on average over rows like the calibration rows, but not for each kind of
// row. For a model of logarithms, the ends are the exponentials of the ends for the logarithm, with the
// same upper bound as its predictions.
//
//	cost: Predict and blsupdate.Updater.Leverage; the nodes are computed once.
//	errors: as Predict and Leverage; *CalibrationError if Calibrated is false or the calibration has
//	too few rows for the coverage; *OptionError for a coverage that is not between 0 and 1.
//	source: Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, Distribution-free predictive inference
//	for regression, JASA 113 (2018) 1094-1111, section 5.2.
func (r *Regressor) PredictInterval(x *mat.Dense, coverage float64) (lower, upper *mat.Dense, err error) {
	return r.PredictIntervalContext(background, x, coverage)
}

// PredictIntervalContext is like PredictInterval but stops when ctx is done.
func (r *Regressor) PredictIntervalContext(ctx context.Context, x *mat.Dense, coverage float64) (lower, upper *mat.Dense, err error) {
	m := r.model
	if m == nil {
		return nil, nil, ErrNotFitted
	}
	if err := cmp.Or(checkSamples(x, m.inputs()), m.ready(ctx)); err != nil {
		return nil, nil, err
	}
	l, c := x.RawMatrix().Rows, m.targets()
	factors := make([]float64, c)
	for j := range factors {
		if factors[j], err = m.calibration.threshold(coverage, func(row []float64) float64 { return math.Abs(row[2+j]) / row[1] }); err != nil {
			return nil, nil, err
		}
	}
	if err := memory.Check(memory.Floats(2, l, c), "bls", "use fewer rows at once", "the bounds of %d×%d intervals", l, c); err != nil {
		return nil, nil, err
	}
	lower, upper = mat.NewDense(l, c, nil), mat.NewDense(l, c, nil)
	_, limits := r.Smearing()
	at := 0
	err = m.eachScaled(ctx, x, func(prediction []float64, scale float64) {
		for j, p := range prediction {
			half := float64(factors[j] * scale)
			ends := [2]float64{p - half, p + half}
			if limits != nil {
				ends = [2]float64{min(detmath.Exp(ends[0]), limits[j]), min(detmath.Exp(ends[1]), limits[j])}
			}
			lower.Set(at, j, ends[0])
			upper.Set(at, j, ends[1])
		}
		at++
	})
	if err != nil {
		return nil, nil, err
	}
	return lower, upper, nil
}

// eachScaled calls use for each row of x, in order, with its scores and (1 + q)^½ for its leverage q.
func (m *model) eachScaled(ctx context.Context, x *mat.Dense, use func(scores []float64, scale float64)) error {
	plain, err := m.plain(ctx)
	if err != nil {
		return err
	}
	_, err = plain.eachScores(ctx, x, func(a, scores *mat.Dense) error {
		q, err := m.leverages(ctx, a, false)
		for i, q := range q {
			use(scores.RawRowView(i), math.Sqrt(1+q))
		}
		return err
	})
	return err
}

// PredictSet returns a set of classes for each of the samples X (l×d). The set contains the class of a
// new row with probability coverage, between 0 and 1. It holds the classes with scores of at least
//
//	1 - t (1 + x (AᵀA + lambda I)⁻¹ xᵀ)^½
//
// where x are the nodes of the sample. The classes are in descending order of their scores. The factor
// t is as in PredictInterval, with errors 1 - s, where s is the score of a row's true class.
//
// A set has several classes if the model is in doubt. It is empty if no class reaches that score, which
// can happen if coverage is below the accuracy of the model.
//
//	cost: DecisionFunction and blsupdate.Updater.Leverage.
//	errors: as DecisionFunction and Leverage; *CalibrationError and *OptionError as PredictInterval.
//	source: Sadinle, Lei and Wasserman, Least ambiguous set-valued classifiers with bounded error
//	levels, JASA 114 (2019) 223-234, with scores in place of probabilities.
func (c *Classifier) PredictSet(x *mat.Dense, coverage float64) ([][]int, error) {
	return c.PredictSetContext(background, x, coverage)
}

// PredictSetContext is like PredictSet but stops when ctx is done.
func (c *Classifier) PredictSetContext(ctx context.Context, x *mat.Dense, coverage float64) ([][]int, error) {
	m := c.model
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	t, err := m.calibration.threshold(coverage, func(row []float64) float64 { return (1 - row[3+int(row[2])]) / row[1] })
	if err != nil {
		return nil, err
	}
	var sets [][]int
	err = m.eachScaled(ctx, x, func(scores []float64, scale float64) {
		set := []int{}
		for class, s := range scores {
			if (1-s)/scale <= t {
				set = append(set, class)
			}
		}
		slices.SortStableFunc(set, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		sets = append(sets, set)
	})
	return sets, err
}
