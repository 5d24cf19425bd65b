package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/backend"
	"blskernel/internal/memory"
	"blskernel/mat"
)

// A Crossover is an experiment on when an update pays: q rows are added to a model of l, by several
// methods and by the one that the planner chooses, and the time until the weights are there is compared
// with that of starting over from all l+q rows, for A⁺ and the weights by the ridge formula, and for
// the weights alone by the normal equations. The rows are random, and A is well-conditioned.
//
// Every update is of the same l rows. What it added is removed again, outside of the time, where that
// takes fewer flops by the model than a start from the l rows; else the next model starts from them,
// outside of the time too. A model of l rows is kept for each variant, beside the (l+q)k numbers of the
// rows. Garbage is collected before each update or start, so that none pays for another's.
type Crossover struct {
	L, K, C  int   // samples before, nodes, targets; K <= L
	Q        []int // samples added, in the order in which they are measured
	Variants []Variant
	Lambda   float64
	Rounds   int // 0 for as many as seem useful
	Seed     uint64
	Backend  blskernel.Backend // nil for blskernel.Default()
	Rates    *blsupdate.Rates  // that the planner goes by; nil for flops
	Done     []CrossoverPoint  // of a run that was interrupted; those that Known returns are not measured again
}

// Where Rounds is 0 a q is measured leastCrossoverRounds times, and again until that took
// crossoverSeconds or was done mostCrossoverRounds times; but no further after a round of longRound
// seconds, whose times are far longer than what disturbs them.
const (
	leastCrossoverRounds = 3
	mostCrossoverRounds  = 9
	crossoverSeconds     = 3.0
	longRound            = 12.0
)

// Validate returns what is wrong with the settings, or nil.
func (c *Crossover) Validate() error {
	switch {
	case c.K < 1 || c.C < 1:
		return fmt.Errorf("bench: K is %d and C is %d; want at least 1", c.K, c.C)
	case c.L < c.K:
		return fmt.Errorf("bench: L is %d; want at least K = %d, so that every method can start", c.L, c.K)
	case len(c.Q) == 0:
		return errors.New("bench: Q is empty; want at least one")
	case !(c.Lambda >= 0):
		return fmt.Errorf("bench: Lambda is %v; want 0 or more", c.Lambda)
	case c.Rounds < 0:
		return fmt.Errorf("bench: Rounds is %d; want 0 or more", c.Rounds)
	}
	for _, q := range c.Q {
		if q < 1 {
			return fmt.Errorf("bench: Q has %d; want at least 1", q)
		}
	}
	return cmp.Or(twice("Q", c.Q), twice("Variants", c.Variants))
}

// twice returns an error if a setting has a value more than once.
func twice[T comparable](name string, values []T) error {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return fmt.Errorf("bench: %s has %v twice", name, v)
		}
	}
	return nil
}

// Run calls emit with the point of each q that Known has none of. progress may be nil. It stops with
// the context's error before the next update or start if ctx is cancelled, and with emit's error if it
// returns one.
func (c *Crossover) Run(ctx context.Context, emit func(CrossoverPoint) error, progress Progress) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if progress == nil {
		progress = func(float64, float64, string) {}
	}
	known := c.Known()
	left := slices.DeleteFunc(slices.Clone(c.Q), func(q int) bool {
		return slices.ContainsFunc(known, func(p CrossoverPoint) bool { return p.Q == q })
	})
	if len(left) == 0 {
		return nil
	}
	most := slices.Max(c.Q)
	if err := c.checkMemory(most); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(c.Seed, 0))
	run := &crossoverRun{Crossover: *c, a: normal(r, c.L+most, c.K), y: normal(r, c.L+most, c.C), models: map[Variant]blsupdate.Updater{}}
	run.Backend = backend.Or(c.Backend)
	if run.Rates == nil {
		run.Rates = blsupdate.ConstantRates(1, math.Inf(1))
	}
	for i, q := range left {
		tell := func(share float64) { progress(float64(i)+share, float64(len(left)), fmt.Sprintf("q = %d", q)) }
		point, err := run.measure(ctx, q, tell)
		if err != nil {
			return fmt.Errorf("bench: %d samples added to %d, k=%d: %w", q, c.L, c.K, err)
		}
		if err := emit(point); err != nil {
			return err
		}
	}
	return nil
}

