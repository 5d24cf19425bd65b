package report

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"slices"
	"testing"

	"blskernel/bench/result"
	"blskernel/internal/testutil"
)

// TestPerformancePage holds the tables of docs/performance.md to the files of results.
func TestPerformancePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/performance.md")
	testutil.NoError(t, err)
	wants := func(row string) {
		if !bytes.Contains(page, []byte(row+"\n")) {
			t.Errorf("docs/performance.md has no\n%s", row)
		}
	}
	zen5, xeon := published(t, ""), published(t, "xeon")
	for _, kernel := range []string{"avx2", "avx512"} {
		for _, of := range []struct {
			name, op, against string
			low, high         int
		}{
			{"Dgemm", "dgemm", "openblas", 64, 256}, {"Dgemm", "dgemm", "openblas", 512, 2000},
			{"Dsyrk", "dsyrk", "openblas", 64, 256}, {"Dsyrk", "dsyrk", "openblas", 512, 1000},
			{"Dsymm", "dsymm", "openblas", 64, 256}, {"Dsymm", "dsymm", "openblas", 512, 1000},
			{"Dtrmm", "dtrmm", "openblas", 64, 256}, {"Dtrmm", "dtrmm", "openblas", 512, 1000},
			{"Dtrsm", "dtrsm", "openblas", 64, 256}, {"Dtrsm", "dtrsm", "openblas", 512, 1000},
			{"Cholesky inverse", "cholesky-inverse", "openblas/dpotrf+dpotri", 64, 256},
			{"Cholesky inverse", "cholesky-inverse", "openblas/dpotrf+dpotri", 512, 2000},
			{"LU inverse", "lu-inverse", "openblas/dgetrf+dgetri", 64, 256},
			{"LU inverse", "lu-inverse", "openblas/dgetrf+dgetri", 512, 2000},
			{"LDLᵀ inverse", "ldlt-inverse", "openblas/dsytrf+dsytri2", 64, 256},
			{"LDLᵀ inverse", "ldlt-inverse", "openblas/dsytrf+dsytri2", 512, 2000},
		} {
			row := fmt.Sprintf("| %s, %d to %d |", of.name, of.low, of.high)
			for _, files := range [][]*result.File{zen5, xeon} {
				for _, threads := range []int{1, 0} {
					row += fmt.Sprintf(" %s |", meanAndLowest(t, files, kernel, of.op, of.against, threads, of.low, of.high))
				}
			}
			wants(row)
		}
	}
	for _, row := range stepRows(xeon) {
		wants(row)
	}
}

// meanAndLowest returns the geometric mean and the lowest of the ratios of an operation to against for
// orders from low to high.
func meanAndLowest(t *testing.T, files []*result.File, kernel, op, against string, threads, low, high int) string {
	t.Helper()
	var of []measured
	for _, f := range files {
		for _, cell := range f.Cells {
			c := cell.Value
			for _, b := range c.Backends {
				if c.Op == op && b.Backend == against && c.Threads == threads && low <= c.N && c.N <= high &&
					cell.Machine.Kernel == kernel && cell.Machine.Beside == 0 {
					of = append(of, measured{args: c.Args, n: c.N, ratio: b.Ratio})
				}
			}
		}
	}
	if len(of) == 0 {
		t.Fatalf("no %s against %s with %s", op, against, kernel)
	}
	row := comparison{machine: &result.Machine{}, op: op}.row(of, nil)
	return row[1] + ", " + row[2]
}

// stepRows returns the seconds, shares and shares of the peak of the steps of the planner's method in
// Table 2, by kernel.
func stepRows(files []*result.File) []string {
	type sum struct{ seconds, flops, peak float64 }
	var rows []string
	var names []string
	kernels := [2]map[string]*sum{{}, {}}
	last := map[string]int{"between the steps": 1, "all": 2}
	for _, f := range files {
		for _, table := range f.Tables {
			at := 1
			if table.Machine.Kernel == "avx2" {
				at = 0
			}
			for _, r := range table.Rows {
				add := func(name string, seconds, flops float64) {
					s, ok := kernels[at][name]
					if !ok {
						s = &sum{}
						kernels[at][name] = s
						if at == 0 {
							names = append(names, name)
						}
					}
					s.seconds, s.flops, s.peak = s.seconds+seconds, s.flops+flops, s.peak+r.Peak*seconds
				}
				c := r.Cells[0]
				add("features", r.FeatureSeconds, r.FeatureFlops)
				rest := c.Seconds - r.FeatureSeconds
				for _, s := range c.Steps {
					add(s.Step, s.Seconds, s.Flops)
					rest -= s.Seconds
				}
				add("between the steps", rest, 0)
				add("all", c.Seconds, c.FlopsCounted+r.FeatureFlops)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(last[a], last[b]) })
	for _, name := range names {
		row := fmt.Sprintf("| %s | %.1f |", name, kernels[0][name].flops/1e9)
		for _, k := range kernels {
			s := k[name]
			row += fmt.Sprintf(" %.2f | %.1f | %.2f |", s.seconds, 100*s.seconds/k["all"].seconds, s.flops/s.peak)
		}
		rows = append(rows, row)
	}
	return rows
}
