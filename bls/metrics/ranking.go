package metrics

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"blskernel/internal/linalg/floats"
	"blskernel/mat"
)

// AUC returns the area under the receiver operating characteristic: the probability that a positive
// sample has a larger score than a negative one, with equal scores counted as one half,
//
//	sum over positive i, negative j of w_i w_j ([s_i > s_j] + [s_i = s_j]/2)
//	/ (sum of w_i over positive i · sum of w_j over negative j).
//
// Without weights this is the Mann-Whitney U statistic with midranks, divided by the number of pairs.
//
//	shapes: positive, scores l; weights l or nil.
//	cost: sorting l scores; 24l bytes.
//	NaN: a NaN score makes the result NaN. Infinite scores are allowed.
//	errors: NaN unless positive and negative samples both have weight; panics if the lengths differ,
//	or a weight is negative or not finite.
//	source: sklearn.metrics.roc_auc_score.
func AUC(positive []bool, scores, weights []float64) float64 {
	checkLengths(len(positive), len(scores), weights)
	samples := make([]ranked, 0, len(scores))
	for i, s := range scores {
		w := floats.Weight(weights, i)
		checkWeight(w)
		if w > 0 {
			samples = append(samples, ranked{s, w, positive[i]})
		}
	}
	return auc(samples)
}

// ranked is one sample in the computation of an AUC, which sorts the samples by score.
type ranked struct {
	score, weight float64
	positive      bool
}

// auc computes AUC for samples of positive weight. It rescales their weights and sorts the samples.
func auc(samples []ranked) float64 {
	if slices.ContainsFunc(samples, func(s ranked) bool { return math.IsNaN(s.score) }) {
		return math.NaN()
	}
	// A power of two scales the largest weight of each side to about 1, so that nothing overflows.
	largest := map[bool]float64{}
	for _, s := range samples {
		largest[s.positive] = max(largest[s.positive], s.weight)
	}
	for i, s := range samples {
		_, exponent := math.Frexp(largest[s.positive])
		samples[i].weight = math.Ldexp(s.weight, -exponent)
	}
	// Equal scores are sorted by weight, so the sums do not depend on the sorting algorithm.
	slices.SortFunc(samples, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.weight, b.weight))
	})
	var above, positives, below float64
	for from := 0; from < len(samples); {
		to, here, ties := from, 0.0, 0.0
		for ; to < len(samples) && samples[to].score == samples[from].score; to++ {
			if samples[to].positive {
				here += samples[to].weight
			} else {
				ties += samples[to].weight
			}
		}
		above += float64(here * (below + float64(ties/2)))
		positives += here
		below += ties
		from = to
	}
	return above / (positives * below)
}

// MacroAUC returns the unweighted mean over the classes of the AUC of each class against the rest,
// computed from its column of scores. It leaves out classes without samples.
//
//	shapes: labels l, each from 0 to c-1; scores l×c; weights l or nil.
//	cost: sorting l scores c times; about 8(c+5)l bytes.
//	errors: NaN if fewer than two classes have weight; panics if the lengths differ, a label is out
//	of range, or a weight is negative or not finite.
//	source: sklearn.metrics.roc_auc_score(multi_class="ovr"), which requires probabilities.
func MacroAUC(labels []int, scores *mat.Dense, weights []float64) float64 {
	l, c := scores.Dims()
	checkLengths(l, len(labels), weights)
	if l == 0 {
		return math.NaN()
	}
	r := NewRanking(c, l)
	for i, label := range labels {
		r.Add(label, scores.RawRowView(i), floats.Weight(weights, i))
	}
	return r.MacroAUC()
}

// A Ranking collects the labels and scores of samples for AUC. It keeps all samples up to a limit.
// Beyond the limit it keeps a random subset of that size, drawn with a fixed seed, and the result is an
// estimate. Without weights its standard error is at most 1/(2 sqrt(m)), where m is the smaller of the
// numbers of positive and negative samples kept.
//
//	memory: 8(c+2) bytes for each kept sample.
type Ranking struct {
	classes, limit int
	seen           uint64
	random         *rand.Rand
	labels         []int
	weights        []float64
	scores         []float64 // c for each sample
}

// NewRanking returns an empty Ranking for the given number of classes, c. It keeps at most limit
// samples. It panics if classes < 1 or limit < 1.
func NewRanking(classes, limit int) *Ranking {
	if classes < 1 {
		panic(panicClasses)
	}
	if limit < 1 {
		panic(panicLimit)
	}
	return &Ranking{classes: classes, limit: limit, random: rand.New(rand.NewPCG(1, 2))}
}

// Add adds a sample with the scores of all classes, which it copies. It panics unless there are c
// scores, label is from 0 to c-1, and weight is finite and not negative.
func (r *Ranking) Add(label int, scores []float64, weight float64) {
	if len(scores) != r.classes {
		panic(panicScores)
	}
	checkClass(label, r.classes)
	checkWeight(weight)
	if weight == 0 {
		return
	}
	r.seen++
	if len(r.labels) < r.limit {
		r.labels, r.weights = append(r.labels, label), append(r.weights, weight)
		r.scores = append(r.scores, scores...)
		return
	}
	// Algorithm R: the n-th sample replaces a kept sample with probability limit/n.
	if at := r.random.Uint64N(r.seen); at < uint64(r.limit) {
		i := int(at)
		r.labels[i], r.weights[i] = label, weight
		copy(r.scores[i*r.classes:], scores)
	}
}

// Kept returns the number of samples that the results are based on, at most the limit.
func (r *Ranking) Kept() int { return len(r.labels) }

// AUC returns the AUC of a class against the rest, computed from its column of scores. It is NaN unless
// both the class and the rest have weight. AUC panics if class is outside 0 to c-1.
func (r *Ranking) AUC(class int) float64 {
	checkClass(class, r.classes)
	samples := make([]ranked, len(r.labels))
	for i, label := range r.labels {
		samples[i] = ranked{r.scores[i*r.classes+class], r.weights[i], label == class}
	}
	return auc(samples)
}

// MacroAUC returns the mean of AUC over the classes with samples, or NaN if fewer than two have any. A
// NaN score makes the result NaN.
func (r *Ranking) MacroAUC() float64 {
	sums, there := make([]float64, r.classes), 0
	for i, label := range r.labels {
		if sums[label] == 0 {
			there++
		}
		sums[label] += r.weights[i]
	}
	if there < 2 {
		return math.NaN()
	}
	var sum float64
	for class, w := range sums {
		if w > 0 {
			sum += r.AUC(class)
		}
	}
	return sum / float64(there)
}
