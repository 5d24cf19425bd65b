package lapack

import (
	"math"
	"slices"
	"testing"

	"blskernel/internal/block"
	"blskernel/internal/testutil"
)

// A splitting is Products that split all rows as far as can be, and take the last first.
type splitting struct{ block.Products }

func (s splitting) BlockRows(rows, _ int, do func(from, to int)) {
	for i := rows - 1; i >= 0; i-- {
		do(i, i+1)
	}
}

// The parts of a factorization and of an inverse that threads may share do not depend on each other: no
// bit changes if they come one by one and backwards. The order makes several parts of a column.
func TestSytrfParts(t *testing.T) {
	const n = 2*columnPart + 77
	rng := testutil.Rand(21)
	a := make([]float64, block.PackedLen(n))
	for i := range a {
		a[i] = rng.NormFloat64()
	}
	run := func(bk Backend) (all []float64, swap []int) {
		x := slices.Clone(a)
		u := block.Packed(n, x, 0, 0)
		d, swap, bad := Sytrf(bk, PanelColumns(n), n, u)
		if bad != nil {
			t.Fatalf("pivot %v", bad)
		}
		all = slices.Concat(x, d.D, d.E)
		Sytri(bk, Base, n, u, &d, swap)
		return append(all, x...), swap
	}
	bk := On(nil)
	want, exchanges := run(bk)
	far := 0
	for k, s := range exchanges {
		if s-k > columnPart {
			far++
		}
	}
	if far == 0 {
		t.Fatal("no pivot comes from another part")
	}
	got, swap := run(Backend{bk.Backend, splitting{bk.Products}})
	if !slices.Equal(swap, exchanges) {
		t.Error("the pivots differ")
	}
	for i, w := range want {
		if math.Float64bits(got[i]) != math.Float64bits(w) {
			t.Fatalf("element %d is %v, and %v in one part", i, got[i], w)
		}
	}
}
