package bls

import (
	"math"

	"blskernel/mat"
)

// OneHot returns the targets Y (l×c) of a classification: y[i][j] is 1 if labels[i] = j and -1
// otherwise.
//
//	shapes: labels l, at least one, each from 0 to classes-1.
//	errors: *OptionError for classes < 1; *LabelError for a label out of range; *ShapeError for no
//	labels.
func OneHot(labels []int, classes int) (*mat.Dense, error) {
	if classes < 1 {
		return nil, &OptionError{Op: "bls", Option: "classes", Value: classes, Want: "a positive number"}
	}
	if len(labels) == 0 {
		return nil, &ShapeError{Op: "bls", Matrix: "Y", Cols: classes, Want: "at least one row: there are no labels"}
	}
	for i, label := range labels {
		if label < 0 || label >= classes {
			return nil, &LabelError{Index: i, Label: label, Classes: classes}
		}
	}
	data := make([]float64, len(labels)*classes)
	for i := range data {
		data[i] = -1
	}
	for i, label := range labels {
		data[i*classes+label] = 1
	}
	return mat.NewDense(len(labels), classes, data), nil
}

// ArgMax returns, for each row of scores (l×c), the index of its largest element, the first one of
// several. It ignores NaN; a row of NaN alone has the index -1, which is no label.
func ArgMax(scores *mat.Dense) []int {
	l, c := scores.Dims()
	raw := scores.RawMatrix()
	out := make([]int, l)
	for i := range out {
		best := -1
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+c] {
			if !math.IsNaN(v) && (best < 0 || v > raw.Data[i*raw.Stride+best]) {
				best = j
			}
		}
		out[i] = best
	}
	return out
}

// Accuracy returns the percentage of the l predictions that equal their labels, NaN for l = 0. It
// panics if the lengths differ.
func Accuracy(pred, labels []int) float64 {
	if len(pred) != len(labels) {
		panic("bls: the numbers of predictions and labels differ")
	}
	return 100 * float64(hits(pred, labels)) / float64(len(labels))
}

// hits returns the number of predictions that equal their labels.
func hits(pred, labels []int) int {
	n := 0
	for i, p := range pred {
		if p == labels[i] {
			n++
		}
	}
	return n
}
