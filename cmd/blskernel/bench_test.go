package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"blskernel"
	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/interrupt"
)

// quickBench measures tiny operations for a moment.
func quickBench(args ...string) []string {
	return append([]string{"bench", "--rounds", "1", "--min-time", "1us", "--threads", "1"}, args...)
}

// A benchLine is any line of --json.
type benchLine struct {
	Kind    string
	machine machine
	cell    speed.Result
	ratio   speed.Ratio
	large   speed.Large
}

// parseBench reads the output of --json, strictly: an object a line, of a known kind and with its keys
// only.
func parseBench(t *testing.T, out string) []benchLine {
	t.Helper()
	var lines []benchLine
	for line := range strings.Lines(out) {
		var l benchLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		into, ok := map[string]any{
			"machine": &struct {
				Kind string
				*machine
			}{machine: &l.machine},
			"cell": &struct {
				Kind string
				*speed.Result
			}{Result: &l.cell},
			"ratio": &struct {
				Kind string
				*speed.Ratio
			}{Ratio: &l.ratio},
			"large": &struct {
				Kind string
				*speed.Large
			}{Large: &l.large},
		}[l.Kind]
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		if !ok || !strings.HasSuffix(line, "\n") {
			t.Fatalf("line %q", line)
		}
		if err := dec.Decode(into); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestBenchJSON(t *testing.T) {
	backends := []string{"pure"}
	if slices.Contains(blskernel.Names(), "openblas") {
		backends = append(backends, "openblas")
	}
	flags := []string{"--op", "dgemv,ddot", "--case", "T,N", "--n", "5,1000", "--backends", strings.Join(backends, ","), "--json"}
	status, stdout, stderr := inProcess(quickBench(flags...)...)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	var kinds, cells []string
	for _, l := range parseBench(t, stdout) {
		kinds = append(kinds, l.Kind)
		switch l.Kind {
		case "machine":
			m := l.machine
			if !slices.Equal(m.Backends, backends) || m.Kernel == "" || m.Go == "" || m.GOMAXPROCS < 1 || m.Rounds != 1 || m.MinSeconds != 1e-6 || !slices.Equal(m.Threads, []int{1}) {
				t.Errorf("%+v", m)
			}
			if len(backends) > 1 && !strings.HasPrefix(m.OpenBLAS, "OpenBLAS ") || len(backends) == 1 && m.Missing == "" {
				t.Errorf("OpenBLAS %q, missing: %q", m.OpenBLAS, m.Missing)
			}
		case "cell":
			r := l.cell
			cells = append(cells, r.Op+" "+r.Cell())
			for i, b := range r.Backends {
				if b.Backend != backends[i] || !(b.GFLOPS > 0 && b.Seconds > 0 && b.OfPeak > 0) || (b.Ratio > 0) != (i > 0) {
					t.Errorf("%+v", r)
				}
			}
			if len(r.Backends) != len(backends) || r.Threads != 1 || r.Rounds != 1 || !(r.Peak > 0) || !(r.Flops > 0) {
				t.Errorf("%+v", r)
			}
		case "ratio":
			if r := l.ratio; r.Backend != "pure" || r.Against != "openblas" || !(r.Mean >= r.Worst && r.Worst > 0) || r.At == "" {
				t.Errorf("%+v", r)
			}
		case "large":
			if !(l.large.OfPeak > 0) || l.large.Speedup != 0 {
				t.Errorf("%+v", l.large)
			}
		}
	}
	// The cases come in the order of the table, whatever the order of the flag.
	if want := "dgemv N 5,dgemv N 1000,dgemv T 5,dgemv T 1000,ddot 5,ddot 1000"; strings.Join(cells, ",") != want {
		t.Errorf("cells %v; want %s", cells, want)
	}
	want := append([]string{"machine"}, slices.Repeat([]string{"cell"}, 6)...)
	want = append(want, slices.Repeat([]string{"ratio"}, 2*(len(backends)-1))...)
	want = append(want, slices.Repeat([]string{"large"}, 2*len(backends))...)
	if !slices.Equal(kinds, want) {
		t.Errorf("kinds %v; want %v", kinds, want)
	}
	// Without the cells.
	_, stdout, _ = inProcess(quickBench(append(flags, "--summary")...)...)
	for _, l := range parseBench(t, stdout) {
		if l.Kind == "cell" {
			t.Errorf("--summary prints %+v", l.cell)
		}
	}
}

// TestBenchTable looks at what people see.
func TestBenchTable(t *testing.T) {
	for _, tc := range []struct {
		flags []string
		cells int // lines of the table
		want  []string
		never []string
	}{
		{[]string{"--n", "4,8", "--backends", "pure"}, 8, []string{"cpu  ", "\nkernel  ", "\nbackends   pure\n", "\ngo  ", "\nmedians    over rounds: 1, each timing at least 0.001 ms\n"},
			[]string{" ratio", "ratio ", "geometric", "1000"}},
		{[]string{"--op", "dgemv,ddot", "--case", "T", "--n", "1000", "--backends", "pure"}, 2, []string{"\nall sizes 1000 or more", "\ndgemv           1  pure ", " T 1000\n"}, []string{" ratio", "ratio ", "speed over "}},
		{[]string{"--n", "3", "--summary", "--backends", "pure"}, 0, nil, []string{"shape"}},
	} {
		status, stdout, stderr := inProcess(quickBench(tc.flags...)...)
		if status != 0 || stderr != "" {
			t.Fatalf("%v: status %d, stderr %q", tc.flags, status, stderr)
		}
		checkBenchTable(t, stdout, tc.cells)
		for _, want := range tc.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%v: %q is not in\n%s", tc.flags, want, stdout)
			}
		}
		for _, never := range tc.never {
			if strings.Contains(stdout, never) {
				t.Errorf("%v: %q is in\n%s", tc.flags, never, stdout)
			}
		}
	}
}

