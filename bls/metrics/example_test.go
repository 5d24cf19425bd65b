package metrics_test

import (
	"fmt"

	"blskernel/bls/metrics"
	"blskernel/mat"
)

// Ten samples of two classes, of which the second is rare: the accuracy hides that half of it is
// missed.
func Example() {
	labels := []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1}
	predicted := []int{0, 0, 0, 0, 0, 0, 0, 1, 1, 0}
	c := metrics.Confuse(labels, predicted, 2, nil)
	fmt.Printf("accuracy %.2f, recall of class 1 %.2f, precision %.2f\n", c.Accuracy(), c.Recall(1), c.Precision(1))
	// Output: accuracy 0.80, recall of class 1 0.50, precision 0.50
}

// A Calibration takes samples one by one, so that they need not fit into memory.
func ExampleCalibration() {
	p := mat.NewDense(4, 2, []float64{0.9, 0.1, 0.7, 0.3, 0.3, 0.7, 0.1, 0.9})
	var c metrics.Calibration
	for i, label := range []int{0, 0, 0, 1} {
		c.Add(label, p.RawRowView(i), 1)
	}
	fmt.Printf("log loss %.3f, calibration error %.3f\n", c.LogLoss(), c.Error())
	// Output: log loss 0.443, calibration error 0.150
}
