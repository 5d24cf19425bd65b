package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/cpu"
	"blskernel/internal/kernel"
	"blskernel/internal/testutil/guard"
)

// engines calls f with each kernel that this machine can run, and for each of them with engines that go
// different ways: the one that is used, one with blocks of a few tiles, one with these blocks that
// reads B where it lies if it can, and one with diagonal blocks of more rows than are applied in place.
func engines(t *testing.T, f func(t *testing.T)) {
	for _, name := range kernel.Names() {
		k, err := kernel.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		tiny := blockSizes{MC: 3 * k.MR, KC: 8, NC: 2 * k.NR}
		for _, e := range []struct {
			name string
			*Engine
		}{
			{"own", New(k)},
			{"tiny", &Engine{kernel: k, blocks: tiny}},
			{"unpacked", &Engine{kernel: k, blocks: tiny, caches: cpu.Caches{L2: math.MaxInt}}},
			{"diagonal", &Engine{kernel: k, blocks: blockSizes{MC: 3 * k.MR, KC: 2 * (fewRows + 2*k.MR), NC: 2 * k.NR}}},
		} {
			t.Run(fmt.Sprintf("kernel=%s/blocks=%s", name, e.name), func(t *testing.T) {
				use(t, e.Engine)
				f(t)
			})
		}
	}
}

// fences are the regions in which the operands of a call are put: a, b, c, d and the bias.
type fences [5]*guard.Region

func newFences(t *testing.T, n int) (f fences) {
	for i := range f {
		f[i] = guard.New(t, n)
	}
	return f
}

// check makes a call with all its operands, each as long as the BLAS wants it and no longer, at either
// edge of a region, and compares the results with those of the same call on the heap.
func (f fences) check(t *testing.T, what fmt.Stringer, call func(), operands ...*[]float64) {
	t.Helper()
	var before, want [][]float64
	for _, x := range operands {
		before = append(before, slices.Clone(*x))
	}
	call()
	for _, x := range operands {
		want = append(want, slices.Clone(*x))
	}
	for _, at := range guard.Edges {
		for i, x := range operands {
			*x = f[i].Copy(before[i], at)
		}
		if guard.Faults(call) {
			t.Fatalf("%v, operands %v: something beside them was read or written", what, at)
		}
		for i, x := range operands {
			if !identical(*x, want[i]) {
				t.Fatalf("%v, operands %v: operand %d is not what it is on the heap", what, at, i)
			}
		}
	}
}

func TestGuardProducts(t *testing.T) {
	setThreads(t, 1)
	f := newFences(t, 1<<16)
	engines(t, func(t *testing.T) {
		mr, nr := active.kernel.MR, active.kernel.NR
		lengths := []int{0, 1, 2, mr - 1, mr, mr + 1, 8, 9, 3*mr + 1, 4*mr + 1, nr - 1, nr, nr + 1, 2*nr - 1, 2*nr + 1}
		for _, r := range routines() {
			t.Run(r.name, func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(41, 1))
				length := func() int { return lengths[rnd.IntN(len(lengths))] }
				for range 60 {
					ab := scalars[rnd.IntN(len(scalars))]
					p := r.build(rnd, length(), length(), length(), ab[0], ab[1])
					p.fill(rnd)
					f.check(t, p, p.call, &p.a.x, &p.b.x, &p.c.x, &p.d, &p.bias)
				}
			})
		}
	})
}

// Operands that are much longer than blocks, with the block sizes of this machine: B is packed, and A
// is prefetched past its end.
func TestGuardProductsLong(t *testing.T) {
	setThreads(t, 1)
	n := active.kernel.NR + 1
	m, k := (fewPanels+1)*active.kernel.MR+1, active.blocks.KC+1
	long := active.blocks.NC + n
	buffer := max(m, k, long) * (long + 4) // C of Dgemmt is square
	f := newFences(t, buffer)
	for _, r := range routines() {
		if r.name[:5] != "Dgemm" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(42, 1))
			for _, shape := range [][3]int{{m, n, k}, {m, long, k}, {m, long, 9}} {
				p := r.build(rnd, shape[0], min(shape[1], long), shape[2], 0.7, -1.3)
				if len(p.c.x) > buffer {
					t.Fatalf("no buffer for %v", p)
				}
				p.fill(rnd)
				f.check(t, p, p.call, &p.a.x, &p.b.x, &p.c.x, &p.d, &p.bias)
			}
		})
	}
}

func TestGuardTriangular(t *testing.T) {
	setThreads(t, 1)
	f := newFences(t, 1<<16)
	engines(t, func(t *testing.T) {
		eachTriangular(t, func(t *testing.T, p *triangularProblem) {
			a, b := p.a.x, slices.Clone(p.b.x)
			f.check(t, p, func() {
				active.Dtrsm(p.side, p.ul, p.t, p.d, p.m, p.n, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld)
			}, &p.a.x, &p.b.x)
			p.a.x, p.b.x = a, b
			f.check(t, p, func() {
				active.Dtrmm(p.side, p.ul, p.t, p.d, p.m, p.n, p.alpha, p.a.x, p.a.ld, p.b.x, p.b.ld)
			}, &p.a.x, &p.b.x)
		})
	})
}
