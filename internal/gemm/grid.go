package gemm

import (
	"math"
	"slices"
	"sync/atomic"

	"blskernel/internal/workers"
)

// A grid cuts C into tasks: some columns by some rows.
type grid struct {
	rows, width int // of a task
	down, over  int // number of tasks
}

// cut returns the grid that the given number of threads should finish first, for the rows of x. Fine
// grids divide the work evenly, but each task packs its part of B for itself, unless its thread has it
// from the task before. So cut tries the fewest ranges of columns, and a multiple of the threads.
func (p *product) cut(threads int, x cell) grid {
	m := x.i1 - x.i0
	var best grid
	least := math.Inf(1)
	at := make([]float64, threads)
	fewest := (p.n + p.width() - 1) / p.width()
	for _, over := range [...]int{fewest, roundUp(fewest, threads)} {
		// A part of a tile costs less than an uneven cut.
		width := min(roundUp((p.n+over-1)/over, line/8), p.width())
		over = (p.n + width - 1) / width
		for down := 1; ; down += (down + 3) / 4 {
			rows := roundUp((m+down-1)/down, p.engine.kernel.MR)
			g := grid{rows: rows, width: width, down: (m + rows - 1) / rows, over: over}
			if t := p.finished(g, x, at); t < least {
				best, least = g, t
			}
			if g.down*over >= threads*mostTasks || rows <= leastRows {
				break
			}
		}
	}
	return best
}

// mostTasks and leastRows limit the grids that cut tries: about mostTasks tasks for each thread, of
// at least leastRows rows.
const (
	mostTasks = 8
	leastRows = 32
)

// packingRows is the time to pack an element of B, in rows of C that could be computed instead: 9 where
// B comes from L2, 25 where it comes from memory.
const packingRows = 16

// readingColumns is the time to read an element of A, in columns of C that could be computed instead:
// all ranges of columns read all of A, which is most of the work for a C of ten columns.
const readingColumns = 4

// finished returns the time, in flops, at which the threads would finish a grid, if each takes one task
// after another. at is workspace, an element for each.
func (p *product) finished(g grid, x cell, at []float64) float64 {
	clear(at)
	packing := 0
	if !p.directB(g.rows) {
		packing = packingRows
	}
	for t := range g.down * g.over {
		x := p.part(g, x, t)
		first := 0
		for i := range at {
			if at[i] < at[first] {
				first = i
			}
		}
		middle := (x.i0 + x.i1) / 2
		from, to := p.c.columns(middle, middle+1, x.j0, x.j1)
		at[first] += float64(2 * float64(p.k) * float64(max(to-from, 0)+readingColumns) * float64(x.i1-x.i0+packing))
	}
	return slices.Max(at)
}

// part returns task t of the grid on the rows and terms of x. In a triangle the longest rows and
// columns come first, so that the last tasks, for which threads wait, are short.
func (p *product) part(g grid, x cell, t int) cell {
	i, j := t%g.down, t/g.down
	switch p.c.kept {
	case upper:
		j = g.over - 1 - j
	case lower:
		i = g.down - 1 - i
	}
	first, end := x.i0, x.i1
	x.i0 = min(first+i*g.rows, end)
	x.i1 = min(x.i0+g.rows, end)
	x.j0 = j * g.width
	x.j1 = min(x.j0+g.width, p.n)
	return x
}

// lastProduct is the id of the last product on several threads.
var lastProduct atomic.Int64

// packTasks is the number of tasks for each thread into which packing a block of A is cut.
const packTasks = 4

// share is parallel with a team that it releases. A defer in Dgemm would take as long as a product of
// order 4.
func (p *product) share(team *workers.Team) {
	defer team.Release()
	p.parallel(team)
}

// parallel computes p on the caller's thread and those of the team: they pack each block of A together,
// then take tasks of C.
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
		own.a.pack(&own.engine.kernel, v.buffer, own.shared.x[i*rows*(x.p1-x.p0):], mr, i0, min(i0+rows, x.i1), x.p0, x.p1)
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
