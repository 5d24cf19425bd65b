package blskernel

import (
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/linalg/kernel"
	"blskernel/internal/testutil"
)

// The environment chooses the backend, its library and the kernel of the pure backend. For one that
// cannot be used, Lookup returns an error and Default panics, with the reason and the remedy. A library
// that cannot be opened is an error if the choice depends on it. Names may have any case.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	const nowhere, none = "BLSKERNEL_OPENBLAS=/nowhere/libopenblas.so", "BLSKERNEL_OPENBLAS=none"
	const askOpenBLAS, askPure = "BLSKERNEL_BACKEND=openblas", "BLSKERNEL_BACKEND=pure"
	usable := kernel.Names()
	unavailable := `blskernel: backend "pure" is not available: BLSKERNEL_KERNEL=`
	unknown := unavailable + `sse9: kernel: this build has no kernel "sse9" (usable here: ` + strings.Join(usable, ", ") + `)`
	unopened := []string{"backend: pure", "reason: the same results on every machine"}
	without := unopened
	if build, _ := debug.ReadBuildInfo(); taggedCgo(build) {
		unopened = []string{"panic: " + nowhere + `: blskernel: backend "openblas" is not available`}
		without = []string{"backend: pure", "reason: built with -tags cgo, but openblas is not available: "}
	}
	type environment struct{ env, want []string }
	tests := []environment{
		{[]string{askPure}, []string{"backend: pure", "reason: " + askPure}},
		{[]string{"BLSKERNEL_BACKEND=mkl"}, []string{`panic: BLSKERNEL_BACKEND=mkl: blskernel: unknown backend "mkl"; the backends are openblas, pure and pure/KERNEL`}},
		{[]string{"BLSKERNEL_BACKEND=PURE", nowhere}, []string{"backend: pure", "reason: BLSKERNEL_BACKEND=PURE"}},
		{[]string{"BLSKERNEL_BACKEND=Pure/Generic"}, []string{"backend: pure/generic"}},
		{[]string{nowhere}, unopened},
		{[]string{none}, without},
		{[]string{nowhere, askOpenBLAS}, []string{`panic: BLSKERNEL_BACKEND=openblas: blskernel: backend "openblas" is not available`}},
		{[]string{none, askOpenBLAS}, []string{`panic: BLSKERNEL_BACKEND=openblas: blskernel: backend "openblas" is not available`}},
		{nil, []string{"kernel: " + usable[0] + "."}},
		{[]string{"BLSKERNEL_KERNEL="}, []string{"kernel: " + usable[0] + "."}},
		{[]string{"BLSKERNEL_KERNEL=sse9"}, []string{"no pure: *blskernel.UnavailableError: " + unknown, "unset BLSKERNEL_KERNEL"}},
		{[]string{"BLSKERNEL_KERNEL=sse9", none}, []string{"panic: " + unknown}},
		{[]string{"BLSKERNEL_KERNEL=sse9", askPure}, []string{"panic: " + askPure + ": " + unknown}},
	}
	if providers["openblas"] != nil { // a library that exists and is no OpenBLAS
		tests = append(tests, environment{[]string{askOpenBLAS, "BLSKERNEL_OPENBLAS=libm.so.6"},
			[]string{"libm.so.6 is not a usable OpenBLAS: it has no openblas_set_num_threads"}})
	}
	for _, name := range usable {
		tests = append(tests, environment{[]string{"BLSKERNEL_KERNEL=" + strings.ToUpper(name), askPure}, []string{"kernel: " + name + ".", "backend: pure"}})
	}
	for name, set := range map[string]string{"avx512": "AVX512F", "avx2": "AVX2"} {
		if !slices.Contains(usable, name) {
			continue
		}
		lacks := envWithout + "=" + set
		others := strings.Join(slices.DeleteFunc(slices.Clone(usable), func(n string) bool { return n == name }), ", ")
		cannot := unavailable + name + `: kernel: this CPU cannot run kernel "` + name + `" (usable here: ` + others + `)`
		tests = append(tests,
			environment{[]string{lacks, "BLSKERNEL_KERNEL=" + name, none}, []string{"no pure: *blskernel.UnavailableError: " + cannot, "panic: " + cannot}},
			environment{[]string{lacks, "BLSKERNEL_KERNEL=generic"}, []string{"kernel: generic."}})
	}
	for _, test := range tests {
		t.Run(strings.Join(test.env, " "), func(t *testing.T) {
			t.Parallel()
			out := child(t, test.env...)
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("printed\n%swhich does not have\n%s", out, want)
				}
			}
		})
	}
}

// Lookup knows the pure backend on every kernel that this machine can run, and Names lists it once.
// BLSKERNEL_REQUIRE, such as avx2,avx512, names kernels that the machine must have.
func TestLookupKernels(t *testing.T) {
	usable := kernel.Names()
	for _, name := range []string{"generic", "neon", "avx2", "avx512", "sse9"} {
		b, err := Lookup("pure/" + name)
		var u *UnavailableError
		switch {
		case slices.Contains(Names(), "pure/"+name):
			t.Errorf("Names() = %v lists a variant", Names())
		case slices.Contains(usable, name):
			if err != nil || b.Name() != "pure/"+name || Describe(b).Kernel != name {
				t.Errorf("Lookup(pure/%s) is %v, %v", name, b, err)
			}
		case b != nil || !errors.As(err, &u) || !strings.Contains(u.Why, `kernel "`+name+`"`) || !strings.Contains(u.Why, "generic"):
			t.Errorf("Lookup(pure/%s) = %v, %v, want an error that lists the usable kernels", name, b, err)
		case testutil.Required(name):
			t.Errorf("%s requires %s: %v", testutil.EnvRequire, name, err)
		}
	}
}
