package metrics_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/bls/metrics"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// near fails unless got equals want to within tol, or both are NaN.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(want) != math.IsNaN(got) || !math.IsNaN(want) && !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

// A table has samples of c classes with scores that have ties, and weights that are whole numbers.
type table struct {
	labels, predicted []int
	p                 *mat.Dense // rows of sum 1
	weights           []float64
}

func random(seed uint64, l, c int) table {
	r := rand.New(rand.NewPCG(seed, 1))
	t := table{p: mat.NewDense(l, c, nil)}
	for i := range l {
		row, sum := t.p.RawRowView(i), 0.0
		for j := range row {
			row[j] = float64(1 + r.IntN(6))
			sum += row[j]
		}
		best := 0
		for j := range row {
			row[j] /= sum
			if row[j] > row[best] {
				best = j
			}
		}
		t.labels, t.predicted = append(t.labels, r.IntN(c)), append(t.predicted, best)
		t.weights = append(t.weights, float64(r.IntN(4)))
	}
	t.weights[0] = 1
	return t
}

// repeated returns the table with every sample repeated as often as its weight says, without weights.
func (t table) repeated() table {
	var out table
	var data []float64
	_, c := t.p.Dims()
	for i, w := range t.weights {
		for range int(w) {
			out.labels, out.predicted = append(out.labels, t.labels[i]), append(out.predicted, t.predicted[i])
			data = append(data, t.p.RawRowView(i)...)
		}
	}
	out.p = mat.NewDense(len(out.labels), c, data)
	return out
}

// all returns every measure of a table.
func (t table) all() map[string]float64 {
	_, c := t.p.Dims()
	m := metrics.Confuse(t.labels, t.predicted, c, t.weights)
	l := len(t.labels)
	known, predicted, first, positive := make([]float64, l), make([]float64, l), make([]float64, l), make([]bool, l)
	for i, label := range t.labels {
		known[i], predicted[i], positive[i], first[i] = float64(label), t.p.At(i, 0)*float64(t.predicted[i]), label == 0, t.p.At(i, 0)
	}
	out := map[string]float64{
		"accuracy": metrics.Accuracy(t.labels, t.predicted, t.weights), "accuracy of the matrix": m.Accuracy(),
		"precision": m.MacroPrecision(), "recall": m.MacroRecall(), "F1": m.MacroF1(),
		"AUC": metrics.AUC(positive, first, t.weights), "macro AUC": metrics.MacroAUC(t.labels, t.p, t.weights),
		"log loss": metrics.LogLoss(t.labels, t.p, t.weights), "calibration": metrics.CalibrationError(t.labels, t.p, t.weights),
		"RMSE": metrics.RMSE(known, predicted, t.weights), "MAE": metrics.MAE(known, predicted, t.weights), "R2": metrics.R2(known, predicted, t.weights),
	}
	for j := range c {
		out[fmt.Sprint("precision of ", j)], out[fmt.Sprint("recall of ", j)], out[fmt.Sprint("F1 of ", j)] = m.Precision(j), m.Recall(j), m.F1(j)
	}
	return out
}

// TestWeights compares weights with repeated samples, which define what a weight means.
func TestWeights(t *testing.T) {
	for seed := range uint64(30) {
		one := random(seed, 1+int(seed*3), 2+int(seed%3))
		want := one.repeated().all()
		for name, got := range one.all() {
			near(t, fmt.Sprintf("%s of seed %d", name, seed), got, want[name], 1e-12)
		}
	}
}

// TestAUC compares with the definition, over all pairs.
func TestAUC(t *testing.T) {
	for seed := range uint64(40) {
		s := random(seed, 2+int(seed), 3)
		for class := range 3 {
			var above, pairs float64
			positive, scores := make([]bool, len(s.labels)), make([]float64, len(s.labels))
			for i := range s.labels {
				positive[i], scores[i] = s.labels[i] == class, s.p.At(i, class)
				for j := range s.labels {
					if s.labels[i] != class || s.labels[j] == class {
						continue
					}
					w := s.weights[i] * s.weights[j]
					pairs += w
					switch si, sj := s.p.At(i, class), s.p.At(j, class); {
					case si > sj:
						above += w
					case si == sj:
						above += w / 2
					}
				}
			}
			near(t, fmt.Sprint("seed ", seed), metrics.AUC(positive, scores, s.weights), above/pairs, 1e-14)
		}
	}
	// Infinities are scores; NaN is none.
	inf := math.Inf(1)
	near(t, "infinities", metrics.AUC([]bool{true, false, true, false}, []float64{inf, -inf, -inf, 0}, nil), 0.625, 0)
	near(t, "NaN", metrics.AUC([]bool{true, false, true}, []float64{1, 0, math.NaN()}, nil), math.NaN(), 0)
}

