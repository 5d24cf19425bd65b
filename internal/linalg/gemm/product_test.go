package gemm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel/internal/linalg/block"
)

// The block sizes of this machine, on a shape that has two blocks in each direction, give the bits of
// smaller ones.
func TestOwnBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 1))
	own := active
	small, b := *own, own.blocks
	small.blocks.MC, small.blocks.NC = 5*own.kernel.MR, 2*own.kernel.NR
	use(t, own)
	for _, r := range routines() {
		if !strings.HasPrefix(r.name, "Dgemm/") {
			continue
		}
		for _, s := range [][3]int{{b.MC + 1, 9, b.KC + 1}, {9, b.NC + 3, b.KC + 1}, {b.MC + 3, b.NC + 1, 9}} {
			p := r.build(rnd, s[0], s[1], s[2], 1.5, 0.5)
			p.fill(rnd)
			if !identical(p.on(own), p.on(&small)) {
				t.Errorf("%s, %v: the bits differ with small blocks", r.name, p)
			}
		}
	}
}

// The tasks of a grid cover C, each element once.
func TestGrid(t *testing.T) {
	for _, m := range []int{1, 31, 32, 33, 500, 5000} {
		for _, n := range []int{1, active.blocks.NC, active.blocks.NC + 1, 5000} {
			for _, workers := range []int{1, 2, 3, 8} {
				t.Run(fmt.Sprintf("m=%d/n=%d/workers=%d", m, n, workers), func(t *testing.T) {
					p := product{engine: active, m: m, n: n, k: 100, c: dense(block.Dense(nil, n))}
					g := p.cut(workers, cell{i1: m})
					if rows := g.rows * g.down; rows < m || rows-g.rows >= m {
						t.Errorf("%d times %d rows", g.down, g.rows)
					}
					if g.down > 1 && g.rows%p.engine.kernel.MR != 0 {
						t.Errorf("tasks of %d rows, not a multiple of MR = %d", g.rows, p.engine.kernel.MR)
					}
					if g.width > p.width() || g.width*p.depth() > active.blocks.NC*active.blocks.KC {
						t.Errorf("tasks of %d columns", g.width)
					}
					if columns := g.width * g.over; columns < n || columns-g.width >= n {
						t.Errorf("%d times %d columns", g.over, g.width)
					}
				})
			}
		}
	}
}
