package blsupdate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName = regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z0-9]+)`")
	testFunc = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(t \*testing\.T\)`)
)

// TestHostileTable checks the table of hostile input in docs/numerics.md: each row names a test at
// least, each test that it names is there, and each test of hostile input is named.
func TestHostileTable(t *testing.T) {
	text, err := os.ReadFile("../docs/numerics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Hostile input\n")
	if !found {
		t.Fatal("docs/numerics.md has no section Hostile input")
	}
	section, _, _ = strings.Cut(section, "\n## ")

	there := map[string]bool{} // package.Test, true for those of hostile input
	for _, dir := range []string{"lapack", "blsupdate", "bls", "mat", "bench", "internal/isfinite"} {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			source, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range testFunc.FindAllSubmatch(source, -1) {
				there[dir+"."+string(m[1])] = strings.HasPrefix(filepath.Base(f), "hostile_")
			}
		}
	}
	named := map[string]bool{}
	rows := 0
	for _, line := range strings.Split(section, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| input ") {
			continue
		}
		rows++
		tests := testName.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("no test is named in the row %.60s", line)
		}
		for _, m := range tests {
			name := m[1] + "." + m[2]
			named[name] = true
			if _, ok := there[name]; !ok {
				t.Errorf("there is no %s, which the row %.60s names", name, line)
			}
		}
	}
	if rows < 10 {
		t.Errorf("%d rows", rows)
	}
	for name, hostile := range there {
		if hostile && name != "blsupdate.TestHostileTable" && !named[name] {
			t.Errorf("%s is in no row", name)
		}
	}
}
