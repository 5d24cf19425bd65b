package gemm

import (
	"testing"

	"blskernel/internal/testutil/guard"
)

// fences are the regions that hold the operands of a call: a, b, c, d and the bias.
type fences [5]*guard.Region

func newFences(t testing.TB, n int) (f fences) {
	for i := range f {
		f[i] = guard.New(t, n)
	}
	return f
}

// call calls the routine with all its operands at an edge of a region, each exactly as long as the BLAS
// requires.
func (f fences) call(t *testing.T, p *problem, edge guard.Edge) {
	t.Helper()
	for i, x := range []*[]float64{&p.a.x, &p.b.x, &p.c.x, &p.d, &p.bias} {
		if *x != nil {
			*x = f[i].Copy(*x, edge)
		}
	}
	if guard.Faults(p.call) {
		t.Fatalf("%v, operands %v, blocks %+v: memory outside them was touched", p, edge, active.blocks)
	}
	for _, o := range []*store{&p.a, &p.b, &p.c} {
		copy(o.all[margin:], o.x)
		o.x = o.all[margin : margin+len(o.x)]
	}
}
