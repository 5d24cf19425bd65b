package speed

import "testing"

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		x    []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{5, 1, 2}, 2}, {[]float64{9, 1, 4, 2}, 3}} {
		if got := Median(tc.x); got != tc.want {
			t.Errorf("median of %v is %v; want %v", tc.x, got, tc.want)
		}
	}
}

// TestMedians has a round that is off, for all alike: only ratios within a round leave it out.
func TestMedians(t *testing.T) {
	j := job("ddot", "", 500) // 1000 flops
	l := &lane{threads: 2, peaks: []float64{10, 1, 10}, contenders: []*contender{
		{name: "a", seconds: []float64{1e-6, 1e-5, 2e-6}}, {name: "b", seconds: []float64{2e-6, 2e-5, 3e-6}},
	}}
	r := newResult(j, l, []*lane{l})
	a, b := r.Backends[0], r.Backends[1]
	if r.Peak != 10 || !about(a.Seconds, 2e-6) || !about(b.Seconds, 3e-6) || !about(b.Ratio, 2) || !about(a.OfPeak, 0.1) || !about(b.OfPeak, 0.05) || !about(a.GFLOPS, 0.5) {
		t.Errorf("%+v", r)
	}
}
