package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
)

// ValidationGrid returns the settings for which predicted and measured times are compared on b. They
// cover every method and form, k from 250 to 2000, q from 1 to 8000, and 1 to 100 targets.
func ValidationGrid(b blskernel.Backend) []Setting {
	var grid []Setting
	for _, g := range []struct {
		method blsupdate.Method
		form   blsupdate.Form
		solve  bool
		shapes [][4]int // k, q, l, c
	}{
		{blsupdate.Gram, blsupdate.Auto, false, [][4]int{
			{250, 1, 1000, 10}, {500, 100, 2000, 10}, {1000, 1000, 4000, 100},
			{1000, 8000, 4000, 10}, {2000, 500, 6000, 1}, {2000, 4000, 6000, 10},
		}},
		{blsupdate.QR, blsupdate.Auto, false, [][4]int{
			{250, 10, 1000, 10}, {500, 100, 2000, 1}, {1000, 1, 4000, 10},
			{1000, 1000, 4000, 10}, {2000, 500, 6000, 100}, {2000, 4000, 6000, 10},
		}},
		{blsupdate.RidgeInverse, blsupdate.Small, false, [][4]int{
			{250, 20, 1000, 10}, {500, 1, 2000, 10}, {1000, 1, 4000, 1},
			{1000, 100, 4000, 10}, {2000, 1, 6000, 10}, {2000, 400, 6000, 100},
		}},
		{blsupdate.RidgeInverse, blsupdate.Large, false, [][4]int{{500, 1000, 2000, 10}, {1000, 2000, 4000, 10}}},
		{blsupdate.InverseCholesky, blsupdate.Small, false, [][4]int{{500, 4, 2000, 10}, {1000, 1, 4000, 10}}},
		{blsupdate.InverseCholesky, blsupdate.Large, false, [][4]int{
			{500, 250, 2000, 10}, {1000, 1000, 4000, 10}, {2000, 500, 6000, 10},
		}},
		{blsupdate.Improved, blsupdate.Small, false, [][4]int{
			{250, 50, 2000, 10}, {500, 100, 5000, 10}, {1000, 1000, 4000, 100}, {2000, 500, 4000, 10},
		}},
		{blsupdate.Improved, blsupdate.Small, true, [][4]int{{1000, 1000, 4000, 10}}},
		{blsupdate.Improved, blsupdate.Large, false, [][4]int{{500, 1000, 4000, 10}, {1000, 2000, 4000, 10}}},
		{blsupdate.Improved, blsupdate.Large, true, [][4]int{{1000, 2000, 4000, 10}}},
		{blsupdate.Improved, blsupdate.Compressed, true, [][4]int{{500, 2000, 5000, 10}, {1000, 4000, 4000, 10}}},
		{blsupdate.Original, blsupdate.Auto, false, [][4]int{
			{500, 500, 5000, 10}, {1000, 1000, 4000, 10}, {1000, 2000, 4000, 1},
		}},
	} {
		opt := blsupdate.Options{Lambda: 1e-3, Form: g.form, Solve: g.solve, Backend: b}
		if g.method == blsupdate.Original || g.method == blsupdate.Improved {
			opt.Lambda = 0
		}
		for _, s := range g.shapes {
			grid = append(grid, Setting{Method: g.method, Options: opt, K: s[0], Q: s[1], L: s[2], C: s[3], Stream: true})
		}
	}
	return grid
}

// An Agreement summarizes how well predicted times agree with measured times.
type Agreement struct {
	Settings int     `json:"settings"`
	Median   float64 `json:"median"`        // of the absolute values of Cost.Deviation
	P95      float64 `json:"percentile_95"` // the 95th percentile of the absolute values
	Worst    float64 `json:"worst"`         // the largest absolute value
	Unequal  int     `json:"unequal"`       // settings where a step's flops differ from the model
}

