package bench

import (
	"cmp"
	"math"
	"slices"
)

// A Crossing is the number of added rows from which on retraining takes less than an update.
type Crossing struct {
	Series  string  // of the update: CrossoverTiming.Series
	Against string  // AgainstPseudoinverse or AgainstWeights
	Flops   float64 // by the flops of the model
	Seconds float64 // as measured
}

// What an update is compared with.
const (
	AgainstPseudoinverse = "pseudoinverse" // A⁺ and W from scratch
	AgainstWeights       = "weights"       // W alone from scratch
)

// Crossings returns the crossings of each series that all points have, in the order of the first point,
// with both ways of retraining. The points must be of the same backend, l, k and c, and may be in any
// order of q.
//
// Both numbers are found in the same way: retraining takes no more from some q among the points on, and
// more at the one before; between the two the logarithm of the ratio is taken to be linear in log q.
// The number is 0 where retraining takes no more at any q, and +Inf where it takes more at the largest.
func Crossings(points []CrossoverPoint) []Crossing {
	points = slices.SortedFunc(slices.Values(points), func(a, b CrossoverPoint) int { return cmp.Compare(a.Q, b.Q) })
	if len(points) == 0 {
		return nil
	}
	var all []Crossing
	for _, m := range points[0].Methods {
		for _, against := range []string{AgainstPseudoinverse, AgainstWeights} {
			if c, ok := crossingOf(points, m.Series, against); ok {
				all = append(all, c)
			}
		}
	}
	return all
}

// crossingOf returns the crossing of a series, or false where a point does not have it.
func crossingOf(points []CrossoverPoint, series, against string) (Crossing, bool) {
	var q, flops, seconds []float64
	for _, p := range points {
		i := slices.IndexFunc(p.Methods, func(t CrossoverTiming) bool { return t.Series == series })
		if i < 0 {
			return Crossing{}, false
		}
		retraining := p.RetrainPseudoinverse
		if against == AgainstWeights {
			retraining = p.RetrainWeights
		}
		q = append(q, float64(p.Q))
		flops = append(flops, p.Methods[i].Flops/retraining.Flops)
		seconds = append(seconds, p.Methods[i].Seconds/retraining.Seconds)
	}
	return Crossing{Series: series, Against: against, Flops: crossing(q, flops), Seconds: crossing(q, seconds)}, true
}

// crossing returns the q, which ascend, from which on the ratio is at least 1.
func crossing(q, ratio []float64) float64 {
	i := len(q)
	for i > 0 && ratio[i-1] >= 1 {
		i--
	}
	switch i {
	case 0:
		return 0
	case len(q):
		return math.Inf(1)
	}
	below, above := math.Log(ratio[i-1]), math.Log(ratio[i])
	return q[i-1] * math.Pow(q[i]/q[i-1], -below/(above-below))
}
