package speed

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"blskernel"
)

// A Job is a case on a shape.
type Job struct {
	Case  Case
	Shape Shape
}

// String returns the operation, its arguments and the shape, such as "dgemm NN 1000".
func (j Job) String() string { return fmt.Sprintf("%v %v", j.Case, j.Shape) }

// A Comparison measures jobs on several backends. The package comment says how.
type Comparison struct {
	Backends []blskernel.Backend // at least one; their names differ
	Jobs     []Job
	// Opponents are names of those that each job is measured against where its case has them, beside
	// the backends: each is of a case of Jobs. See Case.Opponents.
	Opponents []string
	Threads   []int         // numbers of threads, each from 1 to GOMAXPROCS
	Rounds    int           // 0 stands for DefaultRounds
	MinTime   time.Duration // of one timing; 0 stands for DefaultMinTime

	Clock func() time.Duration      // nil means the wall's; CPUTime is one for a single thread
	Peak  func(threads int) float64 // in GFLOP/s; nil measures that of the CPU

	quiet func() // nil means Quiet; tests have their own
}

// The defaults of a Comparison.
const (
	DefaultRounds  = 9
	DefaultMinTime = 2 * time.Millisecond
)

// Progress is told of the share of the work that is done, 0 to 1, and of what comes now. The share is
// an estimate that never falls, and 1 in the last call.
type Progress func(share float64, doing string)

// Validate returns an error that says which setting cannot be measured.
func (c *Comparison) Validate() error {
	switch {
	case len(c.Backends) == 0:
		return errors.New("speed: Backends is empty; want at least one")
	case c.Rounds < 0:
		return fmt.Errorf("speed: Rounds is %d; want 1 or more, or 0 for %d", c.Rounds, DefaultRounds)
	case c.MinTime < 0:
		return fmt.Errorf("speed: MinTime is %v; want more than 0, or 0 for %v", c.MinTime, DefaultMinTime)
	}
	seen := map[string]bool{}
	for _, b := range c.Backends {
		if b == nil {
			return errors.New("speed: a backend is nil")
		}
		if seen[b.Name()] {
			return fmt.Errorf("speed: backend %q is there twice", b.Name())
		}
		seen[b.Name()] = true
	}
	for _, t := range c.Threads {
		if t < 1 || t > runtime.GOMAXPROCS(0) {
			return fmt.Errorf("speed: Threads has %d; want 1 to GOMAXPROCS, which is %d", t, runtime.GOMAXPROCS(0))
		}
	}
	for _, j := range c.Jobs {
		if j.Case.prepare == nil {
			return errors.New("speed: a job has no case; see Cases")
		}
		if min(j.Shape.M, j.Shape.N, j.Shape.K) < 1 {
			return fmt.Errorf("speed: the shape %v of %v has a size below 1", j.Shape, j.Case)
		}
	}
	for i, name := range c.Opponents {
		if slices.Contains(c.Opponents[:i], name) {
			return fmt.Errorf("speed: opponent %q is there twice", name)
		}
		if !slices.ContainsFunc(c.Jobs, func(j Job) bool { return len(j.Case.among([]string{name})) > 0 }) {
			return fmt.Errorf("speed: Opponents has %q, which none of the jobs has", name)
		}
	}
	return nil
}

// Run measures every job with every number of threads, the jobs in their order and for each of them the
// threads in theirs, and calls emit with each result as soon as it is there. It stops with the
// context's cause between two timings if ctx is cancelled, with a *WrongError if a backend computes
// something wrong, with the error of a call that fails, with emit's error if it returns one, and with
// that of Validate, or of Library where an opponent needs one, before anything else. progress may be
// nil. Both functions are called on the calling goroutine.
//
// The bound of blskernel.SetThreads, which holds for the whole process, is set meanwhile and then
// restored (as 0 where it is GOMAXPROCS): nothing else should use a backend at the same time. Only the
// operands of one job are in memory at once.
func (c *Comparison) Run(ctx context.Context, emit func(Result) error, progress Progress) error {
	if err := c.Validate(); err != nil {
		return err
	}
	r, err := c.start(progress)
	if err != nil {
		return err
	}
	before := blskernel.Threads()
	if before == runtime.GOMAXPROCS(0) {
		before = 0
	}
	defer blskernel.SetThreads(before)
	for _, j := range r.jobs {
		if err := r.job(ctx, j, emit); err != nil {
			return err
		}
	}
	r.progress(1, "finished")
	return nil
}

// comparisonRun is a comparison under way.
type comparisonRun struct {
	jobs        []Job
	threads     []int
	backends    []blskernel.Backend
	opponents   []string
	lapack      blskernel.Backend // of the opponents that are of LAPACK, if there are any
	rounds      int
	meter       Meter
	peak        func(threads int) float64
	progress    Progress
	done, total float64 // estimated seconds
}

