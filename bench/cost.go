package bench

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"blskernel/blsupdate"
	"blskernel/mat"
)

// A Setting is an update whose cost is wanted: q rows are added to l by a method, and the weights are
// asked for.
type Setting struct {
	Method     blsupdate.Method
	Options    blsupdate.Options // with the backend
	L, K, Q, C int
}

// A CostStep is one step of an update: its flops by the model and as the backend was asked for them, and its time
// as predicted from the rates of the machine and as measured.
type CostStep struct {
	Step             string  `json:"step"`
	Formula          string  `json:"formula"`
	Model            float64 `json:"flops_model"`
	Counted          float64 `json:"flops_counted"`
	PredictedSeconds float64 `json:"predicted_seconds"`
	MeasuredSeconds  float64 `json:"measured_seconds"`
}

// A Cost is the account of one update.
type Cost struct {
	Backend string     `json:"backend"`
	Method  string     `json:"method"`
	Form    string     `json:"form"`
	Solve   bool       `json:"solve"`
	L       int        `json:"l"`
	K       int        `json:"k"`
	Q       int        `json:"q"`
	C       int        `json:"c"`
	Steps   []CostStep `json:"steps"`
	Total   CostStep   `json:"total"` // its times have what is between the steps
}

// Deviation returns how far the predicted time is from the measured one, relative to the latter; it is negative
// where less was predicted.
func (c Cost) Deviation() float64 {
	return c.Total.PredictedSeconds/c.Total.MeasuredSeconds - 1
}

// mostCostRounds bounds the number of updates of which MeasureCost returns the one in the middle.
const mostCostRounds = 7

// leastCostSeconds is the time that the measured updates of MeasureCost take together, if mostCostRounds
// are enough for it.
const leastCostSeconds = 1.0

// MeasureCost starts a model with random rows, updates it some times, and returns the account of the
// update with the median deviation of the measured from the predicted time. Each update by a method whose
// cost depends on l finds q samples more than the one before, and has its own prediction; Cost.L says where
// it was. The first update is left out: it pays for fresh memory and for goroutines that have to start.
func MeasureCost(ctx context.Context, s Setting, rates *blsupdate.Rates, seed uint64) (Cost, error) {
	r := rand.New(rand.NewPCG(seed, 0))
	before := s.L
	if s.L-s.Q >= s.K {
		before = s.L - s.Q // so that the first update of those measured is at l
	}
	u, err := blsupdate.New(s.Method, normal(r, before, s.K), normal(r, before, s.C), s.Options)
	if err != nil {
		return Cost{}, fmt.Errorf("bench: %v with l=%d, k=%d, c=%d: %w", s.Method, s.L, s.K, s.C, err)
	}
	ax, ya := normal(r, s.Q, s.K), normal(r, s.Q, s.C)
	var costs []Cost
	for round, seconds := 0, 0.0; round <= 2 || round <= mostCostRounds && seconds < leastCostSeconds; round++ {
		if err := ctx.Err(); err != nil {
			return Cost{}, err
		}
		runtime.GC()
		l := u.Samples()
		if err := u.AddInputs(ax, ya); err != nil {
			return Cost{}, err
		}
		if _, err := u.Weights(); err != nil {
			return Cost{}, err
		}
		if round > 0 {
			cost := costOf(s, l, u.Report(), rates)
			costs = append(costs, cost)
			seconds += cost.Total.MeasuredSeconds
		}
	}
	slices.SortFunc(costs, func(a, b Cost) int { return cmp.Compare(a.Deviation(), b.Deviation()) })
	return costs[len(costs)/2], nil
}

// costOf turns the report of an update into a Cost.
func costOf(s Setting, l int, report blsupdate.Report, rates *blsupdate.Rates) Cost {
	c := Cost{
		Backend: s.Options.Backend.Name(), Method: s.Method.String(), Form: report.Form.String(), Solve: s.Options.Solve,
		L: l, K: s.K, Q: s.Q, C: s.C,
		Total: CostStep{Step: "total", Model: report.Model(), Counted: report.Counted(), MeasuredSeconds: report.Elapsed.Seconds()},
	}
	for _, step := range report.Steps {
		predicted := rates.Seconds(step.StepFlops)
		c.Steps = append(c.Steps, CostStep{
			Step: string(step.Step), Formula: step.Formula, Model: step.Model, Counted: step.Counted,
			PredictedSeconds: predicted, MeasuredSeconds: step.Elapsed.Seconds(),
		})
		c.Total.PredictedSeconds += predicted
	}
	return c
}

// normal returns a matrix of normally distributed random numbers.
func normal(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	data := m.RawMatrix().Data
	for i := range data {
		data[i] = r.NormFloat64()
	}
	return m
}
