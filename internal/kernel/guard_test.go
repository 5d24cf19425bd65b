package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/testutil/guard"
)

// A fence puts operands at the edges of pages and calls kernels on them.
type fence struct {
	regions []*guard.Region
	turn    int
}

// newFence has room for so many operands at once, of at most n elements each.
func newFence(t *testing.T, operands, n int) *fence {
	f := &fence{}
	for range operands {
		f.regions = append(f.regions, guard.New(t, n))
	}
	return f
}

// put copies x to an edge.
func (f *fence) put(x []float64, at guard.Edge) []float64 {
	f.turn++
	return f.regions[f.turn%len(f.regions)].Copy(x, at)
}

// check runs call with the operands at both edges, in the order given, and compares them afterwards
// with what they are if the call is made on the heap.
func (f *fence) check(t *testing.T, call func(x [][]float64), operands ...[]float64) {
	t.Helper()
	want := make([][]float64, len(operands))
	for i, x := range operands {
		want[i] = apart(x)
	}
	call(want)
	got := make([][]float64, len(operands))
	for _, at := range guard.Edges {
		for i, x := range operands {
			got[i] = f.put(x, at)
		}
		if guard.Faults(func() { call(got) }) {
			t.Fatalf("operands %v: something beside them was read or written", at)
		}
		for i := range got {
			if !identical(got[i], want[i]) {
				t.Fatalf("operands %v: operand %d is not what it is on the heap", at, i)
			}
		}
	}
}

// All operands of Gemm end, or begin, where memory does: of every height and width of a strip, A by
// rows, by columns, packed and backwards, B with rows as long as the strip and longer, packed and
// backwards, with the last panel as short as the last tile.
func TestGuardGemm(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(31, 1))
		f := newFence(t, 3, 1<<14)
		for m := 1; m <= k.MR; m++ {
			for n := 1; n <= 2*k.NR+9; n++ {
				for _, depth := range []int{1, 3, 4, 5, 9} {
					for form := range 7 {
						rowA, colA, rowB, panelB, ldc := depth+m%2, 1, n+form%3, k.NR, n+m%3
						formA, atA := Even, func(i, p int) int { return i*rowA + p*colA }
						switch form {
						case 1:
							rowA, colA = 1, m+n%3
						case 2:
							rowA, colA, rowB, panelB = 1, k.MR, k.NR, k.NR*depth
						case 3: // as triangles are applied backwards
							rowA, colA, rowB, ldc = -rowA, -1, -rowB, -ldc
						case 4:
							rowA, colA, rowB, ldc = -1, -m, -rowB, -ldc
						case 5:
							rowA, colA, formA = depth+m, 1, PackedRows
							atA = func(i, p int) int { return i*rowA - i*(i-1)/2 + p }
						case 6:
							rowA, colA, formA = 1, depth+m, PackedColumns
							atA = func(i, p int) int { return i + p*colA - p*(p-1)/2 }
						}
						a := newSpan(m, depth, math.NaN(), atA, everyElement, rnd.NormFloat64)
						b := newSpan(depth, n, math.NaN(), func(p, j int) int { return j/k.NR*panelB + p*rowB + j%k.NR }, everyElement, rnd.NormFloat64)
						for _, store := range []Store{Overwrite, Add, AddPacked} {
							at := func(i, j int) int { return i*ldc + j }
							if store == AddPacked {
								if ldc < 0 {
									continue
								}
								ldc += m
								at = func(i, j int) int { return i*ldc - i*(i-1)/2 + j }
							}
							c := newSpan(m, n, 12345.678, at, everyElement, rnd.NormFloat64)
							f.check(t, func(x [][]float64) {
								k.Gemm(m, n, depth, 1.1, a.in(x[0]), rowA, colA, formA, b.in(x[1]), rowB, panelB, store, c.in(x[2]), ldc)
							}, a.x, b.x, c.x)
						}
					}
				}
			}
		}
	})
}

// Long sums, for which Gemm prefetches: whatever it prefetches, nothing faults.
func TestGuardGemmPrefetch(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		const depth = 150
		rnd := rand.New(rand.NewPCG(32, 1))
		n := 3*k.NR + 1
		f := newFence(t, 3, 1<<14)
		for _, s := range [][2]int{{depth, 1}, {1, k.MR}, {-depth, -1}, {-1, -k.MR}} {
			a := newSpan(k.MR, depth, math.NaN(), func(i, p int) int { return i*s[0] + p*s[1] }, everyElement, rnd.NormFloat64)
			b := newSpan(depth, n, math.NaN(), func(p, j int) int { return p*n + j }, everyElement, rnd.NormFloat64)
			c := newSpan(k.MR, n, 12345.678, func(i, j int) int { return i*n + j }, everyElement, rnd.NormFloat64)
			f.check(t, func(x [][]float64) {
				k.Gemm(k.MR, n, depth, 1.1, a.in(x[0]), s[0], s[1], Even, b.in(x[1]), n, k.NR, Add, c.in(x[2]), n)
			}, a.x, b.x, c.x)
		}
	})
}