// Known returns the points of Done that are of this experiment, in the order of Q: of the same settings
// and series of updates, and of as many rounds where those are given.
func (c *Crossover) Known() []CrossoverPoint {
	var series []string
	for _, v := range c.Variants {
		series = append(series, v.String())
	}
	series = append(series, PlannerSeries)
	backend := backend.Or(c.Backend).Name()
	var known []CrossoverPoint
	for _, q := range c.Q {
		i := slices.IndexFunc(c.Done, func(p CrossoverPoint) bool {
			same := p.Backend == backend && p.L == c.L && p.K == c.K && p.C == c.C && p.Q == q && p.Lambda == c.Lambda && p.Seed == c.Seed
			return same && (c.Rounds == 0 || c.Rounds == p.Rounds) &&
				slices.EqualFunc(p.Methods, series, func(t CrossoverTiming, name string) bool { return t.Series == name })
		})
		if i >= 0 {
			known = append(known, c.Done[i])
		}
	}
	return known
}

// A crossoverRun is a Crossover under way.
type crossoverRun struct {
	Crossover
	a, y   *mat.Dense // all rows, those that are added after the first L
	models map[Variant]blsupdate.Updater
}

// options returns those of a model by the variant.
func (r *crossoverRun) options(v Variant) blsupdate.Options {
	return v.options(blsupdate.Options{Lambda: r.Lambda, Backend: r.Backend})
}

// measure returns the point of q.
func (r *crossoverRun) measure(ctx context.Context, q int, tell func(share float64)) (CrossoverPoint, error) {
	choice, err := blsupdate.Plan(q, r.K, r.L, r.C, blsupdate.Needs{Lambda: r.Lambda, Backend: r.Backend, Rates: r.Rates})
	if err != nil {
		return CrossoverPoint{}, err
	}
	planned := Variant{Method: choice.Method, Form: choice.Options.Form, Solve: choice.Options.Solve}
	variants := slices.Clone(r.Variants)
	if !slices.Contains(variants, planned) {
		variants = append(variants, planned)
	}
	for v := range r.models { // of another choice of the planner
		if !slices.Contains(variants, v) {
			delete(r.models, v)
		}
	}
	p := CrossoverPoint{Backend: r.Backend.Name(), L: r.L, K: r.K, Q: q, C: r.C, Lambda: r.Lambda, Seed: r.Seed, Planner: planned.String()}
	timings := make([][]CrossoverTiming, len(variants)+2) // the last two are of retraining
	for seconds := 0.0; !r.enough(p.Rounds, seconds); p.Rounds++ {
		tell(float64(p.Rounds) / float64(max(r.Rounds, leastCrossoverRounds, p.Rounds+1)))
		for i := range timings {
			if err := ctx.Err(); err != nil {
				return CrossoverPoint{}, err
			}
			var t CrossoverTiming
			a, y := r.rows(0, r.L+q)
			switch i - len(variants) {
			case 0:
				t, err = timePseudoinverse(a, y, r.options(Variant{}))
			case 1:
				t, err = timeWeights(a, y, r.options(Variant{}))
			default:
				t, err = r.update(variants[i], q)
			}
			if err != nil {
				return CrossoverPoint{}, err
			}
			timings[i] = append(timings[i], t)
			seconds += t.Seconds
		}
	}
	for i, v := range variants {
		t := medianTiming(timings[i])
		if i < len(r.Variants) {
			t.Series = v.String()
			p.Methods = append(p.Methods, t)
		}
	}
	t := medianTiming(timings[slices.Index(variants, planned)])
	t.Series = PlannerSeries
	p.Methods = append(p.Methods, t)
	p.RetrainPseudoinverse, p.RetrainWeights = medianTiming(timings[len(variants)]), medianTiming(timings[len(variants)+1])
	return p, nil
}

