package bls

import (
	"fmt"
	"math"
	"testing"
)

func TestStreamsAreDistinct(t *testing.T) {
	seen := map[float64]string{}
	for _, seed := range []uint64{0, 1, 2, 3, 1 << 40} {
		for _, p := range []purpose{forGroup, forEnhancement} {
			for index := range 100 {
				name := fmt.Sprintf("seed %d, purpose %d, index %d", seed, p, index)
				r := stream(seed, p, index)
				for range 4 {
					v := r.Float64()
					if other, ok := seen[v]; ok {
						t.Fatalf("%s and %s share the number %v", name, other, v)
					}
					seen[v] = name
				}
			}
		}
	}
}

// The mean of m numbers uniform on [-1,1) has standard deviation sqrt(1/(3m)), that of their
// squares, whose mean is 1/3, sqrt(4/(45m)): five of each.
func TestUniform(t *testing.T) {
	const m = 100000
	u := make([]float64, m)
	uniform(stream(1, forGroup, 0), m/10, 10, u, 10)
	var s, ss float64
	for _, v := range u {
		if !(-1 <= v && v < 1) {
			t.Fatalf("%v is out of range", v)
		}
		s += v / m
		ss += v * v / m
	}
	if !(math.Abs(s) <= 5*math.Sqrt(1./(3*m))) || !(math.Abs(ss-1./3) <= 5*math.Sqrt(4./(45*m))) {
		t.Errorf("mean %v, mean square %v", s, ss)
	}
	// The numbers of a seed are a part of what a run can be repeated with.
	if got, want := u[:2], []float64{0.9488887986836434, 0.21552357278391465}; got[0] != want[0] || got[1] != want[1] {
		t.Errorf("the numbers of seed 1 begin %v, want %v", got, want)
	}
}
