// Package backends runs a test on every backend, or on every kernel.
package backends

import (
	"os"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
)

// kernels are the kernels of the backend pure, on any architecture, the fastest first.
var kernels = []string{"avx512", "avx2", "neon", "generic"}

// EnvOnly names the environment variable with the one backend to test, for a run that has tested the
// others before.
const EnvOnly = "BLSKERNEL_ONLY"

// only returns the backend to test if name is not the one.
func only(name string) (other string) {
	if other = os.Getenv(EnvOnly); other == name {
		return ""
	}
	return other
}

// On runs f as a subtest named backend=NAME for the backends pure and openblas. One that this process
// cannot use is skipped, or fails where testutil.EnvRequire lists it.
func On(t *testing.T, f func(t *testing.T, b blskernel.Backend)) {
	t.Helper()
	run(t, "pure", "pure", f)
	run(t, "openblas", "openblas", f)
}

// OnKernels is On with one subtest, backend=pure/KERNEL, for each kernel of the backend pure. With
// -short it leaves out the portable kernel, which takes longest, where the machine has another.
func OnKernels(t *testing.T, f func(t *testing.T, b blskernel.Backend)) {
	t.Helper()
	ran := false
	for _, k := range kernels {
		if k == "generic" && ran && testing.Short() {
			continue
		}
		ran = run(t, k, "pure/"+k, f) || ran
	}
	run(t, "openblas", "openblas", f)
}

// All returns the backend pure on each kernel that this machine has, and openblas where it can be used.
// The test's log lists them.
func All(t testing.TB) []blskernel.Backend {
	t.Helper()
	var all []blskernel.Backend
	for _, k := range kernels {
		all = add(t, all, k, "pure/"+k)
	}
	return add(t, all, "openblas", "openblas")
}

// add appends the backend of the given name to all where it can be used.
func add(t testing.TB, all []blskernel.Backend, required, name string) []blskernel.Backend {
	t.Helper()
	if only(required) != "" {
		return all
	}
	b, err := blskernel.Lookup(name)
	if err == nil {
		t.Log("backend", name)
		return append(all, b)
	}
	if testutil.Required(required) {
		t.Fatalf("%s requires %s: %v", testutil.EnvRequire, required, err)
	}
	return all
}

// run runs f as a subtest on the backend of the given name and reports whether there is one.
func run(t *testing.T, required, name string, f func(t *testing.T, b blskernel.Backend)) bool {
	t.Helper()
	b, err := blskernel.Lookup(name)
	t.Run("backend="+name, func(t *testing.T) {
		if other := only(required); other != "" {
			t.Skipf("%s=%s", EnvOnly, other)
		}
		if err != nil {
			testutil.SkipOrFail(t, required, err)
		}
		f(t, b)
	})
	return err == nil
}