// Of the triangle only what is below the diagonal is there, so that the address of its first element
// may be in a page that cannot be touched.
func TestGuardTriangle(t *testing.T) {
	for _, a := range actings {
		t.Run(a.name, func(t *testing.T) {
			available(t, func(t *testing.T, k Kernel) {
				rnd := rand.New(rand.NewPCG(33, 1))
				f := newFence(t, 3, 1<<10)
				corners(k, rnd.NormFloat64, rnd.NormFloat64, func(c corner) {
					f.check(t, func(x [][]float64) {
						var d *float64
						if len(x[2]) > 0 {
							d = &x[2][0]
						}
						a.call(k)(c.m, c.n, c.t.in(x[0]), c.rowT, c.colT, d, c.x.in(x[1]), c.ldx)
					}, c.t.x, c.x.x, c.d)
				})
			})
		})
	}
}

func TestGuardPack(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(34, 1))
		f := newFence(t, 2, 1<<12)
		for m := 1; m <= 27; m++ {
			for n := 1; n <= 35; n++ {
				for gap := range 2 {
					lds, ldd, ldt := n+gap, n+(m+gap)%3, m+(n+gap)%3
					src := newSpan(m, n, math.NaN(), func(i, j int) int { return i*lds + j }, everyElement, rnd.NormFloat64)
					dst := newSpan(m, n, 12345.678, func(i, j int) int { return i*ldd + j }, everyElement, rnd.NormFloat64)
					f.check(t, func(x [][]float64) { k.Copy(m, n, &x[0][0], lds, &x[1][0], ldd) }, src.x, dst.x)
					dst = newSpan(n, m, 12345.678, func(i, j int) int { return i*ldt + j }, everyElement, rnd.NormFloat64)
					f.check(t, func(x [][]float64) { k.Transpose(m, n, &x[0][0], lds, &x[1][0], ldt) }, src.x, dst.x)
				}
			}
		}
	})
}

func TestGuardElementwise(t *testing.T) {
	for _, e := range elementaries {
		t.Run(e.name, func(t *testing.T) {
			available(t, func(t *testing.T, k Kernel) {
				rnd := rand.New(rand.NewPCG(35, 1))
				run := e.kernel(k)
				f := newFence(t, 2, 100)
				for n := range 100 {
					src, dst := between(rnd, -3, 3, n), make([]float64, n)
					f.check(t, func(x [][]float64) { run(x[1], x[0]) }, src, dst)
					f.check(t, func(x [][]float64) { run(x[0], x[0]) }, src)
				}
			})
		})
	}
}

// The loops of Levels 1 and 2, with operands at both edges by turns.
func TestGuardLevel2(t *testing.T) {
	const operands = 6 // in use at once
	var regions []*guard.Region
	for range operands {
		regions = append(regions, guard.New(t, 1<<10))
	}
	available(t, func(t *testing.T, k Kernel) {
		turn := 0
		if guard.Faults(func() {
			level2Exact(t, k, func(n int) [][]float64 {
				r := regions[turn%operands]
				turn++
				return [][]float64{r.Slice(n, guard.First), r.Slice(n, guard.Last)}
			})
		}) {
			t.Fatal("something beside an operand was read or written")
		}
	})
}

// What AbsMax and AddAbs return goes into one more operand, so that it too is compared with that on the
// heap.
func TestGuardSearch(t *testing.T) {
	available(t, func(t *testing.T, k Kernel) {
		rnd := rand.New(rand.NewPCG(36, 1))
		f := newFence(t, 3, 1<<9)
		for n := 1; n <= 300; n++ {
			x, y := between(rnd, -3, 3, n), between(rnd, -3, 3, n)
			f.check(t, func(x [][]float64) {
				at, size := k.AbsMax(n, &x[0][0])
				x[1][0], x[1][1] = float64(at), size
			}, x, make([]float64, 2))
			f.check(t, func(x [][]float64) { x[2][0] = k.AddAbs(n, &x[0][0], &x[1][0]) }, x, y, make([]float64, 1))
		}
	})
}
