package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestLockModel locks files, one whose name is as long as it can be, and removes what a killed writer
// of them has left.
func TestLockModel(t *testing.T) {
	long := strings.Repeat("x", 251) + ".bls"
	for name, leftover := range map[string]string{"m.bls": ".m.bls.0123abcd.tmp", long: "." + long[:200] + ".0123abcd.tmp"} {
		dir := t.TempDir()
		testutil.NoError(t, os.WriteFile(filepath.Join(dir, leftover), nil, 0o666))
		release, err := lockModel(nil, filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, leftover)); err == nil {
			t.Errorf("%s is left", leftover)
		}
		if _, err := lockModel(nil, filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), "is being changed by another process") {
			t.Errorf("%s is locked twice: %v", name, err)
		}
		release()
	}
}
