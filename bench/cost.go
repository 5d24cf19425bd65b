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
	"blskernel/internal/backend"
	"blskernel/mat"
)

// A Setting is an update to measure: a method adds q rows to l and returns the weights.
type Setting struct {
	Method     blsupdate.Method
	Options    blsupdate.Options // with the backend, nil for blskernel.Default()
	L, K, Q, C int
}

// A CostStep is one step of an update: its flops by the model and as the backend counted them, and its
// time as predicted from the rates of the machine and as measured.
type CostStep struct {
	Step             string  `json:"step"`
	Formula          string  `json:"formula"`
	Model            float64 `json:"flops_model"`
	Counted          float64 `json:"flops_counted,omitempty"`
	PredictedSeconds float64 `json:"predicted_seconds,omitempty"`
	MeasuredSeconds  float64 `json:"measured_seconds,omitempty"`
}

// A Cost is the account of one update.
type Cost struct {
	Backend string     `json:"backend"`
	Method  string     `json:"method"`
	Form    string     `json:"form"`
	Solve   bool       `json:"solve"`
	Seed    uint64     `json:"seed,omitempty"` // of the rows; not in old files
	L       int        `json:"l"`
	K       int        `json:"k"`
	Q       int        `json:"q"`
	C       int        `json:"c"`
	Steps   []CostStep `json:"steps"`
	Total   CostStep   `json:"total"` // its times have what is between the steps

	Peak  float64 `json:"peak,omitempty"` // the FMA peak, the mean of those before and after
	moved float64 // by how much it changed, relatively
}

// Variant names the method with the form that was taken, as Variant.String has it.
func (c Cost) Variant() string { return variantName(c.Method, c.Form, c.Solve) }

// Deviation returns the relative error of the predicted time, which is negative where it is too short.
func (c Cost) Deviation() float64 {
	return c.Total.PredictedSeconds/c.Total.MeasuredSeconds - 1
}

// A Measured compares several models that were updated in turn, round by round.
type Measured struct {
	// Costs has, for each setting, the update with the median deviation.
	Costs []Cost
	// Speed is the median over the rounds of the first setting's time over that of each, and Flops
	// the same of the flops by the model.
	Speed, Flops []float64
	Rounds       int
}

// An update is measured leastCostRounds times, and then until costSeconds have passed, at most
// mostCostRounds times.
const (
	leastCostRounds = 5
	mostCostRounds  = 101
	costSeconds     = 1.0
)

const (
	// longCost is the time of an update, in seconds, from which on its garbage is collected:
	// new matrices then reuse the memory of old ones. Short updates follow one another as in a
	// stream of samples, and find their operands in the caches.
	longCost = 0.05

	// shortCost is the time below which MeasureEach adds rows for warmUp between the measurement
	// of the FMA peak and the update that is measured: in a stream of updates the workers are
	// awake and the code is in the caches. After one alone they take up to 1.6 times as long.
	shortCost = 0.005
	warmUp    = 2 * time.Millisecond

	// settleTime is the time of such updates before the first one that is measured: the heap has
	// then been collected, and updates take storage from it that they have used before.
	settleTime = 50 * time.Millisecond
)

// Measure starts a model of random rows for each setting and updates them in turn, rounds times, or for
// some seconds where rounds is 0. Each update finds more samples than the one before, and has a
// prediction of its own; Cost.L says where it was. The first update does not count: it pays for fresh
// memory and for goroutines that have to start. updated, which may be nil, follows every update.
//
//	errors: the context's, before the next update; those of an update, wrapped.
func Measure(ctx context.Context, settings []Setting, rates *blsupdate.Rates, rounds int, seed uint64, updated func()) (Measured, error) {
	if len(settings) == 0 {
		return Measured{}, nil
	}
	runs, err := startCosts(ctx, settings, rates, seed, blsupdate.Peak)
	if err != nil {
		return Measured{}, err
	}
	for seconds := 0.0; ; {
		done := len(runs[0].costs)
		if rounds > 0 && done >= rounds {
			break
		}
		if rounds == 0 && done >= leastCostRounds && (done >= mostCostRounds || seconds >= costSeconds) {
			break
		}
		for _, run := range runs {
			took, err := run.update(ctx)
			if err != nil {
				return Measured{}, err
			}
			seconds += took / float64(len(runs))
			if updated != nil {
				updated()
			}
		}
	}
	return measured(runs), nil
}

