package session

import "testing"

// TestRecorded checks that no two of these names become equal.
func TestRecorded(t *testing.T) {
	for name, want := range map[string]string{"é.csv": "é.csv", `a\b`: `a\b`, "\xff": `\xff`, "\xfe": `\xfe`, `\xff`: `\\xff`, "\ufffd": "\ufffd"} {
		if got := Recorded(name); got != want {
			t.Errorf("%q is recorded as %q; want %q", name, got, want)
		}
	}
}
