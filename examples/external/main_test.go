package main

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// modules lists the modules that an importer of the library needs, and golang.org/x/exp, which gonum's
// tests use. It excludes the dependencies of the command, such as cobra, progressbar and npyio.
var modules = []string{
	"blskernel", "github.com/cespare/xxhash/v2", "github.com/klauspost/cpuid/v2", "golang.org/x/exp", "golang.org/x/sys",
	"gonum.org/v1/gonum", "gonum.org/v1/netlib",
}

// TestModules checks that go.mod and go.sum, as go mod tidy writes them, name no other module.
func TestModules(t *testing.T) {
	line := regexp.MustCompile(`(?m)^(?:require)?\s*(\S+) v\d`)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := line.FindAllStringSubmatch(string(text), -1)
		if len(found) < 5 {
			t.Errorf("%s names %d modules", name, len(found))
		}
		for _, m := range found {
			if !slices.Contains(modules, m[1]) {
				t.Errorf("%s names %s", name, m[1])
			}
		}
	}
}
