// Package numpytest runs NumPy in tests, on machines that have NumPy.
package numpytest

import (
	"os/exec"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// Run executes a Python program that uses NumPy, in dir, and returns what it prints. Without NumPy it
// skips the test, or fails it if the environment variable BLSKERNEL_REQUIRE lists numpy.
func Run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(python(t), append([]string{"-c", program}, args...)...)
	cmd.Dir = dir
	var wrong strings.Builder
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python: %v\n%s", err, wrong.String())
	}
	return string(out)
}

// python returns an interpreter that has NumPy.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3", "python"} { // the first one may lack NumPy
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	testutil.SkipOrFail(t, "numpy", "no python3 with NumPy")
	return ""
}