// A costRun is a setting under way.
type costRun struct {
	Setting
	seed   uint64
	peak   func() float64 // the FMA peak at the moment
	rates  *blsupdate.Rates
	model  blsupdate.Updater
	ax, ya *mat.Dense
	costs  []Cost
	last   float64 // the seconds of the last update
	short  float64 // the seconds below which updates that do not count come before
}

// startCosts starts the models, with a first update that does not count.
func startCosts(
	ctx context.Context, settings []Setting, rates *blsupdate.Rates, seed uint64, peak func() float64,
) ([]*costRun, error) {
	var runs []*costRun
	for _, s := range settings {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		run, err := startCost(s, rates, seed)
		if err != nil {
			return nil, fmt.Errorf("bench: %v with l=%d, k=%d, c=%d: %w", s.Method, s.L, s.K, s.C, err)
		}
		run.peak = peak
		runs = append(runs, run)
	}
	runtime.GC()
	for _, run := range runs {
		if _, err := run.update(ctx); err != nil {
			return nil, err
		}
		run.costs = nil
	}
	return runs, nil
}

func startCost(s Setting, rates *blsupdate.Rates, seed uint64) (*costRun, error) {
	s.Options.Backend = backend.Or(s.Options.Backend)
	r := rand.New(rand.NewPCG(seed, 0))
	before := s.L
	if s.L-s.Q >= s.K {
		before = s.L - s.Q // so that the first update of those that count is at l
	}
	model, err := blsupdate.New(s.Method, normal(r, before, s.K), normal(r, before, s.C), s.Options)
	if err != nil {
		return nil, err
	}
	return &costRun{Setting: s, seed: seed, rates: rates, model: model, ax: normal(r, s.Q, s.K), ya: normal(r, s.Q, s.C)}, nil
}

// update adds the rows once more and returns the seconds. The prediction is for the mean of the FMA
// peaks before and after.
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

// warm updates for a time where updates are short.
func (r *costRun) warm(d time.Duration) error {
	for began := time.Now(); r.last < r.short && time.Since(began) < d; {
		if err := r.add(); err != nil {
			return err
		}
	}
	return nil
}

// add adds the rows and asks for the weights.
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

// measured sums up all rounds.
func measured(runs []*costRun) Measured {
	first := runs[0].costs
	m := Measured{Rounds: len(first)}
	for _, run := range runs {
		var speed, flops []float64
		for i, c := range run.costs {
			speed = append(speed, first[i].Total.MeasuredSeconds/c.Total.MeasuredSeconds)
			flops = append(flops, first[i].Total.Model/c.Total.Model)
		}
		slices.Sort(speed)
		slices.Sort(flops)
		m.Speed = append(m.Speed, quantile(speed, 0.5))
		m.Flops = append(m.Flops, quantile(flops, 0.5))
		m.Costs = append(m.Costs, medianCost(run.costs))
	}
	return m
}

// medianCost returns the one of costs that has the median deviation.
func medianCost(costs []Cost) Cost {
	costs = slices.SortedFunc(slices.Values(costs), func(a, b Cost) int { return cmp.Compare(a.Deviation(), b.Deviation()) })
	return costs[len(costs)/2]
}

// costOf turns the report of an update after l rows into a Cost.
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

// normal returns a matrix of normally distributed random numbers.
func normal(r *rand.Rand, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	data := m.RawMatrix().Data
	for i := range data {
		data[i] = r.NormFloat64()
	}
	return m
}
