package main

import (
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"blskernel"
)

func TestInfo(t *testing.T) {
	openblas := slices.Contains(blskernel.Names(), "openblas")
	byDefault := `^backend: pure \(the same results on every machine\)\n`
	if build, _ := debug.ReadBuildInfo(); slices.Contains(build.Settings, debug.BuildSetting{Key: "-tags", Value: "cgo"}) {
		byDefault = `^backend: openblas \(built with -tags cgo, and OpenBLAS was found\)\n`
		// The command does not have the environment of the test,
		// and may find OpenBLAS where the test does not.
		if !openblas {
			byDefault += `|^backend: pure \(built with -tags cgo, but openblas: .+\)\n`
		}
	}
	for _, tc := range []struct {
		name   string
		env    []string
		needs  bool // OpenBLAS
		status int
		want   string // a pattern for the first line, of standard output or else of standard error
	}{
		{"pure", []string{"BLSKERNEL_BACKEND=pure"}, false, 0, `^backend: pure \(BLSKERNEL_BACKEND=pure\)\n`},
		{"openblas", []string{"BLSKERNEL_BACKEND=openblas"}, true, 0, `^backend: openblas \(BLSKERNEL_BACKEND=openblas\)\n`},
		{"default", nil, false, 0, byDefault},
		{"not to be opened", []string{"BLSKERNEL_OPENBLAS=/nowhere"}, false, 0, `^backend: pure \((built with -tags cgo, but openblas: .+|the same results on every machine)\)\n`},
		{"nonsense", []string{"BLSKERNEL_BACKEND=nonsense"}, false, 1, `^blskernel info: BLSKERNEL_BACKEND=nonsense: .*unknown backend "nonsense"; known are openblas, pure\n$`},
		{"asked for and not to be opened", []string{"BLSKERNEL_BACKEND=openblas", "BLSKERNEL_OPENBLAS=/nowhere"}, false, 1, `^blskernel info: BLSKERNEL_BACKEND=openblas: .*"openblas" is not available: .*\n$`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.needs && !openblas {
				t.Skip("OpenBLAS is not usable here")
			}
			status, stdout, stderr := process(t, tc.env, "info")
			out := stdout
			if tc.status != 0 {
				out = stderr
			}
			if status != tc.status || !regexp.MustCompile(tc.want).MatchString(out) || strings.Contains(stderr, "panic") {
				t.Errorf("status %d, stdout\n%sstderr\n%swant %d and %s", status, stdout, stderr, tc.status, tc.want)
			}
			if status != 0 {
				return
			}
			_, stdout, _ = process(t, tc.env, "info", "--json")
			info := object[information](t, stdout)
			if want := "backend: " + info.Backend + " (" + info.Why + ")\n"; !strings.HasPrefix(out, want) || info.Threads < 1 || info.Kernel == "" || len(info.SelfTest) != 16 || !strings.Contains(out, "\nself-test: "+info.SelfTest+" ") ||
				info.Caches.Source == "" || !strings.Contains(out, " KiB, "+info.Caches.Source+"\n") {
				t.Errorf("JSON %+v does not go with %q", info, out)
			}
		})
	}
}

// TestBackends runs the same jobs under all kinds of choices.
func TestBackends(t *testing.T) {
	bench := func(flags ...string) []string { return quickBench(append([]string{"--n", "3"}, flags...)...) }
	nonsense, nowhere := []string{"BLSKERNEL_BACKEND=nonsense"}, []string{"BLSKERNEL_OPENBLAS=/nowhere"}
	for _, tc := range []struct {
		name   string
		env    []string
		args   []string
		status int
		want   string // in standard output, or else in standard error
	}{
		{"environment", []string{"BLSKERNEL_BACKEND=pure"}, quick(), 0, "\nbackend    pure, "},
		{"flag before environment", nonsense, quick("--backend", "pure"), 0, "\nbackend    pure, "},
		{"threads", nil, quick("--backend", "pure", "--threads", "1"), 0, "\nbackend    pure, threads: 1\n"},
		{"nonsense", nonsense, quick(), 1, "blskernel demo: BLSKERNEL_BACKEND=nonsense: "},
		{"not to be opened", nowhere, quick("--backend", "openblas"), 1, `backend "openblas" is not available`},
		{"a table", nil, bench("--backend", "pure"), 0, "\nbackends   pure\n"},
		{"a table", nil, bench("--op", "dgemv", "--backend", "pure,pure/generic", "--n", "1000"), 0, "  mean ratio  "},
		{"alone", nowhere, bench(), 0, "\nbackends   pure\nnot usable blskernel: backend \"openblas\" is not available: "},
		{"one of two not to be opened", nowhere, bench("--backend", "pure,openblas"), 1, `backend "openblas" is not available`},
		{"no opponents", nowhere, bench("--op", "lu-solve"), 0, "\nbackends   pure\nnot usable "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, stdout, stderr := process(t, tc.env, tc.args...)
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
