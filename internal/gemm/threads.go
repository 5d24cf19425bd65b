package gemm

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

var (
	setting sync.Mutex           // guards threads, running and acquired
	threads atomic.Int64         // the number set by SetThreads; 0 means GOMAXPROCS
	running atomic.Pointer[pool] // the pool that SetThreads or Acquire has started, or nil
)

// SetThreads sets the largest number of goroutines, the caller's included, that one product may use. 0,
// the initial value, means GOMAXPROCS. Products under way and results do not change. It panics if
// n < 0.
//
// n > 1 starts a pool of n-1 workers, at most GOMAXPROCS-1, until the next SetThreads. They begin at
// once, so short products are shared too. Without a pool a product starts its own goroutines.
// SetThreads waits until the workers of the previous pool have finished their tasks.
func SetThreads(n int) {
	if n < 0 {
		panic("gemm: negative number of threads")
	}
	setting.Lock()
	defer setting.Unlock()
	threads.Store(int64(n))
	workers := poolSize(n)
	old := running.Load()
	if workers == old.size() && acquired.pool == nil {
		return
	}
	running.Store(nil)
	if old != nil {
		old.end()
	}
	acquired.pool = nil // it was old
	if workers > 0 {
		running.Store(newPool(workers))
	}
}

// poolSize returns the number of workers for n threads, one of which is the caller's.
func poolSize(n int) int { return max(min(n, runtime.GOMAXPROCS(0))-1, 0) }

