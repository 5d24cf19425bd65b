package speed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
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
	// Opponents are the names of opponents of cases of Jobs, which are timed beside the backends.
	// See Case.Opponents.
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

// Progress receives the share of the work that is done, 0 to 1, and what comes next. The share is an
// estimate that never falls, and 1 in the last call.
type Progress func(share float64, doing string)

// Run measures every job with every number of threads, in their order, and calls emit with each result.
// It stops between two timings with the context's cause, with a *WrongError if a backend computes
// something wrong, with the error of a call that fails, and with that of emit. Before anything else it
// returns the error of Validate, or of Library where an opponent needs one. progress may be nil. Both
// functions run on the calling goroutine.
//
// Run sets blskernel.SetThreads, which holds for the process, and restores it (as 0 where it is
// GOMAXPROCS): nothing else should use a backend meanwhile. The operands of one job are in memory at a
// time.
func (c *Comparison) Run(ctx context.Context, emit func(Result) error, progress Progress) error {
	if len(c.Backends) == 0 {
		return errors.New("speed: Backends is empty; want at least one")
	}
	for _, t := range c.Threads {
		if t < 1 || t > runtime.GOMAXPROCS(0) {
			return fmt.Errorf("speed: Threads has %d; want 1 to GOMAXPROCS, which is %d", t, runtime.GOMAXPROCS(0))
		}
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
	for _, j := range r.Jobs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.progress(r.done/r.total, j.String())
		// The operands of the job before make room for the new ones, and no collection runs
		// during a timing.
		runtime.GC()
		contenders := r.contenders(j.Case.Prepare(j.Shape, 1))
		runtime.GC()
		for _, threads := range r.Threads {
			result, err := r.cell(ctx, j, contenders, threads)
			if err != nil {
				return err
			}
			r.done += r.estimate(j, threads)
			if err := emit(result); err != nil {
				return err
			}
		}
	}
	r.progress(1, "finished")
	return nil
}

// A comparisonRun is a Comparison without zero values, under way.
type comparisonRun struct {
	Comparison
	lapack      blskernel.Backend // of the opponents of LAPACK, if there are any
	progress    Progress
	done, total float64 // estimated seconds
}

func (c *Comparison) start(progress Progress) (*comparisonRun, error) {
	r := &comparisonRun{Comparison: *c, progress: progress}
	r.Rounds, r.MinTime = cmp.Or(c.Rounds, DefaultRounds), cmp.Or(c.MinTime, DefaultMinTime)
	if r.progress == nil {
		r.progress = func(float64, string) {}
	}
	if r.Clock == nil {
		began := time.Now()
		r.Clock = func() time.Duration { return time.Since(began) }
	}
	if r.quiet == nil {
		r.quiet = Quiet
	}
	if r.Peak == nil {
		r.Peak = func(threads int) float64 { return blskernel.Peak(threads) / 1e9 }
	}
	for _, j := range c.Jobs {
		if len(j.Case.among(c.Opponents)) > 0 && r.lapack == nil {
			var err error
			if r.lapack, err = Library(c.Backends); err != nil {
				return nil, err
			}
		}
		for _, t := range c.Threads {
			r.total += r.estimate(j, t)
		}
	}
	return r, nil
}

// estimate returns about the seconds of a cell: its rounds, and as much as one more for the
// calibration, at 30 GFLOP/s.
func (r *comparisonRun) estimate(j Job, threads int) float64 {
	call := j.Case.Flops(j.Shape) / (3e10 * float64(threads))
	contenders := len(r.Backends) + len(j.Case.among(r.Opponents))
	return float64(r.Rounds+1) * (float64(contenders)*max(call, r.MinTime.Seconds()) + r.MinTime.Seconds())
}

// contenders returns the operation on each backend, and then the opponents.
func (r *comparisonRun) contenders(p *Problem) (all []*contender) {
	for _, b := range r.Backends {
		all = append(all, &contender{problem: p, backend: b})
	}
	for _, name := range p.Case.among(r.Opponents) {
		all = append(all, &contender{problem: p.Against(name), backend: r.lapack})
	}
	return all
}

// cell measures one job with one number of threads.
func (r *comparisonRun) cell(ctx context.Context, job Job, contenders []*contender, threads int) (Result, error) {
	blskernel.SetThreads(threads)
	m := meter{minTime: r.MinTime, now: r.Clock, quiet: r.quiet}
	for _, c := range contenders {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		c.call, c.reset, c.most = c.problem.Bind(c.backend), c.problem.Reset, c.problem.Most()
		c.name, c.seconds = c.problem.name(c.backend), nil
		var err error
		if c.memory, err = c.problem.check(c.backend, c.call); err != nil {
			return Result{}, err
		}
		if err := m.calibrate(ctx, c); err != nil {
			return Result{}, err
		}
		if err := c.problem.failed(c.backend); err != nil {
			return Result{}, err
		}
	}
	peaks := make([]float64, r.Rounds)
	for round := range r.Rounds {
		done := r.estimate(job, threads) * float64(round) / float64(r.Rounds)
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
				r.quiet()
				peaks[round] = r.Peak(threads)
				continue
			}
			c := contenders[turn-1]
			c.seconds = append(c.seconds, m.time(c))
			if err := c.problem.failed(c.backend); err != nil {
				return Result{}, err
			}
		}
	}
	return newResult(job, threads, contenders, peaks), nil
}
