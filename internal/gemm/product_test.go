package gemm

import (
	"blskernel/internal/block"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// sizes are the lengths at which something changes: tiles, blocks, and none.
func sizes() []int {
	s := []int{
		0, 1, active.kernel.MR - 1, active.kernel.MR + 1, active.kernel.NR - 1, active.kernel.NR, active.kernel.NR + 1,
		active.blocks.KC - 1, active.blocks.KC + 1, 2*active.blocks.MC + 5, active.blocks.NC + 1,
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// scalars are the pairs (alpha, beta) with which every routine is called.
var scalars = [][2]float64{{1, 0}, {1, 1}, {-1, 1}, {0.7, -1.3}, {-2.5, 0}, {0, 0}, {0, 1}, {0, 0.3}}

// shapes returns all shapes that can be made of the lengths, but only one of those that are the same to
// the routine.
func (r routine) shapes(lengths []int) [][3]int {
	p := r.build(rand.New(rand.NewPCG(0, 0)), 2, 3, 5, 1, 1)
	var all [][3]int
	for _, m := range lengths {
		for _, n := range lengths {
			for _, k := range lengths {
				if (p.m == 2 || m == n) && (p.k%5 == 0 || k == n) {
					all = append(all, [3]int{m, n, k})
				}
			}
		}
	}
	return all
}

// Every routine, on every shape in question, meets the error bound, and touches nothing but its result.
func TestProducts(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		for _, r := range routines() {
			t.Run(r.name, func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(1, 1))
				for i, s := range r.shapes(sizes()) {
					if testing.Short() && i%7 != 0 {
						continue
					}
					ab := scalars[rnd.IntN(len(scalars))]
					p := r.build(rnd, s[0], s[1], s[2], ab[0], ab[1])
					p.fill(rnd)
					p.check(t)
				}
				for _, ab := range scalars {
					for _, n := range []int{5, 21} { // the direct way and the blocked
						p := r.build(rnd, n, n, n, ab[0], ab[1])
						p.fill(rnd)
						p.check(t)
					}
				}
				for range 40 {
					ab := scalars[rnd.IntN(len(scalars))]
					p := r.build(rnd, rnd.IntN(71), rnd.IntN(71), rnd.IntN(71), ab[0], ab[1])
					p.fill(rnd)
					p.check(t)
				}
			})
		}
	})
}

// The block sizes of this machine, on a shape that has two blocks in each direction.
func TestProductOwnBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 1))
	for _, shape := range [][3]int{
		{active.blocks.MC + 1, 9, active.blocks.KC + 1}, {9, active.blocks.NC + 3, active.blocks.KC + 1}, {active.blocks.MC + 3, active.blocks.NC + 1, 9},
	} {
		m, n, k := shape[0], shape[1], shape[2]
		for _, r := range routines() {
			if r.name == "Dgemm/N/T" || r.name == "Dgemm/T/N" {
				p := r.build(rnd, m, n, k, 1.5, 0.5)
				p.fill(rnd)
				p.check(t)
			}
		}
	}
}

// A NaN or an infinity in an operand reaches just those elements of C that depend on it, although
// many multipliers are zero.
func TestProductNonFinite(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		for _, r := range routines() {
			t.Run(r.name, func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(3, 1))
				for _, n := range []int{1, 4, 7, 19} {
					for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
						for _, second := range []bool{false, true} {
							p := r.build(rnd, n, n, n, -1, 1)
							p.fill(rnd)
							s := p.a
							if second {
								s = p.b
							}
							// Poison a stored element: one that is not the
							// canary of gaps.
							for {
								x := &s.x[rnd.IntN(len(s.x))]
								if !math.IsNaN(*x) {
									*x = bad
									break
								}
							}
							c := slices.Clone(p.c.x)
							p.call()
							for i := range n {
								for j := range n {
									if !p.kept(i, j) {
										continue
									}
									want := c[p.c.at(i, j)]
									if p.bias != nil {
										want = p.bias[j]
									}
									for l := range p.k {
										want -= p.A(i, l) * p.B(l, j)
									}
									if p.bias != nil {
										want = math.Tanh(want)
									}
									got := p.c.x[p.c.at(i, j)]
									if math.IsNaN(got) != math.IsNaN(want) || math.IsInf(got, 1) != math.IsInf(want, 1) || math.IsInf(got, -1) != math.IsInf(want, -1) {
										t.Fatalf("n=%d with a %v: C[%d,%d] = %v, want %v", n, bad, i, j, got, want)
									}
								}
							}
						}
					}
				}
			})
		}
	})
}

