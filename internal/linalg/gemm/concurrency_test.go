package gemm

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blskernel/internal/linalg/kernel"
	"blskernel/internal/testutil"
)

// A job is a call that is large enough for several goroutines.
type job struct {
	name           string
	run            func()
	result, before []float64 // the storage of the result, and what was in it
}

func (j *job) again() []float64 {
	copy(j.result, j.before)
	j.run()
	return j.result
}

// jobs returns calls of every routine with every option, on operands of their own.
func jobs(t *testing.T) (all []*job) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(81, 1))
	for _, r := range append(routines(), triangularRoutines()...) {
		p := r.build(rnd, 197, 211, 83, 0.7, -1.3)
		p.fill(rnd)
		if float64(2*p.m*p.n*p.k) < 60_000*active.kernel.Speed { // 60 µs
			t.Fatalf("%s: too small for several goroutines", r.name)
		}
		all = append(all, &job{r.name, p.call, p.c.all, slices.Clone(p.c.all)})
	}
	return all
}

// The result of every routine is the same, bit for bit, for any number of threads and any cut into
// blocks of MC and NC.
func TestReproducible(t *testing.T) {
	testutil.Processors(t, 7)
	setThreads(t, 1)
	eachKernel(t, func(t *testing.T) {
		base := *New(active.kernel)
		base.blocks.KC = 24
		use(t, &base)
		for i, j := range jobs(t) {
			if few() && i%5 != 0 {
				continue
			}
			want := slices.Clone(j.again())
			cuts := []struct{ tiles, threads int }{
				{0, 0}, {2, 7}, {0, 2}, {0, 3}, {0, 7}, {1, 1}, {1, 3}, {5, 1}, {5, 2},
			}
			if few() {
				cuts = cuts[:2]
			}
			for _, cut := range cuts {
				e := base
				if cut.tiles > 0 {
					e.blocks.MC, e.blocks.NC = cut.tiles*e.kernel.MR, cut.tiles*e.kernel.NR
				}
				active = &e
				pool.SetThreads(cut.threads)
				if !identical(j.again(), want) {
					t.Errorf("%s: MC=%d NC=%d threads=%d: the bits differ", j.name, e.blocks.MC, e.blocks.NC, cut.threads)
				}
			}
			pool.SetThreads(1)
			active = &base
		}
	})
}

// Many callers run all routines at once, while others change the number of threads and of processors.
// Every result is the same, bit for bit, as from a call alone on one goroutine, and no worker is left.
func TestConcurrentRoutines(t *testing.T) {
	all := jobs(t)
	testutil.Processors(t, runtime.GOMAXPROCS(0))
	setThreads(t, 1)
	var want [][]float64
	for _, j := range all {
		want = append(want, slices.Clone(j.again()))
	}
	const callers = 6
	var ended atomic.Int64
	for c := range callers {
		go func() {
			defer ended.Add(1)
			for i := c; i < len(all); i += callers {
				for range 3 {
					if !identical(all[i].again(), want[i]) {
						t.Errorf("%s: the bits differ from a call alone", all[i].name)
					}
				}
			}
		}()
	}
	for n := 0; ended.Load() < callers; n++ {
		pool.SetThreads(n % 5)
		if n%16 == 0 { // it stops the world
			runtime.GOMAXPROCS(1 + n/16%3)
		}
		time.Sleep(100 * time.Microsecond)
	}
	pool.SetThreads(1)
	testutil.WaitWorkers(t, 0)
}

// A panic in a kernel reaches the caller from any goroutine, and the next call is right.
func TestPanicReachesCaller(t *testing.T) {
	good := active
	var calls, last atomic.Int64
	step := func() {
		if calls.Add(1) >= last.Load() {
			panic("broken kernel")
		}
	}
	product, diagonal := *good, *good
	product.kernel.Gemm = func(int, int, int, float64, *float64, int, int, *float64, int, int, kernel.Store, *float64, int) {
		step()
	}
	diagonal.kernel.Solve = func(int, int, *float64, int, int, *float64, *float64, int) { step() }
	diagonal.kernel.Multiply = diagonal.kernel.Solve
	setThreads(t, 1)
	for i, j := range jobs(t) {
		if few() && i%5 != 0 {
			continue
		}
		broken := &diagonal
		if !strings.HasPrefix(j.name, "Dtrsm") {
			broken = &product
		}
		want := slices.Clone(j.again())
		for _, threads := range []int{1, 3, 0} {
			pool.SetThreads(threads)
			use(t, broken)
			for _, at := range []int64{1, 9} {
				calls.Store(0)
				last.Store(at)
				if p := testutil.PanicValue(func() { j.again() }); p != "broken kernel" {
					t.Errorf("%s, %d threads: recovered %v", j.name, threads, p)
				}
			}
			active = good
			if !identical(j.again(), want) {
				t.Errorf("%s, %d threads: the bits differ after a panic", j.name, threads)
			}
		}
		pool.SetThreads(1)
		testutil.WaitWorkers(t, 0)
	}
}

// A call that overwrites the block of B in a workspace records it in held. Otherwise the next task
// could take the block for its own.
func TestHeldBlock(t *testing.T) {
	setThreads(t, 1)
	w := new(workspace)
	saved := workspaces
	t.Cleanup(func() { workspaces = saved })
	workspaces = &sync.Pool{New: func() any { return w }}
	rnd := rand.New(rand.NewPCG(82, 1))
	for _, r := range routines() {
		for _, n := range []int{20, 60, 150} {
			p := r.build(rnd, n, n, n, 0.7, -1.3)
			p.fill(rnd)
			w.held, w.b = place{}, aligned(w.b[:0], n*n)
			for i := range w.b {
				w.b[i] = 3
			}
			if p.call(); w.held == (place{}) && slices.ContainsFunc(w.b, func(v float64) bool { return v != 3 }) {
				t.Errorf("%s, n = %d: the block of B was overwritten, but held does not show it", r.name, n)
			}
		}
	}
}

// On one thread a call allocates nothing. On several it allocates once what they share, a copy of the
// product and the function that does a task. Dsyr2k is two products.
func TestParallelAllocs(t *testing.T) {
	for threads, shared := range map[int]int{1: 0, 2: 2, 4: 2} {
		setThreads(t, threads)
		for _, j := range jobs(t) {
			limit := shared
			if strings.HasPrefix(j.name, "Dsyr2k") {
				limit *= 2
			}
			j.again()
			if got := testing.AllocsPerRun(10, j.run); !(got <= float64(limit)) && !testutil.UnderRace() {
				t.Errorf("%s, %d threads: %v allocations, want at most %d", j.name, threads, got, limit)
			}
		}
	}
	for _, r := range routines() {
		rnd := rand.New(rand.NewPCG(5, 1))
		p := r.build(rnd, 5, 5, 5, 1, 1)
		p.fill(rnd)
		if got := testing.AllocsPerRun(20, p.call); got != 0 && !testutil.UnderRace() {
			t.Errorf("%s, n=5: %v allocations", r.name, got)
		}
	}
}
