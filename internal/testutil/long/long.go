// Package long tells tests whether they are to do all that they can, which takes minutes, or what is
// enough for every day.
package long

import (
	"os"
	"testing"
)

// Variable is the environment variable that asks for the long suites by the value 1, as in make verify.
const Variable = "BLSKERNEL_LONG"

// Asked tells whether the long suites are asked for.
func Asked() bool { return os.Getenv(Variable) == "1" }

// Only skips a test of which there is no short form, unless the long suites are asked for.
func Only(t testing.TB) {
	t.Helper()
	if !Asked() {
		t.Skipf("a test of some minutes; %s=1 asks for it", Variable)
	}
}
