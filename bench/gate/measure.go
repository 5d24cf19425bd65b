package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"blskernel"
	"blskernel/bench/speed"
	"blskernel/internal/kernel"
)

// least is the least time of one timing.
const least = 2 * time.Millisecond

// The references, by which ratios are taken.
const (
	byPeak     = iota // the flops per second of registers
	byOpenBLAS        // the speed of OpenBLAS
	references
)

// ratios are a ratio for each reference; 0 stands for none.
type ratios [references]float64

// A series is the ratios by round, for each reference. One that was not there is empty.
type series [references][]float64

// A group is what is measured together: a task with a number of threads.
type group struct {
	task    task
	threads int
}

// A cell is a group on one kernel.
type cell struct {
	name    string // of the task
	threads int
	kernel  string
}

func (c cell) String() string {
	return fmt.Sprintf("%s, threads %d, kernel %s", c.name, c.threads, c.kernel)
}

// A stand has what tasks are measured on.
type stand struct {
	kernels []string
	pure    map[string]blskernel.Backend // by kernel
	rival   blskernel.Backend            // OpenBLAS, or nil
	fastest kernel.Kernel                // of the CPU, for the peak
	steps   int                          // of the peak's loop in one call

	// patience is how many times the rounds that are wanted are made at most, to have as many that can
	// be used.
	patience int

	peaks map[int][]float64 // GFLOP/s of the peak, by number of threads, as they were measured
}

// newStand looks up the kernels, of which each must be one that this CPU can run.
func newStand(kernels []string) (*stand, error) {
	s := &stand{kernels: kernels, pure: map[string]blskernel.Backend{}, rival: openBLAS(), patience: 2, peaks: map[int][]float64{}}
	for i, k := range kernels {
		if slices.Contains(kernels[:i], k) {
			return nil, fmt.Errorf("kernel %q is there twice", k)
		}
		b, err := blskernel.Lookup("pure/" + k)
		if err != nil {
			return nil, err
		}
		s.pure[k] = b
	}
	var err error
	if s.fastest, err = kernel.Lookup(kernel.Names()[0]); err != nil {
		return nil, err
	}
	s.steps = stepsFor(func(steps int) { s.fastest.Peak(steps, 0.5, 1) }, clock(1), least/2)
	return s, nil
}

// backends returns all of them.
func (s *stand) backends() []blskernel.Backend {
	var all []blskernel.Backend
	for _, k := range s.kernels {
		all = append(all, s.pure[k])
	}
	if s.rival != nil {
		all = append(all, s.rival)
	}
	return all
}

// groups returns all tasks with some numbers of threads.
func (s *stand) groups(threads []int) []group {
	var all []group
	for _, t := range tasks() {
		for _, n := range threads {
			all = append(all, group{t, n})
		}
	}
	return all
}

// clock returns the clock for a number of threads: the time for which CPUs have worked for the process
// for one, where the operating system tells it, and that of the wall for several.
func clock(threads int) func() time.Duration {
	if threads == 1 && speed.CPUTime() > 0 {
		return speed.CPUTime
	}
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}

// measure times a group on some kernels until a number of rounds can be used, and returns the ratios of
// each, or none where too few of the rounds can be. It sets the bound on threads, which holds for the
// process.
func (s *stand) measure(ctx context.Context, g group, kernels []string, rounds int) (map[string]series, error) {
	if kernels = g.task.kernels(kernels); len(kernels) == 0 {
		return nil, nil
	}
	blskernel.SetThreads(g.threads)
	defer blskernel.SetThreads(0)
	// Garbage is collected between rounds, so that nobody pays for that of others.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	entrants, err := s.entrants(g, kernels)
	if err != nil {
		return nil, err
	}
	r := rounder{peak: s.peak(g.threads), entrants: entrants, wait: speed.Quiet, before: -1}
	r.meter = speed.Meter{MinTime: least, Now: clock(g.threads), Quiet: func() { r.wait() }}
	if err := r.meter.Calibrate(ctx, &r.peak.Contender); err != nil {
		return nil, err
	}
	for i := range entrants {
		if err := r.meter.Calibrate(ctx, &entrants[i].Contender); err != nil {
			return nil, err
		}
	}
	var peaks []float64
	seconds := make([][]float64, len(entrants))
	for n := 0; n < s.patience*rounds && len(peaks) < rounds; n++ {
		runtime.GC()
		peak, took, undisturbed, err := r.round(ctx, n%2 == 1)
		if err != nil {
			return nil, err
		}
		s.peaks[g.threads] = append(s.peaks[g.threads], s.peakFlops(g.threads)/peak/1e9)
		if !undisturbed {
			continue
		}
		peaks = append(peaks, peak)
		for i, t := range took {
			seconds[i] = append(seconds[i], t)
		}
	}
	for _, e := range entrants {
		if err := e.err(); err != nil {
			return nil, fmt.Errorf("%s: %w", g.task.name, err)
		}
	}
	all := s.ratios(g, entrants, peaks, seconds)
	if 2*len(peaks) <= rounds {
		for k := range all {
			all[k] = series{}
		}
	}
	return all, nil
}

