package gemm

import (
	"slices"
	"strings"
	"testing"

	"blskernel/internal/block"
	"blskernel/internal/testutil"
)

// Results do not depend on what is packed, on any kernel.
func TestPackingBits(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		base := *New(active.kernel)
		base.blocks.KC = 24
		for i, j := range jobs(t) {
			if few() && i%5 != 0 {
				continue
			}
			var want []float64
			for _, how := range []packing{auto, always, never} {
				e := base
				e.packing = how
				use(t, &e)
				if got := j.again(); want == nil {
					want = slices.Clone(got)
				} else if !identical(got, want) {
					t.Errorf("%s: other bits where packing is %s", j.name, packings[how])
				}
			}
		}
	})
}

func TestParsePacking(t *testing.T) {
	for name, want := range map[string]packing{"": auto, "auto": auto, "always": always, "never": never} {
		if got, err := parsePacking(name); got != want || err != nil {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if _, err := parsePacking("all"); err == nil || !strings.Contains(err.Error(), EnvPacking+"=all") {
		t.Errorf("a wrong value: %v", err)
	}
	testutil.NoError(t, CheckEnv())
}

// A transposed A is packed where the copy costs less than reading it in place, for each distance of its
// rows.
func TestDirectA(t *testing.T) {
	e := *New(active.kernel)
	e.costs = &costs{}
	e.costs.once.Do(func() {
		e.costs.accessCosts = accessCosts{copy: 3, inPlace: [...]accessCost{{0, 0.5}, {1, 1}, {5, 0}}}
	})
	tile := e.kernel.NR
	for _, test := range []struct {
		ld, n  int
		direct bool
	}{
		{512 + line/8, 6 * tile, true}, {512 + line/8, 7 * tile, false}, // in another page, aligned
		{1024 + line/8, 6 * tile, true}, {1024 + line/8, 7 * tile, false},
		{256 + line/8, 6 * tile, true}, {256 + line/8, 12 * tile, false}, // two rows in a page cost half
		{521, 2 * tile, true}, {521, 3 * tile, false}, // not aligned
		{512, tile, false}, {1024, tile, false}, // in the same set
		{64, 7 * tile, true}, // eight rows in a page
	} {
		e.blocks.NC = test.n
		for _, how := range []packing{auto, always, never} {
			e.packing = how
			p := product{engine: &e, m: 1 << 20, n: test.n, k: 1 << 20, a: left(true, block.Dense(nil, test.ld))}
			want := how == never || how == auto && test.direct
			if p.directA() != want {
				t.Errorf("rows %d apart, %d columns, %s: in place is %v, want %v", test.ld, test.n, packings[how], !want, want)
			}
			p.a = left(false, block.Dense(nil, test.ld))
			if p.directA() != (how != always) {
				t.Errorf("A is not transposed, %s: in place is %v", packings[how], how == always)
			}
		}
	}
	small := product{engine: &e, m: 100, n: 100, k: 100, a: left(true, block.Dense(nil, 512))}
	if e.packing = auto; !small.directA() {
		t.Error("A of a small product is packed")
	}
}

// The costs are measured for the first product that is large, and shown.
func TestMeasureCosts(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		e := New(active.kernel)
		if how := e.Packing(); !strings.HasPrefix(how, "auto; transposed A") {
			t.Errorf("Packing() = %q", how)
		}
		if c := e.costs.get(e); !(c.copy > 0) {
			t.Errorf("a copy costs %v", c.copy)
		}
		e.packing = always
		if how := e.Packing(); how != "always" {
			t.Errorf("Packing() = %q", how)
		}
	})
}
