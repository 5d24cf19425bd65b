package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bench/result"
)

// paperArgs is a run of a second or less.
const paperArgs = "paper --scale 0.01 --predict=false "

func TestPaperTables(t *testing.T) {
	for _, tc := range []struct {
		args string
		want []string
	}{
		{"--table 1", []string{"Table 1", "q = 10 > k = 5, l = 40", "q = 3 <= k = 5", "2k³", "speed-up"}},
		{"--table 2,5 --embedded", []string{"Table 2", "Table 5", "synthetic digits in place of MNIST", "improved/paper over original", "gram over improved/paper", "in total training time"}},
		{"--table 7 --runs 3", []string{"no data", "improved/small", "random images"}},
		{"--table 2 --embedded --methods planner --runs 3", []string{"Accuracy of gram", "std. dev."}},
		{"--table 2 --embedded --held-out 150 --lambda 2^-18 --shrink 1.5", []string{"tested on its last 150", "4 updates", "2^-18", "s = 1.5"}},
		{"--table 2 --embedded --zca", []string{"whitened"}},
		{"--table 3 --embedded --methods qr,planner --retrain", []string{"qr", "gram"}},
	} {
		status, out, errs := runCommand(t, paperArgs+tc.args)
		if status != 0 || strings.Contains(errs, "blskernel") {
			t.Fatalf("%s: status %d, %s", tc.args, status, errs)
		}
		for _, want := range tc.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s prints\n%s\nwithout %q", tc.args, out, want)
			}
		}
	}
}

func TestPaperUsage(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{"", "--table is missing"},
		{"--table 10", "want 1 to 9"},
		{"--table 2,2 --embedded", "2 twice"},
		{"--table 2 --embedded --scale 0", "--scale is 0"},
		{"--table 2 --embedded --scale NaN", "--scale is NaN"},
		{"--table 2 --embedded --runs 0", "--runs is 0"},
		{"--table 2 --embedded --threads -1", "--threads is -1"},
		{"--table 2 --embedded --lambda 0", "--lambda is 0"},
		{"--table 2 --embedded --shrink -1", "--shrink is -1"},
		{"--table 2 --embedded --held-out -1", "--held-out is -1"},
		{"--table 2 --embedded --scale 0.01 --held-out 600", "--held-out is 600 of"},
		{"--table 9 --scale 0.01 --held-out 5", "samples with classes"},
		{"--table 2 --embedded --methods best", `"best"`},
		{"--table 2 --embedded --methods improved/tiny", `"improved/tiny"`},
		{"--table 2 --embedded --methods gram,gram", "gram twice"},
		{"--table 2 --embedded --backend blas", `--backend is "blas"`},
		{"--table 2", "--data is missing"},
		{"--table 2 --embedded --data mnist", "exclude each other"},
		{"--table 2 --embedded --resume", "--resume needs --out"},
		{"--table 2 --embedded --out " + there, "exists"},
	} {
		if status, _, errs := runCommand(t, "paper --predict=false "+tc.args); status != 2 || !strings.Contains(errs, tc.want) {
			t.Errorf("%s: status %d, %s; want 2 and %q", tc.args, status, errs, tc.want)
		}
	}
	for _, args := range []string{"--table 2 --data " + dir, "--table 1 --out " + filepath.Join(dir, "none", "file")} {
		if status, _, errs := runCommand(t, "paper --predict=false "+args); status != 1 || errs == "" {
			t.Errorf("%s: status %d, %s", args, status, errs)
		}
	}
}

// TestPaperResume cuts a file of results after every line and in the middle of it, and compares what becomes of it.
func TestPaperResume(t *testing.T) {
	out := filepath.Join(t.TempDir(), "table.jsonl")
	args := paperArgs + "--table 2 --embedded --runs 2 --methods gram,planner --out " + out
	if status, _, errs := runCommand(t, args); status != 0 {
		t.Fatal(errs)
	}
	whole, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	lines = lines[:len(lines)-1]
	const rows = 2 * 6
	if len(lines) != 2+rows {
		t.Fatalf("%d lines: %s", len(lines), whole)
	}
	for n := range lines {
		cut := strings.Join(lines[:n], "") + lines[n][:len(lines[n])/2]
		if err := os.WriteFile(out, []byte(cut), 0o666); err != nil {
			t.Fatal(err)
		}
		status, printed, errs := runCommand(t, args+" --resume")
		if status != 0 {
			t.Fatalf("after %d lines: %s", n, errs)
		}
		f, err := result.ReadFile(out)
		if err != nil || len(f.Tables) != 1 || len(f.Tables[0].Rows) != rows {
			t.Fatalf("after %d lines: %+v, %v", n, f, err)
		}
		for i, r := range f.Tables[0].Rows {
			if r.Step != i%6 || r.Rebuilt != (n > 2 && i == n-2 && i%6 > 0) {
				t.Errorf("after %d lines, row %d: %+v", n, i, r)
			}
		}
		if !strings.Contains(printed, "Accuracy of gram") {
			t.Errorf("after %d lines it prints\n%s", n, printed)
		}
	}
	finished, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, errs := runCommand(t, args+" --resume"); status != 0 {
		t.Fatal(errs)
	}
	if again, err := os.ReadFile(out); err != nil || string(again) != string(finished) {
		t.Errorf("a file of which all is done becomes %s, %v", again, err)
	}
	if status, _, errs := runCommand(t, args+" --resume --threads 1"); status != 2 || !strings.Contains(errs, "threads [1]") {
		t.Errorf("other threads: status %d, %s", status, errs)
	}
	if status, _, errs := runCommand(t, args+" --resume --seed 2"); status != 2 || !strings.Contains(errs, "other settings") {
		t.Errorf("status %d, %s", status, errs)
	}
}

// TestPaperFlopsOnce counts Table 1 once.
func TestPaperFlopsOnce(t *testing.T) {
	out := filepath.Join(t.TempDir(), "flops.jsonl")
	for range 2 {
		if status, _, errs := runCommand(t, paperArgs+"--table 1 --resume --out "+out); status != 0 {
			t.Fatal(errs)
		}
	}
	if f, err := result.ReadFile(out); err != nil || len(f.Flops) != 2 || len(f.Machines) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestPaperCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("stopped")
	cancel(stopped)
	var out, errs strings.Builder
	if status := run(ctx, strings.Fields(paperArgs+"--table 2 --embedded"), streams{&out, &errs}); status == 0 {
		t.Errorf("status %d: %s", status, out.String())
	}
}
