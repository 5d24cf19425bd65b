package gemm

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

var (
	setting  sync.Mutex           // of the two that follow, and of held
	threads  atomic.Int64         // the number set by SetThreads; 0 stands for GOMAXPROCS
	standing atomic.Pointer[crew] // what SetThreads or Hold has started; nil if there is nothing
)

// SetThreads sets the largest number of goroutines, the caller's included, that one product may use.
// 0, the value at start, means GOMAXPROCS. Products that have begun are not affected. Results do not
// depend on it. It panics if n < 0.
//
// With n > 1 it also starts goroutines that stand by for products until the next SetThreads, n-1 or as
// many as there are processors for (GOMAXPROCS): those begin at once, and a product need not be large
// to be worth it. Without, a product starts the goroutines that it uses, and they end with it.
// SetThreads returns when those of the last one have gone, which takes as long as the tasks that they
// are at.
func SetThreads(n int) {
	if n < 0 {
		panic("gemm: negative number of threads")
	}
	setting.Lock()
	defer setting.Unlock()
	threads.Store(int64(n))
	members := crewSize(n)
	old := standing.Load()
	if members == old.size() && held.crew == nil {
		return
	}
	standing.Store(nil)
	if old != nil {
		old.end()
	}
	held.crew = nil // it was old
	if members > 0 {
		standing.Store(newCrew(members))
	}
}

// crewSize returns how many goroutines stand by for n threads, the caller's included: no more than
// there are processors for.
func crewSize(n int) int { return max(min(n, runtime.GOMAXPROCS(0))-1, 0) }

// Threads returns the largest number of goroutines that one product may use.
func Threads() int {
	if n := int(threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// startDelay is how many nanoseconds late a new goroutine begins. The scheduler of Go leaves a
// goroutine to the thread that started it for a while before another thread takes it over, 60 to 70
// microseconds on Linux.
const startDelay = 65_000

// The time, in nanoseconds, below which work stays in the caller's goroutine: twice that in which a new
// goroutine comes to help, some ten times what it takes to wake one that stands by, and a few times
// what it takes one that is awake to see the job and to be waited for.
const (
	minParallel = 2 * startDelay
	minAsleep   = 40_000
	minAwake    = 10_000
)

// leastWorth returns the time, in nanoseconds, from which on work is worth more than the caller's
// goroutine.
func leastWorth() int {
	c := standing.Load()
	switch {
	case c == nil:
		return minParallel
	case c.asleep.Load() > 0:
		return minAsleep
	default:
		return minAwake
	}
}

// A grid cuts C into tasks: some columns by some rows.
type grid struct {
	rows, width int // of a task
	down, over  int // number of tasks
}

// workersFor returns how many goroutines so much work is worth.
func (e *Engine) workersFor(flops float64) int {
	if flops < float64(leastWorth())*e.kernel.Speed {
		return 1
	}
	return Threads()
}

// cut returns the grid with which the given number of goroutines should be done first. Fine grids
// divide the work well, also among goroutines that begin late; but each task packs its part of B for
// itself.
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

// mostTasks and leastRows limit the grids that are tried: about that many tasks for each goroutine, of
// at least so many rows.
const (
	mostTasks = 8
	leastRows = 32
)

// packingRows is the time to pack an element of B as rows of C: how many could be computed instead.
const packingRows = 6

// finished returns when the goroutines would be done with a grid, in flops, if new ones begin late and
// each takes the next task when it is done with one. at is room for the time of each.
func (p *product) finished(g grid, at []float64) float64 {
	clear(at)
	if standing.Load() == nil {
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

// bounds returns the rows i0 to i1 and columns j0 to j1 of task t of the grid. Of a triangle the
// longest rows and columns come first, so that the last tasks, for which threads wait, are short.
func (p *product) bounds(g grid, t int) (i0, i1, j0, j1 int) {
	i, j := t%g.down, t/g.down
	switch p.c.part {
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

// Rows calls do for ranges that together are the rows 0 to rows-1, from at most so many goroutines, if
// rows that take so many nanoseconds each are worth it. All have ended their work when it returns.
func Rows(threads, rows, nanoseconds int, do func(from, to int)) {
	if !worthRows(threads, rows, nanoseconds) {
		do(0, rows)
		return
	}
	workers := min(threads, rows)
	tasks := min(workers*mostTasks, rows)
	parallel(workers, tasks, func(_ *scratch, i int) { do(i*rows/tasks, (i+1)*rows/tasks) })
}

// worthRows reports whether rows that take so many nanoseconds each are worth several goroutines.
func worthRows(threads, rows, nanoseconds int) bool {
	return min(threads, rows) > 1 && float64(rows)*float64(nanoseconds) >= float64(leastWorth())
}

// A team is the goroutines that share the tasks of one call. They take one after another from a
// counter. Tasks write disjoint parts of the result, and every element is computed within one task.
type team struct {
	task   func(w *scratch, i int)
	tasks  int64
	next   atomic.Int64 // first task that nobody has taken
	joined atomic.Int64 // members of a crew that are at work
	mu     sync.Mutex
	failed any // what the first panic of a member was called with
}

// parallel calls task for 0 to tasks-1 from the caller's goroutine and others: the crew, or new ones up
// to the given number in all. All have ended their work when it returns. If one panics, no further task
// is begun and the panic is raised again here.
func parallel(workers, tasks int, task func(w *scratch, i int)) {
	t := &team{task: task, tasks: int64(tasks)}
	if c := standing.Load(); c == nil {
		t.start(workers)
	} else if !c.run(t) {
		t.work(nil)
	}
	if t.failed != nil {
		panic(t.failed)
	}
}

// start does the tasks with goroutines of the team's own.
func (t *team) start(workers int) {
	var others sync.WaitGroup
	others.Add(workers - 1)
	for range workers - 1 {
		go func() {
			defer others.Done()
			t.work(nil)
		}()
	}
	t.work(nil)
	others.Wait()
}

// work takes tasks until there are no more or, if it is not nil, leave is set.
func (t *team) work(leave *atomic.Bool) {
	defer func() {
		if r := recover(); r != nil {
			t.fail(r)
		}
	}()
	w := scratches.Get().(*scratch)
	for leave == nil || !leave.Load() {
		i := t.next.Add(1) - 1
		if i >= t.tasks {
			break
		}
		t.task(w, int(i))
	}
	w.release()
}

// fail records a panic and takes the remaining tasks away.
func (t *team) fail(r any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = r
	}
	t.next.Store(t.tasks)
}
