package speed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"blskernel"
)

// A Job is a case with operands of order N.
type Job struct {
	Case Case
	N    int
}

// String returns the operation, its arguments and the order, such as "dgemm NN 1000".
func (j Job) String() string { return fmt.Sprintf("%v %d", j.Case, j.N) }

// A Comparison measures jobs on several backends. The package comment says how.
type Comparison struct {
	Backends  []blskernel.Backend // at least one, with different names
	Jobs      []Job
	Opponents bool          // also time Case.Opponents, LAPACK only if Library finds one
	Threads   []int         // arguments of blskernel.SetThreads, each from 0 to GOMAXPROCS
	Rounds    int           // 0 stands for DefaultRounds
	MinTime   time.Duration // of one timing; 0 stands for DefaultMinTime

	Clock func() time.Duration      // nil means wall time; CPUTime suits a single thread
	Peak  func(threads int) float64 // the FMA peak in GFLOP/s; nil measures the CPU's

	quiet func() // nil means Quiet; tests replace it
}

// The defaults of a Comparison.
const (
	DefaultRounds  = 9
	DefaultMinTime = 2 * time.Millisecond
)

// Progress receives the share of the jobs done, from 0 to 1, and the name of the current job, or
// "finished". The share never falls, and is 1 in the last call.
type Progress func(share float64, doing string)

// Run measures every job with every number of threads, in their order, and calls emit with each result
// after its job. It returns an error for invalid settings before it measures. It stops between two
// timings with the context's cause, or with the error of a failed call or of emit. The error wraps
// ErrDiffer if a backend's result disagrees with the first backend's (see Agreement in the package
// comment). progress may be nil. emit and progress run on the calling goroutine.
//
// Run calls blskernel.SetThreads for the process and restores the bound at the end, as 0 if the bound
// was GOMAXPROCS. Do not use a backend meanwhile. Only one job's operands are in memory at a time.
func (c *Comparison) Run(ctx context.Context, emit func(Result) error, progress Progress) error {
	switch {
	case len(c.Backends) == 0:
		return errors.New("speed: Backends is empty; want at least one")
	case len(c.Threads) == 0:
		return errors.New("speed: Threads is empty; want at least one")
	case c.Rounds < 0 || c.MinTime < 0:
		return fmt.Errorf("speed: Rounds is %d and MinTime is %v; want no negative number", c.Rounds, c.MinTime)
	}
	for _, t := range c.Threads {
		if t < 0 || t > runtime.GOMAXPROCS(0) {
			return fmt.Errorf("speed: Threads has %d; want 0 to GOMAXPROCS, which is %d", t, runtime.GOMAXPROCS(0))
		}
	}
	r := c.start(progress)
	before := blskernel.Threads()
	if before == runtime.GOMAXPROCS(0) {
		before = 0
	}
	defer blskernel.SetThreads(before)
	for i, j := range r.Jobs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.done = float64(i)
		r.progress(r.done/float64(len(r.Jobs)), j.String())
		results, err := r.job(ctx, j)
		if err != nil {
			return err
		}
		for _, result := range results {
			if err := emit(result); err != nil {
				return err
			}
		}
	}
	r.progress(1, "finished")
	return nil
}

// A comparisonRun is a running Comparison, with the defaults filled in.
type comparisonRun struct {
	Comparison
	lapack   blskernel.Backend // of the opponents, or nil
	last     blskernel.Backend // of the previous timing; nil if the previous timing was of the peak
	progress Progress
	done     float64 // jobs
}

func (c *Comparison) start(progress Progress) *comparisonRun {
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
	if c.Opponents {
		r.lapack, _ = Library(c.Backends) // or nil
	}
	return r
}

// A lane holds the measurements of a job with one number of threads: the time of each contender and the
// peak in every round. Contenders are the backends and then the opponents.
type lane struct {
	threads    int // for blskernel.SetThreads
	contenders []*contender
	peaks      []float64
}

// prepare draws the operands of a job and returns a lane for each number of threads.
func (r *comparisonRun) prepare(j Job) (lanes []*lane) {
	// Free the operands of the previous job, so that no collection runs during a timing.
	runtime.GC()
	defer runtime.GC()
	own := j.Case.Prepare(j.N, 1)
	problems := slices.Repeat([]*Problem{own}, len(r.Backends))
	on := slices.Clone(r.Backends)
	for _, name := range j.Case.Opponents {
		by := r.lapack
		if name == Gonum {
			by = gonumBackend{}
		}
		if r.Opponents && by != nil {
			problems, on = append(problems, own.Against(name)), append(on, by)
		}
	}
	for _, threads := range r.Threads {
		l := &lane{threads: threads}
		for i, p := range problems {
			l.contenders = append(l.contenders, &contender{problem: p, backend: on[i]})
		}
		lanes = append(lanes, l)
	}
	return lanes
}

func (r *comparisonRun) job(ctx context.Context, j Job) (results []Result, err error) {
	lanes := r.prepare(j)
	for _, l := range lanes {
		blskernel.SetThreads(l.threads)
		for _, c := range l.contenders {
			if err := c.start(ctx, r); err != nil {
				return nil, err
			}
		}
	}
	for round := range r.Rounds {
		r.progress((r.done+float64(round)/float64(r.Rounds))/float64(len(r.Jobs)), j.String())
		// Every second round runs in reverse order.
		for _, l := range alternately(round, lanes) {
			blskernel.SetThreads(l.threads)
			if err := r.round(ctx, round, l); err != nil {
				return nil, err
			}
		}
	}
	for _, l := range lanes {
		results = append(results, newResult(j, l, lanes))
	}
	return results, nil
}

// round times each contender of a lane once, and the peak.
func (r *comparisonRun) round(ctx context.Context, round int, l *lane) error {
	for _, c := range alternately(round, append([]*contender{nil}, l.contenders...)) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// The workers of a library do not disturb its own next call.
		if c == nil || c.backend != r.last {
			r.quiet()
		}
		if r.last = nil; c == nil {
			// Threads = 0 stands for GOMAXPROCS.
			l.peaks = append(l.peaks, r.Peak(cmp.Or(l.threads, runtime.GOMAXPROCS(0))))
			continue
		}
		r.last = c.backend
		c.seconds = append(c.seconds, r.time(c))
		if err := c.problem.failed(c.backend); err != nil {
			return err
		}
	}
	return nil
}

func alternately[T any](round int, x []T) []T {
	if x = slices.Clone(x); round%2 == 1 {
		slices.Reverse(x)
	}
	return x
}
