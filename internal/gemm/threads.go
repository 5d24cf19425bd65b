package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// threads is the number set by SetThreads; 0 stands for GOMAXPROCS.
var threads atomic.Int64

// SetThreads sets the largest number of goroutines, the caller's included, that one product may use.
// 0, the value at start, means GOMAXPROCS. Products that have begun are not affected. Results do not
// depend on it. It panics if n < 0.
func SetThreads(n int) {
	if n < 0 {
		panic("gemm: negative number of threads")
	}
	threads.Store(int64(n))
}

// Threads returns the largest number of goroutines that one product may use.
func Threads() int {
	if n := int(threads.Load()); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// minParallelFlops is the work below which a product stays in the caller's goroutine. See
// BenchmarkThreshold.
const minParallelFlops = 1 << 20

// A thread is given tasksPerThread tasks or some more, so that one that is late, or has been given
// a corner of a triangle, is not waited for long. Each task packs its block of B for itself, as
// many elements as half its flops divided by its rows; so there are no more tasks than that, and
// none has fewer than minTaskRows rows.
const (
	tasksPerThread = 2
	minTaskRows    = 64
)

// A grid cuts C into tasks: NC columns by a number of rows.
type grid struct {
	rows       int // rows of a task
	down, over int // number of tasks
}

// workers returns how many goroutines the product is worth.
func (p *product) workers() int {
	if 2*float64(p.m)*float64(p.n)*float64(p.k) < minParallelFlops {
		return 1
	}
	return Threads()
}

// cut returns the grid for a number of workers: one task for each NC columns if there is one worker.
func (p *product) cut(workers int) grid {
	over := (p.n + p.NC - 1) / p.NC
	rows := p.m
	if workers > 1 {
		down := (workers*tasksPerThread + over - 1) / over
		rows = min(p.m, roundUp(max((p.m+down-1)/down, minTaskRows), p.MR))
	}
	return grid{rows: rows, down: (p.m + rows - 1) / rows, over: over}
}

// task computes task t of the grid. Of a triangle the longest rows and columns come first, so that
// the last tasks, for which threads wait, are short.
func (p *product) task(w *scratch, g grid, t int) {
	i, j := t%g.down, t/g.down
	switch p.c.part {
	case upper:
		j = g.over - 1 - j
	case lower:
		i = g.down - 1 - i
	}
	i, j = i*g.rows, j*p.NC
	p.block(w, i, min(i+g.rows, p.m), j, min(j+p.NC, p.n))
}

// blocked computes the product in blocks, with as many goroutines as it is worth.
func (p *product) blocked() {
	workers := p.workers()
	g := p.cut(workers)
	if workers = min(workers, g.down*g.over); workers > 1 {
		parallel(*p, g, workers)
		return
	}
	w := scratches.Get().(*scratch)
	for t := range g.down * g.over {
		p.task(w, g, t)
	}
	scratches.Put(w)
}

// A team is the goroutines that compute one product. They take the tasks of the grid one after another
// from a counter. Tasks write disjoint parts of C, and every element is computed within one task.
type team struct {
	product
	grid
	next    atomic.Int64 // first task that nobody has taken
	members sync.WaitGroup
	mu      sync.Mutex
	failed  any // what the first panic of a member was called with
}

// parallel computes p with the given number of goroutines, one of which is the caller's. All have
// ended when it returns. If one panics, no further task is begun and the panic is raised again here.
func parallel(p product, g grid, workers int) {
	t := &team{product: p, grid: g}
	t.members.Add(workers)
	for range workers - 1 {
		go t.work()
	}
	t.work()
	t.members.Wait()
	if t.failed != nil {
		panic(t.failed)
	}
}

// work computes tasks until there are no more.
func (t *team) work() {
	defer t.members.Done()
	defer func() {
		if r := recover(); r != nil {
			t.fail(r)
		}
	}()
	w := scratches.Get().(*scratch)
	tasks := int64(t.down * t.over)
	for i := t.next.Add(1) - 1; i < tasks; i = t.next.Add(1) - 1 {
		t.task(w, t.grid, int(i))
	}
	scratches.Put(w)
}

// fail records a panic and takes the remaining tasks away.
func (t *team) fail(r any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = r
	}
	t.next.Store(int64(t.down * t.over))
}
