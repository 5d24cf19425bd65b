package speed

import (
	"slices"
	"testing"
)

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
	j := job("ddot", "", Square(500)) // 1000 flops
	r := newResult(j, 2, []*contender{{name: "a", seconds: []float64{1e-6, 1e-5, 2e-6}}, {name: "b", seconds: []float64{2e-6, 2e-5, 3e-6}}}, []float64{10, 1, 10})
	a, b := r.Backends[0], r.Backends[1]
	if r.Peak != 10 || !about(a.Seconds, 2e-6) || !about(b.Seconds, 3e-6) || !about(b.Ratio, 2) || !about(a.OfPeak, 0.1) || !about(b.OfPeak, 0.05) || !about(a.GFLOPS, 0.5) {
		t.Errorf("%+v", r)
	}
}

// results are three cells, the second of which is small, with one thread and two.
func results() []Result {
	cell := func(args string, n, threads int, a, b, ofPeak float64) Result {
		return Result{Op: "dgemm", Args: args, M: n, N: n, K: n, Threads: threads, Backends: []Timing{
			{Backend: "a", GFLOPS: a, OfPeak: ofPeak}, {Backend: "b", GFLOPS: b, OfPeak: ofPeak / 2, Ratio: a / b},
		}}
	}
	return []Result{
		cell("NN", 1000, 1, 10, 5, 0.5), cell("NN", 1000, 2, 20, 20, 0.25),
		cell("NN", 8, 1, 1, 2, 0.01), cell("NN", 8, 2, 1, 4, 0.01),
		cell("NT", 2000, 1, 40, 40, 0.875), cell("NT", 2000, 2, 20, 80, 0.125),
	}
}

func TestRatios(t *testing.T) {
	got := Ratios(results())
	want := []Ratio{
		{"dgemm", 1, "a", "b", 3, 1, 0.5, "NN 8"},
		{"dgemm", 2, "a", "b", 3, 0.39685026299204984, 0.25, "NN 8"}, // the cube root of 1/16
	}
	for i := range got {
		if i < len(want) && about(got[i].Mean, want[i].Mean) {
			got[i].Mean = want[i].Mean
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
	if Ratios(nil) != nil {
		t.Error("ratios of nothing")
	}
}

func TestLarges(t *testing.T) {
	cells := results()
	for i := range cells {
		cells[i].Backends[0].Memory = []float64{1.5, 1.25, 9, 9, 1.125, 1.75}[i]
	}
	want := []Large{
		{"dgemm", 1, "a", 2, 0.5, "NN 1000", 1.5},
		{"dgemm", 1, "b", 2, 0.25, "NN 1000", 0},
		{"dgemm", 2, "a", 2, 0.125, "NT 2000", 1.75},
		{"dgemm", 2, "b", 2, 0.0625, "NT 2000", 0},
	}
	if got := Larges(cells); !slices.Equal(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
}
