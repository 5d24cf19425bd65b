package metrics_test

import (
	"fmt"

	"blskernel/bls/metrics"
	"blskernel/mat"
)

// Ten samples of two classes, one of them rare: the accuracy hides that half of it is missed.
func Example() {
	labels := []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1}
	predicted := []int{0, 0, 0, 0, 0, 0, 0, 1, 1, 0}
	c := metrics.Confuse(labels, predicted, 2, nil)
	fmt.Printf("accuracy %.2f, recall of class 1 %.2f, precision %.2f\n",
		metrics.Accuracy(labels, predicted, nil), c.Recall(1), c.Precision(1))
	// Output: accuracy 0.80, recall of class 1 0.50, precision 0.50
}

// A confusion matrix of samples that come one by one.
func ExampleNewConfusion() {
	c := metrics.NewConfusion(2)
	for label, predicted := range []int{1, 1} {
		c.Add(label, predicted, 1)
	}
	fmt.Printf("%.0f of class 0 taken for class 1; macro F1 %.2f\n", c.At(0, 1), c.MacroF1())
	// Output: 1 of class 0 taken for class 1; macro F1 0.33
}

// One of the four pairs of a positive and a negative sample is in the wrong order.
func ExampleAUC() {
	fmt.Println(metrics.AUC([]bool{false, false, true, true}, []float64{0.1, 0.4, 0.35, 0.8}, nil))
	// Output: 0.75
}

// Scores of three classes: each against the rest.
func ExampleMacroAUC() {
	scores := mat.NewDense(3, 3, []float64{0.9, -0.8, -1, -0.5, 0.1, -0.2, -1, 0.4, 0.3})
	fmt.Printf("%.3f\n", metrics.MacroAUC([]int{0, 1, 2}, scores, nil))
	// Output: 0.833
}

// A Ranking keeps at most 1000 samples here, however many come.
func ExampleNewRanking() {
	r := metrics.NewRanking(2, 1000)
	for i := range 5000 {
		score := float64(i % 7)
		r.Add(i%2, []float64{-score, score}, 1)
	}
	fmt.Printf("%d samples, AUC %.1f\n", r.Kept(), r.AUC(1))
	// Output: 1000 samples, AUC 0.5
}

// Four predictions, the third of them wrong. A Calibration takes samples one by one, so that they need
// not fit in memory.
func ExampleCalibration() {
	p := mat.NewDense(4, 2, []float64{0.9, 0.1, 0.7, 0.3, 0.3, 0.7, 0.1, 0.9})
	labels := []int{0, 0, 0, 1}
	fmt.Printf("log loss %.3f, calibration error %.3f\n", metrics.LogLoss(labels, p, nil), metrics.CalibrationError(labels, p, nil))
	var c metrics.Calibration
	for i, label := range labels {
		c.Add(label, p.RawRowView(i), 1)
	}
	fmt.Printf("log loss %.3f, calibration error %.3f\n", c.LogLoss(), c.Error())
	// Output:
	// log loss 0.443, calibration error 0.150
	// log loss 0.443, calibration error 0.150
}

// The errors of numeric predictions; the last sample counts twice. Errors takes samples one by one.
func ExampleErrors() {
	known, predicted, weights := []float64{3, -1, 2}, []float64{2, -1, 4}, []float64{1, 1, 2}
	fmt.Printf("RMSE %.3f, MAE %.3f, R2 %.3f\n", metrics.RMSE(known, predicted, weights),
		metrics.MAE(known, predicted, weights), metrics.R2(known, predicted, weights))
	var e metrics.Errors
	for i, v := range known {
		e.Add(v, predicted[i], weights[i])
	}
	fmt.Printf("RMSE %.3f, R2 %.3f\n", e.RMSE(), e.R2())
	// Output:
	// RMSE 1.500, MAE 1.250, R2 0.000
	// RMSE 1.500, R2 0.000
}

// A classifier that was always right is then right half of the time. The rows come in batches of 200.
func ExampleRunning() {
	var r metrics.Running
	for batch := range 7 {
		right := make([]bool, 200)
		for i := range right {
			right[i] = batch < 5 || i%2 == 0
		}
		r.AddClasses(right)
		if f := r.Fall(); f != nil {
			fmt.Printf("the last %d rows score %.1f, the %d before %.1f\n", f.Rows, f.Score, f.Before, f.WasBefore)
		}
	}
	fmt.Printf("score %.3f of %d rows, in %d buckets and %d targets\n", r.Score(), r.Rows, len(r.Buckets), len(r.Targets))
	// Output:
	// the last 176 rows score 0.5, the 1024 before 1.0
	// score 0.781 of 1400 rows, in 8 buckets and 0 targets
}
