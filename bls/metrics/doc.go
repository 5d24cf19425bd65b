// Package metrics compares predicted classes, class probabilities and numbers with the known values.
//
//	classes        Accuracy; Confusion with Precision, Recall and F1 of a class and their means
//	scores         AUC and MacroAUC; Ranking, for any number of samples in bounded memory
//	probabilities  LogLoss and CalibrationError; Calibration, sample by sample
//	numbers        RMSE, MAE and R2; Errors, sample by sample
//	streams        Running, for predictions made before rows are learned; it detects falls in score
//
// The functions take all samples at once, the types one at a time, so that data may exceed memory.
//
// # Weights
//
// A sample of weight w counts like w equal samples. With nil weights every weight is 1. A weight is
// finite and not negative; a sample of weight 0 has no effect. The sum of the weights must be below
// 2¹⁰⁰⁰ in a Confusion, a Calibration and Errors; elsewhere it may overflow.
//
// # Undefined results
//
// An undefined measure is NaN, for example the recall of a class without samples, or the R2 of a
// constant. A NaN in a prediction makes every result that depends on it NaN, except in Running, where
// it counts as the largest loss.
//
// # scikit-learn
//
// Measures that sklearn.metrics also has are defined as there, weights included. Two things differ.
// Where this package returns NaN, scikit-learn returns 0 or 1. scikit-learn rejects the AUC of a class
// without samples; MacroAUC leaves the class out. scikit-learn has no calibration error.
//
// # Repeatability
//
// Sums are taken in the order of the samples, and this module computes the logarithm. Results therefore
// have the same bits on every machine.
package metrics

import (
	"math"
	"slices"
)

const (
	panicLengths = "metrics: the arguments have different numbers of samples"
	panicScores  = "metrics: the number of scores is not the number of classes"
	panicClass   = "metrics: a class is outside 0 to classes-1"
	panicWeight  = "metrics: a weight is negative or not finite"
	panicClasses = "metrics: the number of classes is not positive"
	panicLimit   = "metrics: the limit of samples is not positive"
)

// checkLengths panics unless the number of predictions is n and weights is nil or has n elements.
func checkLengths(n, predictions int, weights []float64) {
	if predictions != n || weights != nil && len(weights) != n {
		panic(panicLengths)
	}
}

func checkWeight(w float64) {
	if !(w >= 0) || math.IsInf(w, 1) {
		panic(panicWeight)
	}
}

// scaled returns the weights, all times a power of 2 if their sum is large enough to overflow. It
// panics if a weight is negative or not finite.
func scaled(weights []float64) []float64 {
	const large = 0x1p1000
	var sum float64
	for _, w := range weights {
		checkWeight(w)
		sum += w
	}
	if sum <= large {
		return weights
	}
	weights = slices.Clone(weights)
	for i := range weights {
		weights[i] /= large
	}
	return weights
}

func checkClass(class, classes int) {
	if class < 0 || class >= classes {
		panic(panicClass)
	}
}
