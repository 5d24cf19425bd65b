package speed

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// orders are sizes at which the operations differ, and the smallest size.
var orders = []int{1, 2, 7, 33, 64}

func eachCase(t *testing.T, f func(t *testing.T, c Case)) {
	for _, op := range Operations() {
		for _, c := range Cases(op) {
			t.Run(strings.ReplaceAll(c.String(), " ", "/case="), func(t *testing.T) { f(t, c) })
		}
	}
}

// TestCheck computes every case on every backend, twice in a row, since check must start anew. All
// agree with the first backend, gonum. A call that does nothing does not pass with the previous result.
func TestCheck(t *testing.T) {
	eachCase(t, func(t *testing.T, c Case) {
		var p *Problem
		for _, s := range orders {
			p = c.Prepare(s, 3)
			for _, b := range append(usable(), usable()...) {
				testutil.NoError(t, p.check(b, p.Bind(b)))
			}
			if p.by != "gonum" {
				t.Errorf("%v: the first is %s", s, p.by)
			}
		}
		err := p.check(&fake{name: "idle"}, func() {})
		if !errors.Is(err, ErrDiffer) || !strings.HasPrefix(err.Error(), "speed: idle and gonum in "+c.String()+" of order 64: ") {
			t.Errorf("a backend that does nothing: %v", err)
		}
	})
}

// TestCheckElement spoils one element of a product at a time.
func TestCheckElement(t *testing.T) {
	c, _ := Find("dgemm", "TN")
	p := c.Prepare(11, 5)
	check := func(wrong func(c []float64)) error {
		b := &fake{name: "spoilt", wrong: wrong}
		return p.check(b, p.Bind(b))
	}
	testutil.NoError(t, check(nil))
	for i := range 11 * 11 {
		for _, by := range []float64{1e-4, -1e-4, math.NaN(), math.Inf(1)} {
			if err := check(func(c []float64) { c[i] += by }); !errors.Is(err, ErrDiffer) {
				t.Errorf("element %d is wrong by %v: %v", i, by, err)
			}
		}
	}
}

// TestInPlace repeats each operation that overwrites its operand as often as a Reset allows. No element
// becomes so large or small that the time depends on it. (One element may be small by chance, so the
// lower bound is the smallest normal number.)
func TestInPlace(t *testing.T) {
	eachCase(t, func(t *testing.T, c Case) {
		p := c.Prepare(12, 7)
		if p.maxBatch == maxCalls || p.compared != nil {
			return // decompositions leave zeros in A
		}
		call := p.Bind(&fake{name: "gonum"})
		for round := range 2 {
			p.Reset()
			for range p.maxBatch + 1 {
				call()
			}
			for i, v := range p.out {
				if !(math.Abs(v) >= 0x1p-1022 && math.Abs(v) <= 1e120) {
					t.Fatalf("round %d: element %d is %v after %d calls", round, i, v, p.maxBatch+1)
				}
			}
		}
	})
}

// TestPrepare tests seeds and sizes on the default backend.
func TestPrepare(t *testing.T) {
	c, _ := Find("dsymm", "RU")
	a, b, other := c.Prepare(5, 1), c.Prepare(5, 1), c.Prepare(5, 2)
	for _, p := range []*Problem{a, b, other} {
		p.Bind(nil)()
		testutil.NoError(t, p.Err())
	}
	if !slices.Equal(a.out, b.out) || slices.Equal(a.out, other.out) {
		t.Errorf("seed 1: %v and %v; seed 2: %v", a.out, b.out, other.out)
	}
	testutil.MustPanic(t, "speed: the order is less than 1", func() { c.Prepare(0, 1) })
}

func TestFlops(t *testing.T) {
	for _, tc := range []struct {
		op   string
		want float64
	}{
		{"dgemm", 250}, {"dsyrk", 125}, {"dsyr2k", 250}, {"dsymm", 250}, {"dtrmm", 125}, {"dtrsm", 125}, {"dgemmtp", 125}, {"dsprk", 125},
		{"dspmm", 250}, {"dgemv", 50}, {"dger", 50}, {"dsymv", 50}, {"dspmv", 50}, {"dsyr", 25}, {"dspr", 25}, {"ddot", 10}, {"daxpy", 10},
		{"cholesky-inverse", 125}, {"ldlt-inverse", 125}, {"lu-inverse", 250}, {"lu-solve", 250},
		{"qr", 500.0 / 3}, {"eigensym", 1125}, {"svd", 2750}, {"eigen", 3125},
	} {
		if c := Cases(tc.op)[0]; math.Abs(c.Flops(5)-tc.want) > 1e-12*tc.want {
			t.Errorf("%s: %v flops; want %v", tc.op, c.Flops(5), tc.want)
		}
	}
	if _, ok := Find("dgemm", "XX"); ok || Cases("nonsense") != nil {
		t.Error("there is what there should not be")
	}
}
