package gemm

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil/guard"
)

// fences are the regions in which the operands of a call are put: a, b, c, d and the bias.
type fences [5]*guard.Region

func newFences(t testing.TB, n int) (f fences) {
	for i := range f {
		f[i] = guard.New(t, n)
	}
	return f
}

// call calls the routine with all its operands, each as long as the BLAS wants it and no longer, at an
// edge of a region.
func (f fences) call(t *testing.T, p *problem, edge guard.Edge) {
	t.Helper()
	for i, x := range []*[]float64{&p.a.x, &p.b.x, &p.c.x, &p.d, &p.bias} {
		if *x != nil {
			*x = f[i].Copy(*x, edge)
		}
	}
	if guard.Faults(p.call) {
		t.Fatalf("%v, operands %v, blocks %+v: something beside them was touched", p, edge, active.blocks)
	}
	for _, o := range []*store{&p.a, &p.b, &p.c} {
		copy(o.all[margin:], o.x)
		o.x = o.all[margin : margin+len(o.x)]
	}
}

// Operands that are much longer than blocks, with the block sizes of this machine: B is packed, and A
// is prefetched past its end.
func TestGuardProductsLong(t *testing.T) {
	setThreads(t, 1)
	n := active.kernel.NR + 1
	m, k := (fewUses+1)*active.kernel.MR+1, active.blocks.KC+1
	long := active.blocks.NC + n
	f := newFences(t, max(m, k, long)*(long+4)) // C of Dgemmt is square
	for _, r := range routines() {
		if !strings.HasPrefix(r.name, "Dgemm") {
			continue
		}
		for _, s := range [][3]int{{m, n, k}, {m, long, k}, {m, long, 9}} {
			rnd := rand.New(rand.NewPCG(42, 1))
			p := r.build(rnd, s[0], s[1], s[2], 0.7, -1.3)
			p.fill(rnd)
			before := slices.Clone(p.c.all)
			p.call()
			want := slices.Clone(p.c.all)
			for _, edge := range guard.Edges {
				copy(p.c.all, before)
				f.call(t, p, edge)
				if !identical(p.c.all, want) {
					t.Errorf("%s: %v, operands %v: other bits than on the heap", r.name, p, edge)
				}
			}
		}
	}
}
