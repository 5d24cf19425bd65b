package main

import (
	"strings"
	"testing"

	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// paperArgs is a run of a second or less.
const paperArgs = "paper --size 0.01 "

func TestPaperTables(t *testing.T) {
	for _, tc := range []struct {
		args string
		want []string
	}{
		{"--table 1 --backend pure", []string{"Table 1", "l = 40, k = 5, q = 10 > k, pure\n", "q = 3 ≤ k", "2k³", "Original / Improved, counted"}},
		{"--table 2,5 --embedded", []string{"Table 2", "Table 5", "synthetic digits in place of MNIST", "\nSpeed-up of Improved over Original\n", "Time of an update", "; the planner's method is gram"}},
		{"--table 7 --runs 3", []string{"no data", " improved/paper ", " improved/small ", "random images"}},
		{"--table 2 --embedded --method planner --runs 3", []string{"\nAccuracy against samples\n", "gram, 3 seeds ", " ± "}},
		{"--table 2 --embedded --lambda 2^-18 --shrink 1.5", []string{"lambda = 2^-18, s = 1.5"}},
		{"--table 2 --embedded --method gram --zca unit", []string{"Table 2 at scale 0.01 on synthetic digits, whitened with unit constants"}},
		{"--table 3 --embedded --method qr,planner --retrain", []string{"qr", "gram"}},
	} {
		status, out, errs := inProcess(strings.Fields(paperArgs + tc.args)...)
		if status != 0 || strings.Contains(errs, "blskernel") {
			t.Fatalf("%s: status %d, %s", tc.args, status, errs)
		}
		testutil.Contains(t, out, tc.want...)
	}
}

func TestPaperUsage(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct{ args, want string }{
		{"", "--table is missing"},
		{"--table 10", "want numbers from 1 to 9"},
		{"--table 2,2 --embedded", "2 is there twice"},
		{"--table 2 --embedded --size 0", "--size is 0"},
		{"--table 2 --embedded --size NaN", "--size is NaN"},
		{"--table 2 --embedded --lambda 0", "--lambda is 0; want a number above 0"},
		{"--table 2 --embedded --lambda NaN", `invalid argument "NaN"`},
		{"--table 2 --embedded --shrink=-1", "--shrink is -1; want a number above 0, at most 1000"},
		{"--table 2 --embedded --method best", `"best"`},
		{"--table 2 --embedded --method improved/tiny", `"tiny" is neither`},
		{"--table 2 --embedded --method gram,gram", "gram twice"},
		{"--table 2 --embedded --backend blas", `--backend is "blas"`},
		{"--table 2", "--data is missing"},
		{"--table 2 --embedded --data mnist", "exclude each other"},
		{"--table 2 --embedded --resume", "unknown flag: --resume"},
	} {
		fail(t, ui.ExitUsage, tc.want, strings.Fields("paper "+tc.args)...)
	}
	fail(t, ui.ExitFailure, "", "paper", "--table", "2", "--data", dir)
}

// TestPaperWithoutPlanner names methods without the planner's: none is said to be its choice, and the
// last one is repeated.
func TestPaperWithoutPlanner(t *testing.T) {
	args := paperArgs + "--table 2 --embedded --runs 2 --method original,improved/paper"
	printed := succeed(t, strings.Fields(args)...)
	if strings.Contains(printed, "planner") || !strings.Contains(printed, "improved/paper, 2 seeds") {
		t.Errorf("it prints\n%s", printed)
	}
	f, err := result.Read("stdout", strings.NewReader(silent(t, strings.Fields(args+" --json")...)))
	if err != nil || len(f.Tables) != 1 || f.Tables[0].Planner != "" || f.Tables[0].Repeat != "improved/paper" || len(f.Tables[0].Rows) != 2*6 {
		t.Fatalf("%+v, %v", f, err)
	}
	testutil.Contains(t, f.Machines[0].Command, " --seed 1 ", " --lambda 2^-30 --shrink 0.8")
}
