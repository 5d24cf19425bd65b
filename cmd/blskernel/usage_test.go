package main

import (
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestUsageErrors has command lines that are wrong by themselves: status 2, nothing on standard
// output, the reason and where to look on standard error.
func TestUsageErrors(t *testing.T) {
	for _, tc := range []struct {
		args string
		want string // standard error, its first line
	}{
		{"nonsense", `blskernel: unknown command "nonsense"`},
		{"trian", `blskernel: unknown command "trian"; did you mean train?`},
		{"--nonsense", `blskernel: unknown flag: --nonsense`},
		{"train --enhancment 5", `blskernel train: unknown flag: --enhancment; did you mean --enhancement?`},
		{"predict -q m.bls", `blskernel predict: unknown flag: --q; did you mean --quiet?`},
		{"help nonsense", `blskernel help: unknown command "nonsense"`},
		{"completion nonsense", `blskernel completion: unknown command "nonsense" for "blskernel completion"`},
		{"demo nonsense", `blskernel demo: unexpected argument "nonsense"`},
		{"info nonsense", `blskernel info: unexpected argument "nonsense"`},
		{"demo --data x y", `blskernel demo: unexpected argument "y"`},
		{"train --out", `blskernel train: flag needs an argument: --out`},
		{"demo --initial x", `blskernel demo: invalid argument "x" for "--initial" flag: want 1 to 1073741824`},
		{"demo --initial 0", `blskernel demo: invalid argument "0" for "--initial" flag: want 1 to 1073741824`},
		{"demo --groups 100000 --group-nodes 100000", `blskernel demo: --groups, --group-nodes and --enhancement make 10000000200 nodes; want at most 100000`},
		{"demo --seed -1", `blskernel demo: invalid argument "-1" for "--seed" flag: want a whole number, 0 or more`},
		{"demo --lambda -1", `blskernel demo: invalid argument "-1" for "--lambda" flag: want a finite number, 0 or more, such as 1e-6 or 2^-30`},
		{"demo --lambda 2^2000", `blskernel demo: invalid argument "2^2000" for "--lambda" flag: want a finite number, 0 or more, such as 1e-6 or 2^-30`},
		{"demo --method nonsense", `blskernel demo: --method: unknown method "nonsense"; known are improved, original, ridge-inverse, inverse-cholesky, gram, qr`},
		{"demo --method improved,", `blskernel demo: --method: unknown method ""; known are improved, original, ridge-inverse, inverse-cholesky, gram, qr`},
		{"demo --method=", `blskernel demo: --method is empty; want some of gram, qr, ridge-inverse, inverse-cholesky, improved, original`},
		{"demo --method original,original", `blskernel demo: --method has original twice`},
		{"demo --backend nonsense", `blskernel demo: --backend is "nonsense"; want pure or openblas`},
		{"demo --initial 1000000", `blskernel demo: 1000000 + 3 x 1500 synthetic digits are wanted; want at most 1000000: lower --initial, --updates or --batch`},
		{"demo --updates 1000000000 --batch 1000000000", `blskernel demo: 1000 + 1000000000 x 1000000000 synthetic digits are wanted; want at most 1000000: lower --initial, --updates or --batch`},
		{"flops x", `blskernel flops: unexpected argument "x"`},
		{"flops -l 10 -k 20 -method ridge-inverse -lambda 0", `blskernel flops: ridge-inverse: 10 samples for 20 nodes without a ridge: give at least as many samples as nodes, set Lambda above 0, or use the method improved, which has the pseudoinverse for any number`},
		{"flops -method x", `blskernel flops: --method: unknown method "x"; known are improved, original, ridge-inverse, inverse-cholesky, gram, qr`},
		{"flops -method improved/x", `blskernel flops: --method: "x" is neither a form, auto, paper, small, large or compressed, nor solve`},
		{"flops -method gram,gram", `blskernel flops: --method has gram twice`},
		{"flops -method=", `blskernel flops: --method is empty; want some of gram, qr, ridge-inverse, inverse-cholesky, improved, original`},
		{"flops -backend pure,pure", `blskernel flops: --backend has pure twice`},
		{"flops -backend x", `blskernel flops: --backend is "x"; want pure or openblas`},
		{"flops -validate -k 3", `blskernel flops: --k has no effect with --validate, which has settings of its own: leave one out`},
		{"plan x", `blskernel plan: unexpected argument "x"`},
		{"plan -condition 0.5", `blskernel plan: Condition is 0.5; want at least 1, or 0 where it is not known`},
		{"plan -digits 20", `blskernel plan: Digits is 20; want a number up to 16, or 0 for 6`},
		{"bench x", `blskernel bench: unexpected argument "x"`},
		{"bench --op dgem", `blskernel bench: --op has "dgem"; want dgemm, dsyrk, dsyr2k, dsymm, dtrmm, dtrsm, dgemmtp, dsprk, dspmm, dgemv, dger, dsymv, dspmv, dsyr, dspr, ddot, daxpy, cholesky-inverse, ldlt-inverse, lu-inverse, lu-solve, qr, eigensym, svd, eigen or all`},
		{"bench --op=", `blskernel bench: --op is empty; want dgemm, dsyrk, dsyr2k, dsymm, dtrmm, dtrsm, dgemmtp, dsprk, dspmm, dgemv, dger, dsymv, dspmv, dsyr, dspr, ddot, daxpy, cholesky-inverse, ldlt-inverse, lu-inverse, lu-solve, qr, eigensym, svd, eigen or all`},
		{"bench --op dgemm,dgemm", `blskernel bench: --op has dgemm twice`},
		{"bench --case XX", `blskernel bench: --case has "XX"; want NN, NT, TN or TT`},
		{"bench --case NN,XX", `blskernel bench: --case has "XX"; want NN, NT, TN or TT`},
		{"bench --case NN,", `blskernel bench: --case has ""; want NN, NT, TN or TT`},
		{"bench --op ddot --case NN", `blskernel bench: --case has "NN", and ddot has no cases: leave it out`},
		{"bench --case=", `blskernel bench: --case is empty; want NN, NT, TN or TT`},
		{"bench --case NN,NN", `blskernel bench: --case has NN twice`},
		{"bench --n x", `blskernel bench: invalid argument "x" for "--n" flag: want numbers from 1 to 20000`},
		{"bench --n 8,0", `blskernel bench: invalid argument "8,0" for "--n" flag: want numbers from 1 to 20000`},
		{"bench --n 20001", `blskernel bench: invalid argument "20001" for "--n" flag: want numbers from 1 to 20000`},
		{"bench --n 8,8", `blskernel bench: invalid argument "8,8" for "--n" flag: 8 is there twice`},
		{"bench --threads 1,1", `blskernel bench: invalid argument "1,1" for "--threads" flag: 1 is there twice`},
		{"bench --threads default,0", `blskernel bench: invalid argument "default,0" for "--threads" flag: 0 is there twice`},
		{"bench --beside -1", `blskernel bench: invalid argument "-1" for "--beside" flag: want 0 to 1000`},
		{"bench --min-time 0s", `blskernel bench: --min-time is 0s; want more than 0 and at most 1m0s`},
		{"bench --min-time 2", `blskernel bench: invalid argument "2" for "--min-time" flag: missing unit in duration "2"`},
		{"bench --backend nonsense", `blskernel bench: --backend is "nonsense"; want pure or openblas`},
		{"bench --backend=", `blskernel bench: --backend has an empty name; want pure or openblas, or both`},
		{"bench --backend pure,", `blskernel bench: --backend has an empty name; want pure or openblas, or both`},
		{"bench --backend pure,pure", `blskernel bench: --backend has pure twice`},
		{"demo --initial 299", `blskernel demo: 299 samples for 300 nodes with lambda > 0: start with at least as many samples as nodes, or set Lambda to 0 for the exact pseudoinverse`},
	} {
		t.Run(tc.args, func(t *testing.T) {
			status, stdout, stderr := inProcess(strings.Fields(tc.args)...)
			command, _, _ := strings.Cut(tc.want, ":")
			want := tc.want + "\nRun '" + command + " -h' for help.\n"
			if status != ui.ExitUsage || stdout != "" || stderr != want {
				t.Errorf("status %d, stdout %q, stderr\n%swant %d and\n%s", status, stdout, stderr, ui.ExitUsage, want)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, tc := range []struct {
		args string
		want []string
	}{
		{"", []string{"Usage:", "Examples:", "demo ", "train ", "paper ", "report ", "bench ", "info ", "update ", "predict ", "evaluate ", "export ", "inspect ", "blskernel train --out iris.bls"}},
		{"--help", []string{"Usage:", "Examples:", "demo ", "train ", "info "}},
		{"--version", []string{"blskernel version "}},
		{"-v", []string{"blskernel version "}},
		{"version", []string{"blskernel version "}},
		{"version --quiet", []string{"blskernel version "}},
		{"help", []string{"Usage:", "demo ", "train ", "info "}},
		{"help train", []string{"train --out MODEL", "Examples:", "--resume"}},
		{"demo -h", []string{"Examples:", "  blskernel demo\n", "(default 2^-30)", "--initial", "--batch", "--updates", "--groups",
			"--group-nodes", "--enhancement", "--seed", "--method", "--backend", "--threads", "--json"}},
		{"train -h", []string{"Examples:", "--data", "--lambda", "(default \"auto\")", "--target", "--checkpoint"}},
		{"bench -h", []string{"Examples:", "dgemm, dsyrk", "--op", "--case", "--n", "(default 8,16,", "--threads", "--backend", "--rounds", "(default 9)",
			"--min-time", "(default 2ms)", "--beside", "default,1", "--json", "--opponents",
			"\n    ldlt-inverse      dsptrf+dsptri, dsytrf+dsytri2\n"}},
		{"info -h", []string{"Examples:", "--json"}},
		{"completion", []string{"bash", "zsh"}},
	} {
		t.Run(tc.args, func(t *testing.T) {
			testutil.Contains(t, silent(t, strings.Fields(tc.args)...), tc.want...)
		})
	}
}

// TestEarlierFlags accepts the earlier names of flags.
func TestEarlierFlags(t *testing.T) {
	for _, args := range []string{
		"demo --initial 20 --batch 5 --updates 1 --feature-groups 1 --group-nodes 2 --enhancement-nodes 3 --methods gram",
		"paper --table 1 --scale 0.01", "bench --op ddot --backends pure --n 5 --rounds 1 --min-time 1us",
	} {
		succeed(t, strings.Fields(args)...)
	}
}
