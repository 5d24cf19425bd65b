package metrics

import (
	"maps"
	"slices"

	"blskernel/internal/linalg/floats"
)

// Accuracy returns the share of the predictions that equal their labels, from 0 to 1,
//
//	sum of w_i [predicted_i = labels_i] / sum of w_i.
//
// A label that is never predicted, such as -1 for an unknown class, counts as a miss.
//
//	shapes: labels, predicted l; weights l or nil.
//	errors: NaN if the weights sum to 0; panics if the lengths differ, or a weight is negative or
//	not finite.
//	source: sklearn.metrics.accuracy_score.
func Accuracy(labels, predicted []int, weights []float64) float64 {
	checkLengths(len(labels), len(predicted), weights)
	weights = scaled(weights)
	var hits, all float64
	for i, label := range labels {
		w := floats.Weight(weights, i)
		all += w
		if label == predicted[i] {
			hits += w
		}
	}
	return hits / all
}

// A Confusion is the c×c confusion matrix C of a classifier: C[i][j] is the weight of the samples of
// class i that were predicted as class j.
//
//	memory: 24c bytes, and at most 40 bytes for each of the Pairs() nonzero elements off the
//	diagonal. Counts are exact below 2⁵³.
type Confusion struct {
	labeled, predicted, correct []float64 // sums of the rows and columns, and the diagonal
	misses                      map[pair]float64
}

// A pair is the position of an element off the diagonal: label·c + prediction.
type pair uint64

// NewConfusion returns a c×c confusion matrix of zeros, where c = classes. It panics if classes < 1.
func NewConfusion(classes int) *Confusion {
	if classes < 1 {
		panic(panicClasses)
	}
	sums := make([]float64, 3*classes)
	return &Confusion{sums[:classes], sums[classes : 2*classes], sums[2*classes:], map[pair]float64{}}
}

// Confuse returns the confusion matrix of the given labels and predictions.
//
//	shapes: labels, predicted l, each from 0 to classes-1; weights l or nil.
//	panics: if the lengths differ or classes < 1, and as Add does.
//	source: sklearn.metrics.confusion_matrix.
func Confuse(labels, predicted []int, classes int, weights []float64) *Confusion {
	checkLengths(len(labels), len(predicted), weights)
	c := NewConfusion(classes)
	for i, label := range labels {
		c.Add(label, predicted[i], floats.Weight(weights, i))
	}
	return c
}

// Add adds weight to C[label][predicted]. It panics if a class is not from 0 to c-1, or weight is
// negative or not finite.
func (c *Confusion) Add(label, predicted int, weight float64) {
	at := c.pair(label, predicted)
	checkWeight(weight)
	if weight == 0 {
		return
	}
	c.labeled[label] += weight
	c.predicted[predicted] += weight
	if label == predicted {
		c.correct[label] += weight
	} else {
		c.misses[at] += weight
	}
}

// pair returns the key in misses of C[label][predicted]. It panics if a class is outside 0 to c-1.
func (c *Confusion) pair(label, predicted int) pair {
	checkClass(label, c.Classes())
	checkClass(predicted, c.Classes())
	return pair(label)*pair(c.Classes()) + pair(predicted)
}

// Classes returns the number of classes, c.
func (c *Confusion) Classes() int { return len(c.labeled) }

// At returns C[label][predicted]. It panics if a class is outside 0 to c-1.
func (c *Confusion) At(label, predicted int) float64 {
	at := c.pair(label, predicted)
	if label == predicted {
		return c.correct[label]
	}
	return c.misses[at]
}

// Pairs returns the number of nonzero elements off the diagonal.
func (c *Confusion) Pairs() int { return len(c.misses) }

// Misses calls yield for each nonzero element off the diagonal, row by row, until yield returns false.
// at holds the label and the prediction of the element, and weight is its value.
//
//	cost: sorting Pairs() numbers.
func (c *Confusion) Misses(yield func(at [2]int, weight float64) bool) {
	n := pair(c.Classes())
	for _, at := range slices.Sorted(maps.Keys(c.misses)) {
		if !yield([2]int{int(at / n), int(at % n)}, c.misses[at]) {
			return
		}
	}
}

// Labeled returns the weight of the samples of a class, the sum of a row of C.
func (c *Confusion) Labeled(class int) float64 {
	checkClass(class, c.Classes())
	return c.labeled[class]
}

// Predicted returns the weight of the samples predicted as a class, the sum of a column of C.
func (c *Confusion) Predicted(class int) float64 {
	checkClass(class, c.Classes())
	return c.predicted[class]
}

// Total returns the weight of all samples.
func (c *Confusion) Total() float64 { return sum(c.labeled) }

// Correct returns the weight of the samples whose prediction is right, the trace of C.
func (c *Confusion) Correct() float64 { return sum(c.correct) }

func sum(values []float64) float64 {
	var s float64
	for _, v := range values {
		s += v
	}
	return s
}

// Accuracy returns Correct/Total, or NaN if there are no samples.
func (c *Confusion) Accuracy() float64 { return c.Correct() / c.Total() }

// Precision returns the share of the samples predicted as a class that belong to it,
// C[class][class]/Predicted(class), or NaN if Predicted(class) is 0.
func (c *Confusion) Precision(class int) float64 { return c.At(class, class) / c.Predicted(class) }

// Recall returns the share of the samples of a class that were found, C[class][class]/Labeled(class),
// or NaN if the class has no samples.
func (c *Confusion) Recall(class int) float64 { return c.At(class, class) / c.Labeled(class) }

// F1 returns the harmonic mean of precision and recall, 2 C[j][j]/(Labeled(j) + Predicted(j)) for class
// j. It is 0 if no sample of j was found, and NaN if j has neither samples nor predictions.
func (c *Confusion) F1(class int) float64 {
	return 2 * c.At(class, class) / (c.Labeled(class) + c.Predicted(class))
}

// MacroPrecision returns the unweighted mean of Precision over the classes that have samples or are
// predicted, or NaN if there are none. A class that is never predicted counts as 0.
//
//	source: sklearn.metrics.precision_score(average="macro"); likewise MacroRecall and MacroF1.
func (c *Confusion) MacroPrecision() float64 { return c.mean(c.Predicted) }

// MacroRecall is like MacroPrecision, for Recall: a class without samples counts as 0.
func (c *Confusion) MacroRecall() float64 { return c.mean(c.Labeled) }

// MacroF1 returns the mean of F1 over the same classes as MacroPrecision.
func (c *Confusion) MacroF1() float64 {
	return c.mean(func(class int) float64 { return (c.Labeled(class) + c.Predicted(class)) / 2 })
}

// mean returns the mean of C[j][j]/of(j) over the classes with samples or predictions, where 0/0 is 0.
func (c *Confusion) mean(of func(class int) float64) float64 {
	var sum, n float64
	for j := range c.Classes() {
		if c.Labeled(j)+c.Predicted(j) == 0 {
			continue
		}
		n++
		if hits := c.At(j, j); hits > 0 {
			sum += hits / of(j)
		}
	}
	return sum / n
}