// With alpha = 0 or k = 0 the operands are not read: they may be nil, and C is scaled.
func TestProductReadsNothing(t *testing.T) {
	c := []float64{1, math.NaN(), 3, 4}
	active.Dgemm(blas.NoTrans, blas.NoTrans, 2, 2, 5, 0, nil, 5, nil, 2, 0, c, 2)
	if !slices.Equal(c, []float64{0, 0, 0, 0}) {
		t.Errorf("alpha = 0, beta = 0: C = %v", c)
	}
	c = []float64{1, 2, 3, 4}
	active.Dsyrk(blas.Upper, blas.NoTrans, 2, 0, 1, nil, 1, 2, c, 2)
	if !slices.Equal(c, []float64{2, 4, 3, 8}) {
		t.Errorf("k = 0, beta = 2, upper triangle: C = %v", c)
	}
	c = []float64{1, 2, 3}
	active.Dsprk(blas.Trans, 2, 3, 0, nil, 2, -1, c)
	if !slices.Equal(c, []float64{-1, -2, -3}) {
		t.Errorf("alpha = 0, beta = -1, packed: C = %v", c)
	}
}

// The result is the same, bit for bit, for any number of threads and any cut into blocks of MC and NC.
func TestProductReproducible(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		const m, n, k = 197, 211, 83
		for i, r := range routines() {
			if testing.Short() && i%5 != 0 { // the generic kernel takes long under the race detector and in emulation
				continue
			}
			t.Run(r.name, func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(4, 1))
				p := r.build(rnd, m, n, k, 0.7, -1.3)
				p.fill(rnd)
				if work := 2 * p.m * p.n * p.k; float64(work) < minParallel*active.kernel.Speed {
					t.Fatalf("%d flops do not use threads", work)
				}
				before := slices.Clone(p.c.all)
				var want []float64
				for _, cut := range []struct{ tiles, threads int }{{1, 1}, {1, 3}, {2, 7}, {5, 1}, {5, 2}} {
					e := *active
					e.blocks.MC, e.blocks.NC = cut.tiles*e.kernel.MR, cut.tiles*e.kernel.NR
					use(t, &e)
					setThreads(t, cut.threads)
					copy(p.c.all, before)
					p.call()
					if want == nil {
						want = slices.Clone(p.c.all)
					}
					if !identical(p.c.all, want) {
						t.Fatalf("MC=%d NC=%d threads=%d: other bits than with one thread", e.blocks.MC, e.blocks.NC, cut.threads)
					}
				}
			})
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
			if got := testing.AllocsPerRun(20, p.call); got != 0 && !raceEnabled {
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
					p := product{engine: active, m: m, n: n, k: 100, c: all(block.Dense(nil, n))}
					g := p.cut(workers)
					if rows := g.rows * g.down; rows < m || rows-g.rows >= m {
						t.Errorf("%d times %d rows", g.down, g.rows)
					}
					if g.down > 1 && g.rows%p.engine.kernel.MR != 0 {
						t.Errorf("tasks of %d rows, not a multiple of MR = %d", g.rows, p.engine.kernel.MR)
					}
					if g.width*p.depth() > active.blocks.NC*active.blocks.KC || g.width%active.kernel.NR != 0 {
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