// enough tells whether so many rounds that took so many seconds will do.
func (c *Crossover) enough(rounds int, seconds float64) bool {
	switch {
	case c.Rounds > 0:
		return rounds >= c.Rounds
	case rounds == 0:
		return false
	default:
		return seconds/float64(rounds) >= longRound ||
			rounds >= leastCrossoverRounds && (seconds >= crossoverSeconds || rounds >= mostCrossoverRounds)
	}
}

// update measures an update by q rows with the weights after it, and sees to it that the next one finds
// a model of L rows.
func (r *crossoverRun) update(v Variant, q int) (CrossoverTiming, error) {
	model := r.models[v]
	if model == nil {
		a, y := r.rows(0, r.L)
		var err error
		if model, err = blsupdate.New(v.Method, a, y, r.options(v)); err != nil {
			return CrossoverTiming{}, fmt.Errorf("%v: %w", v, err)
		}
	}
	delete(r.models, v) // until it is what it was
	ax, ya := r.rows(r.L, r.L+q)
	t, err := timedUpdate(model, ax, ya)
	if err != nil {
		return CrossoverTiming{}, fmt.Errorf("%v: %w", v, err)
	}
	if r.removes(v, q) && model.RemoveInputs(ax, ya) == nil {
		r.models[v] = model
	}
	return t, nil
}

// removes tells whether the removal of q rows takes fewer flops than a new start from L.
func (r *crossoverRun) removes(v Variant, q int) bool {
	removal := blsupdate.Model(v.Method, blsupdate.ActionRemove, r.options(v), blsupdate.Shape{L: r.L + q, K: r.K, Q: q, C: r.C})
	start := blsupdate.Model(v.Method, blsupdate.ActionStart, r.options(v), blsupdate.Shape{L: r.L, K: r.K, C: r.C})
	return blsupdate.Supports(v.Method, blsupdate.ActionRemove) && blsupdate.Total(removal) < blsupdate.Total(start)
}

// rows returns rows from to to-1 of A and Y.
func (r *crossoverRun) rows(from, to int) (a, y *mat.Dense) {
	return r.a.Slice(from, to, 0, r.K).(*mat.Dense), r.y.Slice(from, to, 0, r.C).(*mat.Dense)
}

// timedUpdate returns the time of an update and of the weights after it, with the flops by the model.
func timedUpdate(model blsupdate.Updater, ax, ya *mat.Dense) (CrossoverTiming, error) {
	runtime.GC()
	began := time.Now()
	err := model.AddInputs(ax, ya)
	if err == nil {
		_, err = model.Weights()
	}
	seconds := time.Since(began).Seconds()
	if err != nil {
		return CrossoverTiming{}, err
	}
	report := model.Report()
	t := CrossoverTiming{Method: model.Method().String(), Seconds: seconds, Flops: report.Model()}
	if report.Form != blsupdate.Auto {
		t.Form = report.Form.String()
	}
	return t, nil
}

// medianTiming returns the first of the timings, which are of the same thing, with the median of their
// times.
func medianTiming(timings []CrossoverTiming) CrossoverTiming {
	var seconds []float64
	for _, t := range timings {
		seconds = append(seconds, t.Seconds)
	}
	slices.Sort(seconds)
	t := timings[0]
	t.Seconds = quantile(seconds, 0.5)
	return t
}

// checkMemory returns a *blsupdate.MemoryError where there is no room for all rows and the largest of
// the models.
func (c *Crossover) checkMemory(most int) error {
	var model int64
	for _, v := range c.Variants {
		model = max(model, blsupdate.StateBytes(v.Method, c.L, c.K, c.C))
	}
	return memory.Check(memory.Sum(memory.Floats(c.L+most, c.K), memory.Floats(c.L+most, c.C), model), "bench", "take fewer rows or nodes",
		"a crossover of %d rows added to %d, with %d nodes and %d targets", most, c.L, c.K, c.C)
}
