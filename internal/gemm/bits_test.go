package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// unusual replaces some elements of a store, but no canaries: by zeros of both signs, numbers whose
// products underflow, multiples of 16 that cancel and, if wild, NaN and infinities.
func unusual(rnd *rand.Rand, s store, wild bool) {
	for i, v := range s.x {
		if math.IsNaN(v) || v == inResult {
			continue
		}
		switch rnd.IntN(16) {
		case 0:
			s.x[i] = math.Copysign(0, rnd.Float64()-0.5)
		case 1:
			s.x[i] = v * 0x1p-1060
		case 2:
			s.x[i] = v * 0x1p-530
		case 3:
			s.x[i] = 16 * math.Round(2*v)
		case 4:
			if wild && rnd.IntN(100) == 0 {
				s.x[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[rnd.IntN(3)]
			}
		}
	}
}

// seedsOf returns the seeds of a size: of a large one, whose sums or blocks the smaller ones have as
// well, one of the three, in turn, unless the long suites are asked for.
func seedsOf(at int, large bool) []uint64 {
	if large && !testutil.Long() {
		return []uint64{uint64(at % 3)}
	}
	return []uint64{0, 1, 2}
}

// everyEngine calls f with an engine on each kernel, the portable one first, with 1 thread and with 3,
// with the block sizes of the kernel and with small ones, of which KC is the same. f returns the result
// of a call; all are to be the same bit for bit, except for the bits of NaN.
func everyEngine(t *testing.T, what string, f func() []float64) {
	t.Helper()
	for _, kc := range []int{0, 16} {
		var want []float64
		all := kernels.All(t)
		slices.Reverse(all)
		for _, k := range all {
			e := New(k)
			if kc > 0 {
				e.blocks = blockSizes{MC: 2 * k.MR, KC: kc, NC: 3 * k.NR}
			}
			for _, threads := range []int{1, 3} {
				use(t, e)
				setThreads(t, threads)
				got := f()
				if want == nil {
					want = got
				}
				for i, v := range got {
					if math.Float64bits(v) != math.Float64bits(want[i]) && !(math.IsNaN(v) && math.IsNaN(want[i])) {
						t.Fatalf("%s, KC=%d: element %d is %v (%x) by kernel %s on %d threads, %v (%x) by kernel %s; the package comment has the one order of the sum",
							what, e.blocks.KC, i, v, v, k.Name, threads, want[i], want[i], all[0].Name)
					}
				}
			}
		}
	}
}

// Every product has the same bits on every kernel and for any number of threads: one and several blocks
// of the sum, sizes around tiles and blocks.
func TestProductsSameBits(t *testing.T) {
	testutil.NotUnderRace(t, "TestConcurrentRoutines and TestReproducible divide all routines")
	shapes := [][3]int{{1, 1, 1}, {5, 9, 7}, {9, 25, 385}, {70, 53, 31}, {67, 101, 800}, {131, 140, 129}}
	if !testutil.Long() {
		shapes = shapes[:4]
	}
	for _, r := range routines() {
		t.Run(r.name, func(t *testing.T) {
			for at, s := range shapes {
				for _, seed := range seedsOf(at, at >= 4) {
					alpha, beta := []float64{1, -1, 0.7}[(at+int(seed))%3], []float64{0, 1, -0.3}[seed]
					everyEngine(t, fmt.Sprintf("m,n,k=%v alpha=%v beta=%v", s, alpha, beta), func() []float64 {
						rnd := rand.New(rand.NewPCG(seed, 22))
						p := r.build(rnd, s[0], s[1], s[2], alpha, beta)
						p.fill(rnd)
						for _, x := range []store{p.a, p.b, p.c} {
							unusual(rnd, x, seed == 2)
						}
						p.call()
						return p.c.all
					})
				}
			}
		})
	}
}

// Dtrsm and Dtrmm have the same bits on every kernel and for any number of threads, with one and
// several diagonal blocks, and where the diagonal is too small for reciprocals.
func TestTriangularSameBits(t *testing.T) {
	testutil.NotUnderRace(t, "TestConcurrentRoutines and TestReproducible divide all routines")
	orders := []int{1, 5, 9, 17, 65, 191, 193, 400}
	if !testutil.Long() {
		orders = orders[:6]
	}
	for _, side := range sides {
		for _, ul := range triangles {
			for _, tA := range transposes {
				for _, d := range []blas.Diag{blas.NonUnit, blas.Unit} {
					t.Run(fmt.Sprintf("%c%c%c%c", side, ul, tA, d), func(t *testing.T) {
						for at, order := range orders {
							m, n := order, []int{1, 7, 30, 75}[at%4]
							if side == blas.Right {
								m, n = n, m
							}
							for _, seed := range seedsOf(at, order == 400) {
								for name, call := range map[string]func() trxmRoutine{
									"Dtrsm": func() trxmRoutine { return active.Dtrsm },
									"Dtrmm": func() trxmRoutine { return active.Dtrmm },
								} {
									alpha := []float64{1, -0.7}[seed%2]
									everyEngine(t, fmt.Sprintf("%s m=%d n=%d alpha=%v", name, m, n, alpha), func() []float64 {
										rnd := rand.New(rand.NewPCG(seed, 22))
										p := newTriangular(rnd, side, ul, tA, d, m, n, alpha)
										unusual(rnd, p.b, seed == 2)
										if seed > 0 {
											unusual(rnd, p.a, seed == 2)
										}
										call()(p.side, p.ul, p.t, p.d, p.m, p.n, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld)
										return p.b.all
									})
								}
							}
						}
					})
				}
			}
		}
	}
}
