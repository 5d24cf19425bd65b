package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"blskernel/blsupdate"
	"blskernel/internal/linalg/backend"
	"blskernel/mat"
)

// A Setting is an update to measure: a method adds Q rows to a model of L rows, K nodes and C targets,
// and computes the weights.
type Setting struct {
	Method     blsupdate.Method
	Options    blsupdate.Options // including the backend; nil means blskernel.Default()
	L, K, Q, C int
	Stream     bool // run unmeasured updates before a short one, as in a stream of batches; L then grows
}

// A CostStep is one step of an update. It holds the flops by the model and the flops requested from
// the backend, the time predicted from the machine's rates, and the measured time.
type CostStep struct {
	Step             string  `json:"step"`
	Formula          string  `json:"formula"`
	Model            float64 `json:"flops_model"`
	Counted          float64 `json:"flops_counted,omitempty"`
	PredictedSeconds float64 `json:"predicted_seconds,omitempty"`
	MeasuredSeconds  float64 `json:"measured_seconds,omitempty"`
}

// A Cost holds the steps and times of one update.
type Cost struct {
	Backend string     `json:"backend"`
	Method  string     `json:"method"`
	Form    string     `json:"form"`
	Solve   bool       `json:"solve"`
	Seed    uint64     `json:"seed"` // of the rows
	L       int        `json:"l"`
	K       int        `json:"k"`
	Q       int        `json:"q"`
	C       int        `json:"c"`
	Steps   []CostStep `json:"steps"`
	Total   CostStep   `json:"total"` // its measured time includes the work between the steps

	Peak  float64 `json:"peak,omitempty"` // the mean of the FMA peaks before and after the update
	moved float64 // the relative change from the first peak to the second
}

// Variant returns the method with the form that was used, in the format of Variant.String.
func (c Cost) Variant() string { return variantName(c.Method, c.Form, c.Solve) }

// Disturbed reports whether the FMA peak changed by more than 5% during the update. A Cost from Measure
// is disturbed only if the peak moved during every update of its setting.
func (c Cost) Disturbed() bool { return !(c.moved <= maxMoved) }

// Deviation returns the relative error of the predicted time: negative if the prediction was too short.
func (c Cost) Deviation() float64 {
	return c.Total.PredictedSeconds/c.Total.MeasuredSeconds - 1
}

// A pass repeats an update until enough rounds are undisturbed: all that were requested, or
// minCostRounds if costSeconds have passed.
const (
	minCostRounds = 5
	costSeconds   = 1.0
)

const (
	// longCost is the time, in seconds, above which an update is followed by a garbage collection,
	// so that new matrices reuse the memory of old ones. Shorter updates follow one another as in a
	// stream of samples, and find their operands in the caches.
	longCost = 0.05

	// shortCost is the time, in seconds, below which an update is short. Between measuring the FMA
	// peak and a short update, a Stream runs unmeasured updates for warmUp. They wake the workers
	// and bring the code into the caches. An isolated update takes up to 1.6 times as long.
	shortCost = 0.005
	warmUp    = 2 * time.Millisecond

	// settleTime is the time for which a Stream of short updates runs before the first measured
	// update. By then garbage has been collected, and updates reuse its memory.
	settleTime = 50 * time.Millisecond
)

type costRun struct {
	Setting
	seed   uint64
	peak   func() float64 // measures the current FMA peak
	rates  *blsupdate.Rates
	model  blsupdate.Updater
	ax, ya *mat.Dense
	costs  []Cost
	last   float64 // the seconds of the last update, or 0
}

// startCost creates the model of s from seed and runs unmeasured updates, because the first update
// allocates memory and starts goroutines. peak measures the FMA peak.
func startCost(ctx context.Context, s Setting, rates *blsupdate.Rates, seed uint64, peak func() float64) (*costRun, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.Options.Backend = backend.Or(s.Options.Backend)
	r := rand.New(rand.NewPCG(seed, 0))
	before := s.L
	if s.L-s.Q >= s.K {
		before = s.L - s.Q // so that the first, unmeasured update ends with s.L rows
	}
	model, err := blsupdate.New(s.Method, normal(r, before, s.K), normal(r, before, s.C), s.Options)
	if err != nil {
		return nil, fmt.Errorf("bench: %v with l=%d, k=%d, c=%d: %w", s.Method, s.L, s.K, s.C, err)
	}
	run := &costRun{Setting: s, seed: seed, peak: peak, rates: rates, model: model, ax: normal(r, s.Q, s.K), ya: normal(r, s.Q, s.C)}
	runtime.GC()
	if _, err := run.update(ctx); err != nil {
		return nil, err
	}
	run.costs = nil
	return run, run.warm(settleTime)
}

// update adds the rows once more, records the cost, and returns the measured seconds. The time is
// predicted for the mean of the FMA peaks before and after the update.
func (r *costRun) update(ctx context.Context) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	before := r.peak()
	if err := r.warm(warmUp); err != nil {
		return 0, err
	}
	l := r.model.Samples()
	if err := r.add(); err != nil {
		return 0, err
	}
	report, after := r.model.Report(), r.peak()
	cost := r.costOf(l, report, r.rates.AtPeak((before+after)/2))
	cost.Peak, cost.moved = (before+after)/2, math.Abs(after/before-1)
	r.costs, r.last = append(r.costs, cost), cost.Total.MeasuredSeconds
	if cost.Total.MeasuredSeconds > longCost {
		runtime.GC()
	}
	return cost.Total.MeasuredSeconds, nil
}

func (r *costRun) warm(d time.Duration) error {
	for began := time.Now(); r.Stream && r.last > 0 && r.last < shortCost && time.Since(began) < d; {
		if err := r.add(); err != nil {
			return err
		}
	}
	return nil
}

func (r *costRun) add() error {
	err := r.model.AddInputs(r.ax, r.ya)
	if err == nil {
		_, err = r.model.Weights()
	}
	if err != nil {
		return fmt.Errorf("bench: %v: %w", r.Method, err)
	}
	return nil
}

func medianCost(costs []Cost) Cost {
	costs = slices.SortedFunc(slices.Values(costs), func(a, b Cost) int { return cmp.Compare(a.Deviation(), b.Deviation()) })
	return costs[len(costs)/2]
}

// costOf returns the Cost of an update from its report. The model had l rows; rates predict the times.
func (r *costRun) costOf(l int, report blsupdate.Report, rates *blsupdate.Rates) Cost {
	c := Cost{
		Backend: r.Options.Backend.Name(), Method: r.Method.String(), Form: report.Form.String(),
		Solve: r.Options.Solve, Seed: r.seed, L: l, K: r.K, Q: r.Q, C: r.C,
		Total: CostStep{
			Step: "total", Model: report.Model(), Counted: report.Counted(),
			MeasuredSeconds: report.Elapsed.Seconds(),
		},
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

func normal(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	data := m.RawMatrix().Data
	for i := range data {
		data[i] = r.NormFloat64()
	}
	return m
}
