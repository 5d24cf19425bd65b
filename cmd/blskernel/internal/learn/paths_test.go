package learn

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestLockModel locks files whose names have characters of patterns, or are as long as they can be, and
// removes what a killed writer of them has left, and nothing else.
func TestLockModel(t *testing.T) {
	long := strings.Repeat("x", 251) + ".bls"
	for name, leftover := range map[string]string{
		"m.bls": ".m.bls.0123abcd.tmp", "m[1]*?.bls": ".m[1]*?.bls.0123abcd.tmp", long: "." + long[:200] + ".0123abcd.tmp",
	} {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, "*?") {
			continue
		}
		dir := t.TempDir()
		writeText(t, dir, leftover, "")
		mine := writeText(t, dir, ".m.bls.notahex!.tmp", "")
		other := writeText(t, dir, ".m.bls2.0123abcd.tmp", "")
		release, err := lockModel(nil, filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, leftover)); err == nil {
			t.Errorf("%s is left", leftover)
		}
		for _, path := range []string{mine, other} {
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		}
		if _, err := lockModel(nil, filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), "is being changed by another process") {
			t.Errorf("%s is locked twice: %v", name, err)
		}
		release()
	}
}
