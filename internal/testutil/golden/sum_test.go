package golden_test

import (
	"math"
	"testing"

	"blskernel/internal/selftest"
)

// Every NaN has one hash; -0 and 0 have two, and the order counts.
func TestSum(t *testing.T) {
	nan := math.Float64frombits(0xfff8000000000123)
	if selftest.Sum([]float64{1, nan}) != selftest.Sum([]float64{1}, []float64{math.NaN()}) {
		t.Error("two NaN have two hashes, or the cut into slices counts")
	}
	seen := map[uint64]bool{}
	for _, x := range [][]float64{nil, {0}, {math.Copysign(0, -1)}, {1, 2}, {2, 1}, make([]float64, 65), make([]float64, 64)} {
		seen[selftest.Sum(x)] = true
	}
	if len(seen) != 7 {
		t.Errorf("%d hashes of 7 lists of numbers", len(seen))
	}
}

// The numbers are what they have been since the first hashes.
func TestSource(t *testing.T) {
	s := selftest.Source(0)
	if got := s.Uint64(); got != 0xe220a8397b1dcdaf { // as published with the algorithm
		t.Errorf("%#x", got)
	}
	for _, v := range s.Vector(10000) {
		if !(v >= -1 && v < 1) || math.Trunc(v*0x1p52) != v*0x1p52 {
			t.Fatalf("%v", v)
		}
	}
}
