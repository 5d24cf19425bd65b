package speed

import (
	"reflect"
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
	l := &lane{threads: 2, peaks: []float64{10, 1, 10}, contenders: []*contender{
		{name: "a", seconds: []float64{1e-6, 1e-5, 2e-6}}, {name: "b", seconds: []float64{2e-6, 2e-5, 3e-6}},
	}}
	r := newResult(j, l, []*lane{l})
	a, b := r.Backends[0], r.Backends[1]
	if r.Peak != 10 || !about(a.Seconds, 2e-6) || !about(b.Seconds, 3e-6) || !about(b.Ratio, 2) || !about(a.OfPeak, 0.1) || !about(b.OfPeak, 0.05) || !about(a.GFLOPS, 0.5) {
		t.Errorf("%+v", r)
	}
}

// results are three cells, the second of which is small, with one thread and the default.
func results() []Result {
	cell := func(args string, n, threads int, a, b, ofPeak, overOne float64) Result {
		return Result{Op: "dgemm", Args: args, M: n, N: n, K: n, Threads: threads, Backends: []Timing{
			{Backend: "a", GFLOPS: a, OfPeak: ofPeak, OverOne: overOne}, {Backend: "b", GFLOPS: b, OfPeak: ofPeak / 2, Ratio: a / b},
		}}
	}
	return []Result{
		cell("NN", 1000, 1, 10, 5, 0.5, 0), cell("NN", 1000, 0, 20, 20, 0.25, 2),
		cell("NN", 8, 1, 1, 2, 0.01, 0), cell("NN", 8, 0, 1, 4, 0.01, 0.5),
		cell("NT", 2000, 1, 40, 40, 0.875, 0), cell("NT", 2000, 0, 20, 80, 0.125, 1),
	}
}

func TestRatios(t *testing.T) {
	other := Result{Op: "ddot", M: 9, N: 9, K: 9, Threads: 1, Backends: []Timing{{Backend: "a"}, {Backend: "b", Ratio: 3}}}
	got := Ratios(append(results(), other))
	want := []Ratio{
		{"dgemm", "NN", 1, "a", "b", 2, 1, 0.5, "NN 8"},
		{"dgemm", "NN", 0, "a", OneThread, 2, 1, 0.5, "NN 8"},
		{"dgemm", "NN", 0, "a", "b", 2, 0.5, 0.25, "NN 8"},
		{"dgemm", "NT", 1, "a", "b", 1, 1, 1, "NT 2000"},
		{"dgemm", "NT", 0, "a", OneThread, 1, 1, 1, "NT 2000"},
		{"dgemm", "NT", 0, "a", "b", 1, 0.25, 0.25, "NT 2000"},
		{"dgemm", "", 1, "a", "b", 3, 1, 0.5, "NN 8"},
		{"dgemm", "", 0, "a", OneThread, 3, 1, 0.5, "NN 8"},
		{"dgemm", "", 0, "a", "b", 3, 0.39685026299204984, 0.25, "NN 8"}, // the cube root of 1/16
		{"ddot", "", 1, "a", "b", 1, 3, 3, "9"},
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

func TestShares(t *testing.T) {
	cells := results()
	for i := range cells {
		cells[i].Backends[0].Memory = []float64{1.5, 1.25, 9, 9, 1.125, 1.75}[i]
	}
	want := []Share{
		{"dgemm", "NN", 1, "a", []string{"1000", "8"}, []float64{0.5, 0.01}, 1.5},
		{"dgemm", "NN", 1, "b", []string{"1000", "8"}, []float64{0.25, 0.005}, 0},
		{"dgemm", "NN", 0, "a", []string{"1000", "8"}, []float64{0.25, 0.01}, 1.25},
		{"dgemm", "NN", 0, "b", []string{"1000", "8"}, []float64{0.125, 0.005}, 0},
		{"dgemm", "NT", 1, "a", []string{"2000"}, []float64{0.875}, 1.125},
		{"dgemm", "NT", 1, "b", []string{"2000"}, []float64{0.4375}, 0},
		{"dgemm", "NT", 0, "a", []string{"2000"}, []float64{0.125}, 1.75},
		{"dgemm", "NT", 0, "b", []string{"2000"}, []float64{0.0625}, 0},
	}
	if got := Shares(cells); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
}
