package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/backend"
	"blskernel/mat"
)

// A Crossover is an experiment on when an update pays: q rows are added to a model of l, by several
// methods and by the one that the planner chooses, and the time until the weights are there is compared
// with that of starting over from all l+q rows, for A⁺ and the weights by the ridge formula, and for
// the weights alone by the normal equations.
//
// The rows are random, and A is well-conditioned. Of an ill-conditioned A, as the features of broad
// learning may be, the ridge formula takes as long and is less accurate; the accurate start that
// blsupdate.New makes of it is by QR and takes more.
//
// Every update is of the same l rows. What it added is removed again, outside of the time, where that
// takes fewer flops by the model than a start from the l rows does, as for small q; else, or where the
// removal is refused, the model is dropped and the next one started from the l rows, outside of the
// time too. What is kept meanwhile is a model of l rows for each variant, for Original and Improved as
// large as A, beside the rows, (l+q)k numbers, and what one update or start needs. Garbage is collected
// before each, so that none has to pay for another's; the caches have nothing of the model.
type Crossover struct {
	L, K, C  int   // samples before, nodes, targets; K <= L
	Q        []int // samples added, in the order in which they are measured
	Variants []Variant
	Lambda   float64
	Rounds   int // 0 for as many as seem useful
	Seed     uint64
	Backend  blskernel.Backend // nil for blskernel.Default()
	Rates    *blsupdate.Rates  // that the planner goes by; nil for flops
	// Done has the points of a run before, which was interrupted: those that Known returns are not
	// measured again.
	Done []CrossoverPoint
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
	for i, q := range c.Q {
		if q < 1 {
			return fmt.Errorf("bench: Q has %d; want at least 1", q)
		}
		if slices.Contains(c.Q[:i], q) {
			return fmt.Errorf("bench: Q has %d twice", q)
		}
	}
	for i, v := range c.Variants {
		if slices.Contains(c.Variants[:i], v) {
			return fmt.Errorf("bench: Variants has %v twice", v)
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
	c = c.resolved()
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
	run := &crossoverRun{Crossover: c, a: normal(r, c.L+most, c.K), y: normal(r, c.L+most, c.C), models: map[Variant]blsupdate.Updater{}}
	var done, all float64
	for _, q := range left {
		all += run.flops(q)
	}
	for _, q := range left {
		tell := func(share float64) { progress(done+share*run.flops(q), all, fmt.Sprintf("q = %d", q)) }
		point, err := run.measure(ctx, q, tell)
		if err != nil {
			return fmt.Errorf("bench: %d samples added to %d, k=%d: %w", q, c.L, c.K, err)
		}
		if err := emit(point); err != nil {
			return err
		}
		done += run.flops(q)
	}
	return nil
}

// resolved returns c with what the zero values of its fields stand for.
func (c *Crossover) resolved() *Crossover {
	out := *c
	out.Backend = backend.Or(c.Backend)
	if out.Rates == nil {
		out.Rates = blsupdate.ConstantRates(1, math.Inf(1))
	}
	return &out
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
	*Crossover
	a, y   *mat.Dense // all rows, those that are added after the first L
	models map[Variant]blsupdate.Updater
}

// flops returns about what is done for one q, as a measure of progress.
func (r *crossoverRun) flops(q int) float64 {
	k, l := float64(r.K), float64(r.L)
	sum := 4 * k * k * (l + float64(q))
	for _, v := range r.Variants {
		shape := blsupdate.Shape{L: r.L, K: r.K, Q: q, C: r.C}
		sum += k*k*l + blsupdate.Total(blsupdate.Model(v.Method, blsupdate.ActionAdd, r.options(v), shape))
	}
	return sum
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
			switch i - len(variants) {
			case 0:
				t, err = r.retrainPseudoinverse(q)
			case 1:
				t, err = r.retrainWeights(q)
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
