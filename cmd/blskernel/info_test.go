package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blskernel"
)

func TestInfo(t *testing.T) {
	openblas := slices.Contains(blskernel.Names(), "openblas")
	for _, tc := range []struct {
		name   string
		env    []string
		needs  bool // OpenBLAS
		status int
		want   string // a pattern for the first line, of standard output or else of standard error
	}{
		{"pure", []string{"BLSKERNEL_BACKEND=pure"}, false, 0, `^backend: pure \(BLSKERNEL_BACKEND=pure\)\n`},
		{"openblas", []string{"BLSKERNEL_BACKEND=openblas"}, true, 0, `^backend: openblas \(BLSKERNEL_BACKEND=openblas\)\n`},
		{"default", nil, true, 0, `^backend: openblas \(OpenBLAS was found\)\n`},
		{"not to be opened", []string{"BLSKERNEL_OPENBLAS=/nowhere"}, false, 0, `^backend: pure \(openblas: .+\)\n`},
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
			var info information
			if err := json.Unmarshal([]byte(stdout), &info); err != nil {
				t.Fatalf("%v in\n%s", err, stdout)
			}
			if want := "backend: " + info.Backend + " (" + info.Why + ")\n"; !strings.HasPrefix(out, want) || info.Threads < 1 || info.Kernel == "" {
				t.Errorf("JSON %+v does not go with %q", info, out)
			}
		})
	}
}

// TestBackends runs the same job under all kinds of choices.
func TestBackends(t *testing.T) {
	for _, tc := range []struct {
		name   string
		env    []string
		flags  []string
		status int
		want   string // in standard output, or else in standard error
	}{
		{"environment", []string{"BLSKERNEL_BACKEND=pure"}, nil, 0, "\nbackend    pure, "},
		{"flag before environment", []string{"BLSKERNEL_BACKEND=nonsense"}, []string{"--backend", "pure", "--check"}, 0, "\nbackend    pure, "},
		{"threads", nil, []string{"--backend", "pure", "--threads", "1"}, 0, "\nbackend    pure, threads: 1\n"},
		{"nonsense", []string{"BLSKERNEL_BACKEND=nonsense"}, nil, 1, "blskernel demo: BLSKERNEL_BACKEND=nonsense: "},
		{"not to be opened", []string{"BLSKERNEL_OPENBLAS=/nowhere"}, []string{"--backend", "openblas"}, 1, `backend "openblas" is not available`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, stdout, stderr := process(t, tc.env, quick(tc.flags...)...)
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
