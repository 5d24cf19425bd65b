package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
)

var cpus = []string{"Zen 4", "Zen 5", "Xeon"}

func committed(t *testing.T) (all []floor, kernels []string) {
	t.Helper()
	all, err := parse(floors)
	testutil.NoError(t, err)
	for _, f := range all {
		if !slices.Contains(kernels, f.kernel) {
			kernels = append(kernels, f.kernel)
		}
	}
	return all, kernels
}

// gate runs the gate on the given shares instead of this machine's. It returns the number of failures
// and the output.
func gate(t *testing.T, all []floor, kernels []string, share func(f floor, call int) float64) (int, string) {
	t.Helper()
	var out strings.Builder
	calls := map[string]int{}
	below, err := run(t.Context(), all, kernels, patient, func(_ context.Context, f floor) (float64, error) {
		calls[f.String()]++
		return share(f, calls[f.String()]), nil
	}, &out, false)
	testutil.NoError(t, err)
	return below, out.String()
}

// TestSlower slows each kernel by 20%, with an injected share, on each CPU that it was measured on. The
// gate passes without the change, fails with it, and names that kernel alone. Each operation in the
// list fails by itself.
func TestSlower(t *testing.T) {
	all, kernels := committed(t)
	for _, k := range []string{"avx512", "avx2", "generic"} {
		if !slices.Contains(kernels, k) {
			t.Errorf("kernel %s has no floor", k)
		}
	}
	blocked := []string{"dgemm", "dsyrk", "dsymm", "dtrmm"} // and dtrsm RUN
	for cpu, name := range cpus {
		seen := slices.DeleteFunc(slices.Clone(all), func(f floor) bool { return f.seen[cpu] == 0 })
		for _, slow := range kernels {
			if !slices.ContainsFunc(seen, func(f floor) bool { return f.kernel == slow }) {
				continue
			}
			factor := 1.0
			share := func(f floor, _ int) float64 {
				if f.kernel == slow {
					return factor * f.seen[cpu]
				}
				return f.seen[cpu]
			}
			if below, out := gate(t, seen, kernels, share); below != 0 {
				t.Errorf("%s: %d cases of an unchanged kernel fail:\n%s", name, below, out)
			}
			factor = 0.8
			below, out := gate(t, seen, kernels, share)
			if below == 0 || strings.Count(out, "SLOW "+slow) != below {
				t.Errorf("%s: %s is slower by 20%%, %d cases fail:\n%s", name, slow, below, out)
			}
			for _, f := range seen {
				must := slices.Contains(blocked, f.job.Case.Op) || f.job.Case.Op == "dtrsm" && f.job.Case.Args == "RUN"
				if f.kernel == slow && must && !strings.Contains(out, fmt.Sprintf("SLOW %v:", f)) {
					t.Errorf("%s: %v is slower by 20%% and passes", name, f)
				}
			}
		}
	}
}

// TestAttempts tries shares that are low at first, always low, or not a number.
func TestAttempts(t *testing.T) {
	all, kernels := committed(t)
	for _, tc := range []struct {
		what  string
		share func(f floor, call int) float64
		want  int
	}{
		{"low three times", func(f floor, call int) float64 { return f.share * float64(call) / 4 }, 0},
		{"low four times", func(f floor, call int) float64 { return f.share * 0.99 }, len(all)},
		{"at the floor", func(f floor, call int) float64 { return f.share }, 0},
		{"not a number", func(floor, int) float64 { return math.NaN() }, len(all)},
	} {
		if below, out := gate(t, all, kernels, tc.share); below != tc.want {
			t.Errorf("%s: %d cases fail; want %d\n%s", tc.what, below, tc.want, out)
		}
	}
	if below, _ := gate(t, all, nil, func(floor, int) float64 { return 0 }); below != 0 {
		t.Errorf("%d cases of kernels that this CPU does not have", below)
	}
	broken := errors.New("broken")
	if _, err := run(t.Context(), all, kernels, patient, func(context.Context, floor) (float64, error) { return 0, broken }, nil, false); err != broken {
		t.Errorf("error %v", err)
	}
}

// TestCommand looks at exit statuses, and measures one case of each kernel, whatever the result is.
func TestCommand(t *testing.T) {
	committed, each := floors, ""
	defer func() { floors = committed }()
	for _, k := range backend.Kernels() {
		each += k + " ddot - 1000 1e-9 0 0 0\n"
	}
	for _, tc := range []struct {
		args, text string
		status     int
		says       string
	}{
		{"-v", each, 0, "gate: every measured kernel reaches its floors: " + strings.Join(backend.Kernels(), ", ")},
		{"-kernel generic -attempts 1", "generic ddot - 1000 1e9 0 0 0", 1, "SLOW generic ddot 1000"},
		{"-kernel avx51", "generic ddot - 1000 1e9 0 0 0", 2, "not a kernel that this CPU can run: want one of " + strings.Join(backend.Kernels(), ", ")},
		{"", "nonsense", 2, "is not a floor"},
		{"", "# comment\navx2 dgemm NN", 2, "floors.txt:2: "},
		{"", "avx2 dgemm NX 300 0.5 0 0 0", 2, "floors.txt:1: "},
		{"", "avx2 dgemm NN 300 0 0 0 0", 2, "floors.txt:1: "},
		{"", "avx2 dgemm NN 300 x 0 0 0", 2, "floors.txt:1: "},
		{"-kernel generic", "neon ddot - 1000 1e9 0 0 0", 0, "gate: kernel generic has no floor and is not measured"},
		{"-attempts 0", committed, 2, "want at least 1"},
		{"-nonsense", committed, 2, "flag provided but not defined"},
		{"generic", "generic ddot - 1000 1e-9 0 0 0", 2, "unexpected argument \"generic\""},
	} {
		floors = tc.text
		var out strings.Builder
		if status := command(t.Context(), strings.Fields(tc.args), &out, &out); status != tc.status || !strings.Contains(out.String(), tc.says) {
			t.Errorf("gate %s: status %d; want %d\n%s", tc.args, status, tc.status, &out)
		}
	}
}
