package bench

import (
	"context"
	"math"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
)

// ValidationGrid returns the settings on which predicted and measured times are compared, on one
// backend: every method and form, k from 250 to 2000, q from one row to 8000, one target to a hundred.
// All together take a few minutes.
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
			grid = append(grid, Setting{Method: g.method, Options: opt, K: s[0], Q: s[1], L: s[2], C: s[3]})
		}
	}
	return grid
}

// An Agreement sums up how well times were predicted.
type Agreement struct {
	Settings int     `json:"settings"`
	Median   float64 `json:"median"`        // of the magnitudes of Cost.Deviation
	P95      float64 `json:"percentile_95"` // the 95th percentile of them
	Worst    float64 `json:"worst"`
	Unequal  int     `json:"unequal"` // settings whose flops are not those of the model
}

// Agree sums up costs. It returns the zero value for none.
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

// quantile interpolates between the sorted values.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// MeasureEach measures the settings of a grid one after the other, in several passes. In the last pass
// it calls emit with the cost of each setting that has the median deviation: a neighbour on a shared
// machine that is busy for some seconds spoils one pass alone. measured, which may be nil, gets the
// share that is done.
//
//	errors: the context's, before the next update; emit's; those of an update, wrapped.
func MeasureEach(
	ctx context.Context, grid []Setting, rates *blsupdate.Rates, passes int, seed uint64,
	measured func(done float64), emit func(Cost) error,
) error {
	costs := make([][]Cost, len(grid))
	for pass := range passes {
		for i := range grid {
			m, err := Measure(ctx, grid[i:i+1], rates, 0, seed, nil)
			if err != nil {
				return err
			}
			costs[i] = append(costs[i], m.Costs[0])
			if measured != nil {
				measured(float64(pass*len(grid)+i+1) / float64(passes*len(grid)))
			}
			if pass+1 < passes {
				continue
			}
			if err := emit(medianCost(costs[i])); err != nil {
				return err
			}
		}
	}
	return nil
}
