package bench

import (
	"testing"
	"time"

	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// TestBenchPrint prints known figures of two backends and of an opponent.
func TestBenchPrint(t *testing.T) {
	m := result.Machine{CPU: "Some CPU", Go: "go1", Kernel: "avx512", Backends: []string{"pure", "pure/avx2"}, OpenBLAS: "OpenBLAS 0", Beside: 2}
	got := benchHead(m, &speed.Comparison{Rounds: 9, MinTime: 2 * time.Millisecond})
	testutil.Contains(t, got, "cpu        Some CPU\nkernel     avx512\nbackends   pure, pure/avx2\nopenblas   OpenBLAS 0\n",
		"\ngo         go1, GOMAXPROCS 0\nmedians    over 9 rounds, each timing at least 2ms\nbeside     2 busy processes\n",
		"\n\noperation         case n      threads  backend                    GFLOP/s  of peak    ratio\n")
	got = benchLines(speed.Result{Op: "dgemm", Args: "TN", N: 100, Threads: 1, Backends: []speed.Timing{
		{Backend: "pure", GFLOPS: 57.31, OfPeak: 0.976}, {Backend: "pure/avx2", GFLOPS: 50, OfPeak: 0.85, Ratio: 1.1462},
	}}) + benchLines(speed.Result{Op: "cholesky-inverse", N: 9, Backends: []speed.Timing{
		{Backend: "pure", GFLOPS: 40, OfPeak: 0.8}, {Backend: "openblas/dpotrf+dpotri", GFLOPS: 20, OfPeak: 0.4, Ratio: 2},
	}})
	want := `dgemm             TN   100    1        pure                         57.31    0.976        -
dgemm             TN   100    1        pure/avx2                    50.00    0.850    1.146
cholesky-inverse  -    9      default  pure                         40.00    0.800        -
cholesky-inverse  -    9      default  openblas/dpotrf+dpotri       20.00    0.400    2.000
`
	if got != want {
		t.Errorf("%s; want\n%s", got, want)
	}
}

// TestBenchJobs counts the jobs instead of measuring them.
func TestBenchJobs(t *testing.T) {
	for _, tc := range []struct {
		set  *benchFlags
		want int
	}{
		{&benchFlags{ops: []string{"dgemm"}, sizes: speed.Sizes()}, 4 * 17},
		{&benchFlags{ops: []string{"dtrsm"}, cases: []string{"LUN"}, sizes: []int{3, 5}}, 2},
		{&benchFlags{ops: []string{"all"}, cases: []string{"N", "LL"}, sizes: []int{3}}, 25},
		{&benchFlags{ops: []string{"mat.QR", "all", "dgemm"}, cases: []string{"N", "LL"}, sizes: []int{3}}, 26},
	} {
		tc.set.MinTime = time.Second
		err := tc.set.prepare(func(flag string) bool { return flag == "case" && tc.set.cases != nil })
		if err != nil || len(tc.set.Jobs) != tc.want || len(tc.set.Threads) != 2 {
			t.Errorf("%v: %+v, %v; want %d jobs", tc.set.ops, tc.set.Jobs, err, tc.want)
		}
	}
}
