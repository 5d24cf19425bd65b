//go:build cgo && linux && (amd64 || arm64)

package blskernel

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/kernel"
)

func TestBetterCore(t *testing.T) {
	avx2 := []string{"SSE2", "AVX", "FMA3", "AVX2"}
	avx512 := append(slices.Clone(avx2), "AVX512F", "AVX512DQ", "AVX512BW", "AVX512VL")
	for _, tc := range []struct {
		core     string
		features []string
		want     string
	}{
		{"Prescott", avx512, "SkylakeX"},
		{"Prescott", avx2, "Haswell"},
		{"Nehalem", append(slices.Clone(avx2), "AVX512F"), "Haswell"},
		{"Prescott", []string{"SSE2", "AVX"}, ""},
		{"Piledriver", []string{"SSE2", "AVX", "FMA3"}, ""},
		{"Haswell", avx512, ""},
		{"Zen", avx2, ""},
		{"SapphireRapids", avx512, ""},
		{"neoversen1", nil, ""},
		{"", avx512, ""},
	} {
		if got := betterCore(tc.core, tc.features); got != tc.want {
			t.Errorf("OpenBLAS on the kernels of %q, a CPU with %v: %q; want %q", tc.core, tc.features, got, tc.want)
		}
	}
}

// TestOpensBestCore opens a library that does not know the CPU, and says what it was told, and one whose type was chosen
// outside, in processes of their own.
func TestOpensBestCore(t *testing.T) {
	const envWant = "BLSKERNEL_TEST_CORE"
	if want := os.Getenv(envWant); want != "" {
		if _, err := Lookup("openblas"); err != nil {
			t.Fatal(err)
		}
		if got := openedCore(); got != want {
			t.Errorf("the kernels of %q; want those of %q", got, want)
		}
		if before, after := os.Getenv("BLSKERNEL_TEST_CORETYPE"), os.Getenv(envCoreType); before != after {
			t.Errorf("%s was %q, and is %q", envCoreType, before, after)
		}
		return
	}
	best := betterCore("Prescott", kernel.Features())
	if best == "" {
		best = "Prescott"
	}
	// Like OpenBLAS it looks at the environment when it is loaded.
	library := stubOpenBLAS(t, `
		#include <stdlib.h>
		#include <string.h>
		static const char *core = "Prescott";
		__attribute__((constructor)) static void loaded(void) { if (getenv("OPENBLAS_CORETYPE")) core = strdup(getenv("OPENBLAS_CORETYPE")); }
		char *openblas_get_corename(void) { return (char *)core; }`)
	for _, tc := range []struct{ chosen, want string }{{"", best}, {"Nehalem", "Nehalem"}} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestOpensBestCore$")
		for _, e := range os.Environ() {
			if !strings.HasPrefix(e, envCoreType+"=") {
				cmd.Env = append(cmd.Env, e)
			}
		}
		cmd.Env = append(cmd.Env, "BLSKERNEL_OPENBLAS="+library, envWant+"="+tc.want, "BLSKERNEL_TEST_CORETYPE="+tc.chosen)
		if tc.chosen != "" {
			cmd.Env = append(cmd.Env, envCoreType+"="+tc.chosen)
		}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("chosen %q: %v\n%s", tc.chosen, err, out)
		}
	}
}

// TestKnowsCPU has OpenBLAS, where it is there, on no kernels that are older than the CPU.
func TestKnowsCPU(t *testing.T) {
	if _, chosen := os.LookupEnv(envCoreType); chosen {
		t.Skip(envCoreType, " chooses the kernels")
	}
	if _, err := Lookup("openblas"); err != nil {
		t.Skip(err)
	}
	if better := betterCore(openedCore(), kernel.Features()); better != "" {
		t.Errorf("OpenBLAS runs the kernels of %s; those of %s would do", openedCore(), better)
	}
}