// A rounder times rounds.
type rounder struct {
	meter    speed.Meter
	peak     *peak
	entrants []entrant
	wait     func() // before a timing
	before   int    // the entrant that was timed last, or -1
}

// round times the peak, each of the kernels, and the peak again, in one order or the reverse, and
// before or after that OpenBLAS, which so comes twice in a row: its workers, which spin for 0.1 s, are
// waited for only half as often. It returns the mean of both times of the peak, the others, and whether
// the process had as many CPUs as it has threads both times.
func (r *rounder) round(ctx context.Context, reverse bool) (peak float64, took []float64, undisturbed bool, err error) {
	order := []int{-1}
	for i, e := range r.entrants {
		if e.kernel != "" {
			order = append(order, i)
		}
	}
	order = append(order, -1)
	if last := len(r.entrants) - 1; r.entrants[last].kernel == "" {
		order = append(order, last)
	}
	if reverse {
		slices.Reverse(order)
	}
	took, undisturbed = make([]float64, len(r.entrants)), true
	for _, i := range order {
		if ctx.Err() != nil {
			return 0, nil, false, context.Cause(ctx)
		}
		r.wait = speed.Quiet
		if i == r.before {
			r.wait = func() {}
		}
		r.before = i
		if i >= 0 {
			took[i] = r.meter.Time(&r.entrants[i].Contender)
			continue
		}
		r.peak.worked, r.peak.lasted = 0, 0
		peak += r.meter.Time(&r.peak.Contender) / 2
		undisturbed = undisturbed && r.peak.undisturbed()
	}
	return peak, took, undisturbed, nil
}

// peakFlops returns the flops of a call of the peak.
func (s *stand) peakFlops(threads int) float64 {
	return 2 * float64(s.fastest.PeakWidth) * float64(s.steps) * float64(threads)
}

// An entrant is timed in each round.
type entrant struct {
	call
	kernel string // of the pure backend, or ""
}

// entrants returns the kernels and last OpenBLAS, if it is there.
func (s *stand) entrants(g group, kernels []string) ([]entrant, error) {
	var all []entrant
	on := g.task.prepare()
	for _, k := range kernels {
		c, err := on.on(s.pure[k])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.task.name, err)
		}
		all = append(all, entrant{c, k})
	}
	if s.rival != nil {
		c, err := on.by(s.rival)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.task.name, err)
		}
		all = append(all, entrant{call: c})
	}
	return all, nil
}

// ratios takes the ratios within rounds. The last of the entrants is OpenBLAS if it is no kernel.
func (s *stand) ratios(g group, entrants []entrant, peaks []float64, seconds [][]float64) map[string]series {
	all := map[string]series{}
	last := len(entrants) - 1
	for i, e := range entrants {
		if e.kernel == "" {
			continue
		}
		var of series
		for round, took := range seconds[i] {
			peak := s.peakFlops(g.threads) / peaks[round]
			of[byPeak] = append(of[byPeak], g.task.flops/took/peak)
			if entrants[last].kernel == "" {
				of[byOpenBLAS] = append(of[byOpenBLAS], seconds[last][round]/took)
			}
		}
		all[e.kernel] = of
	}
	return all
}