// Agree summarizes the deviations of costs. It returns the zero Agreement if costs is empty.
func Agree(costs []Cost) Agreement {
	if len(costs) == 0 {
		return Agreement{}
	}
	a := Agreement{Settings: len(costs)}
	deviations := make([]float64, len(costs))
	for i, c := range costs {
		deviations[i] = math.Abs(c.Deviation())
		differs := func(s CostStep) bool { return s.Model != s.Counted }
		if differs(c.Total) || slices.ContainsFunc(c.Steps, differs) {
			a.Unequal++
		}
	}
	slices.Sort(deviations)
	a.Median, a.P95, a.Worst = quantile(deviations, 0.5), quantile(deviations, 0.95), deviations[len(deviations)-1]
	return a
}

func quantile(sorted []float64, p float64) float64 {
	at := float64(p * float64(len(sorted)-1))
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

const (
	// maxMoved is the relative change of the FMA peak during an update above which the update is
	// left out: the machine was then doing other work, which no prediction can account for.
	maxMoved = 0.05
	// maxLeftOut is the share of left-out updates above which a result is unreliable.
	maxLeftOut = 0.25
	// maxTries bounds the number of attempted updates, as a multiple of the requested number.
	maxTries = 3
)

// A Measured holds the costs that Measure returns, and says whether they are reliable.
type Measured struct {
	Costs            []Cost // for each setting, the update with the median deviation; see Cost.Disturbed
	Updates, LeftOut int    // the number of measured updates, and how many of these were disturbed
	// Unknown says why the result is unreliable. It is empty for a reliable result.
	Unknown string
}

// Measure trains a model on rows drawn from seed for each setting, updates it, and compares the times
// with predictions from rates. It makes the given number of passes over the settings, so that a
// disturbance of a few seconds spoils only one pass. A pass repeats the update of a setting until
// rounds updates are undisturbed, or until five are and a second has passed. Each update starts from
// more samples (Cost.L) than the previous one, and has its own prediction. An update is discarded and
// repeated if the FMA peak moved by more than 5%, up to 3·rounds updates, or 15 once a second has
// passed. measured receives the share of the work done; it may be nil.
//
//	errors: from ctx, before the next update; from an update, wrapped.
func Measure(
	ctx context.Context, settings []Setting, rates *blsupdate.Rates, passes, rounds int, seed uint64, measured func(done float64),
) (Measured, error) {
	return measure(ctx, settings, rates, passes, rounds, seed, measured, blsupdate.Peak)
}

func measure(
	ctx context.Context, settings []Setting, rates *blsupdate.Rates, passes, rounds int, seed uint64, measured func(done float64),
	peak func() float64,
) (m Measured, err error) {
	costs := make([][]Cost, len(settings))
	for pass := range passes {
		for i, s := range settings {
			run, err := startCost(ctx, s, rates, seed, peak)
			if err != nil {
				return Measured{}, err
			}
			good, seconds := 0, 0.0
			for good < rounds && len(run.costs) < maxTries*rounds &&
				(seconds < costSeconds || good < minCostRounds && len(run.costs) < maxTries*minCostRounds) {
				took, err := run.update(ctx)
				if err != nil {
					return Measured{}, err
				}
				seconds += took
				if !run.costs[len(run.costs)-1].Disturbed() {
					good++
				}
			}
			costs[i] = append(costs[i], run.costs...)
			m.Updates += len(run.costs)
			m.LeftOut += len(run.costs) - good
			if measured != nil {
				measured(float64(pass*len(settings)+i+1) / float64(passes*len(settings)))
			}
		}
	}
	known := map[blsupdate.Method]bool{}
	for i, all := range costs {
		if good := slices.DeleteFunc(slices.Clone(all), Cost.Disturbed); len(good) > 0 {
			all, known[settings[i].Method] = good, true
		}
		m.Costs = append(m.Costs, medianCost(all))
	}
	for _, s := range settings {
		if !known[s.Method] {
			m.Unknown = fmt.Sprintf("the FMA peak moved by more than %.0f%% during every update of %v", 100*maxMoved, s.Method)
		}
	}
	if float64(m.LeftOut) > maxLeftOut*float64(m.Updates) {
		m.Unknown = fmt.Sprintf("the FMA peak moved by more than %.0f%% during %d of %d updates", 100*maxMoved, m.LeftOut, m.Updates)
	}
	return m, nil
}
