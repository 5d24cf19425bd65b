package ldlt

import (
	"math"
	"slices"
	"testing"

	"blskernel/internal/linalg/block"
	"blskernel/internal/linalg/factor"
	"blskernel/internal/linalg/workers"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
)

// A splitting is a block.Ops whose BlockRows takes rows one by one, the last first. factor.Rows calls
// it only for work that is worth sharing.
type splitting struct{ block.Ops }

func (s splitting) BlockRows(rows, _ int, do func(from, to int)) {
	for i := rows - 1; i >= 0; i-- {
		do(i, i+1)
	}
}

// TestSytrfParts checks the inverse, and that the parts of Sytrf and Sytri that threads may share,
// several per column, are independent: no bit changes if they run one by one and backwards.
func TestSytrfParts(t *testing.T) {
	const n = 2*columnPart + 377
	rng := testutil.Rand(21)
	a := make([]float64, block.PackedLen(n))
	for i := range a {
		a[i] = rng.NormFloat64()
	}
	run := func(bk factor.Backend) (all []float64, swap []int) {
		x := slices.Clone(a)
		u := block.Packed(n, x, 0, 0)
		d, swap, bad := Sytrf(bk, PanelColumns(n), n, u)
		if bad != nil {
			t.Fatalf("pivot %v", bad)
		}
		all = slices.Concat(x, d.D, d.E)
		Sytri(bk, factor.Base, n, u, &d, swap)
		return append(all, x...), swap
	}
	bk := factor.On(nil)
	want, exchanges := run(bk)
	far := 0
	for k, s := range exchanges {
		if s-k > columnPart && workers.Worth(s-k-1, quickSuccession*elementTime) {
			far++
		}
	}
	if far == 0 {
		t.Fatal("no exchange with another part is long enough to share")
	}
	got, swap := run(factor.Backend{Backend: bk.Backend, Ops: splitting{bk.Ops}})
	if !slices.Equal(swap, exchanges) {
		t.Error("the pivots differ")
	}
	// A (A⁻¹ v) = v, within the limit of the other tests of inverses.
	v, y, back := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	inverse := want[len(want)-len(a):]
	bk.Dspmv(blas.Upper, n, 1, inverse, v, 1, 0, y, 1)
	bk.Dspmv(blas.Upper, n, 1, a, y, 1, 0, back, 1)
	limit := 30 * n * 0x1p-52 * bk.Dnrm2(len(a), a, 1) * bk.Dnrm2(n, y, 1)
	for i := range v {
		if !(math.Abs(back[i]-v[i]) <= limit) {
			t.Fatalf("element %d of A A⁻¹ v is %v, not %v", i, back[i], v[i])
		}
	}
	for i, w := range want {
		if math.Float64bits(got[i]) != math.Float64bits(w) {
			t.Fatalf("element %d is %v, and %v in one part", i, got[i], w)
		}
	}
}
