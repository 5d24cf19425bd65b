package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

// scalars are the pairs (alpha, beta) with which every routine is called.
var scalars = [][2]float64{{1, 0}, {1, 1}, {-1, 1}, {0.7, -1.3}, {-2.5, 0}, {0, 0}, {0, 1}, {0, 0.3}}

// The block sizes of this machine, on a shape that has two blocks in each direction.
func TestProductOwnBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 1))
	b := active.blocks
	for _, r := range dgemms() {
		for _, s := range [][3]int{{b.MC + 1, 9, b.KC + 1}, {9, b.NC + 3, b.KC + 1}, {b.MC + 3, b.NC + 1, 9}} {
			p := r.build(rnd, s[0], s[1], s[2], 1.5, 0.5)
			p.fill(rnd)
			p.check(t)
		}
	}
}

// dgemms are the cases of Dgemm.
func dgemms() (cases []routine) {
	for _, r := range routines() {
		if strings.HasPrefix(r.name, "Dgemm/") {
			cases = append(cases, r)
		}
	}
	return cases
}

// DgemmTanh is Dgemm, an addition and the kernel's tanh, bit for bit.
func TestDgemmTanhIsDgemm(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(61, 1))
		for range 100 {
			m, n, k := rnd.IntN(60), rnd.IntN(60), rnd.IntN(60)
			a, _ := operand(rnd, blas.NoTrans, m, k)
			b, _ := operand(rnd, blas.NoTrans, k, n)
			bias := values(rnd, n)
			alpha := []float64{0, 1, -0.6}[rnd.IntN(3)]
			got := slices.Repeat([]float64{math.NaN()}, m*n)
			want := slices.Clone(got)
			active.DgemmTanh(blas.NoTrans, blas.NoTrans, m, n, k, alpha, a.x, a.ld, b.x, b.ld, bias, got, max(1, n))
			active.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, alpha, a.x, a.ld, b.x, b.ld, 0, want, max(1, n))
			for i := range want {
				want[i] += bias[i%n]
			}
			active.kernel.Tanh(want, want)
			if !identical(got, want) {
				t.Fatalf("m=%d n=%d k=%d alpha=%v: not tanh of Dgemm", m, n, k, alpha)
			}
		}
	})
}

// In the steady state a call allocates nothing.
func TestProductAllocs(t *testing.T) {
	setThreads(t, 1)
	for _, r := range routines() {
		for _, n := range []int{5, 40} {
			rnd := rand.New(rand.NewPCG(5, 1))
			p := r.build(rnd, n, n, n, 1, 1)
			p.fill(rnd)
			if got := testing.AllocsPerRun(20, p.call); got != 0 && !testutil.UnderRace() {
				t.Errorf("%s, n=%d: %v allocations", r.name, n, got)
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
