package speed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blskernel"
	"blskernel/internal/testutil"
)

// faked returns a comparison of two backends with a fake clock. A call takes 3 µs on a and 1 µs on b,
// and the peak is 4 GFLOP/s for each thread.
func faked(jobs ...Job) (c *Comparison, a, b *fake, order *[]string) {
	clock := new(time.Duration)
	a = &fake{name: "a", clock: clock, takes: 3 * time.Microsecond}
	b = &fake{name: "b", clock: clock, takes: time.Microsecond}
	order = new([]string)
	var calls [2]int
	look := func(peak bool) {
		// A backend called since the last wait has been timed in between.
		for i, f := range []*fake{a, b} {
			if f.calls > calls[i] {
				*order = append(*order, f.name)
			}
			calls[i] = f.calls
		}
		if peak {
			*order = append(*order, "peak")
		}
	}
	return &Comparison{
		Backends: []blskernel.Backend{a, b}, Jobs: jobs, Threads: []int{1}, Rounds: 4, MinTime: 100 * time.Microsecond,
		Clock: func() time.Duration { return *clock },
		Peak:  func(threads int) float64 { look(true); return 4 * float64(threads) },
		quiet: func() { look(false) },
	}, a, b, order
}

func job(op, args string, n int) Job {
	c, _ := Find(op, args)
	return Job{c, n}
}

// about reports whether two numbers agree up to the rounding of a few operations on each side.
func about(got, want float64) bool { return math.Abs(got-want) <= 8*0x1p-52*math.Abs(want) }

// TestRun checks figures that are known in advance.
func TestRun(t *testing.T) {
	for _, j := range []Job{job("dgemm", "NT", 6), job("dtrsm", "LUN", 4), job("ddot", "", 9)} {
		c, _, _, order := faked(j)
		var results []Result
		var shares []float64
		err := c.Run(context.Background(), func(r Result) error { results = append(results, r); return nil },
			func(share float64, doing string) { shares = append(shares, share) })
		if err != nil || len(results) != 1 {
			t.Fatalf("%v: %d results, %v", j, len(results), err)
		}
		r, flops := results[0], j.Case.Flops(j.N)
		if r.Op != j.Case.Op || r.Args != j.Case.Args || r.N != j.N || r.Threads != 1 || r.Rounds != 4 || r.Flops != flops || r.Peak != 4 {
			t.Errorf("%v: %+v", j, r)
		}
		for i, seconds := range []float64{3e-6, 1e-6} {
			b := r.Backends[i]
			if b.Backend != c.Backends[i].Name() || !about(b.Seconds, seconds) || !about(b.GFLOPS, flops/seconds/1e9) || !about(b.OfPeak, flops/seconds/4e9) {
				t.Errorf("%v: %+v; want %v s", j, b, seconds)
			}
		}
		if r.Backends[0].Ratio != 0 || !about(r.Backends[1].Ratio, 1.0/3) {
			t.Errorf("%v: ratios %v and %v; want none and 1/3", j, r.Backends[0].Ratio, r.Backends[1].Ratio)
		}
		if !slices.IsSorted(shares) || shares[0] != 0 || shares[len(shares)-1] != 1 {
			t.Errorf("%v: shares %v", j, shares)
		}
		// Both are checked and calibrated before the first wait. There is no wait between the
		// two timings of b.
		if want := "a b peak a b a peak peak a b a peak"; strings.Join(*order, " ") != want {
			t.Errorf("%v: order %v; want %s", j, *order, want)
		}
	}
}

// TestMinTime counts calls: enough for the time and, in place, never more than allowed.
func TestMinTime(t *testing.T) {
	clock := new(time.Duration)
	f := &fake{clock: clock, takes: time.Microsecond}
	resets, largest, since := 0, 0.0, []float64{0}
	c := contender{problem: &Problem{maxBatch: 70, out: since, initial: []float64{0}}, call: func() {
		if f.tick(); since[0] == 0 {
			resets++
		}
		since[0]++
		largest = max(largest, since[0])
	}}
	m := comparisonRun{Comparison: Comparison{MinTime: 200 * time.Microsecond, Clock: func() time.Duration { return *clock }}}
	if err := m.calibrate(context.Background(), &c); err != nil || c.batch != 70 {
		t.Fatalf("batch %d, %v; want all that may be", c.batch, err)
	}
	f.calls, resets = 0, 0
	if s := m.time(&c); !about(s, 1e-6) || f.calls != 1+3*70 || resets != 1+3 || largest > 70 {
		t.Errorf("%v s, %d calls, %d resets, %v calls without one", s, f.calls, resets, largest)
	}
	c.problem.maxBatch = 1 << 20
	if err := m.calibrate(context.Background(), &c); err != nil || c.batch < 200 || c.batch > 2000 {
		t.Errorf("batch %d, %v; want some 220", c.batch, err)
	}
	// One call is more than enough, and warm by itself.
	f.takes, f.calls = time.Second, 0
	if err := m.calibrate(context.Background(), &c); err != nil || c.batch != 1 || f.calls != 1 {
		t.Errorf("batch %d, %d calls, %v", c.batch, f.calls, err)
	}
	if s := m.time(&c); s != 1 || f.calls != 2 {
		t.Errorf("%v s, %d calls", s, f.calls)
	}
}

