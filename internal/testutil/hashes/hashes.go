// Package hashes compares the results of tests with the golden hashes in hashes.txt.
package hashes

import (
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

//go:embed hashes.txt
var text string

var write = flag.Bool("hashes.write", false, "regenerate the golden hashes of these tests")

// A Book has the golden hashes of a section: the lines of hashes.txt that begin with its name.
type Book struct {
	section string
	golden  map[string]string // hash by name
	seen    map[string]bool
	fresh   bool   // the first run of this process sets the golden hashes
	file    string // where they are then written
	failed  int
}

// shown is the maximum number of differences that a run reports one by one.
const shown = 20

// Open returns the golden hashes of a section.
func Open(section string) *Book {
	if !*write {
		return &Book{section: section, golden: parse(text, section)}
	}
	_, here, _, _ := runtime.Caller(0)
	return &Book{section: section, golden: map[string]string{}, fresh: true, file: filepath.Join(filepath.Dir(here), "hashes.txt")}
}

func parse(text, section string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), section+" "); ok {
			if at := strings.LastIndexByte(rest, ' '); at > 0 {
				all[rest[:at]] = rest[at+1:]
			}
		}
	}
	return all
}

// Begin begins a run, which computes every hash of the section once, for example on one kernel.
func (b *Book) Begin() { b.seen, b.failed = map[string]bool{}, 0 }

// Check compares a hash with the golden hash. rule says what makes the result the same everywhere.
func (b *Book) Check(t testing.TB, name, rule string, hash uint64) {
	t.Helper()
	got := fmt.Sprintf("%016x", hash)
	if b.seen[name] {
		t.Fatalf("two results have the name %q", name)
	}
	b.seen[name] = true
	want, known := b.golden[name]
	if b.fresh && !known {
		b.golden[name] = got
		return
	}
	if got == want {
		return
	}
	if b.failed++; b.failed > shown {
		return
	}
	if !known {
		want = "none"
	}
	t.Errorf("%s %s: hash %s, want %s\n\trule: %s (docs/reproducibility.md)", b.section, name, got, want, rule)
}

// End ends a run. A golden hash without a result fails the test. With -hashes.write, End writes the
// section to hashes.txt.
func (b *Book) End(t testing.TB) {
	t.Helper()
	if b.failed > shown {
		t.Errorf("%s: %d of %d hashes differ", b.section, b.failed, len(b.seen))
	}
	for _, name := range slices.Sorted(maps.Keys(b.golden)) {
		if !b.seen[name] {
			t.Errorf("%s %s is in hashes.txt, but no test computes it", b.section, name)
		}
	}
	if !b.fresh || t.Failed() {
		return
	}
	old, err := os.ReadFile(b.file)
	if err == nil {
		err = os.WriteFile(b.file, []byte(b.merge(string(old))), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// merge returns the text of the file with the section replaced. Lines are sorted by name.
func (b *Book) merge(old string) string {
	var head, lines []string
	for line := range strings.Lines(old) {
		if strings.HasPrefix(line, "#") {
			head = append(head, line)
		} else if !strings.HasPrefix(line, b.section+" ") {
			lines = append(lines, line)
		}
	}
	for name, hash := range b.golden {
		lines = append(lines, fmt.Sprintf("%s %s %s\n", b.section, name, hash))
	}
	slices.Sort(lines)
	return strings.Join(head, "") + strings.Join(lines, "")
}