// TestKnown checks the examples of scikit-learn's documentation, and values worked out by hand.
func TestKnown(t *testing.T) {
	labels, predicted := []int{0, 1, 2, 0, 1, 2}, []int{0, 2, 1, 0, 0, 1}
	m := metrics.Confuse(labels, predicted, 3, nil)
	near(t, "precision", m.MacroPrecision(), 2./9, 1e-15)
	near(t, "recall", m.MacroRecall(), 1./3, 1e-15)
	near(t, "F1", m.MacroF1(), 0.8/3, 1e-15)
	misses := map[[2]int]float64{}
	for at, weight := range m.Misses {
		misses[at] = weight
	}
	if len(misses) != m.Pairs() || !maps.Equal(misses, map[[2]int]float64{{1, 2}: 1, {1, 0}: 1, {2, 1}: 2}) || m.At(2, 1) != 2 {
		t.Errorf("misses: %v", misses)
	}
	near(t, "accuracy", metrics.Accuracy([]int{0, 1, -1, 3}, []int{0, 2, 1, 3}, nil), 0.5, 0)
	p := mat.NewDense(4, 2, []float64{0.1, 0.9, 0.9, 0.1, 0.8, 0.2, 0.35, 0.65})
	near(t, "log loss", metrics.LogLoss([]int{1, 0, 0, 1}, p, nil), 0.21616187468057912, 1e-15)
	// Confidences 0.9, 0.9, 0.8, 0.65, the last wrong: bins (0.8, 0.9], (0.7, 0.8], (0.6, 0.7].
	near(t, "calibration", metrics.CalibrationError([]int{1, 0, 0, 0}, p, nil), (0.2+0.2+0.65)/4, 1e-15)
	known, got := []float64{3, -0.5, 2, 7}, []float64{2.5, 0, 2, 8}
	near(t, "RMSE", metrics.RMSE(known, got, nil), math.Sqrt(0.375), 1e-15)
	near(t, "MAE", metrics.MAE(known, got, nil), 0.5, 0)
	var e metrics.Errors
	for i, v := range known {
		e.Add(v, got[i], 2)
	}
	near(t, "deviation", e.Deviation(), math.Sqrt(29.1875/4), 1e-15)
	near(t, "R2", metrics.R2(known, got, nil), 0.9486081370449679, 1e-15)
	near(t, "R2 far from 0", metrics.R2([]float64{1e9 + 1, 1e9 + 2, 1e9 + 3}, []float64{1e9 + 1, 1e9 + 2, 1e9 + 4}, nil), 0.5, 1e-9)
	sure := mat.NewDense(1, 2, []float64{1, 0})
	near(t, "log loss of 0", metrics.LogLoss([]int{1}, sure, nil), 52*math.Ln2, 1e-13)
	near(t, "log loss of 1", metrics.LogLoss([]int{0}, sure, nil), 0x1p-52, 1e-30)
}

// TestUndefined checks measures of no samples, which are NaN, and NaN in predictions.
func TestUndefined(t *testing.T) {
	nan := math.NaN()
	m := metrics.Confuse([]int{0, 0, 1}, []int{0, 0, 0}, 4, nil)
	near(t, "precision of a class never predicted", m.Precision(1), nan, 0)
	near(t, "recall of a class that is not there", m.Recall(3), nan, 0)
	near(t, "F1 of a class that is neither", m.F1(3), nan, 0)
	near(t, "macro precision", m.MacroPrecision(), 1./3, 1e-15)
	near(t, "macro recall", m.MacroRecall(), 0.5, 0)
	near(t, "macro F1", m.MacroF1(), 0.4, 1e-15)
	near(t, "RMSE of NaN", metrics.RMSE([]float64{3, 3}, []float64{3, nan}, nil), nan, 0)
	near(t, "macro AUC of one class", metrics.MacroAUC([]int{1, 1}, mat.NewDense(2, 2, []float64{1, 2, 3, 4}), nil), nan, 0)
	p := mat.NewDense(2, 2, []float64{nan, 0.5, 0.5, nan})
	near(t, "calibration of NaN", metrics.CalibrationError([]int{0, 0}, p, nil), nan, 0)
	near(t, "log loss of NaN", metrics.LogLoss([]int{0, 0}, p, nil), nan, 0)
	p = mat.NewDense(4, 2, []float64{0.75, 0.25, 0.5, 0.5, 0.25, 0.75, nan, nan})
	labels, positive, first, weights := []int{0, 0, 1, 0}, []bool{true, true, false, true}, []float64{0.75, 0.5, 0.25, nan}, []float64{1, 1, 2, 0}
	near(t, "log loss with NaN of weight 0", metrics.LogLoss(labels, p, weights), -(3*math.Log(0.75)+math.Log(0.5))/4, 1e-15)
	near(t, "calibration with NaN of weight 0", metrics.CalibrationError(labels, p, weights), 0.3125, 1e-15)
	near(t, "AUC with NaN of weight 0", metrics.AUC(positive, first, weights), 1, 0)
	near(t, "macro AUC with NaN of weight 0", metrics.MacroAUC(labels, p, weights), 1, 0)
	near(t, "macro AUC of no classes", metrics.MacroAUC(nil, &mat.Dense{}, nil), nan, 0)
	for _, w := range []float64{5e-324, 1e-170, 1e170, math.MaxFloat64} {
		same := []float64{w, w, w, w}
		near(t, fmt.Sprint("AUC with weights of ", w), metrics.AUC([]bool{true, false, true, false}, []float64{3, 2, 1, 0}, same), 0.75, 1e-15)
		near(t, fmt.Sprint("accuracy with weights of ", w), metrics.Accuracy([]int{0, 1, 1, 1}, []int{0, 0, 1, 1}, same), 0.75, 0)
		near(t, fmt.Sprint("RMSE with weights of ", w), metrics.RMSE([]float64{0, 1, 2, 3}, []float64{2, 1, 2, 3}, same), 1, 0)
	}
	for name, v := range map[string]float64{
		"accuracy": metrics.Accuracy(nil, nil, nil), "RMSE": metrics.RMSE(nil, nil, nil), "MAE": metrics.MAE(nil, nil, nil),
		"R2": metrics.R2(nil, nil, nil), "AUC": metrics.AUC(nil, nil, nil), "F1": metrics.NewConfusion(2).MacroF1(),
		"loss": new(metrics.Calibration).LogLoss(), "calibration": new(metrics.Calibration).Error(), "weight 0": metrics.RMSE([]float64{1}, []float64{2}, []float64{0}),
	} {
		near(t, name+" of no samples", v, nan, 0)
	}
}