// TestThreads compares two numbers of threads, one of them the default of two, in rounds of alternating
// order. On two threads, calls take half the time.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	c, a, _, _ := faked(job("ddot", "", 9))
	c.Backends, c.Threads, c.Rounds = c.Backends[:1], []int{1, 0}, 3
	var peaks []int
	c.Peak = func(threads int) float64 { peaks = append(peaks, threads); return float64(threads) }
	c.quiet = func() { a.takes = 6 * time.Microsecond / time.Duration(blskernel.Threads()) }
	var results []Result
	if err := c.Run(context.Background(), func(r Result) error { results = append(results, r); return nil }, nil); err != nil || len(results) != 2 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	if want := []int{1, 2, 2, 1, 1, 2}; !slices.Equal(peaks, want) {
		t.Errorf("threads of the peaks %v; want %v", peaks, want)
	}
	for i, want := range []struct {
		threads       int
		peak, overOne float64
	}{{1, 1, 0}, {0, 2, 2}} {
		r := results[i]
		if r.Threads != want.threads || r.Peak != want.peak || !about(r.Backends[0].OverOne, want.overOne) || !about(r.Backends[0].Seconds, 6e-6/want.peak) {
			t.Errorf("%+v; want %+v", r, want)
		}
	}
}

// TestReal measures every operation for a moment with the real clock: all figures are there, and the
// number of threads is restored.
func TestReal(t *testing.T) {
	testutil.NotUnderRace(t, "it computes")
	defer blskernel.SetThreads(0)
	c := &Comparison{Backends: usable(), Threads: slices.Compact([]int{1, runtime.GOMAXPROCS(0)}), Rounds: 1, MinTime: time.Microsecond}
	for _, op := range Operations() {
		c.Jobs = append(c.Jobs, Job{Cases(op)[0], 4})
	}
	for _, bound := range []int{0, 1} {
		blskernel.SetThreads(bound)
		c.Jobs = c.Jobs[:len(c.Jobs)/(bound+1)]
		before := blskernel.Threads()
		n := 0
		err := c.Run(context.Background(), func(r Result) error {
			n++
			for i, b := range r.Backends {
				if !(b.Seconds > 0 && b.GFLOPS > 0 && b.OfPeak > 0) || i > 0 && !(b.Ratio > 0) {
					t.Errorf("%+v", r)
				}
			}
			if !(r.Peak > 0) || r.Threads != c.Threads[(n-1)%len(c.Threads)] {
				t.Errorf("%+v", r)
			}
			return nil
		}, nil)
		if err != nil || n != len(c.Jobs)*len(c.Threads) {
			t.Errorf("%d results, %v", n, err)
		}
		if blskernel.Threads() != before {
			t.Errorf("%d threads afterwards, %d before", blskernel.Threads(), before)
		}
	}
}

// TestWrong compares with a backend that is wrong from its third call on: the job has no result.
func TestWrong(t *testing.T) {
	c, _, b, _ := faked(job("ddot", "", 3), job("dgemm", "NN", 3))
	b.wrong = func(c []float64) { c[0] = math.NaN() }
	n := 0
	if err := c.Run(context.Background(), func(Result) error { n++; return nil }, nil); !errors.Is(err, ErrDiffer) || !strings.HasPrefix(err.Error(), "speed: b and a in dgemm NN of order 3: ") || n != 1 {
		t.Errorf("%d results, %v", n, err)
	}
}

