package speed

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// shapes are sizes about which the operations differ, and those of the smallest problem.
var shapes = []Shape{Square(1), Square(2), Square(33), {7, 40, 21}, {40, 7, 3}, {21, 1, 40}, {1, 64, 1}}

func eachCase(t *testing.T, f func(t *testing.T, c Case)) {
	for _, op := range Operations() {
		for _, c := range Cases(op) {
			t.Run(strings.ReplaceAll(c.String(), " ", "/case="), func(t *testing.T) { f(t, c) })
		}
	}
}

// TestCheck computes every case on every backend, twice in a row to see that Check starts anew.
func TestCheck(t *testing.T) {
	eachCase(t, func(t *testing.T, c Case) {
		for _, s := range shapes {
			p := c.Prepare(s, 3)
			for _, b := range append(usable(), usable()...) {
				if err := p.Check(b); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestCheckIdle has a call that does nothing after one of another backend: the result of that is gone.
func TestCheckIdle(t *testing.T) {
	eachCase(t, func(t *testing.T, c Case) {
		p := c.Prepare(Square(20), 3)
		testutil.NoError(t, p.Check(&fake{name: "gonum"}))
		_, err := p.check(&fake{name: "idle"}, func() {})
		var wrong *WrongError
		if !errors.As(err, &wrong) || wrong.Backend != "idle" || wrong.Case.String() != c.String() {
			t.Errorf("a backend that does nothing: %v", err)
		}
	})
}

// TestCheckElement spoils one element of a product after another. The bound is γ_N·mnk/2, far below the
// 10⁻⁶ by which they are wrong.
func TestCheckElement(t *testing.T) {
	c, _ := Find("dgemm", "TN")
	p := c.Prepare(Shape{9, 14, 30}, 5)
	for i := range 9 * 14 {
		for _, by := range []float64{1e-6, -1e-6, math.NaN(), math.Inf(1)} {
			err := p.Check(&fake{name: "spoilt", wrong: func(c []float64) { c[i] += by }})
			var wrong *WrongError
			if !errors.As(err, &wrong) || wrong.Row != i/14 {
				t.Errorf("element %d is wrong by %v: %v", i, by, err)
			}
		}
	}
	err := p.Check(&fake{name: "spoilt", wrong: func(c []float64) { c[15] += 1 }})
	if err == nil || !strings.HasPrefix(err.Error(), `speed: backend "spoilt" computes dgemm TN 9x14x30 wrong: row 1 adds up to `) {
		t.Errorf("message %q", err)
	}
}

// TestInPlace repeats what overwrites its operand as often as it ever is without a Reset: no element
// becomes so large or so small that the time depends on it. (One element may be small by chance, so the
// bound from below is the smallest normal number.)
func TestInPlace(t *testing.T) {
	eachCase(t, func(t *testing.T, c Case) {
		p := c.Prepare(Square(12), 7)
		if p.Most() == mostCalls {
			return
		}
		call := p.Bind(&fake{name: "gonum"})
		for round := range 2 {
			p.Reset()
			for range p.Most() + 1 {
				call()
			}
			for i, v := range p.result(p.t) {
				if !(math.Abs(v) >= 0x1p-1022 && math.Abs(v) <= 1e120) {
					t.Fatalf("round %d: row %d adds up to %v after %d calls", round, i, v, p.Most()+1)
				}
			}
		}
	})
}

// TestPrepare is about seeds and sizes.
func TestPrepare(t *testing.T) {
	c, _ := Find("dsymm", "RU")
	a, b, other := c.Prepare(Square(5), 1), c.Prepare(Square(5), 1), c.Prepare(Square(5), 2)
	if fmt.Sprint(a.want, a.t) != fmt.Sprint(b.want, b.t) || fmt.Sprint(a.want) == fmt.Sprint(other.want) {
		t.Errorf("seed 1: %v and %v; seed 2: %v", a.want, b.want, other.want)
	}
	testutil.MustPanic(t, "speed: a size of the shape is less than 1", func() { c.Prepare(Shape{3, 0, 3}, 1) })
}

func TestFlops(t *testing.T) {
	s := Shape{3, 5, 7}
	for _, tc := range []struct {
		op, args string
		want     float64
	}{
		{"dgemm", "TT", 2 * 3 * 5 * 7}, {"dsyrk", "LT", 5 * 5 * 7}, {"dsyr2k", "UN", 2 * 5 * 5 * 7},
		{"dsymm", "LU", 2 * 3 * 3 * 5}, {"dsymm", "RL", 2 * 3 * 5 * 5},
		{"dtrmm", "LUT", 3 * 3 * 5}, {"dtrsm", "RLN", 3 * 5 * 5},
		{"dgemmtp", "NT", 5 * 5 * 7}, {"dsprk", "T", 5 * 5 * 7}, {"dspmm", "L", 2 * 3 * 3 * 5}, {"dspmm", "R", 2 * 3 * 5 * 5},
		{"dgemv", "T", 2 * 3 * 5}, {"dger", "", 2 * 3 * 5},
		{"dsymv", "U", 2 * 5 * 5}, {"dspmv", "L", 2 * 5 * 5}, {"dsyr", "U", 5 * 5}, {"dspr", "L", 5 * 5},
		{"ddot", "", 2 * 5}, {"daxpy", "", 2 * 5},
		{"cholesky-inverse", "", 5 * 5 * 5}, {"ldlt-inverse", "", 5 * 5 * 5}, {"lu-inverse", "", 2 * 5 * 5 * 5}, {"lu-solve", "", 2 * 3 * 3 * 5},
	} {
		c, ok := Find(tc.op, tc.args)
		if !ok || c.Flops(s) != tc.want {
			t.Errorf("%s %s: %v, %v flops; want %v", tc.op, tc.args, ok, c.Flops(s), tc.want)
		}
	}
	if _, ok := Find("dgemm", "XX"); ok || Cases("nonsense") != nil {
		t.Error("there is what there should not be")
	}
}

func TestShapes(t *testing.T) {
	for _, tc := range []struct {
		s     Shape
		name  string
		large bool
	}{{Square(8), "8", false}, {Square(1000), "1000", true}, {Shape{1100, 10, 10000}, "1100x10x10000", false}, {Shape{1100, 10000, 5000}, "1100x10000x5000", true}} {
		if tc.s.String() != tc.name || tc.s.Large() != tc.large {
			t.Errorf("%v is large: %v; want %s, %v", tc.s, tc.s.Large(), tc.name, tc.large)
		}
	}
	for _, op := range Operations() {
		for _, s := range BLS(op) {
			if min(s.M, s.N, s.K) < 1 {
				t.Errorf("%s: %v", op, s)
			}
		}
	}
}

// TestNilBackend runs on the default one.
func TestNilBackend(t *testing.T) {
	c, _ := Find("ddot", "")
	p := c.Prepare(Square(3), 1)
	testutil.NoError(t, p.Check(nil))
	p.Bind(nil)()
}
