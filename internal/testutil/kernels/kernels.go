// Package kernels lists the kernels on which a test runs.
package kernels

import (
	"testing"

	"blskernel/internal/kernel"
	"blskernel/internal/testutil"
)

// All returns the kernels that this machine can run, the portable one last.
func All(t testing.TB) (all []kernel.Kernel) {
	for _, name := range kernel.Names() {
		k, err := kernel.Lookup(name)
		testutil.NoError(t, err)
		all = append(all, k)
	}
	return all
}

// Some is All without the portable kernel, which takes longest, where the machine has another, unless
// testutil.Long.
func Some(t testing.TB) []kernel.Kernel {
	all := All(t)
	if !testutil.Long() && len(all) > 1 {
		all = all[:len(all)-1]
	}
	return all
}
