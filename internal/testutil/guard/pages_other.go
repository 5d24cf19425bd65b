//go:build !linux && !darwin

package guard

import (
	"runtime"
	"testing"
)

// reserve skips the test.
func reserve(t testing.TB, _ int) []float64 {
	t.Helper()
	t.Skipf("guard: no pages without access on %s/%s", runtime.GOOS, runtime.GOARCH)
	return nil
}