func (c *Comparison) start(progress Progress) (*comparisonRun, error) {
	r := &comparisonRun{
		jobs: c.Jobs, threads: c.Threads, backends: c.Backends, opponents: c.Opponents, rounds: c.Rounds,
		meter: Meter{MinTime: c.MinTime, Now: c.Clock, Quiet: c.quiet}, peak: c.Peak, progress: progress,
	}
	if r.progress == nil {
		r.progress = func(float64, string) {}
	}
	if r.rounds == 0 {
		r.rounds = DefaultRounds
	}
	if r.meter.MinTime == 0 {
		r.meter.MinTime = DefaultMinTime
	}
	if r.meter.Now == nil {
		began := time.Now()
		r.meter.Now = func() time.Duration { return time.Since(began) }
	}
	if r.meter.Quiet == nil {
		r.meter.Quiet = Quiet
	}
	if r.peak == nil {
		r.peak = func(threads int) float64 { return blskernel.Peak(threads) / 1e9 }
	}
	for _, j := range c.Jobs {
		for _, o := range j.Case.among(c.Opponents) {
			if !o.LAPACK || r.lapack != nil {
				continue
			}
			library, err := Library(c.Backends)
			if err != nil {
				return nil, err
			}
			r.lapack = library
		}
	}
	for _, j := range c.Jobs {
		for _, t := range c.Threads {
			r.total += r.estimate(j, t)
		}
	}
	return r, nil
}

// guess is the speed of one thread, in flops a second, by which the work is estimated.
const guess = 3e10

// estimate returns the seconds that a cell takes, roughly: its rounds and about as much as one more for
// the calibration.
func (r *comparisonRun) estimate(j Job, threads int) float64 {
	call := j.Case.Flops(j.Shape) / (guess * float64(threads))
	contenders := len(r.backends) + len(j.Case.among(r.opponents))
	return float64(r.rounds+1) * (float64(contenders)*max(call, r.meter.MinTime.Seconds()) + r.meter.MinTime.Seconds())
}

// job measures one job with all numbers of threads.
func (r *comparisonRun) job(ctx context.Context, j Job, emit func(Result) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.progress(r.done/r.total, j.String())
	// The operands of the job before make room for the new ones, and no collection is left under way
	// when something is timed.
	runtime.GC()
	entrants := r.entrants(j.Case.Prepare(j.Shape, 1))
	runtime.GC()
	for _, threads := range r.threads {
		result, err := r.cell(ctx, j, entrants, threads)
		if err != nil {
			return err
		}
		r.done += r.estimate(j, threads)
		if err := emit(result); err != nil {
			return err
		}
	}
	return nil
}

// An entrant is what has a Timing of its own: a problem on a backend.
type entrant struct {
	problem *Problem
	backend blskernel.Backend
}

func (e entrant) name() string { return e.problem.name(e.backend) }

// failed returns the error of a call, if there was one.
func (e entrant) failed() error { return e.problem.failed(e.backend) }

// entrants returns the operation on each backend, and then the opponents.
func (r *comparisonRun) entrants(p *Problem) []entrant {
	var all []entrant
	for _, b := range r.backends {
		all = append(all, entrant{p, b})
	}
	for _, o := range p.Case.among(r.opponents) {
		b := r.backends[0]
		if o.LAPACK {
			b = r.lapack
		}
		all = append(all, entrant{p.Against(o.Name), b})
	}
	return all
}

// cell measures one job with one number of threads.
func (r *comparisonRun) cell(ctx context.Context, job Job, entrants []entrant, threads int) (Result, error) {
	blskernel.SetThreads(threads)
	contenders, memory := make([]Contender, len(entrants)), make([]float64, len(entrants))
	for i, e := range entrants {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		var err error
		if memory[i], err = e.problem.checkMemory(e.backend); err != nil {
			return Result{}, err
		}
		contenders[i] = Contender{Call: e.problem.Bind(e.backend), Reset: e.problem.Reset, Most: e.problem.Most()}
		if err := r.meter.Calibrate(ctx, &contenders[i]); err != nil {
			return Result{}, err
		}
		if err := e.failed(); err != nil {
			return Result{}, err
		}
	}
	peaks := make([]float64, r.rounds)
	seconds := make([][]float64, len(contenders))
	for i := range seconds {
		seconds[i] = make([]float64, r.rounds)
	}
	for round := range r.rounds {
		done := r.estimate(job, threads) * float64(round) / float64(r.rounds)
		r.progress((r.done+done)/r.total, fmt.Sprintf("%v, threads: %d", job, threads))
		// The peak is the first in one round and the last in the next, as the backends are.
		for turn := range len(contenders) + 1 {
			if ctx.Err() != nil {
				return Result{}, context.Cause(ctx)
			}
			if round%2 == 1 {
				turn = len(contenders) - turn
			}
			if turn == 0 {
				r.meter.Quiet()
				peaks[round] = r.peak(threads)
			} else {
				seconds[turn-1][round] = r.meter.Time(&contenders[turn-1])
				if err := entrants[turn-1].failed(); err != nil {
					return Result{}, err
				}
			}
		}
	}
	names := make([]string, len(entrants))
	for i, e := range entrants {
		names[i] = e.name()
	}
	result := newResult(job, threads, names, peaks, seconds)
	for i, m := range memory {
		result.Backends[i].Memory = m
	}
	return result, nil
}
