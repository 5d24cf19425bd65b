package experiment

import (
	"bytes"
	"strings"
	"testing"

	"blskernel/bench/result"
	"blskernel/bench/speed"
)

// TestBenchPrint prints figures that are known, of three backends.
func TestBenchPrint(t *testing.T) {
	var out bytes.Buffer
	table := &speedTable{w: &out, width: len("operation")}
	results := []speed.Result{
		{Op: "dgemm", Args: "TN", M: 10000, N: 5000, K: 100, Threads: 1, Peak: 58.7, Backends: []speed.Timing{
			{Backend: "pure", GFLOPS: 57.31, OfPeak: 0.976}, {Backend: "pure/avx2", GFLOPS: 50, OfPeak: 0.85, Ratio: 1.1462}, {Backend: "a-backend-of-a-long-name", GFLOPS: 0.5, OfPeak: 0.008, Ratio: 114.62},
		}},
		{Op: "ddot", M: 8, N: 8, K: 8, Threads: 12, Peak: 1234.5, Backends: []speed.Timing{
			{Backend: "pure", GFLOPS: 1000, OfPeak: 1}, {Backend: "pure/avx2", GFLOPS: 0.1234567, OfPeak: 0.0001, Ratio: 0.5}, {Backend: "a-backend-of-a-long-name", GFLOPS: 99999, OfPeak: 0.5, Ratio: 2},
		}},
	}
	if err := table.head(machine{Machine: result.Machine{CPU: "Some CPU", Go: "go1", Kernel: "avx512", Backends: []string{"pure", "pure/avx2", "a-backend-of-a-long-name"}, OpenBLAS: "OpenBLAS 0"}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if err := table.print(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.foot(speed.Ratios(results), []speed.Large{{Op: "dgemm", Threads: 2, Backend: "pure", Cells: 3, OfPeak: 0.9, OfPeakAt: "NN 1000", Speedup: 1.95, WorstSpeedup: 1.9, SpeedupAt: "TT 4000"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nbackends   pure, pure/avx2, a-backend-of-a-long-name\nopenblas   OpenBLAS 0\n",
		"\nratio      speed of pure as a multiple of the other's\n",
		"\ndgemm     TN   10000x5000x100        1     57.31     50.00                    0.500      1.146                  114.620     0.976     0.850                    0.008     58.70\n",
		"\nddot      -    8                    12      1000     0.123                    99999      0.500                    2.000     1.000     0.000                    0.500      1234\n",
		"\noperation threads  speed over                       cells  geometric mean    worst  at\n",
		"\ndgemm           1  pure / pure/avx2                     1           1.146    1.146  TN 10000x5000x100\n",
		"\ndgemm           2  pure                     3     0.900  NN 1000                   1.950    1.900  TT 4000\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// TestBenchPrintOpponents prints cells of different columns, and memory.
func TestBenchPrintOpponents(t *testing.T) {
	var out bytes.Buffer
	table := &speedTable{w: &out, width: len("cholesky-inverse")}
	cell := func(op string, n int, against ...string) speed.Result {
		r := speed.Result{Op: op, M: n, N: n, K: n, Threads: 1, Peak: 50, Backends: []speed.Timing{{Backend: "pure", GFLOPS: 40, OfPeak: 0.8}}}
		for _, name := range against {
			r.Backends = append(r.Backends, speed.Timing{Backend: name, GFLOPS: 20, OfPeak: 0.4, Ratio: 2})
		}
		return r
	}
	const library = "openblas/dpotrf+dpotri"
	if err := table.head(machine{Machine: result.Machine{CPU: "Some CPU", Backends: []string{"pure"}}, Opponents: []string{"dpotrf+dpotri"}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range []speed.Result{cell("ddot", 8), cell("cholesky-inverse", 8, library), cell("cholesky-inverse", 9, library)} {
		if err := table.print(r); err != nil {
			t.Fatal(err)
		}
	}
	larges := []speed.Large{
		{Op: "cholesky-inverse", Threads: 2, Backend: library, Cells: 1, OfPeak: 0.4, OfPeakAt: "1000", Memory: 1.998, Speedup: 1.5, WorstSpeedup: 1.5, SpeedupAt: "1000"},
		{Op: "ddot", Threads: 2, Backend: "pure", Cells: 1, OfPeak: 0.4, OfPeakAt: "1000"},
	}
	if err := table.foot(nil, larges); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nbackends   pure\nopponents  dpotrf+dpotri\n",
		"\nratio      speed of pure as a multiple of the other's\n",
		"\n\n                                                GFLOP/s   of peak      peak\n" +
			"operation        case shape           threads      pure      pure   GFLOP/s\n" +
			"ddot             -    8                     1     40.00     0.800     50.00\n\n",
		"\noperation        case shape           threads      pure openblas/dpotrf+dpotri  openblas/dpotrf+dpotri      pure openblas/dpotrf+dpotri   GFLOP/s\n" +
			"cholesky-inverse -    8                     1     40.00                  20.00                   2.000     0.800                  0.400     50.00\n" +
			"cholesky-inverse -    9                     1     40.00                  20.00                   2.000     0.800                  0.400     50.00\n",
		"\nall sizes 1000 or more                                    of peak                     at most    over 1 thread\n" +
			"operation        threads  backend                 cells     worst  at                  memory  geometric mean    worst  at\n" +
			"cholesky-inverse       2  openblas/dpotrf+dpotri      1     0.400  1000                 1.998           1.500    1.500  1000\n" +
			"ddot                   2  pure                        1     0.400  1000                     -\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
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
		set     benchFlags
		changed string
		want    int
	}{
		{benchFlags{ops: []string{"dgemm"}, shapes: "squares"}, "", 4 * 17},
		{benchFlags{ops: []string{"dgemm"}, shapes: "bls"}, "", 4 * 7},
		{benchFlags{ops: []string{"dgemm", "dspmm"}, shapes: "all"}, "", 4*(17+7) + 2*(17+1)},
		{benchFlags{ops: []string{"dtrsm"}, args: []string{"LUN"}, shapes: "all", sizes: []int{3, 5}}, "n", 2},
		{benchFlags{ops: []string{"all"}, args: []string{"N", "LL"}, shapes: "squares", sizes: []int{3}}, "n", 1 + 1 + 1 + 3 + 4},
		{benchFlags{ops: []string{"lu-solve", "lu-inverse"}, shapes: "squares", sizes: []int{3, 5}, nrhs: []int{1, 2, 3}}, "n", 2*3 + 2},
	} {
		tc.set.changed = func(flag string) bool { return flag == tc.changed }
		cases, err := tc.set.cases()
		if err != nil {
			t.Fatal(err)
		}
		if jobs, err := tc.set.jobs(cases); err != nil || len(jobs) != tc.want {
			t.Errorf("%v: %d jobs, %v; want %d", tc.set.ops, len(jobs), err, tc.want)
		}
	}
}
