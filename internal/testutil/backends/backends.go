// Package backends runs a test on every backend, or on every kernel.
package backends

import (
	"path"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
)

// kernels are the kernels of the backend pure, on any architecture, the fastest first.
var kernels = []string{"avx512", "avx2", "neon", "generic"}

// On runs f as a subtest named backend=NAME for the backends pure and openblas. A backend that this
// process cannot use is skipped, or fails if testutil.EnvRequire lists it. testutil.EnvOnly can leave
// out one of them, here and in OnKernels, All and Pure.
func On(t *testing.T, f func(t *testing.T, b blskernel.Backend)) {
	t.Helper()
	run(t, "pure", f)
	run(t, "openblas", f)
}

// OnKernels is On with one subtest, backend=pure/KERNEL, for each kernel of the backend pure. The
// portable kernel, the slowest, is left out if the machine has another, unless testutil.Long.
func OnKernels(t *testing.T, f func(t *testing.T, b blskernel.Backend)) {
	t.Helper()
	ran := false
	for _, k := range kernels {
		if k == "generic" && ran && !testutil.Long() {
			continue
		}
		ran = run(t, "pure/"+k, f) || ran
	}
	run(t, "openblas", f)
}

// All returns the backend pure on each kernel that this machine has, and openblas if it can be used.
// The test's log lists them.
func All(t testing.TB) []blskernel.Backend {
	t.Helper()
	return add(t, onKernels(t), "openblas")
}

// Pure returns the backend pure on each kernel that this machine has. If testutil.EnvOnly leaves
// the backend out, it skips the test.
func Pure(t testing.TB) []blskernel.Backend {
	t.Helper()
	testutil.NeedsBackend(t, "pure")
	all := onKernels(t)
	if len(all) == 0 {
		t.Fatal("no kernel of the backend pure can be used")
	}
	return all
}

func onKernels(t testing.TB) (all []blskernel.Backend) {
	t.Helper()
	for _, k := range kernels {
		all = add(t, all, "pure/"+k)
	}
	return all
}

// add appends the named backend to all if it can be used. It must be usable if EnvRequire lists the
// backend or, for a name that ends in /KERNEL, the kernel.
func add(t testing.TB, all []blskernel.Backend, name string) []blskernel.Backend {
	t.Helper()
	if testutil.LeftOut(t, name) {
		return all
	}
	b, err := blskernel.Lookup(name)
	if err == nil {
		t.Log("backend", name)
		return append(all, b)
	}
	if required := path.Base(name); testutil.Required(required) {
		t.Fatalf("%s requires %s: %v", testutil.EnvRequire, required, err)
	}
	return all
}

// run runs f as a subtest on the named backend. It returns false for a backend left out or unusable.
func run(t *testing.T, name string, f func(t *testing.T, b blskernel.Backend)) bool {
	t.Helper()
	b, err := blskernel.Lookup(name)
	out := testutil.LeftOut(t, name)
	t.Run("backend="+name, func(t *testing.T) {
		if out {
			t.Skipf("%s leaves out this backend", testutil.EnvOnly)
		}
		if err != nil {
			testutil.SkipOrFail(t, path.Base(name), err)
		}
		f(t, b)
	})
	return err == nil && !out
}