// TestCancel stops after a result, between two timings and before anything.
func TestCancel(t *testing.T) {
	stop := errors.New("enough")
	for _, after := range []int{0, 1, 3, 8} {
		c, _, _, _ := faked(job("ddot", "", 3), job("dgemm", "NN", 3), job("dtrsm", "LUN", 3))
		ctx, cancel := context.WithCancelCause(context.Background())
		told, n := 0, 0
		tell := func(float64, string) {
			if told++; told == after {
				cancel(stop)
			}
		}
		if after == 0 {
			cancel(stop)
		}
		err := c.Run(ctx, func(Result) error { n++; return nil }, tell)
		// A job reports once for itself and once for each of its four rounds.
		if want := max(0, after-1) / 5; err != stop || n != want {
			t.Errorf("canceled at message %d: %d results, %v; want %d", after, n, err, want)
		}
		cancel(nil)
	}
	c, _, _, _ := faked(job("ddot", "", 3))
	if err := c.Run(context.Background(), func(Result) error { return stop }, nil); err != stop {
		t.Errorf("emit's error becomes %v", err)
	}
}

// TestSettings tries settings whose results would mean nothing.
func TestSettings(t *testing.T) {
	a := []blskernel.Backend{&fake{name: "a"}}
	maxBatch := runtime.GOMAXPROCS(0)
	for _, tc := range []struct {
		c    Comparison
		want string
	}{
		{Comparison{}, "speed: Backends is empty; want at least one"},
		{Comparison{Backends: a}, "speed: Threads is empty; want at least one"},
		{Comparison{Backends: a, Threads: []int{1}, Rounds: -1}, "speed: Rounds is -1 and MinTime is 0s; want no negative number"},
		{Comparison{Backends: a, Threads: []int{1, -1}}, fmt.Sprintf("speed: Threads has -1; want 0 to GOMAXPROCS, which is %d", maxBatch)},
		{Comparison{Backends: a, Threads: []int{maxBatch + 1}}, fmt.Sprintf("speed: Threads has %d; want 0 to GOMAXPROCS, which is %d", maxBatch+1, maxBatch)},
	} {
		if err := tc.c.Run(context.Background(), nil, nil); err == nil || err.Error() != tc.want {
			t.Errorf("%v; want %s", err, tc.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		x    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{5, 1, 2}, 2}, {[]float64{9, 1, 4, 2}, 3}} {
		if got := Median(tc.x); got != tc.want {
			t.Errorf("median of %v is %v; want %v", tc.x, got, tc.want)
		}
	}
}

// TestMedians disturbs all timings of one round: only ratios within a round leave that out.
func TestMedians(t *testing.T) {
	j := job("ddot", "", 500) // 1000 flops
	l := &lane{threads: 2, peaks: []float64{10, 1, 10}, contenders: []*contender{
		{problem: &Problem{}, backend: &fake{name: "a"}, seconds: []float64{1e-6, 1e-5, 2e-6}}, {problem: &Problem{}, backend: &fake{name: "b"}, seconds: []float64{2e-6, 2e-5, 3e-6}},
	}}
	r := newResult(j, l, []*lane{l})
	a, b := r.Backends[0], r.Backends[1]
	if r.Peak != 10 || !about(a.Seconds, 2e-6) || !about(b.Seconds, 3e-6) || !about(b.Ratio, 2) || !about(a.OfPeak, 0.1) || !about(b.OfPeak, 0.05) || !about(a.GFLOPS, 0.5) {
		t.Errorf("%+v", r)
	}
}

// TestQuiet waits for another thread that is busy for a while.
func TestQuiet(t *testing.T) {
	for _, tc := range []struct{ busy, want time.Duration }{
		{0, 0}, {time.Microsecond, quietStep}, {100 * time.Millisecond, 100 * time.Millisecond}, {time.Hour, maxQuiet},
	} {
		var wall time.Duration
		busy := func() int {
			if wall < tc.busy {
				return 2
			}
			return 1
		}
		waitQuiet(busy, func() time.Duration { return wall }, func(step time.Duration) { wall += step })
		if wall != tc.want {
			t.Errorf("busy for %v: returns after %v; want %v", tc.busy, wall, tc.want)
		}
	}
	Quiet() // with the real clock
}

// TestBusyThreads starts a goroutine that spins, and waits until its thread is counted.
func TestBusyThreads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the states of threads")
	}
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
		}
	}()
	testutil.Eventually(t, "a spinning thread", func() bool { return busyThreads() >= 2 })
}