// checkBenchTable looks at the lines: their number, widths and ends.
func checkBenchTable(t *testing.T, out string, cells int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	heads := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "operation case") })
	if heads < 0 {
		if cells > 0 {
			t.Errorf("no table in\n%s", out)
		}
		return
	}
	table := lines[heads+1:]
	if end := slices.Index(table, ""); end >= 0 {
		table = table[:end]
	}
	if len(table) != cells {
		t.Errorf("%d lines; want %d:\n%s", len(table), cells, out)
	}
	for _, line := range table {
		if utf8.RuneCountInString(line) != utf8.RuneCountInString(lines[heads]) {
			t.Errorf("the line\n%s\nis not aligned with\n%s", line, lines[heads])
		}
	}
	for _, line := range lines {
		if strings.TrimRight(line, " ") != line {
			t.Errorf("blanks at the end of %q", line)
		}
	}
}

// TestBenchPrint prints figures that are known, of three backends.
func TestBenchPrint(t *testing.T) {
	var out bytes.Buffer
	table := &speedTable{w: &out}
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
	checkBenchTable(t, out.String(), 2)
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

// TestBenchOpponents runs factorizations with all opponents, with some and with none.
func TestBenchOpponents(t *testing.T) {
	_, missing := speed.Library(nil)
	for _, tc := range []struct {
		flags     []string
		opponents string // those of LAPACK among the timings of ldlt-inverse, lu-inverse and lu-solve
		others    string
	}{
		{nil, "openblas/dsptrf+dsptri openblas/dsytrf+dsytri2 openblas/dgetrf+dgetri openblas/dgetrs", "pure/cholesky-inverse"},
		{[]string{"--opponents", "dsytrf+dsytri2"}, "openblas/dsytrf+dsytri2", ""},
		{[]string{"--opponents", "cholesky-inverse"}, "", "pure/cholesky-inverse"},
		{[]string{"--opponents", "none"}, "", ""},
	} {
		flags := append([]string{"--op", "ldlt-inverse,lu-inverse,lu-solve", "--n", "5", "--nrhs", "2", "--backends", "pure", "--json"}, tc.flags...)
		status, stdout, stderr := inProcess(quickBench(flags...)...)
		if missing != nil && tc.flags != nil && tc.opponents != "" {
			if status != exitFailure || stdout != "" || !strings.Contains(stderr, "opponent dsytrf+dsytri2: "+missing.Error()) {
				t.Errorf("%v: status %d, stdout %q, stderr %q", tc.flags, status, stdout, stderr)
			}
			continue
		}
		if status != 0 || stderr != "" {
			t.Fatalf("%v: status %d, stderr %q", tc.flags, status, stderr)
		}
		var library, others []string
		for _, l := range parseBench(t, stdout) {
			for i, timing := range l.cell.Backends {
				switch {
				case strings.HasPrefix(timing.Backend, "openblas/"):
					library = append(library, timing.Backend)
				case i > 0:
					others = append(others, timing.Backend)
				}
			}
			if l.Kind == "cell" && l.cell.Op == "lu-solve" && l.cell.Cell() != "5x2x5" {
				t.Errorf("--nrhs 2 gives %s", l.cell.Cell())
			}
		}
		want := tc.opponents
		if missing != nil {
			want = ""
		}
		if strings.Join(library, " ") != want || strings.Join(others, " ") != tc.others {
			t.Errorf("%v: timings of %v and %v; want %s and %s", tc.flags, library, others, want, tc.others)
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
		set     benchSettings
		changed string
		want    int
	}{
		{benchSettings{ops: []string{"dgemm"}, shapes: "squares"}, "", 4 * 17},
		{benchSettings{ops: []string{"dgemm"}, shapes: "bls"}, "", 4 * 7},
		{benchSettings{ops: []string{"dgemm", "dspmm"}, shapes: "all"}, "", 4*(17+7) + 2*(17+1)},
		{benchSettings{ops: []string{"dtrsm"}, args: []string{"LUN"}, shapes: "all", sizes: []int{3, 5}}, "n", 2},
		{benchSettings{ops: []string{"all"}, args: []string{"N", "LL"}, shapes: "squares", sizes: []int{3}}, "n", 1 + 1 + 1 + 3 + 4},
		{benchSettings{ops: []string{"lu-solve", "lu-inverse"}, shapes: "squares", sizes: []int{3, 5}, nrhs: []int{1, 2, 3}}, "n", 2*3 + 2},
	} {
		changed := func(flag string) bool { return flag == tc.changed }
		cases, err := tc.set.cases(changed)
		if err != nil {
			t.Fatal(err)
		}
		if jobs, err := tc.set.jobs(cases, changed); err != nil || len(jobs) != tc.want {
			t.Errorf("%+v: %d jobs, %v; want %d", tc.set, len(jobs), err, tc.want)
		}
	}
}

// TestBenchBackends runs under all kinds of choices.
func TestBenchBackends(t *testing.T) {
	for _, tc := range []struct {
		name   string
		env    []string
		flags  []string
		status int
		want   string // in standard output, or else in standard error
	}{
		{"alone", []string{"BLSKERNEL_OPENBLAS=/nowhere"}, nil, 0, "\nbackends   pure\nnot usable blskernel: backend \"openblas\" is not available: "},
		{"not to be opened", []string{"BLSKERNEL_OPENBLAS=/nowhere"}, []string{"--backends", "pure,openblas"}, 1, `backend "openblas" is not available`},
		{"opponents that cannot be had", []string{"BLSKERNEL_OPENBLAS=/nowhere"}, []string{"--op", "ldlt-inverse"}, 0, "\nbackends   pure\nopponents  cholesky-inverse\nnot usable "},
		{"no opponents", []string{"BLSKERNEL_OPENBLAS=/nowhere"}, []string{"--op", "lu-solve"}, 0, "\nbackends   pure\nnot usable "},
		{"opponents asked for", []string{"BLSKERNEL_OPENBLAS=/nowhere"}, []string{"--op", "lu-solve", "--opponents", "dgetrs"}, 1, `opponent dgetrs: blskernel: backend "openblas" is not available: `},
		{"flag before environment", []string{"BLSKERNEL_BACKEND=nonsense"}, []string{"--backends", "pure"}, 0, "\nbackends   pure\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, stdout, stderr := process(t, tc.env, quickBench(append(tc.flags, "--n", "3")...)...)
			out := stdout
			if tc.status != 0 {
				out = stderr
			}
			if status != tc.status || !strings.Contains(out, tc.want) || strings.Contains(stderr, "panic") || tc.status != 0 && stdout != "" {
				t.Errorf("status %d, stdout\n%sstderr\n%swant %d and %s", status, stdout, stderr, tc.status, tc.want)
			}
		})
	}
}

// TestBenchInterrupt is interrupted after the head and two cells: they are printed, and summed up.
func TestBenchInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	out := &cancelAfter{lines: 3, cancel: func() { cancel(interrupt.SignalError{Signal: os.Interrupt}) }}
	var errs bytes.Buffer
	status := run(ctx, quickBench("--json", "--op", "ddot", "--n", "1000,1001,1002,1003,1004,1005,1006,1007,1008", "--rounds", "20", "--backends", "pure"), streams{out: out, err: &errs})
	if status != 130 || errs.String() != "blskernel bench: interrupted\n" {
		t.Errorf("status %d, stderr %q", status, errs.String())
	}
	lines := parseBench(t, out.String())
	cells := 0
	for _, l := range lines {
		if l.Kind == "cell" {
			cells++
		}
	}
	// A further cell may have been ready at the same moment.
	if last := lines[len(lines)-1]; cells < 2 || cells > 5 || last.Kind != "large" || last.large.Cells != cells {
		t.Errorf("%d cells, and then %+v", cells, last)
	}
}

func TestBenchInterruptedBefore(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupt.SignalError{Signal: syscall.SIGTERM})
	var out, errs bytes.Buffer
	status := run(ctx, quickBench("--n", "3"), streams{out: &out, err: &errs})
	if status != 143 || out.Len() != 0 || errs.String() != "blskernel bench: terminated\n" {
		t.Errorf("status %d, stdout %q, stderr %q", status, out.String(), errs.String())
	}
}

func TestBenchWriteErrors(t *testing.T) {
	for _, flags := range [][]string{nil, {"--json"}, {"--summary"}} {
		for err, want := range map[error]int{errors.New("no space left on device"): exitFailure, syscall.EPIPE: 141} {
			var errs bytes.Buffer
			status := run(context.Background(), quickBench(append(flags, "--n", "3")...), streams{out: broken{err}, err: &errs})
			if status != want || (errs.Len() == 0) != (want == 141) {
				t.Errorf("%v, %v: status %d, stderr %q; want %d", flags, err, status, errs.String(), want)
			}
		}
	}
}
