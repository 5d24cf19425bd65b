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

// cut returns the grid that the given number of threads should finish first. Fine grids divide the work
// evenly, but each task packs its part of B for itself. So it tries the fewest ranges of columns, and
// the same number for each thread, where two threads do not pack the same part.
func (p *product) cut(threads int) grid {
	var best grid
	least := math.Inf(1)
	at := make([]float64, threads)
	fewest := (p.n + p.width() - 1) / p.width()
	for _, over := range [...]int{fewest, roundUp(fewest, threads)} {
		// A part of a tile costs less than an uneven cut.
		width := roundUp((p.n+over-1)/over, line/8)
		over = (p.n + width - 1) / width
		for down := 1; ; down += (down + 3) / 4 {
			rows := roundUp((p.m+down-1)/down, p.engine.kernel.MR)
			g := grid{rows: rows, width: width, down: (p.m + rows - 1) / rows, over: over}
			if t := p.finished(g, at); t < least {
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
func (p *product) finished(g grid, at []float64) float64 {
	clear(at)
	packing := 0
	if !p.directB(g.rows) {
		packing = packingRows
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
		at[first] += float64(2 * float64(p.k) * float64(max(to-from, 0)+readingColumns) * float64(i1-i0+packing))
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

// lastProduct is the id of the last product on several threads.
var lastProduct atomic.Int64

// parallel computes p on the caller's thread and those of the pool.
func (p *product) parallel(team *workers.Team) {
	own := *p // so that p itself stays on the caller's stack
	own.id = lastProduct.Add(1)
	g := own.cut(team.Threads())
	team.Run(g.down*g.over, func(i int) {
		w := scratches.Get().(*scratch)
		i0, i1, j0, j1 := own.bounds(g, i)
		own.block(w, i0, i1, j0, j1)
		scratches.Put(w)
	})
}