// TestScales measures errors whose squares overflow or vanish: the results only change their scale.
func TestScales(t *testing.T) {
	known, got := []float64{0, 0, 1, 3, -2}, []float64{0, 0.25, 1.5, 2, -2}
	times := func(v []float64, power int) (out []float64) {
		for _, v := range v {
			out = append(out, math.Ldexp(v, power))
		}
		return out
	}
	for _, power := range []int{-1060, -600, 600, 1021} {
		known, got := times(known, power), times(got, power)
		rescaled := func(v float64) float64 { return math.Ldexp(v, -power) }
		near(t, "RMSE", rescaled(metrics.RMSE(known, got, nil)), math.Sqrt(1.3125/5), 1e-4) // 2^-14 of a subnormal
		near(t, "MAE", rescaled(metrics.MAE(known, got, nil)), 0.35, 1e-4)
		near(t, "R2", metrics.R2(known, got, nil), 1-1.3125/13.2, 1e-15)
	}
	var e metrics.Errors
	for i, v := range []float64{0x1p530, 0, 1, 3, -2} {
		e.Add(known[i], v, 1)
	}
	near(t, "deviation beside a large prediction", e.Deviation(), math.Sqrt(13.2/5), 1e-15)
	near(t, "R2 of a large prediction", math.Ldexp(metrics.R2([]float64{0, 0x1p100}, []float64{0x1p530, 0x1p100}, nil), -861), -1, 1e-15)
	if v := metrics.R2(known, []float64{0x1p900, 0, 1, 3, -2}, nil); !math.IsInf(v, -1) {
		t.Errorf("R2 of a prediction whose square overflows: %v", v)
	}
}

// TestRankingBeyondLimit adds more samples than a Ranking keeps: the estimate is the same in every run.
func TestRankingBeyondLimit(t *testing.T) {
	fill := func(limit, l int) *metrics.Ranking {
		r, rank := rand.New(rand.NewPCG(5, 5)), metrics.NewRanking(2, limit)
		for i := range l { // sorted by the labels, as a file may be
			label := 2 * i / l
			s := r.Float64() + 0.5*float64(label)
			rank.Add(label, []float64{-s, s}, 1)
		}
		return rank
	}
	const limit = 4000
	exact, some := fill(100000, 100000), fill(limit, 100000)
	if exact.Kept() != 100000 || some.Kept() != limit {
		t.Fatalf("kept %d and %d", exact.Kept(), some.Kept())
	}
	// P(U' + 0.5 > U) = 1 - 0.5²/2
	near(t, "all", exact.AUC(1), 0.875, 0.005)
	near(t, "some", some.AUC(1), exact.AUC(1), 4*0.5/math.Sqrt(0.45*limit))
	near(t, "again", fill(limit, 100000).AUC(1), some.AUC(1), 0)
}

func TestPanics(t *testing.T) {
	row := mat.NewDense(1, 2, []float64{0.5, 0.5})
	for name, f := range map[string]func(){
		"metrics: the arguments have different numbers of samples": func() { metrics.Accuracy([]int{1}, nil, nil) },
		"metrics: a class is outside 0 to classes-1":               func() { metrics.LogLoss([]int{2}, row, nil) },
		"metrics: a weight is negative or not finite":              func() { metrics.RMSE([]float64{1}, []float64{1}, []float64{math.NaN()}) },
		"metrics: the number of classes is not positive":           func() { metrics.NewConfusion(0) },
		"metrics: the limit of samples is not positive":            func() { metrics.NewRanking(2, 0) },
	} {
		testutil.MustPanic(t, name, f)
	}
}
