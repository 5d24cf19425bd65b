package gemm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/linalg/block"

	"gonum.org/v1/gonum/blas"
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

// The tasks of a grid cover C, each element once. The threads have equal shares of a triangle, up to
// whole tiles.
func TestGrid(t *testing.T) {
	mr := active.kernel.MR
	for _, m := range []int{1, 31, 32, 33, 500, 5000} {
		for _, n := range []int{1, active.blocks.NC, active.blocks.NC + 1, 5000} {
			for _, threads := range []int{1, 2, 3, 8} {
				for _, kept := range []blas.Uplo{blas.All, blas.Upper, blas.Lower} {
					if kept != blas.All && m != n {
						continue
					}
					name := fmt.Sprintf("m=%d/n=%d/threads=%d/%c", m, n, threads, kept)
					p := product{engine: active, m: m, n: n, k: 100, c: sink{block.Dense(nil, n), kept}}
					g := p.cut(threads, cell{i1: m})
					tasks := g.down * g.over
					rows, columns, seen := map[int]int{}, map[int]int{}, map[[2]int]bool{}
					share := make([]int, threads)
					for i := range tasks {
						x := p.part(g, cell{i1: m, p1: p.k}, i)
						if x.i0 == x.i1 || x.j0 == x.j1 {
							continue
						}
						if x.i0%mr != 0 || x.j1-x.j0 > p.width() || g.width*p.depth() > active.blocks.NC*active.blocks.KC || seen[[2]int{x.i0, x.j0}] {
							t.Errorf("%s: task %d is %+v", name, i, x)
						}
						rows[x.i0], columns[x.j0], seen[[2]int{x.i0, x.j0}] = x.i1, x.j1, true
						for r := x.i0; r < x.i1; r++ {
							from, to := p.c.columns(r, r+1, x.j0, x.j1)
							share[i*threads/tasks] += max(to-from, 0)
						}
					}
					if len(seen) != len(rows)*len(columns) || !covers(rows, m) || !covers(columns, n) {
						t.Errorf("%s: rows %v, columns %v, %d tasks", name, rows, columns, len(seen))
					}
					if kept != blas.All && slices.Max(share)-slices.Min(share) > 4*mr*n {
						t.Errorf("%s: the shares are %v", name, share)
					}
				}
			}
		}
	}
}

// A large A is read in place for a few columns of C: for twice as many if its rows run along the sum
// and are not a multiple of a page apart.
func TestInPlace(t *testing.T) {
	const k = 1 << 14
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		for _, ld := range []int{k, k + 8} { // rows a multiple of a page apart, and others
			most := fewUses
			if tA == blas.NoTrans && ld > k {
				most *= 2
			}
			for uses := most; uses <= most+1; uses++ {
				p := active.newProduct(tA, blas.NoTrans, k, uses*active.kernel.NR, k, 1, block.Dense(nil, ld), block.Matrix{}, 0, sink{})
				if got := p.directA(); got != (uses == most) {
					t.Errorf("%c, ld %d, %d uses: in place %v", tA, ld, uses, got)
				}
			}
		}
	}
}

// covers reports whether ranges, given as from one end to the other, lead from 0 to n.
func covers(ranges map[int]int, n int) bool {
	at := 0
	for range ranges {
		at = ranges[at]
	}
	return at == n
}
