//go:build cgo && linux && (amd64 || arm64)

package openblas

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/linalg/cpu"

	"gonum.org/v1/netlib/blas/netlib"
)

func TestBetterCores(t *testing.T) {
	avx2 := []string{"SSE2", "AVX", "FMA3", "AVX2"}
	avx512 := append(slices.Clone(avx2), "AVX512F", "AVX512DQ", "AVX512BW", "AVX512VL")
	for _, tc := range []struct {
		core     string
		features []string
		want     string
	}{
		{"Prescott", avx512, "SkylakeX Haswell"},
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
		if got := strings.Join(betterCores(tc.core, tc.features), " "); got != tc.want {
			t.Errorf("OpenBLAS on the kernels of %q, a CPU with %v: %q; want %q", tc.core, tc.features, got, tc.want)
		}
	}
}

// coreLibrary is the C code of a library that chooses kernels as OpenBLAS does when it is loaded: the
// kernels that the environment names if it knows them, otherwise an old CPU's.
const coreLibrary = `
	#include <stdlib.h>
	#include <string.h>
	static const char *core = "Prescott";
	__attribute__((constructor)) static void loaded(void) {
		const char *want = getenv("OPENBLAS_CORETYPE");
		if (want && strstr(KNOWN, want)) core = strdup(want);
	}
	char *openblas_get_corename(void) { return (char *)core; }`

// again runs a test in its own process, in this environment without OPENBLAS_CORETYPE and with env.
func again(test string, env ...string) (string, error) {
	args := []string{"-test.run=^" + test + "$"}
	if dir := flag.Lookup("test.gocoverdir").Value.String(); dir != "" { // where make cover collects
		args = append(args, "-test.gocoverdir="+dir)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "OPENBLAS_CORETYPE=") })
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestOpensBestCore opens, each in its own process, libraries that do not recognize the CPU. Three know
// its best core type, an older type, or none. For the fourth, the environment chooses the type.
func TestOpensBestCore(t *testing.T) {
	const envWant = "BLSKERNEL_TEST_CORE"
	if want := os.Getenv(envWant); want != "" {
		before := coreChosen()
		if _, err := Open(os.Getenv(EnvLibrary)); err != nil {
			t.Fatal(err)
		}
		if got := openedCore(); got != want {
			t.Errorf("the kernels of %q; want those of %q", got, want)
		}
		if after := coreChosen(); before != after {
			t.Errorf("the environment has the CPU: %t, and before %t", after, before)
		}
		return
	}
	best := append(betterCores("Prescott", cpu.Features()), "Prescott")
	for _, tc := range []struct{ known, chosen, want string }{
		{"SkylakeX Haswell", "", best[0]},
		{"Haswell", "", best[max(0, len(best)-2)]},
		{"none", "", "Prescott"},
		{"Nehalem", "Nehalem", "Nehalem"},
	} {
		library := stubOpenBLAS(t, fmt.Sprintf("#define KNOWN %q", tc.known)+coreLibrary)
		env := []string{EnvLibrary + "=" + library, envWant + "=" + tc.want}
		if tc.chosen != "" {
			env = append(env, "OPENBLAS_CORETYPE="+tc.chosen)
		}
		if out, err := again("TestOpensBestCore", env...); err != nil || !strings.Contains(out, "PASS") {
			t.Errorf("a library that knows %s, chosen %q: %v\n%s", tc.known, tc.chosen, err, out)
		}
	}
}

// TestClosed closes a library: nothing in it is called afterwards, and it can be opened again.
func TestClosed(t *testing.T) {
	const envLibrary = "BLSKERNEL_TEST_CLOSED"
	if library := os.Getenv(envLibrary); library != "" {
		for range 3 {
			if why := openAs(library, ""); why != "" {
				t.Fatal(why)
			}
			closeOpened()
			if core := openedCore(); core != "" {
				t.Errorf("a library that is closed has the kernels of %s", core)
			}
		}
		netlib.Implementation{}.Dscal(1, 2, []float64{1}, 1)
		return
	}
	out, err := again("TestClosed", envLibrary+"="+stubOpenBLAS(t, "#define KNOWN \"\""+coreLibrary))
	if err == nil || !strings.Contains(out, "was called before OpenBLAS was opened") || strings.Contains(out, "FAIL: ") {
		t.Errorf("a routine of a closed library: %v\n%s", err, out)
	}
}

// TestKnowsCPU checks that OpenBLAS, if present, does not use kernels that are older than the CPU.
func TestKnowsCPU(t *testing.T) {
	if _, err := Open(os.Getenv(EnvLibrary)); err != nil {
		t.Skip(err)
	}
	if coreChosen() {
		t.Skip("OPENBLAS_CORETYPE chooses the kernels")
	}
	if better := betterCores(openedCore(), cpu.Features()); better != nil {
		t.Errorf("OpenBLAS runs the kernels of %s; those of %s would do, if the library can be closed and knows them", openedCore(), better[0])
	}
}
