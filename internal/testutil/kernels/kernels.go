// Package kernels lists the kernels on which a test runs.
package kernels

import (
	"testing"

	"blskernel/internal/linalg/kernel"
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
