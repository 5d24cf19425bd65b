package experiment

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// TestBenchPrint prints figures that are known: of three backends, of other columns, and memory.
func TestBenchPrint(t *testing.T) {
	var out bytes.Buffer
	table := &speedTable{w: &out, width: len("cholesky-inverse")}
	const library = "openblas/dpotrf+dpotri"
	results := []speed.Result{
		{Op: "dgemm", Args: "TN", M: 10000, N: 5000, K: 100, Threads: 1, Peak: 58.7, Backends: []speed.Timing{
			{Backend: "pure", GFLOPS: 57.31, OfPeak: 0.976}, {Backend: "pure/avx2", GFLOPS: 50, OfPeak: 0.85, Ratio: 1.1462},
		}},
		{Op: "ddot", M: 8, N: 8, K: 8, Threads: 12, Peak: 1234.5, Backends: []speed.Timing{
			{Backend: "pure", GFLOPS: 1000, OfPeak: 1}, {Backend: "pure/avx2", GFLOPS: 0.1234567, OfPeak: 0.0001, Ratio: 0.5},
		}},
		{Op: "cholesky-inverse", M: 9, N: 9, K: 9, Threads: 0, Peak: 50, Backends: []speed.Timing{
			{Backend: "pure", GFLOPS: 40, OfPeak: 0.8, OverOne: 1.5}, {Backend: library, GFLOPS: 20, OfPeak: 0.4, Ratio: 2},
		}},
	}
	m := machine{Machine: result.Machine{CPU: "Some CPU", Go: "go1", Kernel: "avx512", Backends: []string{"pure", "pure/avx2"}, OpenBLAS: "OpenBLAS 0", Beside: 2}}
	testutil.NoError(t, table.head(m))
	for _, r := range results {
		testutil.NoError(t, table.print(r))
	}
	shares := []speed.Share{
		{Op: "cholesky-inverse", Threads: 2, Backend: library, Shapes: []string{"8", "1000"}, OfPeak: []float64{0.25, 0.4}, Memory: 1.998},
		{Op: "dgemm", Args: "NN", Threads: 0, Backend: "pure", Shapes: []string{"8", "1000"}, OfPeak: []float64{0.5, 0.9}},
		{Op: "dgemm", Args: "NN", Threads: 2, Backend: "pure", Shapes: []string{"10000x5000x100"}, OfPeak: []float64{0.5}},
	}
	testutil.NoError(t, table.foot(speed.Ratios(results), shares))
	want := `cpu        Some CPU
kernel     avx512
backends   pure, pure/avx2
openblas   OpenBLAS 0
go         go1, GOMAXPROCS 0
medians    over rounds: 0, each timing at least 0 ms
beside     processes that keep a CPU busy: 2
ratio      speed of pure as a multiple of the other's

                                                         GFLOP/s             ratio       of peak             peak
operation             case   shape             threads      pure pure/avx2   pure/avx2      pure pure/avx2   GFLOP/s
dgemm                   TN   10000x5000x100          1     57.31     50.00       1.146     0.976     0.850     58.70
ddot                     -   8                      12      1000     0.123       0.500     1.000     0.000      1234
`
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("%s; want\n%s", out.String(), want)
	}
	testutil.Contains(t, out.String(),
		"\ncholesky-inverse         -   9                 default     40.00                  20.00                    2.000     0.800                  0.400     50.00\n",
		"\noperation         case  threads  speed over                     cells  geometric mean  lowest  at\n",
		"\ndgemm             TN    1        pure / pure/avx2               1      1.146           1.146   TN 10000x5000x100\n",
		"\ncholesky-inverse  all   default  pure / 1 thread                1      1.500           1.500   9\n",
		"\nshare of the peak by shape\noperation         case  threads  backend                 8      1000   memory\n",
		"\ncholesky-inverse  all   2        openblas/dpotrf+dpotri  0.250  0.400  1.998\n",
		"\ndgemm             NN    default  pure                    0.500  0.900  -\n",
		"\noperation  case  threads  backend  10000x5000x100  memory\ndgemm      NN    2        pure     0.500           -\n",
	)
}

func TestGflops(t *testing.T) {
	for _, tc := range []struct {
		v    float64
		want string
	}{{0.0001, "0.000"}, {0.5, "0.500"}, {1, "1.000"}, {9.87654, "9.877"}, {58.71, "58.71"}, {112.34, "112.3"}, {1234.5, "1234"}, {99999, "99999"}} {
		if got := gflops(tc.v); got != tc.want {
			t.Errorf("%v is written %s; want %s", tc.v, got, tc.want)
		}
	}
}

// TestBenchShapes counts jobs instead of measuring them.
func TestBenchShapes(t *testing.T) {
	for _, tc := range []struct {
		set     *benchFlags
		changed string // flags
		want    int
	}{
		{&benchFlags{ops: []string{"dgemm"}, shapes: "squares"}, "", 4 * 17},
		{&benchFlags{ops: []string{"dgemm"}, shapes: "bls"}, "", 4 * 7},
		{&benchFlags{ops: []string{"dgemm", "dspmm"}, shapes: "all"}, "", 4*(17+7) + 2*(17+1)},
		{&benchFlags{ops: []string{"dtrsm"}, cases: []string{"LUN"}, shapes: "all", sizes: []int{3, 5}}, "n case", 2},
		{&benchFlags{ops: []string{"all"}, cases: []string{"N", "LL"}, shapes: "squares", sizes: []int{3}}, "n case", 1 + 1 + 1 + 3 + 4},
	} {
		tc.set.changed = func(flag string) bool { return slices.Contains(strings.Fields(tc.changed), flag) }
		cases, err := tc.set.findCases()
		testutil.NoError(t, err)
		if jobs, err := tc.set.jobs(cases); err != nil || len(jobs) != tc.want {
			t.Errorf("%v: %d jobs, %v; want %d", tc.set.ops, len(jobs), err, tc.want)
		}
	}
}
