package hashes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// A listener is a test that records its errors.
type listener struct {
	testing.TB
	said []string
}

func (l *listener) Helper()      {}
func (l *listener) Failed() bool { return len(l.said) > 0 }
func (l *listener) Errorf(format string, a ...any) {
	l.said = append(l.said, fmt.Sprintf(format, a...))
}

const file = "# head\nblas Dgemm NN m=3 0000000000000001\nblas Ddot 0000000000000002\nother Ddot 0000000000000003\n"

// TestCheck checks that a test fails, with the name and the rule, for a hash that differs. The test
// also fails for a hash that is not in the file, and for a hash in the file that no test computes.
func TestCheck(t *testing.T) {
	b := &Book{section: "blas", golden: parse(file, "blas")}
	var l listener
	b.Begin()
	b.Check(&l, "Ddot", "one tree", 2)
	if len(l.said) != 0 {
		t.Fatalf("the errors are %q", l.said)
	}
	b.Check(&l, "Dgemm NN m=3", "one chain", 7)
	b.Check(&l, "Dasum", "one tree", 7)
	for i := range shown {
		b.Check(&l, fmt.Sprint(i), "one tree", 7)
	}
	b.golden["gone"] = "0000000000000004"
	b.End(&l)
	testutil.Contains(t, strings.Join(l.said, "\n"),
		"blas Dgemm NN m=3: hash 0000000000000007, want 0000000000000001\n\trule: one chain (docs/reproducibility.md)",
		"blas Dasum: hash 0000000000000007, want none", "blas gone is in hashes.txt, but no test computes it", "blas: 22 of 23 hashes differ")
	if len(l.said) != shown+2 {
		t.Errorf("the errors are %q, want %d", l.said, shown+2)
	}
}

// TestWrite checks that the first run sets the golden hashes of its section, and that later runs must
// agree. Other sections and the head stay.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hashes.txt")
	testutil.NoError(t, os.WriteFile(path, []byte(file), 0o644))
	b := &Book{section: "blas", golden: map[string]string{}, fresh: true, file: path}
	for range 2 {
		b.Begin()
		b.Check(t, "Ddot", "", 5)
		b.End(t)
	}
	text, err := os.ReadFile(path)
	if want := "# head\nblas Ddot 0000000000000005\nother Ddot 0000000000000003\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
	var l listener
	b.Begin()
	b.Check(&l, "Ddot", "", 6)
	b.End(&l)
	if again, err := os.ReadFile(path); err != nil || string(again) != string(text) || len(l.said) != 1 {
		t.Errorf("after a run that differs: %q, %v; the errors are %q", again, err, l.said)
	}
}
