package gemm

import (
	"sync/atomic"

	"blskernel/internal/linalg/workers"

	"gonum.org/v1/gonum/blas"
)

// A grid cuts C into tasks. Each task computes a range of rows in a range of columns.
type grid struct {
	down, over int  // number of tasks in each direction
	width      int  // of a task
	threads    int  // how many divide the tasks
	byColumns  bool // whether each has its own columns of C; otherwise each has its own rows
}

// cut returns a grid for the rows of cell x and the given number of threads. It cuts either columns, so
// that threads divide the packing of B, or rows within each block of B, so that threads divide the
// reading of A. In a triangle each thread has two ranges of rows, since these differ in length.
func (p *product) cut(threads int, x cell) grid {
	m, nr := x.i1-x.i0, p.engine.kernel.NR
	g := grid{down: threads, over: (p.n + p.width() - 1) / p.width(), threads: threads}
	switch {
	case p.c.kept != blas.All:
		g.down = 2 * threads
	case !p.directB(m) && packingRows*p.n > readingColumns*m && p.n >= threads*nr:
		g.over, g.down = roundUp(g.over, threads), (m+rowsOfTask-1)/rowsOfTask
		g.byColumns = true
	}
	// A partial tile costs less than an uneven cut.
	g.width = min(roundUp((p.n+g.over-1)/g.over, line/8), p.width())
	return g
}

const (
	// packingRows is the number of rows of C that take as long to compute as B takes to pack. It is
	// between 9 (B in L2) and 25 (B in memory).
	packingRows = 16

	// readingColumns is the number of columns of C that take as long to compute as A takes to read.
	readingColumns = 4

	// rowsOfTask bounds the rows of a task if columns are cut. Packing B then takes 3% of the time.
	// Larger tasks pack B less often, but leave less work to take over if a thread loses its CPU.
	rowsOfTask = 512
)

// part returns task t of grid g as a cell within the rows and terms of x. Consecutive tasks share a
// block of B. Threads take turns at the ranges of rows or columns, in alternating order, so that their
// shares of a triangle are equal.
func (p *product) part(g grid, x cell, t int) cell {
	each := g.down * g.over / g.threads
	thread, i := t/each, t%each
	var j int
	if g.byColumns {
		j, i = g.turn(thread, i/g.down), i%g.down
	} else {
		turns := g.down / g.threads
		j, i = i/turns, g.turn(thread, i%turns)
	}
	first, end, mr := x.i0, x.i1, p.engine.kernel.MR
	tiles := (end - first + mr - 1) / mr
	x.i0 = first + i*tiles/g.down*mr
	x.i1 = min(first+(i+1)*tiles/g.down*mr, end)
	x.j0 = min(j*g.width, p.n)
	x.j1 = min(x.j0+g.width, p.n)
	return x
}

// turn returns the range of rows or columns that is a thread's in the given turn.
func (g *grid) turn(thread, turn int) int {
	if turn%2 == 1 {
		thread = g.threads - 1 - thread
	}
	return turn*g.threads + thread
}

// lastProduct is the id of the latest product on several threads.
var lastProduct atomic.Int64

// packTasks is the number of tasks per thread into which the packing of a block of A is cut.
const packTasks = 4

// share calls parallel and releases the team. In Dgemm, the defer would cost the time of a 4×4 product.
func (p *product) share(team *workers.Team) {
	defer team.Release()
	p.parallel(team)
}

// parallel computes p on the threads of the team, which include the caller's. They pack each block of A
// together, then take tasks of C.
func (p *product) parallel(team *workers.Team) {
	own := *p // so that p itself stays on the caller's stack
	own.id = lastProduct.Add(1)
	mc, kc, mr := own.height(), own.depth(), own.engine.kernel.MR
	rows := roundUp(mc/(packTasks*team.Threads())+1, mr)
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	var x cell // the block of A, and all columns
	var g grid
	pack := func(i int) {
		v := workspaces.Get().(*workspace)
		i0 := x.i0 + i*rows
		own.a.pack(&own.engine.kernel, own.shared.x[i*rows*(x.p1-x.p0):], mr, i0, min(i0+rows, x.i1), x.p0, x.p1)
		workspaces.Put(v)
	}
	task := func(i int) {
		v := workspaces.Get().(*workspace)
		own.loops(v, own.part(g, x, i))
		workspaces.Put(v)
	}
	for x.i0 = 0; x.i0 < own.m; x.i0 += mc { // loop 5
		x.i1 = min(x.i0+mc, own.m)
		g = own.cut(team.Threads(), x)
		for x.p0 = 0; x.p0 < own.k; x.p0 += kc { // loop 4
			x.p1 = min(x.p0+kc, own.k)
			if !own.directA() {
				w.a = aligned(w.a, roundUp(x.i1-x.i0, mr)*(x.p1-x.p0))
				own.shared, own.sharedFrom = own.packedA(w.a, x.p1-x.p0), x.i0
				team.Run((x.i1-x.i0+rows-1)/rows, pack)
			}
			team.Run(g.down*g.over, task)
		}
	}
}
