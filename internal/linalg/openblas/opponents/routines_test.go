//go:build cgo && !noopenblas && linux && (amd64 || arm64)

package opponents

import "testing"

// TestMissing looks the routines up in the program itself, which has none of them. The tests of
// internal/linalg/openblas call them.
func TestMissing(t *testing.T) {
	if err := fill(nil); err == nil || err.Error() != "the library has no dpotrf_" {
		t.Error(err)
	}
}