// Threads returns the largest number of goroutines that one product may use.
func Threads() int {
	if n := int(threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// startDelay is the delay of a new goroutine in nanoseconds: Go's scheduler leaves it to the thread
// that started it for 60 to 70 microseconds (on Linux) before another thread takes it over.
const startDelay = 65_000

// The time, in nanoseconds, below which work stays on the caller's goroutine: twice the delay of a new
// goroutine, some ten times that of a sleeping worker, a few times that of one that is awake.
const (
	minParallel = 2 * startDelay
	minAsleep   = 40_000
	minAwake    = 10_000
)

// leastWorth returns the least time of work, in nanoseconds, that is worth several goroutines.
func leastWorth() int {
	p := running.Load()
	switch {
	case p == nil:
		return minParallel
	case p.asleep.Load() > 0:
		return minAsleep
	default:
		return minAwake
	}
}

// workersFor returns the number of goroutines for a product of the given flops.
func (e *Engine) workersFor(flops float64) int {
	if flops < float64(leastWorth())*e.kernel.Speed {
		return 1
	}
	return Threads()
}

// A grid cuts C into tasks: some columns by some rows.
type grid struct {
	rows, width int // of a task
	down, over  int // number of tasks
}

// cut returns the grid that the given number of goroutines should finish first. Fine grids divide the
// work evenly even if goroutines begin late, but each task packs its part of B for itself.
func (p *product) cut(workers int) grid {
	var best grid
	least := math.Inf(1)
	width := p.width()
	over := (p.n + width - 1) / width
	at := make([]float64, workers)
	for down := 1; ; down += (down + 3) / 4 {
		rows := roundUp((p.m+down-1)/down, p.engine.kernel.MR)
		g := grid{rows: rows, width: width, down: (p.m + rows - 1) / rows, over: over}
		if t := p.finished(g, at); t < least {
			best, least = g, t
		}
		if g.down*over >= workers*mostTasks || rows <= leastRows {
			return best
		}
	}
}

// mostTasks and leastRows limit the grids that cut tries: about mostTasks tasks for each goroutine, of
// at least leastRows rows.
const (
	mostTasks = 8
	leastRows = 32
)

// packingRows is the time to pack an element of B, in rows of C that could be computed instead.
const packingRows = 6

// finished returns the time, in flops, at which the goroutines would finish a grid, if new ones begin
// late and each takes one task after another. at is workspace, an element for each.
func (p *product) finished(g grid, at []float64) float64 {
	clear(at)
	if running.Load() == nil {
		for i := range at[1:] {
			at[i+1] = startDelay * p.engine.kernel.Speed
		}
	}
	for t := range g.down * g.over {
		i0, i1, j0, j1 := p.bounds(g, t)
		first := 0
		for i := range at {
			if at[i] < at[first] {
				first = i
			}
		}
		middle := (i0 + i1) / 2
		from, to := p.c.columns(middle, middle+1, j0, j1)
		at[first] += 2 * float64(p.k) * float64(max(to-from, 0)) * float64(i1-i0+packingRows)
	}
	return slices.Max(at)
}

// bounds returns the rows i0 to i1 and columns j0 to j1 of task t of the grid. In a triangle the
// longest rows and columns come first, so that the last tasks, for which threads wait, are short.
func (p *product) bounds(g grid, t int) (i0, i1, j0, j1 int) {
	i, j := t%g.down, t/g.down
	switch p.c.kept {
	case upper:
		j = g.over - 1 - j
	case lower:
		i = g.down - 1 - i
	}
	i0, j0 = i*g.rows, j*g.width
	return i0, min(i0+g.rows, p.m), j0, min(j0+g.width, p.n)
}

// parallel computes p with at most the given number of goroutines.
func (p *product) parallel(workers int) {
	own := *p // so that p itself stays on the caller's stack
	g := own.cut(workers)
	tasks := g.down * g.over
	parallel(min(workers, tasks), tasks, func(w *scratch, i int) {
		i0, i1, j0, j1 := own.bounds(g, i)
		own.block(w, i0, i1, j0, j1)
	})
}

// Rows splits [0, rows) across at most threads goroutines if that is worth it for rows of the given
// nanoseconds each, calls do for each range, and waits.
func Rows(threads, rows, nanoseconds int, do func(from, to int)) {
	if !worthRows(threads, rows, nanoseconds) {
		do(0, rows)
		return
	}
	workers := min(threads, rows)
	tasks := min(workers*mostTasks, rows)
	parallel(workers, tasks, func(_ *scratch, i int) { do(i*rows/tasks, (i+1)*rows/tasks) })
}

// worthRows reports whether rows of the given nanoseconds each are worth several goroutines.
func worthRows(threads, rows, nanoseconds int) bool {
	return min(threads, rows) > 1 && float64(rows)*float64(nanoseconds) >= float64(leastWorth())
}

// A group is the tasks of one call, which goroutines take from a counter. Tasks write disjoint elements
// of the result, and one task computes all of an element.
type group struct {
	task   func(w *scratch, i int)
	tasks  int64
	next   atomic.Int64 // the first task that is not taken
	joined atomic.Int64 // workers of the pool that are at work
	mu     sync.Mutex
	failed any // the value of the first panic
}

// parallel calls task for 0 to tasks-1 on the caller's goroutine and others, those of the pool or new
// ones up to the given number in all, and waits. A panic ends the group and is raised again here.
func parallel(workers, tasks int, task func(w *scratch, i int)) {
	g := &group{task: task, tasks: int64(tasks)}
	if p := running.Load(); p == nil {
		g.start(workers)
	} else if !p.run(g) {
		g.work(nil)
	}
	if g.failed != nil {
		panic(g.failed)
	}
}

// start runs the tasks on new goroutines and the caller's.
func (g *group) start(workers int) {
	var others sync.WaitGroup
	others.Add(workers - 1)
	for range workers - 1 {
		go func() {
			defer others.Done()
			g.work(nil)
		}()
	}
	g.work(nil)
	others.Wait()
}

// work takes tasks until none is left or quit, which may be nil, is set.
func (g *group) work(quit *atomic.Bool) {
	defer func() {
		if r := recover(); r != nil {
			g.fail(r)
		}
	}()
	w := scratches.Get().(*scratch)
	for quit == nil || !quit.Load() {
		i := g.next.Add(1) - 1
		if i >= g.tasks {
			break
		}
		g.task(w, int(i))
	}
	w.release()
}

// fail records a panic and takes the remaining tasks away.
func (g *group) fail(r any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == nil {
		g.failed = r
	}
	g.next.Store(g.tasks)
}
