package bench

import (
	"cmp"
	"math"
	"slices"
)

// A CrossoverPoint compares, for one number q of added rows, updates with retraining at the same l, k
// and c. The times are medians over rounds in which all were done in turn, with the weights after each.
type CrossoverPoint struct {
	Backend string            `json:"backend"`
	L       int               `json:"l"` // samples before
	K       int               `json:"k"`
	Q       int               `json:"q"`
	C       int               `json:"c"`
	Lambda  float64           `json:"lambda"`
	Seed    uint64            `json:"seed"` // of the rows; 0 in files written before it was kept
	Rounds  int               `json:"rounds"`
	Methods []CrossoverTiming `json:"methods"` // updates by each method, the planner's last
	// RetrainPseudoinverse is A⁺ and W from scratch of all l+q rows, by the ridge formula;
	// RetrainWeights is W alone from scratch, by the method Gram.
	RetrainPseudoinverse CrossoverTiming `json:"retrain_pseudoinverse"`
	RetrainWeights       CrossoverTiming `json:"retrain_weights"`
	Planner              string          `json:"planner"` // the variant that the planner chooses, as in Variant.String
}

// A CrossoverTiming is a time with the flops that it was for.
type CrossoverTiming struct {
	Series string `json:"series,omitempty"` // of an update: the variant that was asked for, or PlannerSeries
	Method string `json:"method"`           // for A⁺ from scratch the one that starts from it, improved
	Form   string `json:"form,omitempty"`   // that an update was done in, where the method has forms
	// By says how A⁺ was computed from scratch, as Retraining.PseudoinverseBy does; empty for all
	// else.
	By      string  `json:"by,omitempty"`
	Seconds float64 `json:"seconds"`
	Flops   float64 `json:"flops"` // by the model, or for A⁺ from scratch as counted, which is the same
}

// PlannerSeries is the Series of the update by the planner's method, whatever that is at each q.
const PlannerSeries = "planner"

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
