package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
		{"--table 1", []string{"Table 1", "q = 10 > k = 5, l = 40", "q = 3 <= k = 5", "2k³", "speed-up"}},
		{"--table 2,5 --embedded", []string{"Table 2", "Table 5", "synthetic digits in place of MNIST", "improved/paper over original", "in total training time", "; the planner's method is gram"}},
		{"--table 7 --runs 3", []string{"no data", "improved/paper over original", "improved/small over original", "random images"}},
		{"--table 2 --embedded --method planner --runs 3", []string{"Accuracy of gram", "std. dev."}},
		{"--table 2 --embedded --lambda 2^-18 --shrink 1.5", []string{"lambda = 2^-18, s = 1.5"}},
		{"--table 2 --embedded --zca unit", []string{"whitened with the constants unit"}},
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
	there := filepath.Join(dir, "there")
	testutil.NoError(t, os.WriteFile(there, nil, 0o666))
	for _, tc := range []struct{ args, want string }{
		{"", "--table is missing"},
		{"--table 10", "want numbers from 1 to 9"},
		{"--table 2,2 --embedded", "2 is there twice"},
		{"--table 2 --embedded --size 0", "--size is 0"},
		{"--table 2 --embedded --size NaN", "--size is NaN"},
		{"--table 2 --embedded --lambda 0", "--lambda is 0; want a number above 0"},
		{"--table 2 --embedded --lambda NaN", `invalid argument "NaN"`},
		{"--table 2 --embedded --shrink=-1", "--shrink is -1; want a number above 0, at most 1000"},
		{"--table 2 --embedded --zca paper", `flag: want reference or unit`},
		{"--table 2 --embedded --method best", `"best"`},
		{"--table 2 --embedded --method improved/tiny", `"improved/tiny"`},
		{"--table 2 --embedded --method gram,gram", "gram twice"},
		{"--table 2 --embedded --backend blas", `--backend is "blas"`},
		{"--table 2", "--data is missing"},
		{"--table 2 --embedded --data mnist", "exclude each other"},
		{"--table 2 --embedded --resume", "unknown flag: --resume"},
		{"--table 2 --embedded --out " + there, "exists"},
	} {
		fail(t, ui.ExitUsage, tc.want, strings.Fields("paper "+tc.args)...)
	}
	// Neither is a file without results left where the command line is wrong or the data are not
	// there.
	out := filepath.Join(dir, "out.jsonl")
	for _, args := range []string{"--table 2", "--table 2 --data " + dir} {
		status, _, _ := inProcess(strings.Fields("paper --out " + out + " " + args)...)
		if _, err := os.Stat(out); status == 0 || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: status %d, or it leaves a file (%v)", args, status, err)
		}
	}
	for _, args := range []string{"--table 2 --data " + dir, "--table 1 --out " + filepath.Join(dir, "none", "file")} {
		fail(t, ui.ExitFailure, "", strings.Fields("paper "+args)...)
	}
}

// TestPaperWithoutPlanner names methods without the planner's: none is said to be its choice, and the
// last one is repeated.
func TestPaperWithoutPlanner(t *testing.T) {
	out := filepath.Join(t.TempDir(), "table.jsonl")
	args := paperArgs + "--table 2 --embedded --runs 2 --method original,improved/paper --out " + out
	printed := succeed(t, strings.Fields(args)...)
	if strings.Contains(printed, "planner") || !strings.Contains(printed, "Accuracy of improved/paper") {
		t.Errorf("it prints\n%s", printed)
	}
	f, err := result.ReadFile(out)
	if err != nil || len(f.Tables) != 1 || f.Tables[0].Planner != "" || f.Tables[0].Repeat != "improved/paper" {
		t.Errorf("%+v, %v", f, err)
	}
	testutil.Contains(t, f.Machines[0].Command, " --seed 1 ", " --lambda 2^-30 --shrink 0.8")
}
